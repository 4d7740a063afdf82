"""The syntax of the package, parsed once for all tests of a process."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import sdd_hooks

PACKAGE = Path(sdd_hooks.__file__).parent


@cache
def package_nodes() -> Mapping[str, Sequence[ast.AST]]:
    """All nodes of every module, the module first, by its path in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): list(ast.walk(ast.parse(path.read_bytes())))
        for path in sorted(PACKAGE.rglob("*.py"))
    }

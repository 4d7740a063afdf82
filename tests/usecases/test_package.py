"""A use case returns data: it prints nothing and knows no command line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sdd_hooks import usecases

PACKAGE = Path(usecases.__path__[0])
MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_use_case_prints_or_parses(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names]
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            assert not {"click", "sys"}.intersection([module, *names]), node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "input"}, node.lineno

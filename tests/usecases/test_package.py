"""A use case returns data: it prints nothing and knows no command line."""

from __future__ import annotations

import ast

from tests.support.syntax import package_nodes


def test_no_use_case_prints_or_parses() -> None:
    nodes = [
        (path, node)
        for path, nodes in package_nodes().items()
        if path.startswith("usecases/")
        for node in nodes
    ]
    assert nodes
    for path, node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names]
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            assert not {"click", "sys"}.intersection([module, *names]), (path, node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "input"}, (path, node.lineno)

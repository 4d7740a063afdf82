"""Effects come in as arguments: only the edges of the program read its environment."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import pytest

from tests.support.syntax import PACKAGE, package_nodes

EDGES = (
    "cli/",
    # Started with the interpreter of the system, before sdd is installed.
    "action/installation.py",
    # GitPython reads a variable of the process at its import.
    "system/gitpython.py",
    # Processes in the background.
    "embedding/backfill.py",
    "embedding/background.py",
    "githooks/events.py",
    "agents/after_edit.py",
    "usecases/upkeep/external_records.py",
    "usecases/agents/prepare.py",
    "usecases/upkeep/refresh.py",
    # Called by llm.
    "models/llm_plugin.py",
)
"""Modules and packages that pass the environment of the process on."""

ENVIRONMENT = ("os.environ", "os.environb", "os.getenv")
EFFECTS = (*ENVIRONMENT, "os.getcwd", "Path.cwd", "sys.stdin", "sys.stdout", "sys.stderr")


def test_only_the_edges_read_the_environment() -> None:
    uses_outside = {
        f"{path}:{line}"
        for path, nodes in modules_that_name_the_environment()
        if not path.startswith(EDGES)
        for line in uses(nodes, ENVIRONMENT)
    }
    assert uses_outside == set()


def test_every_edge_reads_the_environment() -> None:
    named = modules_that_name_the_environment()
    paths = {path for path, nodes in named if any(uses(nodes, ENVIRONMENT))}
    assert [edge for edge in EDGES if not any(path.startswith(edge) for path in paths)] == []


def test_no_default_value_is_an_effect() -> None:
    effects = {
        f"{path}:{line}"
        for path, nodes in package_nodes().items()
        for default in defaults(nodes)
        for line in uses(ast.walk(default), EFFECTS)
    }
    assert effects == set()


@pytest.mark.parametrize(
    "source",
    [
        "def f(environ=os.environ): ...",
        "def f(*, home=os.getenv('HOME')): ...",
        "def f(root: Path = Path.cwd()): ...",
        "def f(write=sys.stdout.write): ...",
        "async def f(out=sys.stderr): ...",
        "f = lambda out=sys.stdout: out",
        "class A(NamedTuple):\n    environ: Mapping[str, str] = os.environ",
    ],
)
def test_a_default_that_is_an_effect_is_found(source: str) -> None:
    found = defaults(ast.walk(ast.parse(source)))
    assert [line for default in found for line in uses(ast.walk(default), EFFECTS)]


@pytest.mark.parametrize(
    "source",
    ["print(os.environ['HOME'])", "from os import environ", "from os import getenv as get"],
)
def test_a_use_of_the_environment_is_found(source: str) -> None:
    assert list(uses(ast.walk(ast.parse(source)), ENVIRONMENT)) == [1]


def modules_that_name_the_environment() -> Iterator[tuple[str, Sequence[ast.AST]]]:
    """Those modules whose text has the last part of one of the names."""
    words = [name.rpartition(".")[2] for name in ENVIRONMENT]
    for path, nodes in package_nodes().items():
        text = (PACKAGE / path).read_text()
        if any(word in text for word in words):
            yield path, nodes


def uses(nodes: Iterable[ast.AST], names: tuple[str, ...]) -> Iterator[int]:
    """The lines in which one of these dotted names is used or imported."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and _dotted(node) in names:
            yield node.lineno
        if isinstance(node, ast.ImportFrom):
            imported = {f"{node.module}.{alias.name}" for alias in node.names}
            if imported.intersection(names):
                yield node.lineno


def _dotted(node: ast.Attribute) -> str:
    return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""


def defaults(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Default values of parameters, and of the fields of classes."""
    for node in nodes:
        if isinstance(node, ast.arguments):
            yield from node.defaults
            yield from filter(None, node.kw_defaults)
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and statement.value:
                    yield statement.value

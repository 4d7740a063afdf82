"""The structure of the package: its layers, and the limits of modules and functions."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from importlinter import api

from tests.support.programs import run_program
from tests.support.syntax import PACKAGE, package_nodes

ROOT = Path(__file__).parent.parent
MAX_FUNCTION_LINES = 60
EXCEPTION = re.compile(r"# noqa: .*?(PLR09\d\d)")
EXCEPTIONS = {"PLR0913": 6}
"""The number of exceptions to each limit, in the package and the benchmarks."""


def layers() -> set[str]:
    """The packages and modules in the contract of layers."""
    contracts = api.read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    (contract,) = (candidate for candidate in contracts if candidate["type"] == "layers")
    return {name for layer in contract["layers"] for name in re.split(r"\s*[|:]\s*", layer)}


def test_every_package_is_in_a_layer() -> None:
    packages = {f"sdd_hooks.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    modules = {f"sdd_hooks.{path.stem}" for path in PACKAGE.glob("*.py")}
    assert layers() == packages | modules - {"sdd_hooks.__init__"}


def test_the_diagram_for_contributors_has_every_layer() -> None:
    diagram = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2].partition("## ")[0]
    for layer in layers():
        assert re.search(rf"^{layer.removeprefix('sdd_hooks.')} ", diagram, re.MULTILINE)


def test_no_module_has_more_than_500_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path.name: length for path, length in lengths.items() if length > 500} == {}


def test_no_function_has_more_than_60_lines() -> None:
    too_long = [
        f"{path}:{node.lineno} {node.name}"
        for path, nodes in package_nodes().items()
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    assert too_long == []


def test_no_two_public_classes_have_the_same_name() -> None:
    names = Counter(
        node.name
        for (module, *_) in package_nodes().values()
        for node in ast.iter_child_nodes(module)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_number_of_exceptions_to_the_limits_is_recorded() -> None:
    """Ruff limits arguments, branches and returns. A fixed exception lowers the count here."""
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    codes = Counter(code for path in sources for code in EXCEPTION.findall(path.read_text()))
    assert codes == EXCEPTIONS


def _measures(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts/measures"), *arguments]
    return run_program(*command, check=False)


def _small_checkout(root: Path) -> Path:
    (root / "sdd_hooks").mkdir(parents=True)
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/measures", root / "scripts")
    text = '"""A module\n\nof four lines."""\n\n# Why.\nVALUE = 1\n'
    (root / "sdd_hooks/one.py").write_text(text)
    return root


def test_checkouts_are_compared_in_one_table(tmp_path: Path) -> None:
    first, second = _small_checkout(tmp_path / "first"), _small_checkout(tmp_path / "second")
    (second / "sdd_hooks/two.py").write_text("from sdd_hooks import one\n")
    printed = _measures(first, str(first), str(second)).stdout
    assert printed.startswith("| measure | first | second |\n| --- | --- | --- |\n")
    assert "| lines of the package | 6 | 7 |" in printed
    assert "| lines of the package without blanks, comments and docstrings | 1 | 2 |" in printed
    assert "| modules under 130 lines with one importer | 0 | 1 |" in printed


def test_a_figure_of_structure_may_only_fall_and_a_budget_is_kept(tmp_path: Path) -> None:
    root = _small_checkout(tmp_path)
    document = root / "CONTRIBUTING.md"
    rows = "| modules | 9 | 1 |\n| functions over 60 lines | 9 | 2 |\n"
    marks = "<!-- measures: start -->", "<!-- measures: end -->"
    document.write_text(f"Before.\n{marks[0]}\n{rows}{marks[1]}\nAfter.\n")
    assert _measures(root, "--check").returncode == 0
    _measures(root, "--write")
    written = document.read_text()
    assert written.startswith("Before.\n")
    assert written.endswith("\nAfter.\n")
    assert "| modules | 1 | 1 |" in written
    assert "| functions over 60 lines | 0 | 0 |" in written
    (root / "sdd_hooks/two.py").write_text("def long():\n" + "    call()\n" * 60)
    checked = _measures(root, "--check")
    assert checked.returncode == 1
    assert checked.stderr.splitlines() == [
        "modules: 2, at most 1 (CONTRIBUTING.md)",
        "functions over 60 lines: 1, at most 0 (CONTRIBUTING.md)",
        "modules directly in the fullest package: 2, at most 1 (CONTRIBUTING.md)",
    ]
    _measures(root, "--write")
    assert "| functions over 60 lines | 1 | 0 |" in document.read_text()


def test_tests_mirror_the_packages() -> None:
    others = {"action_yml", "adversarial", "benchmarks", "docs", "plugin", "plugins", "support"}
    folders = {path.parent.relative_to(ROOT / "tests") for path in ROOT.glob("tests/**/test_*.py")}
    mirrored = {folder for folder in folders if folder.parts[:1] and folder.parts[0] not in others}
    assert mirrored
    assert [folder for folder in mirrored if not (PACKAGE / folder / "__init__.py").exists()] == []
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.glob("*/__init__.py")}
    assert packages - mirrored == set()

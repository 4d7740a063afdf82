"""What plug-ins import: its names and signatures, and a plug-in of each kind that uses only it."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks import api
from sdd_hooks.engines.registry import ENGINES
from sdd_hooks.forges.registry import FORGES
from sdd_hooks.plugins import PluginKind
from sdd_hooks.reporting.registry import REPORTERS
from sdd_hooks.review.rules import RULES
from sdd_hooks.trackers.registry import TRACKERS
from tests.docs.pages import Block, blocks
from tests.support.plugins import SOURCES, install_plugin
from tests.support.programs import run_program

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/plugin-api.md"
GUIDE = ROOT / "docs/plugins.md"
NAMES = {
    name: module
    for modules in api.NAMES.values()
    for module, names in modules.items()
    for name in names
}
KINDS = {
    "sdd_abacus:ENGINE": ENGINES,
    "sdd_ledger:VENDOR": TRACKERS,
    "sdd_acorn:VENDOR": FORGES,
    "sdd_magic:RULE": RULES,
    "sdd_poem:REPORTER": REPORTERS,
}


def python_blocks(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python"]


def imports(source: str) -> set[str]:
    """The modules of the package that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return {name for name in found if name.partition(".")[0] == "sdd_hooks"}


def foreign_names(tree: ast.Module) -> Iterator[str]:
    """The names that a module imports from other distributions, and its type variables."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            if not (node.module or "").startswith("sdd_hooks"):
                yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Assign) and "TypeVar(" in ast.unparse(node.value):
            yield from map(ast.unparse, node.targets)


def defined_names(tree: ast.Module) -> Iterator[str]:
    """The classes and the type aliases of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from map(ast.unparse, node.targets)


def annotated_names(tree: ast.Module) -> Iterator[str]:
    """Every name in an annotation."""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            part = getattr(node, field, None)
            if part is not None:
                yield from (one.id for one in ast.walk(part) if isinstance(one, ast.Name))


def test_the_page_has_the_current_names_and_signatures() -> None:
    script = ROOT / "scripts/plugin-api-doc"
    done = run_program(sys.executable, script)
    assert PAGE.read_text() == done.stdout


def test_every_name_is_the_object_of_its_module() -> None:
    assert dir(api) == sorted(NAMES)
    for name, module in NAMES.items():
        if name in api.SUBMODULES:
            expected: object = importlib.import_module(f"{module}.{name}")
        else:
            expected = getattr(importlib.import_module(module), name)
        assert getattr(api, name) is expected, name


def test_other_names_are_not_public() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        api.Nothing  # type: ignore[attr-defined]  # noqa: B018


def test_every_type_in_a_signature_can_be_imported() -> None:
    sources = [ROOT / f"{module.replace('.', '/')}.py" for module in set(NAMES.values())]
    trees = [ast.parse(path.read_text()) for path in sources if path.is_file()]
    stubs = [ast.parse(block.text) for block in python_blocks(PAGE)]
    known = {*NAMES, *dir(builtins)}
    known.update(name for tree in trees for name in foreign_names(tree))
    known.update(name for tree in stubs for name in defined_names(tree))
    assert {name for tree in stubs for name in annotated_names(tree)} <= known


def test_importing_it_imports_no_other_module() -> None:
    source = (
        "import sys; before = set(sys.modules); import sdd_hooks.api; "
        "print(*sorted({m for m in set(sys.modules) - before if m.startswith('sdd_')}))"
    )
    command = [sys.executable, "-c", source]
    done = run_program(*command)
    assert done.stdout.split() == ["sdd_hooks", "sdd_hooks.api"]


def test_there_is_a_plugin_of_each_kind() -> None:
    modules = {target.partition(":")[0] for target in KINDS}
    assert {path.stem for path in SOURCES.glob("*.py")} == modules
    assert len({kind.group for kind in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize("target", KINDS)
def test_a_plugin_imports_no_other_module_of_the_package(target: str) -> None:
    source = (SOURCES / f"{target.partition(':')[0]}.py").read_text()
    assert imports(source) == {"sdd_hooks.api"}


@pytest.mark.parametrize(("target", "kind"), KINDS.items(), ids=lambda one: str(one)[:12])
def test_a_plugin_is_found_and_loaded(target: str, kind: PluginKind, tmp_path: Path) -> None:
    name = target.partition(":")[0].removeprefix("sdd_")
    group = kind.group.removeprefix("sdd_hooks.")
    environ = install_plugin(tmp_path, name, group, target)
    source = (
        "from sdd_hooks.plugins import PluginKind, find_plugin, load_plugin\n"
        f"plugin = find_plugin(PluginKind('plug-in', {kind.group!r}, {{}}), {name!r})\n"
        "print(plugin.distribution, type(load_plugin(plugin, object)).__name__)\n"
    )
    command = [sys.executable, "-c", source]
    done = run_program(*command, env=environ)
    types = ("AbacusBackend", "TrackerVendor", "ForgeVendor", "Rule", "Reporter")
    expected = dict(zip(KINDS, types, strict=True))[target]
    assert done.stdout == f"sdd-{name} 1.0 {expected}\n"


@pytest.mark.parametrize("block", python_blocks(GUIDE), ids=str)
def test_the_guide_shows_plugins_that_are_tested(block: Block) -> None:
    assert block.text in {path.read_text() for path in SOURCES.glob("*.py")}


def test_the_guide_registers_them() -> None:
    text = "".join(block.text for block in blocks(GUIDE) if block.language == "toml")
    registered = set(re.findall(r'"(sdd_hooks\..*)"\]\n.* = "(.*)"\n', text))
    assert registered == {(kind.group, target) for target, kind in KINDS.items()}

"""Plug-ins of this package and of other distributions: finding, loading, and the one message."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

import pytest

import sdd_hooks
from sdd_hooks.forges.protocol import ForgeVendor
from sdd_hooks.forges.registry import FORGES
from sdd_hooks.plugins import (
    Plugin,
    PluginError,
    PluginKind,
    find_plugin,
    load_plugin,
    registered_plugins,
)
from sdd_hooks.trackers.protocol import TrackerVendor
from sdd_hooks.trackers.registry import TRACKERS

FRUIT = PluginKind(
    "fruit",
    "sdd_hooks.test_fruit",
    {"pear": "collections:OrderedDict", "apple": f"{__name__}:APPLE"},
)
APPLE = "an apple"
POINTS = """[sdd_hooks.test_fruit]
plum = sdd_orchard:PLUM
apple = sdd_orchard:PLUM
fig = sdd_orchard:FIG.leaf [dried]
absent = sdd_orchard:ABSENT
number = sdd_orchard:NUMBER
broken = sdd_orchard_broken:PLUM
"""


@pytest.fixture
def orchard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution that registers plug-ins, some of them broken."""
    (tmp_path / "sdd_orchard.py").write_text(
        "from types import SimpleNamespace\n"
        "PLUM, NUMBER, FIG = 'a plum', 3, SimpleNamespace(leaf='a leaf')\n"
    )
    (tmp_path / "sdd_orchard_broken.py").write_text("raise RuntimeError('no\\nfruit')\n")
    about = tmp_path / "sdd_orchard-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sdd-orchard\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("sdd_orchard", None)


@pytest.mark.usefixtures("orchard")
def test_own_plugins_come_first_then_the_others_by_name() -> None:
    names = list(registered_plugins(FRUIT))
    assert names == ["pear", "apple", "absent", "broken", "fig", "number", "plum"]


def test_a_distribution_in_an_archive_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "orchard.zip"
    with zipfile.ZipFile(archive, "w") as file:
        about = "sdd_orchard-1.2.dist-info"
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: sdd-orchard\nVersion: 1\n")
        file.writestr(f"{about}/entry_points.txt", POINTS)
    monkeypatch.syspath_prepend(str(archive))
    assert "plum" in registered_plugins(FRUIT)


def test_a_distribution_in_an_egg_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "sdd_orchard-1.2.egg/EGG-INFO"
    about.mkdir(parents=True)
    (about / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: sdd-orchard\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(about.parent))
    assert "plum" in registered_plugins(FRUIT)


def test_a_finder_of_distributions_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Orchard(Distribution):
        def read_text(self, filename: str) -> str | None:
            return {
                "METADATA": "Metadata-Version: 2.1\nName: sdd-orchard\nVersion: 1.2\n",
                "entry_points.txt": POINTS,
            }.get(filename)

        def locate_file(self, path: object) -> Path:
            raise NotImplementedError

    class Finder(DistributionFinder):
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, *_: object) -> list[Distribution]:
            return [Orchard()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert "plum" in registered_plugins(FRUIT)


def test_metadata_is_not_imported_where_no_distribution_registers_the_kind() -> None:
    code = (
        "import sys; from sdd_hooks.plugins import *;"
        "registered_plugins(PluginKind('fruit', 'sdd_hooks.test_fruit', {}));"
        "assert 'importlib.metadata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("orchard")
def test_another_distribution_cannot_replace_an_own_plugin() -> None:
    apple = Plugin(FRUIT, "apple", f"{__name__}:APPLE")
    assert find_plugin(FRUIT, "apple") == registered_plugins(FRUIT)["apple"] == apple
    assert load_plugin(apple, str) == APPLE


@pytest.mark.usefixtures("orchard")
@pytest.mark.parametrize(("name", "loaded"), [("plum", "a plum"), ("fig", "a leaf")])
def test_a_plugin_of_another_distribution_is_loaded(name: str, loaded: str) -> None:
    plugin = find_plugin(FRUIT, name)
    assert plugin is not None
    assert plugin.distribution == "sdd-orchard 1.2"
    assert load_plugin(plugin, str) == loaded


def test_an_unknown_name_is_none() -> None:
    assert find_plugin(FRUIT, "plum") is None


@pytest.mark.usefixtures("orchard")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("broken", "RuntimeError: no fruit"),
        ("absent", "AttributeError: module 'sdd_orchard' has no attribute 'ABSENT'"),
        ("number", "it is not of type str"),
    ],
)
def test_one_message_for_each_failure(name: str, why: str) -> None:
    with pytest.raises(PluginError) as raised:
        load_plugin(registered_plugins(FRUIT)[name], str)
    assert str(raised.value) == (
        f"the fruit '{name}' of the distribution 'sdd-orchard 1.2' cannot be loaded ({why}):"
        " update or remove it"
    )
    assert raised.value.code == "fruit"


def test_an_own_plugin_that_fails_names_this_package() -> None:
    with pytest.raises(PluginError) as raised:
        load_plugin(Plugin(FRUIT, "pe\nar", "sdd_hooks.no_pear:PEAR"), str)
    assert str(raised.value) == (
        "the fruit 'pe ar' cannot be loaded (ModuleNotFoundError: No module named"
        " 'sdd_hooks.no_pear'): reinstall sdd-hooks"
    )


def test_own_plugins_are_found_without_searching_distributions() -> None:
    source = (
        "import sys; from sdd_hooks.plugins import *;"
        "kind = PluginKind('fruit', 'sdd_hooks.fruit', {'pear': 'json:loads'});"
        "load_plugin(find_plugin(kind, 'pear'), object);"
        "assert 'importlib.metadata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", source], check=True, env=dict(os.environ))


KINDS = {"trackers": (TRACKERS, TrackerVendor), "forges": (FORGES, ForgeVendor)}


@pytest.mark.parametrize("package", KINDS)
def test_each_folder_of_a_vendor_is_registered_and_only_the_registry_imports_it(
    package: str,
) -> None:
    kind, vendor = KINDS[package]
    top = Path(sdd_hooks.__file__).parent
    targets = {name: target.split(".")[2] for name, target in kind.own.items()}
    folders = {path.parent.name for path in (top / package).glob("*/__init__.py")}
    assert folders <= {*targets.values()}
    modules = top.rglob("*.py")
    texts = {path.relative_to(top).as_posix(): path.read_text("utf-8") for path in modules}
    registered = registered_plugins(kind)
    for name, folder in targets.items():
        assert load_plugin(registered[name], vendor).label
        imported = re.compile(rf"\b{package}(\.| import ){folder}\b")
        own = (f"{package}/registry.py", f"{package}/{folder}/")
        importing = [path for path, text in texts.items() if imported.search(text)]
        assert [path for path in importing if not path.startswith(own)] == []

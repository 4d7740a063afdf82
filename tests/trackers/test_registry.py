"""The registered trackers, their names, and plug-ins that cannot be loaded."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sdd_hooks
from sdd_hooks.plugins import PluginError
from sdd_hooks.trackers.registry import (
    TRACKERS,
    UnknownTracker,
    find_vendor,
    load_vendors,
    registered_trackers,
)
from tests.trackers.vendors import ACORN, CRATES, KNOWN, LAST_PAGE, point

BROKEN = {
    "absent": point("absent", "VENDOR", "tests.trackers.there_is_no_such_module"),
    "empty": point("empty", "THERE_IS_NO_SUCH_NAME"),
    "text": point("text", "NO_VENDOR"),
}


def test_each_folder_of_a_tracker_is_registered() -> None:
    package = Path(sdd_hooks.__file__).parent / "trackers"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    assert folders <= {target.split(".")[2] for target in TRACKERS.own.values()}
    assert TRACKERS.own.keys() <= registered_trackers().keys()
    assert list(registered_trackers()) == sorted(registered_trackers())


@pytest.mark.parametrize("name", sorted(registered_trackers()))
def test_each_tracker_can_be_loaded(name: str) -> None:
    assert find_vendor(name.upper(), registered_trackers())[0] == name
    assert find_vendor(name, registered_trackers())[1].label


@pytest.mark.parametrize(
    "folder", [one.target.split(".")[2] for one in registered_trackers().values()]
)
def test_only_its_folder_and_the_registry_import_a_vendor(folder: str) -> None:
    package = Path(sdd_hooks.__file__).parent
    imported = re.compile(rf"\btrackers(\.| import ){folder}\b")
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    importing = [name for name, path in paths.items() if imported.search(path.read_text("utf-8"))]
    own = ("trackers/registry.py", f"trackers/{folder}/")
    assert [name for name in importing if not name.startswith(own)] == []


def test_listing_the_trackers_imports_none() -> None:
    source = (
        "import sys; from sdd_hooks.trackers.registry import registered_trackers;"
        "list(registered_trackers());"
        "assert not [m for m in sys.modules if m.startswith('sdd_hooks.trackers.g')]"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


def test_loading_all_trackers_imports_nothing_heavy() -> None:
    source = (
        "import sys; from sdd_hooks.trackers.registry import load_vendors, registered_trackers;"
        "assert len(list(load_vendors(registered_trackers(), []))) == len(registered_trackers());"
        "heavy = {'httpx', 'git', 'yaml', 'frontmatter', 'graphql'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


@pytest.mark.parametrize("name", ["last-page", "LAST PAGE", "last_page", "Last-Page", "last.page"])
def test_spelling_does_not_matter(name: str) -> None:
    assert find_vendor(name, KNOWN) == ("last-page", LAST_PAGE)


@pytest.mark.parametrize(
    ("name", "found"),
    [("oak", ("acorn", ACORN)), ("Oak", ("acorn", ACORN)), ("last-page.md", None)],
)
def test_a_tracker_is_found_by_its_label_and_its_aliases(
    name: str, found: tuple[str, object]
) -> None:
    assert find_vendor(name, KNOWN) == (found or ("last-page", LAST_PAGE))


def test_the_error_for_an_unknown_name_lists_the_registered_ones() -> None:
    with pytest.raises(UnknownTracker) as raised:
        find_vendor("bitbucket\n", KNOWN)
    assert str(raised.value) == (
        "no tracker is called 'bitbucket\\n': choose one of"
        " acorn, birch, crates, drawers, last-page"
    )


def test_only_the_named_tracker_is_loaded() -> None:
    assert find_vendor("crates", {**BROKEN, **KNOWN}) == ("crates", CRATES)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "absent",
            "No module named 'tests.trackers.there_is_no_such_module')",
        ),
        ("empty", "has no attribute 'THERE_IS_NO_SUCH_NAME')"),
        ("text", "(it is not of type TrackerVendor)"),
    ],
)
def test_a_broken_plug_in_is_an_error_of_one_line(name: str, why: str) -> None:
    with pytest.raises(PluginError) as raised:
        find_vendor(name, BROKEN)
    line = str(raised.value)
    assert line.startswith(
        f"the tracker '{name}' of the distribution 'woods 1.0' cannot be loaded ("
    )
    assert why in line
    assert "\n" not in line


def test_the_other_trackers_work_beside_a_broken_one() -> None:
    broken: list[str] = []
    vendors = dict(load_vendors({**BROKEN, **KNOWN}, broken))
    assert list(vendors) == list(KNOWN)
    assert [line.split("'")[1] for line in broken] == list(BROKEN)

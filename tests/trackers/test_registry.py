"""What is registered, what it is called, and what becomes of what cannot be loaded."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sdd_hooks
from sdd_hooks.plugins import PluginError
from sdd_hooks.trackers.registry import (
    UnknownTracker,
    load,
    registered,
    vendor,
    vendors,
)
from tests.trackers.vendors import ACORN, CRATES, KNOWN, LAST_PAGE, point

BROKEN = {
    "absent": point("absent", "VENDOR", "tests.trackers.there_is_no_such_module"),
    "empty": point("empty", "THERE_IS_NO_SUCH_NAME"),
    "text": point("text", "NO_VENDOR"),
}


def test_seven_trackers_come_with_the_package() -> None:
    expected = {"beads", "gitea", "github", "gitlab", "jira", "linear", "tasks-md"}
    assert expected <= set(registered())
    assert list(registered()) == sorted(registered())


@pytest.mark.parametrize("name", sorted(registered()))
def test_each_of_them_can_be_loaded(name: str) -> None:
    found = load(name, registered())
    assert found.label
    assert vendor(name.upper(), registered()) == (name, found)


@pytest.mark.parametrize("folder", [one.target.split(".")[2] for one in registered().values()])
def test_nothing_but_its_own_modules_and_the_registry_knows_a_vendor(folder: str) -> None:
    package = Path(sdd_hooks.__file__).parent
    imported = re.compile(rf"\btrackers(\.| import ){folder}\b")
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    knowing = [name for name, path in paths.items() if imported.search(path.read_text("utf-8"))]
    # The same vendor's forge asks the same API.
    own = ("trackers/registry.py", *(f"{kind}/{folder}/" for kind in ("trackers", "forges")))
    assert [name for name in knowing if not name.startswith(own)] == []


def test_listing_them_imports_none() -> None:
    source = (
        "import sys; from sdd_hooks.trackers.registry import registered; list(registered());"
        "assert not [m for m in sys.modules if m.startswith('sdd_hooks.trackers.g')]"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


def test_loading_all_of_them_imports_nothing_heavy() -> None:
    source = (
        "import sys; from sdd_hooks.trackers.registry import registered, vendors;"
        "assert len(list(vendors(registered(), []))) > 6;"
        "heavy = {'httpx', 'git', 'yaml', 'frontmatter', 'graphql'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


@pytest.mark.parametrize("name", ["last-page", "LAST PAGE", "last_page", "Last-Page", "last.page"])
def test_spelling_does_not_matter(name: str) -> None:
    assert vendor(name, KNOWN) == ("last-page", LAST_PAGE)


@pytest.mark.parametrize(
    ("name", "found"),
    [("oak", ("acorn", ACORN)), ("Oak", ("acorn", ACORN)), ("last-page.md", None)],
)
def test_a_label_or_another_name_is_understood(name: str, found: tuple[str, object]) -> None:
    assert vendor(name, KNOWN) == (found or ("last-page", LAST_PAGE))


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownTracker) as raised:
        vendor("bitbucket\n", KNOWN)
    assert str(raised.value) == (
        "no tracker is called 'bitbucket\\n': choose one of"
        " acorn, birch, crates, drawers, last-page"
    )


def test_only_the_one_that_is_named_is_loaded() -> None:
    assert vendor("crates", {**BROKEN, **KNOWN}) == ("crates", CRATES)


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
def test_one_that_cannot_be_loaded_is_one_line(name: str, why: str) -> None:
    with pytest.raises(PluginError) as raised:
        vendor(name, BROKEN)
    line = str(raised.value)
    assert line.startswith(
        f"the tracker '{name}' of the distribution 'woods 1.0' cannot be loaded ("
    )
    assert why in line
    assert "\n" not in line


def test_the_others_work_beside_it() -> None:
    broken: list[str] = []
    found = dict(vendors({**BROKEN, **KNOWN}, broken))
    assert list(found) == list(KNOWN)
    assert [line.split("'")[1] for line in broken] == list(BROKEN)

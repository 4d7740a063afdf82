"""The registered trackers, their names, and plug-ins that cannot be loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sdd_hooks.trackers.registry import (
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


@pytest.mark.parametrize("name", sorted(registered_trackers()))
def test_each_tracker_can_be_loaded(name: str) -> None:
    assert find_vendor(name.upper(), registered_trackers())[0] == name
    assert find_vendor(name, registered_trackers())[1].label


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


def test_the_other_trackers_work_beside_a_broken_one() -> None:
    broken: list[str] = []
    vendors = dict(load_vendors({**BROKEN, **KNOWN}, broken))
    assert list(vendors) == list(KNOWN)
    assert [line.split("'")[1] for line in broken] == list(BROKEN)

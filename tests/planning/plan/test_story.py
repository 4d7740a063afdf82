from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.story import Hotspot, ReusedCode, SharedArtifact, size_name, size_story
from tests.planning.plan.specs import planned

CODE = ReusedCode("src/a.py", (), "both are about a")


@pytest.mark.parametrize(
    ("points", "name"),
    [(1, "XS"), (5, "XS"), (6, "S"), (12, "S"), (13, "M"), (26, "L"), (46, "XL")],
)
def test_size_name(points: int, name: str) -> None:
    assert size_name(points) == name


def test_existing_code_makes_a_story_smaller() -> None:
    requirements = planned(("Store", "It MUST a. " * 7), ("Expiry", "It MUST b. " * 7))
    scratch = size_story(requirements, (), {}, ())
    assert (scratch.name, scratch.points, scratch.from_scratch) == ("M", 16, "M")
    assert scratch.reasons == ("2 requirements, 14 obligations, 2 scenarios",)
    extended = size_story(requirements, (), {requirements[0].key: (CODE,)}, ())
    assert (extended.name, extended.points, extended.points_from_scratch) == ("M", 13, 16)
    assert extended.reasons[1] == "1 existing file for 1 of them: 13 points instead of 16"
    both = size_story(requirements, (), {one.key: (CODE,) for one in requirements}, ())
    assert (both.name, both.from_scratch) == ("S", "M")


def test_a_small_story_becomes_smaller_as_well() -> None:
    (one,) = planned(("Store", "It keeps."))
    assert size_story([one], (), {one.key: (CODE,)}, ()).points_from_scratch == 1
    two = planned(("Store", "It MUST keep."))
    size = size_story(two, (), {two[0].key: (CODE,)}, ())
    assert size.points < size.points_from_scratch


def test_shared_artifacts_and_hotspots_count() -> None:
    shared = (SharedArtifact("SessionStore", "type", ()), SharedArtifact("KEY", "setting", ()))
    size = size_story((), shared, {}, (Hotspot("src/a.py", 30, 50),))
    assert (size.points, size.reasons) == (
        7,
        ("2 shared artifacts to create", "changes the hotspot src/a.py"),
    )

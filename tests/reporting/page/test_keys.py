"""Test sdd_hooks.reporting.page.keys."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.reporting.page.keys import assign_keys


def record(path: str, number: int | None = None, module: str = "") -> Artifact:
    identifier = None if number is None else ArtifactId("ADR", number, module=module)
    return Artifact("ADR", identifier, path, "T", module)


def test_the_key_is_the_id_or_the_name_of_the_file() -> None:
    keys = assign_keys([record("a/0012-x.md", 12), record("a/logs & more.md")])
    assert keys == {"a/0012-x.md": "ADR-0012", "a/logs & more.md": "logs-more"}


def test_a_module_is_part_of_the_key() -> None:
    assert assign_keys([record("a.md", 7, "api")]) == {"a.md": "api-ADR-0007"}


def test_artifacts_that_share_a_key_are_numbered_by_path() -> None:
    keys = assign_keys([record("b.md", 1), record("a.md", 1), record("c.md", 1)])
    assert keys == {"a.md": "ADR-0001", "b.md": "ADR-0001~2", "c.md": "ADR-0001~3"}


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=8))
def test_keys_differ_and_need_no_escape_in_an_address(names: list[str]) -> None:
    keys = assign_keys([record(f"docs/{name}.md") for name in names])
    assert len(set(keys.values())) == len(names)
    assert all(re.fullmatch(r"[\w.~-]+", key) for key in keys.values())

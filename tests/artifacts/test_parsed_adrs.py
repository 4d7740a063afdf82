from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus, read_adr_file
from sdd_hooks.artifacts.parsed_adrs import CACHE_FILE, ParsedAdrs, adr_from_row, adr_to_row
from tests.support.repos import Repo

FULL = """---
status: accepted
date: 2026-01-02
deciders: [ann, bob]
nested: {a: {b: c}}
supersedes: ADR-0003
---

# ADR-0007: Sweep the outbox

## Decision Outcome

It is swept. See ADR-0004.

### Below

Superseded by ADR-0009.
"""
SUPERSEDED = (
    "# 8. Old\n\n## Status\n\nSuperseded by [ADR-0007](0007-sweep.md)\n\n## Decision\n\nNo.\n"
)
BARE = "# Keep\n\n## Decision\n\nYes.\n"


def adr(text: str = FULL, path: str = "docs/adr/0007-sweep.md", **fields: str) -> ArtifactFile:
    return ArtifactFile(
        path, text.encode(), "ADR", **{"blob": f"{crc32(text.encode()):040x}", **fields}
    )


ALL = [adr(), adr(SUPERSEDED, "docs/adr/0008-old.md"), adr(BARE, "api/adr-keep.md", module="api")]


@pytest.fixture
def kept(repo: Repo) -> Repo:
    """A repository with `.sdd`, whose cache has the ADRs of ALL."""
    (repo.root / ".sdd").mkdir()
    read_all(repo)
    return repo


def read_all(repo: Repo, files: list[ArtifactFile] = ALL) -> list[Artifact | None]:
    adrs = ParsedAdrs(repo.repository)
    found = [adrs.read(file) for file in files]
    adrs.save()
    return found


def cache_of(repo: Repo) -> Path:
    return repo.root / ".git/sdd" / CACHE_FILE


def change_rows(repo: Repo, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the rows of the cache, and give it the right checksum."""
    parser, rows = json.loads(cache_of(repo).read_bytes().partition(b"\0")[2])
    change(rows)
    content = json.dumps([parser, rows]).encode()
    cache_of(repo).write_bytes(b"%d\0%b" % (crc32(content), content))


def test_a_cached_adr_equals_a_parsed_one(kept: Repo) -> None:
    expected = [read_adr_file(file) for file in ALL]
    assert read_all(kept) == expected
    assert None not in expected
    first = expected[0]
    assert first
    assert all((first.edges, first.frontmatter, first.decision, first.findings))
    assert load_corpus(ALL, ParsedAdrs(kept.repository).read) == load_corpus(ALL)


def test_the_cache_is_used(kept: Repo) -> None:
    def rename(rows: dict[str, Any]) -> None:
        for row in rows.values():
            row[1] = "Cached"

    change_rows(kept, rename)
    assert [one and one.title for one in read_all(kept)] == ["Cached"] * 3


@pytest.mark.parametrize(
    "other",
    [adr(path="docs/adr/0010-sweep.md"), adr(module="api"), adr(blob="0" * 40), adr(blob="")],
    ids=["path", "module", "content", "not from git"],
)
def test_another_file_is_parsed(kept: Repo, other: ArtifactFile) -> None:
    change_rows(kept, lambda rows: [row.__setitem__(1, "Cached") for row in rows.values()])
    (found,) = read_all(kept, [other])
    assert found == read_adr_file(other)


def test_names_of_other_repositories_are_read_again(repo: Repo) -> None:
    (repo.root / ".sdd").mkdir()
    file = adr("---\nextends: [acme/ADR-0012]\n---\n# ADR-0007: X\n\n## Decision\n\nY\n")
    for origins in ({}, {"acme": "acme"}, {"acme": "other"}) * 2:
        adrs = ParsedAdrs(repo.repository)
        found = adrs.read(file, origins)
        adrs.save()
        assert found == read_adr_file(file, origins)
        named = [edge.target.origin for edge in found.edges] if found else []
        assert named == (list(origins.values()) or [""])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: b"7" + data,
        lambda data: data.replace(b"Sweep", b"Sweet"),
        lambda data: b"%d\0[1]" % crc32(b"[1]"),
        lambda data: b"%d\0" % crc32(b"[" * 100_000) + b"[" * 100_000,
        lambda data: b"\xff\xff",
    ],
)
def test_a_damaged_cache_is_built_again(kept: Repo, damage: Callable[[bytes], bytes]) -> None:
    whole = cache_of(kept).read_bytes()
    cache_of(kept).write_bytes(damage(whole))
    assert read_all(kept) == [read_adr_file(file) for file in ALL]
    assert cache_of(kept).read_bytes() == whole


def test_the_rows_of_another_version_are_not_used(kept: Repo) -> None:
    content = cache_of(kept).read_bytes().partition(b"\0")[2]
    other = json.dumps(["0.0.1 1", dict.fromkeys(json.loads(content)[1])]).encode()
    cache_of(kept).write_bytes(b"%d\0%b" % (crc32(other), other))
    assert read_all(kept) == [read_adr_file(file) for file in ALL]
    assert cache_of(kept).read_bytes().partition(b"\0")[2] == content


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(st.data())
def test_a_hostile_row_is_an_adr_or_parsed_again(data: st.DataObject) -> None:
    row = json.loads(json.dumps(adr_to_row(load_corpus(ALL[:1]).artifacts[0])))
    target: Any = row
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [one for one in target if isinstance(one, list) and one]
        if inner:
            target = data.draw(st.sampled_from(inner))
    target[data.draw(st.integers(0, len(target) - 1))] = data.draw(JSON)
    found = adr_from_row(row, ALL[0])
    if found is not None:
        assert isinstance(found.title, str)
        assert all(isinstance(one.first_line, int) for one in found.sections)
        assert all(isinstance(one.target.number, int) for one in found.edges)
        assert hash((found.id, found.status, found.decision, found.successors)) is not None


def test_a_page_that_is_no_record_stays_none(kept: Repo) -> None:
    page = adr("# Welcome\n", "docs/adr/welcome.md")
    assert read_all(kept, [page]) == read_all(kept, [page]) == [None]


def test_without_derived_state_nothing_is_written(repo: Repo) -> None:
    read_all(repo)
    assert not cache_of(repo).exists()


def test_a_cache_that_is_a_link_is_neither_read_nor_followed(kept: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    cache_of(kept).unlink()
    cache_of(kept).symlink_to(outside)
    assert read_all(kept) == [read_adr_file(file) for file in ALL]
    assert outside.read_text() == "mine"


def test_only_the_rows_of_the_last_review_are_kept(kept: Repo) -> None:
    other = adr("# 10. New\n\n## Decision\n\nZ\n", "docs/adr/0010-new.md")
    read_all(kept, [ALL[0], other])
    _, rows = json.loads(cache_of(kept).read_bytes().partition(b"\0")[2])
    assert [key.partition("\0")[0] for key in rows] == [ALL[0].blob, other.blob]

"""What somebody else put under the ref is refused, and what is sound beside it is used."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.sharing.limits import LIMITS
from sdd_hooks.sharing.segment_format import name_of, write_segment
from tests.support.laptops import Hub, Laptop

SOUND = b"\x7f\0\0\0\0\0\0\1"


@pytest.fixture
def laptop(hub: Hub) -> Laptop:
    return hub.laptop("laptop")


def segment(laptop: Laptop, *vectors: bytes, model: str = "") -> bytes:
    """A segment of the laptop's model with these vectors."""
    named = model or laptop.pull().model
    pairs = [(bytes([n]) * 32, vector) for n, vector in enumerate(vectors)]
    return write_segment(named, "int8", 8, pairs)


def entry(data: bytes) -> tuple[str, str, bytes]:
    return "100644", name_of(data), data


def test_a_broken_segment_costs_no_other(hub: Hub, laptop: Laptop) -> None:
    good = segment(laptop, SOUND, SOUND)
    bad = {
        "is not what its checksum says": ("100644", "0" * 64, good),
        "has a vector that no model gives": entry(segment(laptop, SOUND, bytes(8))),
        "is of another model": entry(segment(laptop, SOUND, model="another")),
        "is no segment of this format": entry(b"x" * 500),
        "is cut short": entry(b""),
    }
    hub.put(laptop.ref, [entry(good), *bad.values()])
    pulled = laptop.pull()
    assert pulled.pulled == 2
    expected = {f"{one[1][:12]} {said}: refused" for said, one in bad.items()}
    assert set(pulled.notes) == expected
    assert laptop.vectors == {bytes([n]) * 32: SOUND for n in range(2)}
    # The next push leaves it out, even with nothing of its own.
    pushed = laptop.push()
    assert (pushed.pushed, set(pushed.notes)) == (0, expected)
    assert hub.entries(pushed.ref) == [name_of(good)]
    assert laptop.pull().notes == ()


@pytest.mark.parametrize("mode", ["100755", "120000", "160000", "040000"])
def test_only_files_are_segments(hub: Hub, laptop: Laptop, mode: str) -> None:
    good = segment(laptop, SOUND)
    hub.put(laptop.ref, [(mode, name_of(good), good), ("100644", "\x1b]0;x\x07\n", good)])
    pulled = laptop.pull()
    assert pulled.vectors == 0
    assert len(pulled.notes) == 2
    assert all(
        note.isprintable() and note.endswith("is no segment: refused") for note in pulled.notes
    )


def test_sizes_are_looked_at_first(hub: Hub, laptop: Laptop) -> None:
    good = segment(laptop, SOUND)
    hub.put(laptop.ref, [entry(good), entry(b"x" * 3000)])
    (note,) = laptop.pull(limits=LIMITS._replace(largest=2000)).notes
    assert note.endswith("is larger than a segment: refused")
    with pytest.raises(RemoteError, match=r"is larger than it may be: refused, take"):
        laptop.pull(limits=LIMITS._replace(total=1000))


def test_a_tree_that_is_too_large_is_not_read(hub: Hub, laptop: Laptop) -> None:
    lines = b"".join(f"100644 blob {'1' * 40}\t{number:064}\0".encode() for number in range(2500))
    tree = hub.repo.run("mktree", "-z", "--missing", stdin=lines).stdout.decode().strip()
    # A remote has what it says it has, or git does not send it.
    hub.repo.git("config", "uploadpack.allowFilter", "true")
    commit = hub.repo.git("commit-tree", tree, "-m", "x")
    hub.repo.git("update-ref", laptop.ref, commit)
    with pytest.raises(RemoteError, match=r"^origin does not give refs/sdd/"):
        laptop.pull()
    good = segment_of_many(hub)
    hub.repo.git("update-ref", laptop.ref, good)
    with pytest.raises(RemoteError, match=r"has too many entries: refused, take"):
        laptop.pull()


def segment_of_many(hub: Hub) -> str:
    """A commit whose tree has 2,500 entries, each the same empty file."""
    blob = hub.repo.run("hash-object", "-w", "--stdin").stdout.decode().strip()
    lines = b"".join(f"100644 blob {blob}\t{number:064}\0".encode() for number in range(2500))
    tree = hub.repo.run("mktree", "-z", stdin=lines).stdout.decode().strip()
    return hub.repo.git("commit-tree", tree, "-m", "x")


def test_a_pack_that_is_too_large_is_not_kept(hub: Hub, laptop: Laptop) -> None:
    hub.put(laptop.ref, [entry(os.urandom(3_000_000))])
    with pytest.raises(RemoteError, match=r"^origin does not give refs/sdd/") as caught:
        laptop.pull(limits=LIMITS._replace(total=1000))
    assert "\n" not in str(caught.value)
    with pytest.raises(RemoteError):
        laptop.pull(limits=LIMITS._replace(total=1000))
    kept = [path.stat().st_size for path in laptop.share.rglob("*") if path.is_file()]
    # What the last attempt left goes with the next one.
    assert sum(kept) < 2 * 1_100_000


def test_a_large_object_in_a_small_pack(hub: Hub, laptop: Laptop) -> None:
    hub.put(laptop.ref, [("100644", "0" * 64, bytes(60_000_000))])
    (note,) = laptop.pull(limits=LIMITS._replace(total=1000)).notes
    assert note == "000000000000 is larger than a segment: refused"


@pytest.mark.parametrize(
    "point",
    [
        lambda hub: hub.repo.git("rev-parse", "main"),
        lambda hub: hub.repo.git("rev-parse", "main:CLAUDE.md"),
        lambda hub: hub.repo.git("rev-parse", "main^{tree}"),
    ],
)
def test_a_ref_that_is_at_something_else(
    hub: Hub, laptop: Laptop, point: Callable[[Hub], str]
) -> None:
    laptop.embed()
    hub.repo.git("update-ref", laptop.ref, point(hub))
    before = laptop.vectors
    try:
        pulled = laptop.pull()
    except RemoteError as error:
        assert str(error).startswith("origin does not give what refs/sdd/vectors/")
    else:
        assert pulled.vectors == 0
        assert pulled.notes
    assert laptop.vectors == before


def test_most_vectors_say_how_many_dimensions_there_are(hub: Hub, laptop: Laptop) -> None:
    good = segment(laptop, SOUND, SOUND)
    named = laptop.pull().model
    bad = write_segment(named, "int8", 4, [(b"x" * 32, SOUND[:4])])
    hub.put(laptop.ref, [entry(good), entry(bad)])
    pulled = laptop.pull()
    assert pulled.pulled == 2
    (note,) = pulled.notes
    assert note.endswith("has vectors of 4 dimensions, not 8: refused")
    assert laptop.embed().embedded == 2

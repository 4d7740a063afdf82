"""Invalid content of the ref is refused, and valid segments beside it are used."""

from __future__ import annotations

import os

import pytest

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.errors import RemoteError
from sdd_hooks.sharing.options import SharingLimits
from sdd_hooks.sharing.segment_format import segment_name, write_segment
from tests.support.laptops import Laptop, SharedRemote

VALID_VECTOR = b"\x7f\0\0\0\0\0\0\1"


@pytest.fixture
def laptop(hub: SharedRemote) -> Laptop:
    return hub.laptop("laptop")


def segment(laptop: Laptop, *vectors: bytes, model: str = "") -> bytes:
    """A segment of these vectors, by default of the laptop's model."""
    model = model or laptop.pull().model
    pairs = [(bytes([n]) * 32, vector) for n, vector in enumerate(vectors)]
    return write_segment(model, "int8", 8, pairs)


def entry(data: bytes) -> tuple[str, str, bytes]:
    return "100644", segment_name(data), data


def test_an_invalid_segment_does_not_affect_the_others(hub: SharedRemote, laptop: Laptop) -> None:
    good = segment(laptop, VALID_VECTOR, VALID_VECTOR)
    bad = {
        "does not match its checksum": ("100644", "0" * 64, good),
        "has an invalid vector": entry(segment(laptop, VALID_VECTOR, bytes(8))),
        "is of another model": entry(segment(laptop, VALID_VECTOR, model="another")),
        "is not a segment of this format": entry(b"x" * 500),
        "is truncated": entry(b""),
    }
    hub.put(laptop.ref, [entry(good), *bad.values()])
    pulled = laptop.pull()
    assert pulled.pulled == 2
    expected = {f"{name[:12]} {reason}: refused" for reason, (_, name, _) in bad.items()}
    assert set(pulled.notes) == expected
    assert laptop.vectors == {bytes([n]) * 32: VALID_VECTOR for n in range(2)}
    # The next push leaves invalid segments out, even when it adds no vector.
    pushed = laptop.push()
    assert (pushed.pushed, set(pushed.notes)) == (0, expected)
    assert hub.entries(pushed.ref) == [segment_name(good)]
    assert laptop.pull().notes == ()


@pytest.mark.parametrize("mode", ["100755", "120000", "160000", "040000"])
def test_only_files_are_segments(hub: SharedRemote, laptop: Laptop, mode: str) -> None:
    good = segment(laptop, VALID_VECTOR)
    hub.put(laptop.ref, [(mode, segment_name(good), good), ("100644", "\x1b]0;x\x07\n", good)])
    pulled = laptop.pull()
    assert pulled.vectors == 0
    assert len(pulled.notes) == 2
    assert all(
        note.isprintable() and note.endswith("is not a segment: refused") for note in pulled.notes
    )


def test_a_foreign_entry_is_named_so_that_it_is_recognised(
    hub: SharedRemote, laptop: Laptop
) -> None:
    names = ("benchmarks of the spring release.ipynb", "schlüssel.txt", "x" * 200, "\x1b[2J \u202e")
    hub.put(laptop.ref, [("100644", name, b"x") for name in names])
    shown = {note.removesuffix(" is not a segment: refused") for note in laptop.pull().notes}
    assert shown == {*names[:2], "x" * 79 + "…", "\\u001b[2J \\u202e"}


@pytest.mark.parametrize("what", ["commit", "tree", "blob"])
def test_a_remote_that_lost_objects_is_mended_by_what_the_message_says(
    hub: SharedRemote, what: str
) -> None:
    writer, reader = hub.laptop("writer"), hub.laptop("reader")
    writer.embed()
    writer.push()
    lost = {
        "commit": lambda: hub.repo.git("rev-parse", writer.ref),
        "tree": lambda: hub.repo.git("rev-parse", f"{writer.ref}^{{tree}}"),
        "blob": lambda: hub.repo.git("ls-tree", writer.ref).split()[2],
    }[what]()
    (hub.repo.root / "objects" / lost[:2] / lost[2:]).unlink()
    for act in (reader.pull, reader.push):
        with pytest.raises(RemoteError, match=r"^origin has lost objects of refs/sdd/") as caught:
            act()
    command = f"git push origin --delete {writer.ref}"
    assert f": delete the ref with `{command}`, and run `sdd index push` on" in str(caught.value)
    reader.repo.git(*command.split()[1:])
    assert writer.push().pushed == 2
    assert reader.pull().pulled == 2


def test_sizes_are_checked_before_contents(hub: SharedRemote, laptop: Laptop) -> None:
    good = segment(laptop, VALID_VECTOR)
    hub.put(laptop.ref, [entry(good), entry(b"x" * 3000)])
    (note,) = laptop.pull(limits=SharingLimits(max_segment_bytes=2000)).notes
    assert note.endswith("is larger than a segment: refused")
    (note,) = laptop.pull(limits=SharingLimits(max_total_bytes=1000)).notes
    assert note.endswith("exceeds the size limit: refused, `sdd index push` replaces it")


def test_a_tree_that_is_too_large_is_not_read(hub: SharedRemote, laptop: Laptop) -> None:
    lines = b"".join(f"100644 blob {'1' * 40}\t{number:064}\0".encode() for number in range(2500))
    tree = hub.repo.run("mktree", "-z", "--missing", stdin=lines).stdout.decode().strip()
    # git refuses to send a tree with missing blobs.
    hub.repo.git("config", "uploadpack.allowFilter", "true")
    commit = hub.repo.git("commit-tree", tree, "-m", "x")
    hub.repo.git("update-ref", laptop.ref, commit)
    with pytest.raises(RemoteError, match=r"^origin has lost objects of refs/sdd/"):
        laptop.pull()
    hub.repo.git("update-ref", laptop.ref, commit_of_many_entries(hub))
    (note,) = laptop.pull().notes
    assert note.endswith("has too many entries: refused, `sdd index push` replaces it")


def commit_of_many_entries(hub: SharedRemote) -> str:
    """A commit whose tree has 2,500 entries, each the same empty file."""
    blob = hub.repo.run("hash-object", "-w", "--stdin").stdout.decode().strip()
    lines = b"".join(f"100644 blob {blob}\t{number:064}\0".encode() for number in range(2500))
    tree = hub.repo.run("mktree", "-z", stdin=lines).stdout.decode().strip()
    return hub.repo.git("commit-tree", tree, "-m", "x")


def test_a_pack_that_is_too_large_is_not_kept(hub: SharedRemote, laptop: Laptop) -> None:
    hub.put(laptop.ref, [entry(os.urandom(3_000_000))])
    with pytest.raises(RemoteError, match=r"^origin does not send refs/sdd/") as caught:
        laptop.pull(limits=SharingLimits(max_total_bytes=1000))
    assert "\n" not in str(caught.value)
    with pytest.raises(RemoteError):
        laptop.pull(limits=SharingLimits(max_total_bytes=1000))
    kept = [path.stat().st_size for path in laptop.share.rglob("*") if path.is_file()]
    # An attempt deletes what the attempt before it left.
    assert sum(kept) < 2 * 1_100_000


def test_a_large_object_in_a_small_pack_is_refused(hub: SharedRemote, laptop: Laptop) -> None:
    hub.put(laptop.ref, [("100644", "0" * 64, bytes(60_000_000))])
    (note,) = laptop.pull(limits=SharingLimits(max_total_bytes=1000)).notes
    assert note == "000000000000 is larger than a segment: refused"


def other_object(hub: SharedRemote, kind: str) -> str:
    """An object of the remote: a commit of other files, a tree, a blob or an annotated tag."""
    if kind == "tag":
        hub.repo.git("tag", "-f", "-m", "x", "marked", "main")
    name = {"commit": "main", "tree": "main^{tree}", "blob": "main:CLAUDE.md", "tag": "marked"}
    return hub.repo.git("rev-parse", name[kind])


@pytest.mark.parametrize("kind", ["commit", "tree", "blob", "tag"])
def test_a_ref_to_another_object_has_no_vectors_and_is_pushed_over(
    hub: SharedRemote, laptop: Laptop, kind: str
) -> None:
    laptop.embed()
    before = laptop.vectors
    hub.repo.git("update-ref", laptop.ref, other_object(hub, kind))
    pulled = laptop.pull()
    assert (pulled.vectors, laptop.vectors) == (0, before)
    if kind != "commit":
        assert pulled.notes == (
            f"{laptop.ref} is a {kind}, not a commit: refused, `sdd index push` replaces it",
        )
    pushed = laptop.push()
    assert (pushed.pushed, pushed.notes) == (2, pulled.notes)
    assert laptop.pull().notes == ()
    assert hub.laptop("another").pull().pulled == 2


def test_a_tag_has_no_effect_after_the_ref_was_mended(hub: SharedRemote, laptop: Laptop) -> None:
    runner = hub.laptop("runner")
    commit = runner.write_and_push(3).commit
    hub.repo.git("update-ref", laptop.ref, other_object(hub, "tag"))
    assert laptop.pull().notes
    hub.repo.git("update-ref", laptop.ref, commit)
    pulled = laptop.pull()
    assert (pulled.pulled, pulled.notes) == (3, ())
    # A former version remembered the tag.
    last_seen = laptop.share / laptop.ref.rpartition("/")[2]
    last_seen.write_text(other_object(hub, "tag"))
    runner.write_and_push(4)
    assert laptop.pull().pulled == 1
    laptop.write(5)
    laptop.embed()
    assert laptop.push().pushed == 1


def test_the_dimensions_are_those_of_most_vectors(hub: SharedRemote, laptop: Laptop) -> None:
    good = segment(laptop, VALID_VECTOR, VALID_VECTOR)
    model = laptop.pull().model
    bad = write_segment(model, "int8", 4, [(b"x" * 32, VALID_VECTOR[:4])])
    hub.put(laptop.ref, [entry(good), entry(bad)])
    pulled = laptop.pull()
    assert pulled.pulled == 2
    (note,) = pulled.notes
    assert note.endswith("has vectors of 4 dimensions, not 8: refused")
    assert laptop.embed().embedded == 2


def test_one_segment_of_other_dimensions_has_no_effect(hub: SharedRemote, laptop: Laptop) -> None:
    model = laptop.pull().model
    many = [(bytes([n]) * 32, VALID_VECTOR[:4] * 4) for n in range(9)]
    bad = write_segment(model, "int8", 16, many)
    hub.put(laptop.ref, [entry(bad)])
    pulled = laptop.pull()
    assert (pulled.pulled, len(pulled.notes)) == (0, 1)
    assert pulled.notes[0].endswith("has vectors of 16 dimensions, not 8: refused")
    assert laptop.embed().embedded == 2
    pushed = laptop.push()
    assert (pushed.pushed, pushed.vectors, pushed.notes) == (2, 2, pulled.notes)
    assert hub.laptop("another").pull().notes == ()


def test_pulled_vectors_of_other_dimensions_are_replaced(hub: SharedRemote, laptop: Laptop) -> None:
    model = laptop.pull().model
    keys = laptop.on_engine(lambda _, engine: engine.exchange().keys())  # type: ignore[attr-defined]
    bad = write_segment(model, "int8", 4, [(key, VALID_VECTOR[:4]) for key in keys])
    hub.put(laptop.ref, [entry(bad)])
    folder = hub.folder / "model"
    # Without the model, its dimensions are unknown here.
    tokenizer = folder / "tokenizer.json"
    text = tokenizer.read_text()
    tokenizer.unlink()
    assert laptop.pull().pulled == 2
    assert laptop.pending == 0
    tokenizer.write_text(text)
    result = laptop.on_engine(
        lambda _, engine: engine.search(Query((SubQuery("lex", "ADR"), SubQuery("vec", "cache"))))
    )
    assert (len(result.hits), result.pending, len(result.notes)) == (2, 0, 1)
    assert result.notes == (
        "searched by words only: the stored vectors have 4 dimensions, not 8:"
        " run `sdd index embed`",
    )
    assert laptop.pending == 2
    hub.repo.git("update-ref", "-d", laptop.ref)
    runner = hub.laptop("runner")
    runner.embed()
    runner.push()
    assert laptop.pull().pulled == 2
    assert laptop.vectors == runner.vectors

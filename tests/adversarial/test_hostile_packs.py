"""Hostile refs of vectors: only valid segments are stored, a mended ref works, a push replaces."""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.sharing.segment_format import segment_name, write_segment
from tests.adversarial.conftest import Rounds
from tests.support.laptops import Laptop, SharedRemote

Entry = tuple[str, str, bytes]
Pairs = list[tuple[bytes, bytes]]
DIMENSIONS = 8
HEADER = 24


def random_pairs(chance: random.Random, dimensions: int = DIMENSIONS) -> Pairs:
    keys = sorted({chance.randbytes(32) for _ in range(chance.randrange(1, 12))})
    return [(key, b"\x7f" + bytes(chance.choices(range(127), k=dimensions - 1))) for key in keys]


def named(data: bytes) -> Entry:
    return "100644", segment_name(data), data


def valid(chance: random.Random, model: str) -> bytes:
    return write_segment(model, "int8", DIMENSIONS, random_pairs(chance))


def flip_a_bit(chance: random.Random, model: str) -> Entry:
    data = bytearray(valid(chance, model))
    name = segment_name(data)
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return "100644", name, bytes(data)


def truncate(chance: random.Random, model: str) -> Entry:
    data = valid(chance, model)
    return named(data[: chance.randrange(len(data))])


def extend(chance: random.Random, model: str) -> Entry:
    return named(valid(chance, model) + chance.randbytes(chance.randrange(1, 99)))


def change_the_header(chance: random.Random, model: str) -> Entry:
    data = bytearray(valid(chance, model))
    at, values = chance.choice([(12, ">I"), (16, ">I"), (10, ">H"), (8, ">H"), (0, ">Q")])
    number = chance.choice([0, 1, 7, 0xFFFF, chance.randrange(1 << 16)])
    if values != ">H":
        number = chance.choice([number, 0xFFFFFFFF, chance.randrange(1 << 32)])
    before = bytes(data)
    struct.pack_into(values, data, at, number)
    return named(bytes(data)) if bytes(data) != before else named(before + b"x")


def other_dimensions(chance: random.Random, model: str) -> Entry:
    dimensions = chance.choice([1, 4, 9, 384, 4000])
    return named(write_segment(model, "int8", dimensions, random_pairs(chance, dimensions)))


def another_model(chance: random.Random, model: str) -> Entry:
    name = chance.choice(["", "x", model + "x", "\x1b[31m", "../" + model])
    return named(write_segment(name, "int8", DIMENSIONS, random_pairs(chance)))


def another_storage(chance: random.Random, model: str) -> Entry:
    pairs = [(key, vector * 4) for key, vector in random_pairs(chance)]
    return named(write_segment(model, "float32", DIMENSIONS, pairs))


def an_invalid_vector(chance: random.Random, model: str) -> Entry:
    pairs = random_pairs(chance)
    bad = chance.choice([bytes(DIMENSIONS), b"\x80" * DIMENSIONS, b"\x7e" * DIMENSIONS])
    at = chance.randrange(len(pairs))
    pairs[at] = pairs[at][0], bad
    return named(write_segment(model, "int8", DIMENSIONS, pairs))


def a_key_twice(chance: random.Random, model: str) -> Entry:
    pairs = random_pairs(chance)
    return named(write_segment(model, "int8", DIMENSIONS, [*pairs, pairs[0]]))


def another_mode(chance: random.Random, model: str) -> Entry:
    data = valid(chance, model)
    return chance.choice(["100755", "120000", "160000", "040000"]), segment_name(data), data


def another_name(chance: random.Random, model: str) -> Entry:
    names = ["..git", "a b", "\x1b]0;x\x07", "0" * 64, "F" * 64, "0" * 63, "é", "-", "x" * 200]
    return "100644", chance.choice(names), valid(chance, model)


def noise(chance: random.Random, _model: str) -> Entry:
    return named(chance.randbytes(chance.choice([0, 1, HEADER, 5000])))


HOSTILE: tuple[Callable[[random.Random, str], Entry], ...] = (
    flip_a_bit,
    truncate,
    extend,
    change_the_header,
    other_dimensions,
    another_model,
    another_storage,
    an_invalid_vector,
    a_key_twice,
    another_mode,
    another_name,
    noise,
)


def put_another_object(hub: SharedRemote, ref: str, chance: random.Random) -> None:
    """Point the ref to an object that is no commit of segments."""
    hub.repo.git("tag", "-f", "-m", "x", "marked", "main")
    hub.repo.git("tag", "-f", "-m", "x", "twice", "marked")
    names = ("main", "main^{tree}", "main:CLAUDE.md", "marked", "twice")
    hub.repo.git("update-ref", ref, hub.repo.git("rev-parse", chance.choice(names)))


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> SharedRemote:
    """A bare repository with the clones `runner`, which has vectors, and `laptop`."""
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    return SharedRemote.make(tmp_path_factory.mktemp("packs"))


def store_of(laptop: Laptop, folder: Path) -> Path:
    shutil.copytree(laptop.store.parent, folder, ignore=shutil.ignore_patterns("share"))
    return folder


def restore(laptop: Laptop, folder: Path) -> None:
    """Bring back the vectors. What was fetched stays: it must not matter."""
    for file in laptop.store.parent.iterdir():
        if file.is_file():
            file.unlink()
    shutil.copytree(folder, laptop.store.parent, dirs_exist_ok=True)


def test_a_hostile_ref_harms_no_machine(rounds: Rounds, hub: SharedRemote, tmp_path: Path) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.write(3)
    runner.embed()
    good = runner.push()
    own = runner.vectors
    embedded = store_of(runner, tmp_path / "embedded")
    empty = store_of(laptop, tmp_path / "empty")

    def case(chance: random.Random) -> None:
        expected: dict[bytes, bytes] = {}
        if chance.random() < 0.2:
            put_another_object(hub, good.ref, chance)
        else:
            entries = {}
            for _ in range(chance.randrange(3)):
                pairs = random_pairs(chance)
                expected.update(pairs)
                entry = named(write_segment(good.model, "int8", DIMENSIONS, pairs))
                entries[entry[1]] = entry
            for _ in range(chance.randrange(1, 4)):
                entry = chance.choice(HOSTILE)(chance, good.model)
                entries.setdefault(entry[1], entry)
            hub.put(good.ref, [entries[name] for name in sorted(entries)])
        restore(laptop, empty)
        pulled = laptop.pull()
        assert laptop.vectors == expected
        assert all(note.isprintable() for note in pulled.notes)
        if chance.random() < 0.5:
            hub.repo.git("update-ref", good.ref, good.commit)
            mended = laptop.pull()
            assert (mended.pulled, mended.notes) == (3, ())
            assert laptop.vectors == {**expected, **own}
        else:
            restore(runner, embedded)
            pushed = runner.push()
            assert (pushed.pushed, pushed.vectors) == (3, 3 + len(expected))
            again = laptop.pull()
            assert (again.pulled, again.notes) == (3, ())
            assert runner.push().notes == ()

    rounds.run(case)

"""Test sdd_hooks.reporting.page.payload."""

from __future__ import annotations

import base64
import json
import random
import zlib
from typing import Any

from sdd_hooks.reporting.page.payload import PART_SIZE, pack, pack_texts
from sdd_hooks.reporting.page.records import Texts


def unpack(part: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(part)))


def noise(length: int) -> str:
    generator = random.Random(length)
    return "".join(generator.choices("abcdefghijklmnop", k=length))


def test_a_value_comes_back() -> None:
    assert unpack(pack({"a": ["é", 1]})) == {"a": ["é", 1]}
    assert unpack(pack("\udcff")) == "?"


def test_texts_are_divided_into_parts() -> None:
    texts = [Texts([["p", noise(PART_SIZE // 3)]], [["p", str(number)]]) for number in range(7)]
    packed = pack_texts(texts)
    parts = [unpack(part) for part in packed.parts]
    assert len(parts) == 4
    assert not packed.cut
    assert [parts[part][place] for part, place in packed.places] == [
        [one.body, one.design] for one in texts
    ]


def test_the_longest_texts_are_cut_to_fit() -> None:
    short = Texts([["p", "short"]])
    long = Texts([["p", noise(500)]] * 3 + [["p", noise(900 + number)] for number in range(60)])
    packed = pack_texts([short, long, long], 30_000)
    assert packed.cut == {1, 2}
    assert sum(map(len, packed.parts)) <= 30_000
    (part,) = map(unpack, packed.parts)
    assert part[0] == [short.body, []]
    assert 10 < len(part[1][0]) < len(long.body)
    assert part[1][0] == long.body[: len(part[1][0])]


def test_a_text_that_was_cut_before_is_marked() -> None:
    assert pack_texts([Texts([["p", "a"]], left_out=3)]).cut == {0}


def test_no_texts_have_no_parts() -> None:
    assert pack_texts([]).parts == ()

"""The data of a page: packed, encoded, and divided into parts that a page opens on demand.

A part is JSON, deflated (RFC 1950) and in base64, so that it has no character that HTML interprets.
The long texts are cut to keep the whole page small.
"""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "Size"

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.page.markdown_tree import Node, common_length
from sdd_hooks.reporting.page.records import Texts

MAX_TEXTS = 2_100_000
"""Bytes of all encoded texts of a page: it stays below 3 MB with 1,000 artifacts."""

PART_SIZE = 120_000
"""Bytes of JSON in a part of the texts: the page opens one in a few milliseconds."""

_LEVEL = 9


class PackedTexts(NamedTuple):
    """The parts of the texts, and for each artifact its part and its place in it.

    `cut` has the artifacts whose texts are cut.
    """

    parts: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    cut: frozenset[int]


class _Sized(NamedTuple):
    blocks: list[tuple[Node, int]]
    design: list[tuple[Node, int]]
    left_out: int


def pack(value: Any) -> str:
    """Return a value as a part of the page."""
    return base64.b64encode(zlib.compress(_json(value), _LEVEL)).decode("ascii")


def pack_texts(texts: Sequence[Texts], limit: int = MAX_TEXTS) -> PackedTexts:
    """Pack the rendered texts of the artifacts into at most about `limit` bytes.

    If they need more, the longest ones lose their last blocks: all texts are cut to one length.
    """
    sized = [
        _Sized(
            [(block, len(_json(block))) for block in one.body],
            [(block, len(_json(block))) for block in one.design],
            one.left_out,
        )
        for one in texts
    ]
    lengths = [sum(size for _, size in (*one.blocks, *one.design)) for one in sized]
    longest = max(lengths, default=0)
    packed = _pack(sized, longest)
    while (size := sum(map(len, packed.parts))) > limit and longest > 1:
        # Compression is nearly linear, so that two or three rounds are enough.
        wanted = int(sum(min(length, longest) for length in lengths) * limit / size * 0.98)
        longest = min(common_length(lengths, wanted), longest - 1)
        packed = _pack(sized, longest)
    return packed


def _pack(sized: Sequence[_Sized], longest: int) -> PackedTexts:
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    cut: set[int] = set()
    part: list[list[list[Node]]] = []
    part_size = 0
    for number, one in enumerate(sized):
        blocks, used = _fitting(one.blocks, longest)
        design, used_by_design = _fitting(one.design, longest - used)
        total = sum(size for _, size in (*one.blocks, *one.design))
        if one.left_out or total > used + used_by_design:
            cut.add(number)
        if part and part_size + used + used_by_design > PART_SIZE:
            parts.append(pack(part))
            part, part_size = [], 0
        places.append((len(parts), len(part)))
        part.append([blocks, design])
        part_size += used + used_by_design
    if part:
        parts.append(pack(part))
    return PackedTexts(tuple(parts), tuple(places), frozenset(cut))


def _fitting(blocks: Sequence[tuple[Node, int]], room: int) -> tuple[list[Node], int]:
    kept: list[Node] = []
    used = 0
    for block, size in blocks:
        if used + size > room:
            break
        kept.append(block)
        used += size
    return kept, used


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A file name of other bytes has lone surrogates, which UTF-8 cannot encode.
    return text.encode("utf-8", "replace")

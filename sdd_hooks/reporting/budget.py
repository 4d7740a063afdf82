"""Choose the entries of a report that fit into a number of tokens."""

# Governing: SPEC-0016 REQ "A budget"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.named_tuple import NamedTuple

BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that count as one token. In English Markdown a token of a language model has 3.3
to 4 bytes, in Chinese or Japanese about 3: a report does not exceed its budget."""


class BudgetSection(NamedTuple):
    """A part of a report: the text above its entries, and its entries, the most important first.

    `noun` is what entries are called, "" if they need no mention. Sections with a lower `rank` are
    more important. Unless `gaps` are allowed, no entry follows one that does not fit.
    """

    noun: str
    heading: str
    entries: Sequence[str]
    rank: int
    gaps: bool = False


class Choice(NamedTuple):
    """For each section, which of its entries fit."""

    kept: tuple[tuple[bool, ...], ...]

    def left_out(self, sections: Sequence[BudgetSection]) -> tuple[str, ...]:
        """Return a phrase for each incomplete section, such as `3 of 8 summaries`."""
        return tuple(
            f"{kept.count(False):,} of {len(kept):,} {section.noun}"
            for section, kept in zip(sections, self.kept, strict=True)
            if section.noun and not all(kept)
        )


def count_tokens(text: str) -> int:
    """Estimate how many tokens a text has, rather too many than too few."""
    return -(-_size(text) // BYTES_PER_TOKEN)


def choose_entries(sections: Sequence[BudgetSection], tokens: int | None) -> Choice:
    """Choose entries that take, a line feed after each, at most `tokens`. None is no limit."""
    kept = [[tokens is None] * len(section.entries) for section in sections]
    room = 0 if tokens is None else tokens * BYTES_PER_TOKEN
    for number in sorted(range(len(sections)), key=lambda number: sections[number].rank):
        section = sections[number]
        opening = _size(section.heading) + 1
        for at, entry in enumerate(section.entries):
            cost = _size(entry) + 1 + opening
            if kept[number][at]:
                continue
            if cost <= room:
                kept[number][at] = True
                room -= cost
                opening = 0
            elif not section.gaps:
                break
    return Choice(tuple(map(tuple, kept)))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))

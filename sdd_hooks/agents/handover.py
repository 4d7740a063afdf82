"""The text that an agent is handed before an edit: quoted, bounded, and without control characters.

A record can be written by a stranger. Its text is data for the agent, which the words around it
say, and nothing in it can end the quotation or begin a line or a tag.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), ADR-0012 (untrusted input never
# leaves the repository), SPEC-0029 REQ "What is handed over"

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.usecases.agents.deciding_sentences import DecidingSentence

MAX_TOKENS = 600
"""Tokens that one edit costs at most."""
CHARACTERS_PER_TOKEN = 3
"""Characters of a token, counted so that a text has at most as many tokens: English has four."""
MAX_TITLE = 100
MAX_SENTENCE = 300
MAX_PATH = 200

_TAG = lazy_regex(r"[<>]")
_OPENING = {"<": "‹", ">": "›"}


class Handover(NamedTuple):
    """The text for the agent, and what marks each sentence as told."""

    text: str
    keys: tuple[str, ...]


def write_handover(
    paths: Sequence[str], sentences: Iterable[DecidingSentence], told: Iterable[str] = ()
) -> Handover | None:
    """Write the text about the files at `paths`; None when there is nothing that was not `told`.

    The text has at most MAX_TOKENS tokens. Sentences that do not fit are left out.
    """
    known = {*told}
    lines: list[str] = []
    keys: list[str] = []
    names = ", ".join(quotable(path, MAX_PATH) for path in paths[:3])
    head = f"Decisions of this repository that govern {names} (quoted from its records):"
    tail = (
        "Keep to them, or say where the edit departs from one. `sdd show ID` prints a record whole."
    )
    room = MAX_TOKENS * CHARACTERS_PER_TOKEN - _size(head) - _size(tail) - 2
    for sentence in sentences:
        key = f"{sentence.path}:{sentence.line}"
        line = _line(sentence)
        if key in known or _size(line) + 1 > room:
            continue
        known.add(key)
        room -= _size(line) + 1
        keys.append(key)
        lines.append(line)
    return Handover("\n".join((head, *lines, tail)), tuple(keys)) if lines else None


def _line(sentence: DecidingSentence) -> str:
    name = quotable(sentence.id, MAX_TITLE)
    place = f"{quotable(sentence.path, MAX_PATH)}:{sentence.line}"
    title = quotable(sentence.title, MAX_TITLE)
    said = quotable(sentence.sentence, MAX_SENTENCE)
    quotation = f': "{said}"' if said else ""
    return f"- {name} “{title}” ({place}; {_reason(sentence)}){quotation}"


def _reason(sentence: DecidingSentence) -> str:
    governs = sentence.governs
    stated = quotable(governs.stated, MAX_TITLE)
    if governs.reason == "comment":
        return f"governing comment, line {governs.line}"
    if governs.reason == "applies-to":
        return f"applies to {stated}"
    if governs.reason == "rule":
        return f"rule, line {governs.line}: {stated}"
    if governs.reason == "named":
        return "names it"
    return "likely"


def quotable(text: str, limit: int) -> str:
    """A text on one line of at most `limit` characters, which ends no quotation and opens no tag.

    Control characters and those that reorder text are removed.
    """
    line = " ".join(text.split())
    line = "".join(one for one in line if one.isprintable())
    line = _TAG.sub(lambda match: _OPENING[match[0]], line).replace('"', "'").replace("“", "'")
    line = line.replace("”", "'").replace("```", "'''")
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _size(text: str) -> int:
    """Characters of a text; one beyond Latin can be a token alone."""
    return sum(1 if ord(one) < 0x250 else CHARACTERS_PER_TOKEN for one in text)

"""Select the part of a text that answers a query: sentences of prose, lines of code."""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.code_lines import select_lines
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_fenced_blocks, mask_non_prose
from sdd_hooks.text.prose import plain_text, read_prose, split_sentences
from sdd_hooks.text.query_match import count_matches

MAX_EXCERPT = 240
"""Characters of an excerpt of prose: about three lines of a terminal."""

MAX_SENTENCES = 8
"""Sentences of a text that are compared with a query by meaning."""

Nearest = Callable[[Sequence[str]], int]
"""Returns the index of the sentence that is nearest to the query in meaning."""

_MIN_SHARE = 0.34
"""A sentence with a smaller share of the query's words says less than one near in meaning."""

_STEP = lazy_regex(r"(?:GIVEN|WHEN|THEN|AND|BUT)\b")
# An entry of a changelog, a field at the top of a record, a link or a name by itself.
_NO_ANSWER = lazy_regex(
    r"""(?:v?[0-9]+\.[0-9]+(?:\.[0-9]+)?\b|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\b) .*
    | (?:status|date|deciders?|decision-makers?|consulted|informed|authors?|tags?|updated|created
        |supersedes|superseded\ by|related|technical\ story|issue|pr)\ ?: .*
    | (?:https?://|www\.)\S+ | \#\S+ | TODO\b.*""",
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE_END = lazy_regex(r"[.!?…:;。！？]['\"”’)\]`]{0,3}$")
_ROW = lazy_regex(r"\s*\|(?P<cells>.*\w.*)\|?\s*$")
_DIAGRAM = lazy_regex(r"(?:mermaid|plantuml|puml|dot|graphviz|d2|ditaa)\b", re.IGNORECASE)
_FENCE = lazy_regex(r"^ {0,3}(?:```+|~~~+)[ \t]*(?P<info>[^\s`]*)[^\n]*$", re.MULTILINE)
_SPAN = lazy_regex(r"`[^`\n]{1,300}`|\]\([^()\n]{0,300}\)")
_CODE_MARK = lazy_regex(r"[{};=]|\w\(|//|->")
_MIN_MARKS = 6
_MAX_MARK_SHARE = 0.02
"""Prose has fewer of these marks for each character."""
_MIN_WORDS = 9
"""A list item with fewer words and without an end of sentence is the name of an option."""


class _Candidate(NamedTuple):
    """A sentence, the number of its block, and whether it is only the name of something."""

    text: str
    block: int
    is_label: bool


def prose_excerpt(text: str, words: frozenset[str], nearest: Nearest | None = None) -> str:
    """Return the sentences of a Markdown text that hold most of `words`, or "".

    At most MAX_EXCERPT characters. Where hardly a word occurs, `nearest` selects the sentence. A
    table or a code block counts if no sentence has a word. Titles, fields, names of options and
    entries of a changelog are no answer: a text of these has no excerpt.
    """
    text = _with_opening_fence(text)
    found = list(_candidates(text))
    counts = [count_matches(candidate.text, words) for candidate in found]
    best = max(counts, default=0)
    if not best and (other := _from_table(text, words) or _from_code_block(text, words)):
        return other
    answers = [at for at, candidate in enumerate(found) if not candidate.is_label]
    if not answers:
        return ""
    if nearest and best < _MIN_SHARE * max(1, len(words)):
        compared = answers[:MAX_SENTENCES]
        chosen = compared[nearest([found[at].text for at in compared])]
        return _join(found, [chosen, *_following(found, chosen)], words)
    # A sentence that introduces a list says less than another one with as many words.
    ranked = sorted(answers, key=lambda at: (-counts[at], found[at].text.endswith(":"), at))
    first = ranked[0]
    held = count_matches(found[first].text, words)
    others = [
        at
        for at in ranked[1:]
        if counts[at] and count_matches(f"{found[first].text} {found[at].text}", words) > held
    ]
    return _join(found, [first, *(others[:1] or _following(found, first))], words)


def code_excerpt(text: str, symbol: str, words: frozenset[str]) -> str:
    """Return the lines of code that hold most of `words`, below the signature of `symbol`.

    Comments above the signature count; imports do not. `symbol` is "" for text between definitions.
    """
    return "\n".join(select_lines(text, symbol, words))


def _candidates(text: str) -> Iterator[_Candidate]:
    steps: list[str] = []
    number = 0
    for block in read_prose(text):
        if block.kind == "item" and _STEP.match(block.text):
            steps.append(block.text)
            continue
        if steps:
            yield _Candidate(", ".join(steps), number, False)
            steps = []
        number += 1
        for sentence in split_sentences(block.text):
            if not _NO_ANSWER.fullmatch(sentence):
                short = len(sentence.split()) < _MIN_WORDS and not _SENTENCE_END.search(sentence)
                yield _Candidate(sentence, number, short and _is_name(block.kind, sentence))
    if steps:
        yield _Candidate(", ".join(steps), number + 1, False)


def _is_name(kind: str, sentence: str) -> bool:
    return kind == "item" or len(sentence.split()) < 3


def _following(found: Sequence[_Candidate], at: int) -> list[int]:
    """Return the sentence after one in the same block."""
    after = at + 1
    return [after] if after < len(found) and found[after].block == found[at].block else []


def _join(found: Sequence[_Candidate], chosen: Sequence[int], words: frozenset[str]) -> str:
    """Join the sentences in their order. The first of `chosen` is in any case, and is cut."""
    first = found[chosen[0]].text
    if len(first) > MAX_EXCERPT:
        return _cut(first, words)
    shown = [chosen[0]]
    for at in chosen[1:]:
        if len(first) + len(found[at].text) + 3 <= MAX_EXCERPT:
            shown.append(at)
    shown.sort()
    text = found[shown[0]].text
    for before, at in pairwise(shown):
        adjacent = at == before + 1 and found[at].block == found[before].block
        text += (" " if adjacent else " … ") + found[at].text
    return text


def _cut(sentence: str, words: frozenset[str]) -> str:
    """Return the part of a long sentence with the most words."""
    pieces = sentence.split()
    best, best_count = "", -1
    for start in range(0, len(pieces), 8):
        part = ""
        for piece in pieces[start:]:
            if len(part) + len(piece) + 3 > MAX_EXCERPT:
                break
            part = f"{part} {piece}".strip()
        if (count := count_matches(part, words)) > best_count:
            best, best_count = ("…" if start else "") + part, count
    return (best or sentence[: MAX_EXCERPT - 1]) + "…"


def _with_opening_fence(text: str) -> str:
    """Put a fence before a text that begins inside a code block, since a long section was cut."""
    fences = [match["info"] for match in islice(_FENCE.finditer(text), 2)]
    begins_inside = not fences[0] and bool(fences[1:] and fences[1]) if fences else False
    before = text[: match.start()] if (match := _FENCE.search(text)) else text
    code = _CODE_MARK.findall(_SPAN.sub("", before))
    is_code = len(code) >= _MIN_MARKS and len(code) > _MAX_MARK_SHARE * len(before)
    return f"```\n{text}" if begins_inside or (is_code and not any(fences[:1])) else text


def _from_table(text: str, words: frozenset[str]) -> str:
    rows = (_ROW.match(line) for line in mask_non_prose(text).split("\n"))
    cells = [[plain_text(cell) for cell in row["cells"].split("|")] for row in rows if row]
    lines = [" · ".join(filter(None, row)) for row in cells]
    best = max(lines, key=lambda line: count_matches(line, words), default="")
    return best[:MAX_EXCERPT] if count_matches(best, words) else ""


def _from_code_block(text: str, words: frozenset[str]) -> str:
    blocks = [b.text for b in find_fenced_blocks(text) if not _DIAGRAM.match(b.info)]
    best = max(blocks, key=lambda block: count_matches(block, words), default="")
    return code_excerpt(best, "", words) if count_matches(best, words) else ""

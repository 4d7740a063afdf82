"""What a text states with the keywords of RFC 2119, and whether two statements exclude each other.

    Session tokens MUST be stored in a cookie.
    Session tokens MUST NOT be stored in a cookie.

Two statements are opposing when subject, predicate and condition have the same words, and one
demands what the other forbids, or both demand it with different numbers. Everything less is silent:
most specifications demand and forbid similar things under different conditions.
"""

# Governing: SPEC-0018 REQ "Statements", SPEC-0002 REQ "Requirements and scenarios"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.requirements import RequirementLevel, find_keywords
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.sentences import split_sentences

MAX_SENTENCE = 400
"""Characters of a sentence that is compared."""
MIN_WORDS = 2
"""Words of a predicate that are enough to compare."""

_KEYWORD = lazy_regex(
    r"\b(?:(?:MUST|SHALL|SHOULD)(?:[*_]{0,2}\s{1,3}[*_]{0,2}NOT)?|(?:NOT\s{1,3})?RECOMMENDED"
    r"|REQUIRED|MAY|OPTIONAL)\b"
)
_WORD = lazy_regex(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_NUMBER = lazy_regex(r"[0-9]+(?:[.,][0-9]+)*(?:[a-z%]{1,3})?")
# What makes a statement hold under certain conditions, or for a part of what it names.
_CONDITION = lazy_regex(
    r"\b(?:if|when\w*|unless|except|excepting|without|until|till|only|while|once|before|after"
    r"|during|where\w*|other|otherwise|instead|already|both|either|neither|first|last|new"
    r"|existing|least|most|more|fewer|less|than|per|each|least|same|different|again|default|beyond"
    r"|outside|inside|within|also|still|directly|merely|solely|alone|even|yet|but|however)\b",
    re.IGNORECASE,
)
_FILLER_WORDS = """
    a an the this that these those its it their they is are be been being was were do does of to in
    on at by for from with as and or any all every system implementation implementations
"""
_FILLER = frozenset(_FILLER_WORDS.split())


class Statement(NamedTuple):
    """A sentence with one keyword: what is before the keyword, and what is after it, as words.

    `requirement` is the name of the requirement that the sentence is in, or "". `line` is 1-based.
    `numbers` are those of the predicate in order, and are no part of its words.
    """

    path: str
    line: int
    text: str
    requirement: str
    word: str
    level: RequirementLevel
    subject: tuple[str, ...]
    predicate: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def negative(self) -> bool:
        """Whether it forbids, or advises against."""
        return "NOT" in self.word


class Opposition(NamedTuple):
    """Two statements that cannot both hold, in the order of their places."""

    first: Statement
    second: Statement


def read_statements(
    path: str, text: str, first_line: int = 1, requirement: str = ""
) -> Iterator[Statement]:
    """Read the statements of a part of a document that begins at `first_line`. Never raises.

    A sentence with several keywords, with a condition or of more than MAX_SENTENCE characters is
    left out: it cannot be compared word by word.
    """
    for sentence in split_sentences(text, first_line):
        found = list(_KEYWORD.finditer(sentence.text))
        if len(found) != 1 or len(sentence.text) > MAX_SENTENCE:
            continue
        if _CONDITION.search(sentence.text):
            continue
        (match,) = found
        keyword = next(iter(find_keywords(match[0])))
        after = sentence.text[match.end() :]
        predicate = _words(after)
        yield Statement(
            path,
            sentence.line,
            " ".join(sentence.text.split()),
            requirement,
            keyword.word,
            keyword.level,
            _words(sentence.text[: match.start()]),
            tuple(word for word in predicate if not _NUMBER.fullmatch(word)),
            tuple(word for word in predicate if _NUMBER.fullmatch(word)),
        )


def find_oppositions(
    statements: Iterable[Statement], others: Sequence[Statement] | None = None
) -> Iterator[Opposition]:
    """Find the pairs of statements that exclude each other, each statement once.

    With `others`, a pair has one statement of each. Only MUST and SHOULD with their negations are
    compared, and never two sentences of one requirement: they are read together.
    """
    known: dict[tuple[object, ...], list[Statement]] = {}
    used: set[Statement] = set()
    first = list(statements)
    for one in first:
        _add(known, one)
    for one in first if others is None else others:
        for other in known.get(_key(one), ()):
            if one in used or other in used or not _is_before(other, one, others is not None):
                continue
            if _excludes(other, one):
                used |= {one, other}
                yield Opposition(other, one)


def _add(known: dict[tuple[object, ...], list[Statement]], one: Statement) -> None:
    if one.level != "may" and one.subject and len(one.predicate) >= MIN_WORDS:
        known.setdefault(_key(one), []).append(one)


def _key(one: Statement) -> tuple[object, ...]:
    return (frozenset(one.subject), frozenset(one.predicate))


def _is_before(one: Statement, other: Statement, across: bool) -> bool:
    if across:
        return one.path != other.path
    return one.requirement != other.requirement and (one.path, one.line) < (other.path, other.line)


def _excludes(one: Statement, other: Statement) -> bool:
    if "may" in (one.level, other.level):
        return False
    if one.negative != other.negative:
        return one.numbers == other.numbers
    differ = len(one.numbers) == len(other.numbers) and one.numbers != other.numbers
    return differ and not one.negative and one.level == other.level == "must"


def _words(text: str) -> tuple[str, ...]:
    """The words that say something, in order, in lower case."""
    found = (word.lower().replace("’", "'") for word in _WORD.findall(text))
    return tuple(word for word in found if word not in _FILLER)

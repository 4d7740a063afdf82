"""Mentions of records in texts that have long been there: which of them surely mean a record.

A review sees a mention when it is written, and a person answers. A check sees all of them, so that
one in an example, about history or about another project must not be reported.
"""

# Governing: ADR-0040 (a whole tree is checked as a change that adds it), SPEC-0018 REQ "Precision"

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, takewhile

from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.code.paths import is_document
from sdd_hooks.code.source_files import find_parts
from sdd_hooks.review.mentions import MAX_TEXT, Mention
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

CONTEXT_LINES = 2
"""Lines before and after a mention that belong to it: prose is wrapped."""
BLOCK_LINES = 8
"""Lines before and after a mention that may name what replaced the record, without a gap."""

ACKNOWLEDGED = lazy_regex(
    r"supers?[ce]+[ds]|deprecat|reject|replac|obsolet|retire|withdraw|former|histor|previous|earlier"
    r"|original|no longer|instead of|amend|refine|overrid|evolv|revis|reverse|migrat|legacy"
    r"|~~|used to|carried|remov|drop|\b(?:was|were|old|gone|stale|era)\b"
    r"|\bstill (?:stands?|holds?|applies|valid)\b|remains? valid"
    r"|\bversion [0-9.]{1,9} (?:add|introduc)",
    re.IGNORECASE,
)
"""Words of a text that already says that an artifact is outdated."""

_MARK = lazy_regex(r"[ \t]*(?:#|//|/\*|\*|--|;|%|<!--)")
_ABSORBED = lazy_regex(r"\b(?:absorb|subsum|consolidat|renumber|withdr|merged\b|folded\b)", re.I)
_MAYBE = lazy_regex(r"adr|spec", re.IGNORECASE)
_EXAMPLE = lazy_regex(r"\b(?:e\.g\b|examples?|for instance|such as|placeholder|sample)", re.I)
_ARCHIVE = lazy_regex(
    r"(?:^|[/_-])(?:archived?|archives|history|roadmaps?|superseded|deprecated|closed|completed"
    r"|migrat(?:e|ions?)|memories|memory-bank)/|(?:^|/)\.[\w-]{1,30}/memory/",
    re.IGNORECASE,
)
# A document about a certain day, or about work that is done or planned, does not follow decisions.
_NARRATIVE = lazy_regex(
    r"""(?:^|[/_.-])(?:audits?|assessments?|reports?|reviews?|triage|retros?|retrospectives?
    |post-?mortems?|hand-?(?:offs?|overs?)|research|analys[ei]s|investigations?|journals?|logs?
    |work-?logs?|diary|minutes|meetings?|standups?|sessions?|brainstorms?|proposals?|plans?|roadmaps?
    |(?:pre-?)?planning|pre-?flights?|issue-[0-9]+|backlog|todos?|seeds?|benchmarks?)(?:[/_.-]|$)
    | (?:^|[^0-9])(?:19|20)[0-9]{2}-?[01][0-9](?:[^0-9]|-?[0-3][0-9])""",
    re.VERBOSE | re.IGNORECASE,
)
# An entry of a log, or of a list of what was found and mended.
_ENTRY = lazy_regex(
    r"(?<![0-9])20[0-9]{2}-[01][0-9]-[0-3][0-9](?![0-9])|[✅☑✔]|\b(?:FIXED|DONE|RESOLVED|SHIPPED)\b"
)
# A site of documentation shows records, and is no code that follows them.
_SITE = lazy_regex(r"(?:^|/)(?:docs?[-_]?site|website|docusaurus)/", re.IGNORECASE)
_QUOTED = lazy_regex(r"[\"“”„「『«]([^\"“”„「」『』«»\n]{1,80})[\"“”」』»]")
# `[ADR 83](https://…)` and `[ADR 83][upstream]` with the address elsewhere in the document.
_LINK = lazy_regex(r"\[([^\[\]\n]{1,200})\](?:\((https?:)|\[([^\[\]\n]{1,100})\])")
# `msgbrowse ADR-0004`: a name in front of an id is that of another project. These words are none.
_WORD_BEFORE = lazy_regex(r"(?:^|[^\w'\"/.-])`?([a-z][a-z0-9_]{2,30})(?:` |[ *(\[]{1,3})$")
_USUAL_WORDS = """
    accepted according adr adrs against also and any are because before behind beside between both
    but cite cites comment contradicts current decision decisions decided draft each either every
    extends first fixed following follows for from governing governs has here implements into its
    keep like matches new not note now only our over per plus proposed record records reference
    references related same see since spec specs supersedes supports than that the then these this
    those through under until upon uses via violates when where which while why with within
    without
"""
_USUAL = frozenset(_USUAL_WORDS.split())


def is_certain(subject: Subject, mention: Mention) -> bool:
    """Whether a mention in the text of a file is about what holds today.

    A governing comment is, unless it is quoted in a string: then it is an example.
    """
    if mention.place == "comment":
        return not _is_quoted(subject, mention)
    if not mention.alone or _ARCHIVE.search(mention.path):
        return False
    around = text_around(subject, mention)
    if is_document(mention.path) and (_NARRATIVE.search(mention.path) or _is_entry(around)):
        return False
    if _leads_elsewhere(subject, mention) or _is_quotation(mention) or _SITE.search(mention.path):
        return False
    return not (_is_of_the_past(around) or _links_elsewhere(mention, around))


# A line may have thousands of mentions.
@lru_cache(1)
def _is_entry(around: str) -> bool:
    return _ENTRY.search(around) is not None


@lru_cache(1)
def _is_of_the_past(around: str) -> bool:
    """Whether a text gives an example, or says that what it names holds no longer."""
    return any(one.search(around) for one in (_EXAMPLE, ACKNOWLEDGED, _ABSORBED))


def _is_quoted(subject: Subject, mention: Mention) -> bool:
    """Whether a comment with its mark is inside a string, such as a docstring."""
    line = mention.text
    if not _MARK.match(line):
        return False
    text = subject.text(mention.path)
    path, line_ends = mention.path, accumulate(len(one) + 1 for one in _lines(text))
    starts = subject.once(f"line-starts:{path}", lambda _: [0, *line_ends])
    start = starts[mention.line - 1]
    offset = start + len(line) - len(line.lstrip())
    # Only the text around the comment is read: most are at the top, and a file may have thousands.
    size = 1 << (start + len(line)).bit_length()
    part = subject.once(f"parts-{size}:{path}", lambda _: find_parts(path, text[:size]))
    return part(offset) == "string"


def _is_quotation(mention: Mention) -> bool:
    """Whether a document quotes a text with the id, as an example."""
    if not is_document(mention.path):
        return False
    quoted = (one[1] for one in _QUOTED.finditer(mention.text[:MAX_TEXT]))
    return any(mention.id == one.id for text in quoted for one in find_id_references(text))


def _leads_elsewhere(subject: Subject, mention: Mention) -> bool:
    """Whether the id is the text of a link to another site."""
    if "](" not in mention.text and "][" not in mention.text:
        return False
    for link in _LINK.finditer(mention.text[:MAX_TEXT]):
        if any(one.id == mention.id for one in find_id_references(link[1])):
            label = link[3] or ""
            definition = rf"^ {{0,3}}\[{re.escape(label)}\]:\s*<?https?:"
            if link[2] or re.search(definition, subject.text(mention.path), re.MULTILINE | re.I):
                return True
    return False


def names_other_project(subject: Subject, path: str) -> bool:
    """Whether a file names a record of another project, so that its other ids may be, too."""
    return subject.once(f"other-project:{path}", lambda _: _has_name_before_id(subject.text(path)))


def _links_elsewhere(mention: Mention, around: str) -> bool:
    """Whether the text has the address of a page about a record with this number."""
    name = rf"https?://[^\s<>()\[\]]{{1,300}}/adr-?0{{0,4}}{mention.id.number}(?![0-9])"
    return re.search(name, around, re.IGNORECASE) is not None


def text_around(subject: Subject, mention: Mention) -> str:
    """The line of a mention in a file, with those around it."""
    return _around(subject.text(mention.path), mention.line)


@lru_cache(1)
def _around(text: str, line: int) -> str:
    return "\n".join(_lines(text)[max(0, line - 1 - CONTEXT_LINES) : line + CONTEXT_LINES])


def block_around(subject: Subject, mention: Mention) -> str:
    """The paragraph or the comment that a mention in a file is in."""
    lines = _lines(subject.text(mention.path))
    index = mention.line - 1
    above = takewhile(_is_written, reversed(lines[max(0, index - BLOCK_LINES) : index]))
    below = takewhile(_is_written, lines[index + 1 : index + 1 + BLOCK_LINES])
    return "\n".join([*reversed([*above]), *lines[index : index + 1], *below])


def _is_written(line: str) -> bool:
    return any(character.isalnum() for character in line)


@lru_cache(2)
def _lines(text: str) -> list[str]:
    # A file may have hundreds of mentions.
    return text.split("\n")


def _has_name_before_id(text: str) -> bool:
    for line in text[:MAX_TEXT].split("\n"):
        for reference in find_id_references(line) if _MAYBE.search(line) else ():
            before = _WORD_BEFORE.search(line[max(0, reference.start - 40) : reference.start])
            if before and before[1] not in _USUAL and not before[1].endswith(("ed", "es", "ing")):
                return True
    return False

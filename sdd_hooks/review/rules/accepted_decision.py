"""An accepted decision whose text was changed, or whose record was deleted.

The text of an accepted decision stays unchanged; a different decision needs a new record. The rest
of the record can change: metadata, links, consequences, amendments under a separate heading, white
space, line breaks, punctuation, and one letter of a word.
"""

# Governing: SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine, split_lines

_ASIDE = lazy_regex(
    r"""\W*(?:(?:positive|negative|good|bad|neutral)\ )?(?:consequences?|confirmation|validation
      |links?|references?|related|more\ information|status|notes?|implementation|history
      |change\ ?log|amend(?:ment|ed)|addend(?:um|a)|updates?|revisions?|follow-?ups?
      |errat(?:um|a))\b""",
    re.VERBOSE | re.IGNORECASE,
)
_METADATA = lazy_regex(
    r"\W{0,8}(?:status|date|decided|last updated|updated|deciders|decision[- ]makers|authors?|tags"
    r"|supersede[sd](?: by)?|related|links?|refs?|see(?: also)?|implements|amended(?: by)?)\b"
    r"[\w -]{0,20}\W{0,3}:",
    re.IGNORECASE,
)
_AMENDMENT = lazy_regex(
    r"[\s>*_-]{0,8}(?:update|amend(?:ed|ment)|addendum|erratum|implementation (?:status|note)|note)"
    r"\b[^:]{0,80}:",
    re.IGNORECASE,
)
_HEADING = lazy_regex(r" {0,3}#{1,6}(?:\s|$)|[ \t]*[=-]{3,}[ \t]*$")
_LINK = lazy_regex(r"\[([^\[\]]{0,500})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])")
_ADDRESS = lazy_regex(r"<?https?://[^\s<>)\]]{1,500}>?|<!--[^<>]{0,1000}-->")
_WORD = lazy_regex(r"\w+(?:[-'’./]\w+)*")
# The keywords of RFC 2119 bind in upper case only.
_BINDING = frozenset(
    {"MUST", "SHALL", "SHOULD", "MAY", "NOT", "REQUIRED", "RECOMMENDED", "OPTIONAL"}
)

MIN_TYPO_LETTERS = 5
"""Letters from which a word that differs in one letter counts as a corrected spelling."""
MAX_WORDS = 20_000
"""Words of the changed lines that are compared."""


def check(subject: Subject) -> Iterator[Finding]:
    """Find each record that is accepted at the base and that the change rewrites or deletes."""
    for file in subject.change.files:
        if not file.before or not subject.is_artifact(file.before):
            continue
        before = subject.corpus_before.by_path.get(file.before)
        if before is None or before.kind != "ADR" or before.status.value != "accepted":
            continue
        after = subject.corpus.by_path.get(file.path) if file.mode else None
        if after is None:
            if not (before.id and subject.corpus.resolve(before.id)):
                yield _deleted(file, before)
        elif after.status.authoritative and (line := _rewritten(subject, file, before, after)):
            yield _changed(line, before, after)


def _rewritten(
    subject: Subject, file: ChangedFile, before: Artifact, after: Artifact
) -> NumberedLine | None:
    """The first added line that changes the decision, or its heading when lines were only removed.

    None when the decision is unchanged.
    """
    removed = _decided(before, _full_lines(file.removed, subject.text_before(file.before)))
    added = _decided(after, _full_lines(file.added, subject.text(file.path)))
    if same_decision([line.text for line in removed], [line.text for line in added]):
        return None
    if added:
        return added[0]
    return NumberedLine(after.decision[0] if after.decision else 0, removed[0].text)


def _full_lines(lines: Sequence[NumberedLine], text: str) -> list[NumberedLine]:
    """The lines with the full text from the file: a diff cuts long lines."""
    written = split_lines(text)
    return [
        NumberedLine(line.number, written[line.number - 1]) if line.number <= len(written) else line
        for line in lines
    ]


def _decided(artifact: Artifact, lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """The lines that are part of the decision: no metadata, headings, consequences, amendments."""
    if artifact.decision is None:
        return []
    first, last = artifact.decision
    aside = [
        (section.first_line, _end(artifact, index, last))
        for index, section in enumerate(artifact.sections)
        if first < section.first_line <= last and _ASIDE.match(section.title)
    ]
    return [
        line
        for line in _without_amendments(lines)
        if first <= line.number <= last
        and not any(start <= line.number <= end for start, end in aside)
        and not _HEADING.match(line.text)
        and not _METADATA.match(line.text)
    ]


def _without_amendments(lines: Sequence[NumberedLine]) -> Iterator[NumberedLine]:
    """The lines without paragraphs that begin with a word such as `Amended:`."""
    amends = False
    last = 0
    for line in lines:
        continues = amends and line.number == last + 1 and line.text.strip()
        amends = bool(continues or _AMENDMENT.match(line.text))
        last = line.number
        if not amends:
            yield line


def _end(artifact: Artifact, index: int, last: int) -> int:
    """The last line of a section and its subsections, `last` at most."""
    level = artifact.sections[index].level
    following = (one.first_line for one in artifact.sections[index + 1 :] if one.level <= level)
    return min(next(following, last + 1) - 1, last)


def same_decision(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the removed and the added lines consist of the same words in the same order.

    A word of MIN_TYPO_LETTERS or more can differ in one letter, or in the order of two letters.
    """
    old, new = _words(before), _words(after)
    return len(old) == len(new) and all(
        a == b or _is_typo(a, b) for a, b in zip(old, new, strict=True)
    )


def _words(lines: Sequence[str]) -> list[str]:
    words: list[str] = []
    for line in lines:
        shown = _ADDRESS.sub(" ", _LINK.sub(r"\1", line))
        words += (word if word in _BINDING else word.casefold() for word in _WORD.findall(shown))
        if len(words) > MAX_WORDS:
            break
    return words[: MAX_WORDS + 1]


def _is_typo(a: str, b: str) -> bool:
    """Whether two words differ by a spelling error only. A word with digits never does."""
    if min(len(a), len(b)) < MIN_TYPO_LETTERS or not (a.isalpha() and b.isalpha()) or a[0] != b[0]:
        return False
    if _BINDING.intersection((a, b)) or abs(len(a) - len(b)) > 1:
        return False
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if start is None:
        # One more letter at the end: a plural, or a spelling error.
        return True
    rest_a, rest_b = a[start:], b[start:]
    return (
        rest_a[1:] == rest_b[1:]
        or rest_a[1:] == rest_b
        or rest_a == rest_b[1:]
        or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    )


def _changed(line: NumberedLine, before: Artifact, after: Artifact) -> Finding:
    message = (
        f"{before.name} was accepted, and what it decided is changed: write a new record that"
        f" supersedes {before.name}, or write the amendment under its own heading"
    )
    return Finding(after.path, line.number, RULE.id, "warning", message, line.text.strip())


def _deleted(file: ChangedFile, before: Artifact) -> Finding:
    what = "no record any more" if file.mode else "deleted"
    message = (
        f"{before.name} ({before.title}) was accepted, and is {what}: keep it, and mark it as"
        " superseded or deprecated"
    )
    return Finding(file.path, 0, RULE.id, "warning", message, before.name)


RULE = Rule(
    "accepted-decision",
    "warning",
    "The text of an accepted decision was changed.",
    "People and code rely on what was decided as it was decided. Write a new record that supersedes"
    " this one, so that both can be read; typing errors, links and metadata may be corrected.",
    check,
    guards_records=True,
)

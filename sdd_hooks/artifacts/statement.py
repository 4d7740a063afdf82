"""What one text says of the status of the record that holds it.

A sentence about another record (`Supersedes ADR-2`, `Refines ADR-2 (superseded)`), about a part, or
one under a condition says nothing. Of several statements with dates the newest holds.
"""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Sequence

from sdd_hooks.artifacts.dates import DATE, find_dates
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.languages import (
    STATUSES,
    TRANSLATED_WORD,
    WORD,
    is_status_name,
    value_of,
    words,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

UNKNOWN = "unknown"
MAX_SKIPPED = 4
"""Words for this record and dates that may be before its status."""
NON_AUTHORITATIVE = frozenset({"superseded", "deprecated", "rejected"})

# Of words without dates, that of the last stage counts; all others are of stage 1.
_STAGES = {"draft": 0, "accepted": 2, "approved": 2, "implemented": 2} | {
    "rejected": 3,
    "deprecated": 3,
    "superseded": 4,
}

# `This decision was accepted`
_LEAD = lazy_regex(lambda: rf"(?:(?:{words('lead')})[ *_:]+){{1,10}}", re.IGNORECASE)
_PART_BEFORE = lazy_regex(lambda: rf"(?:{words('part')})[\s-]*", re.IGNORECASE)
# `Superseded in part`, `superseded by [ADR-2](2.md) (partly)`, `by ADR-2 for the spelling only`
_PART_AFTER = lazy_regex(
    lambda: (
        rf"[ ,(*_-]{{1,4}}(?:{words('part')})"
        r"|[*_ ]*\s(?:by|durch|par|por|przez)\s+"
        r"(?:\[[^\[\]]*\](?:\([^()]*\))?|[^\s.;]+(?:\s[0-9]+)?)[*_]*"
        rf"(?:[\s,(]+(?:{words('part')})\b|,?\s(?:for|in|on|regarding)\s[^.;—()]{{1,80}}?\bonly\b)"
    ),
    re.IGNORECASE,
)
_CHANGED = lazy_regex(
    r"(?:amended|extended|modified|updated|refined|clarified|revised)(?!\w)", re.IGNORECASE
)
# `Superseded by ADR-2 (spelling) — the contract is retained`
_RETAINED = lazy_regex(lambda: rf"\b(?:{words('retained')})\b", re.IGNORECASE)
# `Superseded ADR-2` and `Replaced the queue` are active.
_PASSIVE = lazy_regex(
    lambda: (
        rf"""[\s*_`"”»)\]]*(?:$|[^\s\w\[`*_]|[0-9]{{4}}[-/.]|[0-9]{{1,2}}[./]
    |[0-9]{{1,2}}\ \w{{3,9}}\ [0-9]{{4}}|[^\x00-\x7f]|(?:{words("passive")})\b)"""
    ),
    re.VERBOSE | re.IGNORECASE,
)
_OBJECT = lazy_regex(
    r"[\s*_`:：]+(?:(?:the|our|all|both|its|previous|earlier) )?"
    r"(?:\[?(?:ADR|SPEC|RFC)s?[-_ ]?[0-9]|\[[0-9])",
    re.IGNORECASE,
)
_CONDITION = lazy_regex(
    r"(?:[^.;(\[]|\[[^\[\]]*\]\([^()]*\)){0,80}?\b(?:if|once|unless|as soon as)\b", re.IGNORECASE
)
_BY_NOTHING = lazy_regex(
    r"[\s*_]*(?:by\b|[:：])[\s*_:：(\[]*(?:no(?:ne|thing|body)?|n/?a|false|null|tbd|—|–|-)?[\s*_.)\]]*$",
    re.IGNORECASE,
)
_LATER = lazy_regex(
    r"(?:[;,/.]|—|–| - |\b(?:and|now|but|then)\b)[ *_]*(?:(?:and|now|later|since|then|it|this|adr"
    r"|decision|record|is|was|has been) ){0,5}[*_]*(?:super[sc]eded|replaced(?= by\b))(?!\w)",
    re.IGNORECASE,
)
_RECORD = lazy_regex(r"[\[`*]{0,3}(?:ADR|SPEC)[- ]?[0-9]", re.IGNORECASE)
_ARROW = lazy_regex(r"\s*(?:→|⇒|➜|-+>|=+>)\s*")
_IMAGE = lazy_regex(r"!\[([^\[\]]*)\]\(([^()]*)\)")
_BADGE = lazy_regex(
    r"/badge/(?:[^-/()\s]+-)?((?:[^-/()\s?]|--)+)-[^-/()\s]+|/badge/[^-/()\s]+/([^/()\s]+)/"
    r"|message=([^&()\s]+)"
)
_STRUCK = lazy_regex(
    r"^<br ?/?>|~~[^~]*~~|<!--.*?-->|:[a-z0-9_+-]+:(?=\s|$)|(?<!\w)_+|_+(?!\w)"
    r"|<(?:del|s|strike)>[^<]*</\w{1,6}>"
    r"|</?(?:span|mark|b|strong|em|i|font|kbd|code|p|div|sup|sub)(?: [^<>]*)?>"
)
_BOLD = lazy_regex(r"\*\*([^*]+)\*\*")
_BOX = lazy_regex(r"\[[ xX✓✔]?\](?!\()|[☐☑☒]")
_CHECKED = lazy_regex(r"(?:\[[xX✓✔]\](?!\()|[☑☒])((?:(?!\[[ xX✓✔]?\]|[☐☑☒]).)*)")
_BRACKETS = lazy_regex(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
_NEXT_BRACKETS = lazy_regex(
    r"[\s*_]*(?:\(([^()]*(?:\([^()]*\)[^()]*){0,9})\)|（([^（）]*)）)", re.IGNORECASE
)
_MARKS = lazy_regex(r"(?:[^\w{<]|_)*")
_NUMBERS = lazy_regex(r"(?:[^\w{<]|_|[0-9]+)*")
_LABEL = lazy_regex(r"[^\w`\[{<]*([^\W\d_][^:：=—|\n]{0,40}?)[*_ ]*(?:[:：=—]|\bis\b)[*_ ]*")
_CLAUSE = lazy_regex(r";\s+|,\s+(?![0-9]{4}\b(?!-))|\s+(?:and|then)\s+|<br ?/?>|\s*→\s*")
_YEAR = lazy_regex("[0-9]{4}")


class StatusStatement(NamedTuple):
    """What a text says of this record.

    `day` is its first date. It `is_plain` when nothing but a date is before the status and a
    sentence about it goes on: further below, too, that is one about this record.
    """

    value: str
    note: str = ""
    is_plain: bool = False
    day: str = ""


PLAIN = frozenset(value for value in STATUSES if value.isalpha())
"""Most statuses are one of these words: reading them compiles no pattern."""


def read_statement(written: str) -> StatusStatement | None:
    """What a text says. None: there are no words, or the choices of a template."""
    if (word := written.strip("*_`. ").lower()) in PLAIN:
        return StatusStatement(word, is_plain=True)
    plain = _visible(_chosen(written))
    if not re.search(r"\w", plain) or _is_placeholder(plain):
        return None
    for separator in (_ARROW, _CLAUSE):
        if len(parts := separator.split(plain)) > 1:
            said = [one for part in parts if (one := _statement(part)).is_plain]
            is_all = len(said) == len(parts)
            # Without dates a longer part may be a note about the one before it.
            is_bare = is_all and (separator is _ARROW or not any(one.note for one in said))
            if is_bare or sum(one.day != "" for one in said) > 1:
                current = len(said) - 1 if separator is _ARROW else current_statement(said)
                return said[current] if current >= 0 else StatusStatement(UNKNOWN)
    return _statement(plain)


def _chosen(written: str) -> str:
    """The one status in bold type of several, else the text: `**Proposed**, Accepted, Obsolete`."""
    bold = _BOLD.findall(written) if written.count("**") == 2 else []
    others = _BOLD.sub("", written).strip("_ ,/|").split(",") if bold else []
    is_list = len(others) > 1 and all(WORD.fullmatch(one.strip(" _*")) for one in others)
    return str(bold[0]) if is_list else written


def _visible(written: str) -> str:
    """The text without marks: its badges as words, its checked boxes alone, and no label."""
    plain = _IMAGE.sub(_badge, _STRUCK.sub(" ", written))
    label = _LABEL.match(plain)
    if label and is_status_name(normalize_field_name(label[1])):
        plain = plain[label.end() :]
    if _BOX.match(plain.lstrip("*_ ")):
        return ", ".join(one.strip(" ;,|/") for one in _CHECKED.findall(plain))
    return plain


def _badge(image: re.Match[str]) -> str:
    """The words of the badge at the address of a picture, else its own."""
    found = _BADGE.search(image[2])
    words = next(filter(None, found.groups())) if found else image[1]
    return words.replace("--", "-").replace("_", " ").replace("%20", " ")


def _statement(text: str, *, in_brackets: bool = False) -> StatusStatement:
    """What a text says at its beginning, UNKNOWN for a sentence about anything else."""
    start = start_of(text)
    places = [start]
    while not in_brackets and len(places) < MAX_SKIPPED:
        if not (found := _LEAD.match(text, places[-1]) or DATE.match(text, places[-1])):
            break
        places.append(start_of(text, found.end()) if found.lastindex else found.end())
    for at in places:
        part = _PART_BEFORE.match(text, at)
        word = part.end() if part else at
        english = WORD.match(text, word) or _CHANGED.match(text, word)
        if match := english or TRANSLATED_WORD.match(text, word):
            value, note = _meaning(text, match, at, is_english=english is not None)
            if value == UNKNOWN:
                break
            end = match.end()
            is_other = _OBJECT.match(text, end) or (english and not _PASSIVE.match(text, end))
            day = next(find_dates(text), "") if _YEAR.search(text) else ""
            return StatusStatement(value, _note(text[note:]), not is_other, day)
    return StatusStatement(UNKNOWN)


def _meaning(text: str, match: re.Match[str], start: int, *, is_english: bool) -> tuple[str, int]:
    """The status that a word means in its sentence, and where its note begins.

    The sentence begins at `start`, before the word if it is about a part.
    """
    end = match.end()
    if match.lastgroup is None:
        return (UNKNOWN, end) if _OBJECT.match(text, end) else ("accepted", start)
    value = value_of(match)
    if value in NON_AUTHORITATIVE:
        if start < match.start() or _PART_AFTER.match(text, end):
            return "accepted", start
        # Other languages have other words for the active voice.
        if is_english and value == "superseded":
            is_other = not _PASSIVE.match(text, end)
        else:
            is_other = value != "superseded" and _OBJECT.match(text, end) is not None
        if is_other or _CONDITION.match(text, end) or _BY_NOTHING.match(text, end):
            return UNKNOWN, end
    if value == "superseded":
        return ("accepted" if _RETAINED.search(text, end) else value), end
    return _end(text, end) or value, end


def _end(text: str, start: int) -> str:
    """What ended the status before `start`: `accepted; superseded by 9` is superseded."""
    if inner := _NEXT_BRACKETS.match(text, start):
        said = _statement(inner[1] or inner[2] or "", in_brackets=True)
        if said.value in ("superseded", "deprecated"):
            return said.value
    for later in _LATER.finditer(text, start):
        before, end = text[start : later.start()], later.end()
        sentence = "" if text[later.start()] in ".;" else re.split(r"[.;]\s", before)[-1]
        is_other = _RECORD.search(_BRACKETS.sub(" ", sentence)) or _PART_AFTER.match(text, end)
        is_inside = before.count("(") > before.count(")")
        if is_other or is_inside or _BY_NOTHING.match(text, end) or _RETAINED.search(text, end):
            continue
        if _PASSIVE.match(text, end):
            return "superseded"
    return ""


def current_statement(said: Sequence[StatusStatement]) -> int:
    """The index of the statement that holds now, -1 if several may."""
    dated = [at for at, one in enumerate(said) if one.day]
    stages = [_STAGES.get(one.value, 1) for one in said]
    if len(dated) > 1:
        newest = max(dated, key=lambda at: (said[at].day, stages[at], at))
        is_above = not said[0].day and said[newest].value not in NON_AUTHORITATIVE
        return 0 if is_above else newest
    if len(said) > 1 and not any(one.note or one.day for one in said):
        last = max(stages)
        rivals = {one.value for one, stage in zip(said, stages, strict=True) if stage == last}
        is_open = len(rivals) > 1 and not rivals.isdisjoint(NON_AUTHORITATIVE)
        return -1 if is_open else stages.index(last)
    ends = [at for at, one in enumerate(said) if one.value in ("superseded", "deprecated")]
    return next((at for at in reversed(ends) if stages[at] > stages[0]), 0)


def start_of(text: str, at: int = 0) -> int:
    """Return where the first word begins from `at`, after emoji, marks and a date."""
    marks = _MARKS.match(text, at)
    at = marks.end() if marks else at
    if text[at : at + 1].isdigit():
        date = DATE.match(text, at)
        numbers = _NUMBERS.match(text, date.end() if date else at)
        at = numbers.end() if numbers else at
    return at


def _note(rest: str) -> str:
    rest = rest.strip().lstrip("*_~`.:;,—–-|） ").strip()
    for opening, closing in ("()", "（）"):
        if rest.startswith(opening) and rest.rstrip(".").endswith(closing):
            inner = rest.rstrip(".")[1:-1]
            if opening not in inner or closing not in inner.split(opening)[0]:
                return inner.strip()
    return rest


def _is_placeholder(text: str) -> bool:
    """Whether the text is the placeholder of a template."""
    if re.search(r"\bwhat is the status\b|\bsuch as proposed\b", text, re.IGNORECASE):
        return True
    outside = text if re.match(r"\W*[\[{<]", text) else _BRACKETS.sub(" ", text)
    if not re.search(r"[|/{<…]|\.\.\.|\bor\b|\betc\b", outside):
        return False
    pieces = [one.lstrip(" {<[*_`~…") for one in re.split(r"[|/,]|\bor\b", outside)[:20]]
    found = (WORD.match(one) or TRANSLATED_WORD.match(one) for one in pieces)
    return len({value_of(match) for match in found if match}) > 2

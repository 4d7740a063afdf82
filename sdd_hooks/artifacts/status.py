"""Read the status of an artifact and normalize it to one vocabulary.

A status is written in the frontmatter, in a field at the top, or under a `Status` heading. The text
after it (`accepted (refined by ADR-7)`) is a note.
"""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from sdd_hooks.artifacts.fields import HeaderField
from sdd_hooks.artifacts.frontmatter import Frontmatter
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

# German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese, Japanese, Korean.
_TRANSLATIONS = {
    "accepted": "akzeptiert|angenommen|beschlossen|entschieden|accept[ée][es]{0,2}"
    "|adopt[ée][es]{0,2}|confirmad[oa]|aceptad[oa]|adoptad[oa]|aceit[oa]|adotad[oa]|accettat[oa]|adottat[oa]"
    "|geaccepteerd|aangenomen|принят[оаы]?|已?接受|已?采纳|已采用|已通过|承認(?:済み?)?|採用(?:済み?)?"
    "|승인됨?|채택됨?",
    "proposed": "vorgeschlagen|vorschlag|propos[ée][es]{0,2}|proposition|propuest[oa]|propost[oa]"
    "|voorgesteld|предложен[оаы]?|已?提议|已?提案|提案(?:中|済み?)|제안됨?",
    "rejected": "abgelehnt|verworfen|rejet[ée][es]{0,2}|refus[ée][es]{0,2}|rechazad[oa]"
    "|rejeitad[oa]|rifiutat[oa]|respint[oa]|afgewezen|verworpen|отклонен[оаы]?|отклонён|已?拒绝|已?否决"
    "|却下|棄却|거부됨?|거절됨?",
    "deprecated": "veraltet|zurückgezogen|obsol[èe]te|d[ée]pr[ée]ci[ée][es]{0,2}|obsolet[oa]"
    "|en desuso|depreciad[oa]|descontinuad[oa]|deprecat[oa]|verouderd|устарел[оаи]?|已?弃用"
    "|已?废弃|已?废除"
    "|非推奨|廃止(?:済み?)?|폐기됨?|사용 중단",
    "superseded": "ersetzt|abgelöst|überholt|remplac[ée][es]{0,2}|reemplazad[oa]|sustituid[oa]"
    "|substitu[íi]d[oa]|sostituit[oa]|vervangen|заменен[оаы]?|заменён|已?被?取代|已?被?替代"
    "|置き?換え(?:済み?)?|대체됨?",
    "draft": "entwurf|brouillon|borrador|rascunho|bozza|concept|черновик|草稿|草案|下書き|초안",
    "review": "in prüfung|en revue|en revisión|em revisão|in revisione|на рассмотрении|审核中"
    "|レビュー中|검토 중",
    "approved": "genehmigt|freigegeben|approuv[ée][es]{0,2}|aprobad[oa]|aprovad[oa]"
    "|approvat[oa]|goedgekeurd|утвержден[оаы]?|утверждён|已?批准",
    "implemented": "umgesetzt|implementiert|impl[ée]ment[ée][es]{0,2}|implementad[oa]"
    "|implementat[oa]|geïmplementeerd|реализован[оаы]?|已?实施|已?实现|実装済み?|구현됨?",
    "deferred": "zurückgestellt|verschoben|report[ée][es]{0,2}|aplazad[oa]|adiad[oa]|rinviat[oa]"
    "|uitgesteld|отложен[оаы]?|已?推迟|保留|보류",
}

TRANSLATED_WORD = lazy_regex(
    "(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _TRANSLATIONS.items()) + r")(?!\w)",
    re.IGNORECASE,
)
"""A word that means a status; the name of its group is the status."""

STATUS_NAMES = "status|estado|estatus|statut|stato|статус|状态|狀態|ステータス|상태"
"""What the heading of the section with the status may be, as alternatives of a pattern."""

STATUS_FIELDS = frozenset(
    {"status", "adr-status", "decision-status", "estado", "estatus", "statut", "stato"}
)
"""What the field with the status may be called."""


StatusOrigin = Literal["frontmatter", "field", "section", "none"]

UNKNOWN = "unknown"

MAX_STATUS_SECTIONS = 8
MAX_STAGE = 40
"""Characters of a status that another one follows: `proposed (2026-01-02) → accepted`."""

NON_AUTHORITATIVE = frozenset({"superseded", "deprecated", "rejected"})

_WORDS = {
    "accepted": "accepted|active|adopted|agreed|decided|ratified|final|current|effective|in force",
    "proposed": "proposed|proposal|pending|open|rfc|under discussion|undecided",
    "rejected": "rejected|withdrawn|cancell?ed|declined|abandoned|dropped",
    "deprecated": "deprecated|retired|obsoleted?|moot|sunset|legacy|reverted|revoked|rescinded",
    "superseded": "supersed+ed|superceeded|superceded|superseeded|replaced|invalidated",
    "draft": "draft(?:ed)?|wip|(?:work[- ])?in[- ]progress",
    "review": "(?:in |under )?review(?:ing)?",
    "approved": "approved",
    "implemented": "implemented|done|completed?|shipped",
    "deferred": "deferred|postponed|parked",
    "on-hold": "on[- ]hold|paused",
}
STATUSES = tuple(_WORDS)

_PARTLY = lazy_regex(
    r"""(?:partially|partly|in[- ]part)[- ](?:superseded|amended|deprecated|replaced|retired)
    | (?:superseded|superceded|deprecated|replaced|retired)[ ,(-]{1,2}
      (?:partially|partly|in[- ]part)
    | (?:amended|extended|modified|updated|refined|clarified|revised)""",
    re.VERBOSE | re.IGNORECASE,
)
# `Superseded by ADR-2 (spelling) — the contract is retained`
_RETAINED = lazy_regex(
    r"\b(?:(?:is|are) (?:retained|kept)|(?:still|otherwise|remains?) (?:holds?|appl(?:y|ies)"
    r"|in force|valid)|lives? on|(?:leg|part|syntax|section) only)\b",
    re.IGNORECASE,
)
_WORD = lazy_regex(
    "(?:" + "|".join(f"(?P<{n.replace('-', '_')}>{w})" for n, w in _WORDS.items()) + r")(?![\w])",
    re.IGNORECASE,
)
_SUPERSEDED_LATER = lazy_regex(
    r"(?:[;,/.]|—|–| - |\b(?:and|now|but|then)\b)\s*(?:superseded|superceded|replaced) by\b",
    re.IGNORECASE,
)
_RECORD = lazy_regex(r"[\[`*]{0,3}(?:ADR|SPEC)[- ]?[0-9]", re.IGNORECASE)
_ARROW = lazy_regex(r"\s*(?:→|⇒|➜|-+>|=+>)\s*")
_IMAGE = lazy_regex(r"!\[([^\[\]]*)\]\([^()]*\)")
_STRUCK = lazy_regex(r"~~[^~]*~~|<!--.*?-->")
# Behind a stage of `proposed (2026-01-02) → accepted` no sentence begins.
_SENTENCE = lazy_regex(r"[:;—–.]\s")
_SHORTCODE = lazy_regex(r":[a-z0-9_+-]+:")
_BRACKETS = lazy_regex(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
_BEFORE = lazy_regex(r"(?:[^\w{<]|_|[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]+)*")
_NOT = lazy_regex(r"\b(?:not|never|no longer|to be)(?: (?:yet|be|been))*\W*$", re.IGNORECASE)
_STATUS_HEADING = lazy_regex(
    rf"""[^\w`]*(?:[0-9]+[.)]?[ ]*)?(?:(?:ADR|decision|current)[ ])?(?:{STATUS_NAMES})\**[ ]*
    (?:[:：—–-][ *]+(?P<value>.+))?[:*]*$""",
    re.VERBOSE | re.IGNORECASE,
)
_CHECKED = lazy_regex(r"[-*+] \[[xX]\] +(.+)")
# A list item, a quotation, a table row, a rule, or a line that a tool adds below "Accepted".
_NEW_STATEMENT = lazy_regex(r"[>|]|[-*+]\s|[-=*_]{3,}$|(?:Super[sc]ed|Amend|Deprec|Replac)")
# `ADR 63 is superseded by nothing` is about another record.
_OTHER_RECORD = lazy_regex(r"\W{0,3}ADR[-_ ]?[0-9]", re.IGNORECASE)
_UNCHECKED = lazy_regex(r"[-*+] \[ \]")
# An entry of a log: `- 2026-01-02: Drafted`, `- 2026-01-09: Merged`.
_DATED = lazy_regex(r"\W{0,3}([0-9]{4}-[0-9]{2}-[0-9]{2})\W{0,3}[:–—-]\W{0,3}(?=\w)")
_MERGED = lazy_regex(r"merged\b", re.IGNORECASE)


class ArtifactStatus(NamedTuple):
    """A status: `value` is one of STATUSES, UNKNOWN for another word, or "" without a status.

    `text` is the written text, `note` the part after the status, `line` its 1-based line.
    """

    value: str = ""
    text: str = ""
    note: str = ""
    line: int = 0
    origin: StatusOrigin = "none"

    @property
    def authoritative(self) -> bool:
        """Whether the artifact is in force. Without a status it is."""
        return self.value not in NON_AUTHORITATIVE

    @property
    def holds_in_part(self) -> bool:
        """Whether the text begins with the end of the record, and says that a part is retained."""
        first = next(find_status_words(self.text), None)
        return self.value == "accepted" and first is not None and first.value in NON_AUTHORITATIVE


NO_STATUS = ArtifactStatus()


class StatusWord(NamedTuple):
    """A word that means a status, between the offsets `start` and `end` of a text."""

    value: str
    start: int
    end: int


def find_status_words(text: str) -> Iterator[StatusWord]:
    """Yield every word that means a status, in any spelling and letter case, in order."""
    matches = list(_WORD.finditer(text)) or TRANSLATED_WORD.finditer(text)
    for match in matches:
        # A longer word, such as `unaccepted`, contains it.
        if not text[: match.start()][-1:].isalnum():
            yield StatusWord(str(match.lastgroup).replace("_", "-"), *match.span())


_PLAIN = frozenset(value for value in STATUSES if value.isalpha())
"""Most statuses are one of these words: reading them compiles no pattern."""


def parse_status(text: str, line: int = 0, origin: StatusOrigin = "field") -> ArtifactStatus | None:
    """Parse the status in a piece of Markdown. None: no text, or the choices of a template."""
    written = " ".join(text.split())[:2_000]
    if written in _PLAIN:
        return ArtifactStatus(written, written, "", line, origin)
    plain = _SHORTCODE.sub(" ", _STRUCK.sub(" ", _IMAGE.sub(r"\1", written)))
    if not re.search(r"\w", plain) or _is_placeholder(plain):
        return None
    # The last stage of `proposed → accepted` is the status.
    # A note may have an arrow, and a link in brackets in it.
    bare = _BRACKETS.sub(" ", _BRACKETS.sub(" ", plain))
    stages = _ARROW.split(plain) if _ARROW.search(bare) else [plain]
    # `superseded → ADR-0018` names the successor.
    is_status = len(stages) > 1 and not _RECORD.match(stages[-1])
    if is_status and all(_is_stage(stage) for stage in stages[:-1]):
        plain = stages[-1]
    start = _start(plain)
    if partly := _PARTLY.match(plain, start):
        return ArtifactStatus("accepted", written, plain[partly.start() :], line, origin)
    match = _WORD.match(plain, start) or _word_within(plain) or TRANSLATED_WORD.match(plain, start)
    if not match:
        return ArtifactStatus(UNKNOWN, written, "", line, origin)
    value = str(match.lastgroup).replace("_", "-")
    head = _BRACKETS.sub(" ", plain[match.end() :])
    if _SUPERSEDED_LATER.match(head.lstrip(" *_")) or _SUPERSEDED_LATER.search(head):
        value = "superseded"
    if value == "superseded" and _RETAINED.search(plain, match.end()):
        value = "accepted"
    return ArtifactStatus(value, written, _note(plain[match.end() :]), line, origin)


def find_statuses(
    matter: Frontmatter, fields: Sequence[HeaderField], prose: str, sections: Sequence[Section]
) -> tuple[ArtifactStatus, ...]:
    """Return every status of a document, the effective one first.

    `fields` are its header fields, `prose` its text without code and comments.
    """
    return tuple(_statuses(matter, fields, prose, sections))


def _statuses(
    matter: Frontmatter, fields: Sequence[HeaderField], prose: str, sections: Sequence[Section]
) -> Iterator[ArtifactStatus]:
    status = parse_status(matter.text("status"), matter.lines.get("status", 0), "frontmatter")
    if status:
        yield status
    for field in fields:
        if field.name in STATUS_FIELDS:
            status = parse_status(field.value, field.line)
            if status:
                yield status
                break
    for section in find_status_sections(sections):
        status = _status_of_section(prose, section)
        if status:
            yield status
            break


def find_status_sections(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the first MAX_STATUS_SECTIONS sections with the heading Status."""
    # Every name of it in ASCII contains these letters, and the search is faster than the pattern.
    headed = (
        section
        for section in sections
        if 0 < section.level <= 3
        and ("sta" in section.title.lower() or not section.title.isascii())
        and _STATUS_HEADING.match(section.title)
    )
    return islice(headed, MAX_STATUS_SECTIONS)


def _status_of_section(prose: str, section: Section) -> ArtifactStatus | None:
    inline = _STATUS_HEADING.match(section.title)
    if inline and inline["value"]:
        return parse_status(inline["value"], section.first_line, "section")
    status: ArtifactStatus | None = None
    paragraphs = list(read_paragraphs(prose, section))
    if logged := _last_of_log(paragraphs):
        return logged
    for line, paragraph in paragraphs:
        read = parse_status(paragraph, line, "section")
        is_later = read and read.value == "superseded" and not _OTHER_RECORD.match(paragraph)
        if status is None or is_later:
            status = read
    return status


def _last_of_log(paragraphs: Sequence[tuple[int, str]]) -> ArtifactStatus | None:
    """The latest entry with a status, where each of several paragraphs begins with a date."""
    dates = [match[1] for _, text in paragraphs if (match := _DATED.match(text))]
    if len(dates) < max(2, len(paragraphs)):
        return None
    latest: tuple[str, ArtifactStatus] | None = None
    for day, (line, text) in zip(dates, paragraphs, strict=True):
        read = parse_status(text, line, "section")
        if read and read.value == UNKNOWN and _MERGED.match(text, _start(text)):
            read = read._replace(value="accepted")
        if read and read.value != UNKNOWN and (latest is None or day >= latest[0]):
            latest = day, read
    return latest[1] if latest else None


def read_paragraphs(prose: str, section: Section) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs under a heading with their first lines; at most forty lines are read.

    Quotations, rules and empty check boxes are skipped.
    """
    lines = prose[section.start : min(section.end, section.start + 20_000)].split("\n")[1:41]
    paragraph = ""
    start = 0
    for number, raw in enumerate(lines, section.first_line + 1):
        line = raw.strip()
        checked = _CHECKED.match(line)
        if paragraph and (not line or _NEW_STATEMENT.match(line)):
            yield start, paragraph
            paragraph = ""
        if checked:
            yield number, checked[1]
        elif not line or line[0] == ">" or _UNCHECKED.match(line) or not line.strip("-=*_ "):
            continue
        elif paragraph:
            paragraph = f"{paragraph} {line}"
        else:
            paragraph, start = re.sub(r"^[-*+]\s+|^\||\|$", "", line), number
    if paragraph:
        yield start, paragraph


def _is_stage(text: str) -> bool:
    """Whether it is a status with at most a few words, and not a sentence that has an arrow."""
    match = _WORD.match(text, _start(text)) if len(text) <= MAX_STAGE else None
    return match is not None and not _SENTENCE.search(text, match.end())


def _start(text: str) -> int:
    """Return where the first word begins, after emoji, marks and a date."""
    match = _BEFORE.match(text)
    return match.end() if match else 0


def _word_within(text: str) -> re.Match[str] | None:
    """Find a status in the first words of a sentence such as "This was accepted in May"."""
    for match in _WORD.finditer(text[:60]):
        before = text[: match.start()]
        if match.lastgroup != "review" and not _NOT.search(before) and not before[-1:].isalnum():
            return match
    return None


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
    if not re.search(r"[|/{<]|\bor\b|\betc\b", outside):
        return False
    choices = {match.lastgroup for match in _WORD.finditer(outside)}
    translated = {match.lastgroup for match in TRANSLATED_WORD.finditer(outside)}
    return max(len(choices), len(translated)) > 2

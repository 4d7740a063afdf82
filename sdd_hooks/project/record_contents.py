"""What the content of a document says: a decision record, an unfilled template, or an index.

Records have sections, labels in bold type, or a table of fields on top, in many languages. How many
of them are enough depends on the place and the name of the file.
"""

# Governing: ADR-0027 (records are found by what directories hold)

from __future__ import annotations

from collections.abc import Iterable

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import Place
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_HEAD = 12_000
"""Characters of a document in which labels are looked for."""

# Titles of sections and labels, without numbers and punctuation.
# `Key design decisions` is a section of other documents.
_DECISION = lazy_regex(
    r"(?i)(?:the |our |final |proposed |architectur(?:e|al) )?decision"
    r"(?: outcome| made| taken| and rationale| summary)?"
    r"|decisions|resolution|what we decided"
    r"|(?:die |unsere |la |le |el |a |het |de )?(?:entscheidung|entscheid|beschluss|décision"
    r"|decisión|decisão|decisao|decisione|decizie|besluit|beslissing|beslut|beslutning|päätös"
    r"|decyzja|rozhodnutí|rozhodnutie|решение|рішення|döntés|karar|quyết định|keputusan|απόφαση"
    r"|odluka|القرار|החלטה)"
    r"|(?:架构)?(?:决策|决定|決定|決断|结论|결정)(?:内容|事項|사항|结果)?"
)
_CLEAR = lazy_regex(
    r"(?i)status|context\b.*|consequences?\b.*|(?:considered )?(?:options|alternatives)\b.*"
    r"|alternatives considered|decision drivers?|problem(?: statement| description)?|background"
    r"|rationale"
    r"|implications|estado|statut|stato|stav|durum|tila|статус"
    r"|kontext|contexte|contexto|contesto|kontekst|kontekstur|konteksti|контекст|bağlam"
    r"|konsequenzen|conséquences|consecuencias|consequências|conseguenze|gevolgen|konsekvenser"
    r"|konsekwencje|důsledky|dôsledky|seuraukset|последствия|наслідки|sonuçlar"
    r"|状态|狀態|状況|状態|ステータス|상태|背景|上下文|コンテキスト|文脈|맥락|배경|컨텍스트"
    r"|後果|后果|影响|影響|結果|결과"
)
_WEAK = lazy_regex(
    r"(?i)what|why|how|reasons?|impact|risks?|pros(?: and cons)?|cons|open questions|assumptions"
    r"|constraints|requirements|alternativ\w+|optionen|opciones|opções|begründung|summary"
    r"|introduction|abstract|specification|dependencies|milestones"
)
# What requests for comments have, and few other documents.
_PROPOSING = lazy_regex(
    r"(?i)(?:background and )?motivation|goals?|non[- ]goals?|propos(?:al|ed .*)|detailed design"
    r"|design(?: details)?|drawbacks\b.*|trade-?offs|prior art\b.*|unresolved \w+|user stories"
    r"|rationale and alternatives|guide-level explanation|reference-level explanation"
    r"|implementation details.*|risks and mitigations|upgrade.* strategy|backwards? compatibility"
    r"|security considerations|(?:rejected |possible |considered )?alternatives(?: considered)?"
    r"|compatibility|technical (?:details|design)|detailed description"
    r"|future possibilities|breaking changes|rejected ideas|reference implementation"
    r"|(?:\w+ ){1,3}impact|work items|assignees?(?:\(s)?|feature name|start date"
    r"|rfc (?:pr|issue|#)|reference issues|discussions-to|post-history"
)
# `This RFC proposes to`
_OF_ITSELF = lazy_regex(r"(?i)\b(?:this|of the) (?:design )?(?:rfc|proposal|enhancement)\b")
# A task has an owner and a status, too.
_AUTHORS = frozenset({"author", "authors", "author(s)", "editor", "editors", "reviewers"})
_PEOPLE = frozenset({"deciders", "decision-makers", "decision makers", "decision-maker"})
_STATUS_NAMES = "status estado statut stato stav durum tila статус 状态 狀態 状態 ステータス 상태"
# Not `ADR-0008 migration plan` and `ADR-0048..ADR-0138 gap map`: those are about records.
_TITLE = lazy_regex(
    r"(?i)[\[(*_`]*(?:adr(?:[-_ #]{0,2}\d{1,5}[a-z]?)?[\])*_`]*[ \t]*(?:[:)|—–]|\.(?!\.)|-[ \t]|$)"
    r"|architectur(?:e|al) decision|decision record"
    # `NIP-02`
    r"|(?-i:(?!STEP|TIP)[A-Z]{1,3}[EI]P-[\dA-F]{1,5})[ \t]*(?:[:—–]|$))"
)
_AROUND = lazy_regex(r"^[\W\d_]+|[\W_]+$")
# `**Status**: accepted`, `- Decision: x`, `| Context | x |`, `**Decision**`.
_LABEL = lazy_regex(
    r"(?m)^[ \t]{0,3}(?:(?:[-*+>|]|<t[rdh]>)[ \t]{0,3}){0,2}(?P<mark>\*\*|__)?"
    r"(?P<name>[^\W\d_][^\n:：|*_<]{0,40}?)[ \t]{0,3}"
    r"(?:(?P<end>\*\*|__)[ \t]{0,3}(?:[:：|]|$)|[:：|](?:\*\*|__)?|</t[dh]>[ \t]{0,3}<td>)"
    r"[ \t]{0,9}(?P<value>[^\s|<]?)"
)
_PLACEHOLDER = lazy_regex(
    r"(?m)^[^\n\[{<]{0,60}"
    r"(?:\[[^\]\n]{2,200}\](?![(\[:])|\{[^}\n]{2,200}\}|<[a-zA-Z][^>\n]{3,200}>)[ \t.,;*_|]{0,9}$"
    r"|(?i:\b(?:proposed|draft|accepted)\b[^\n]{0,12}[|/,]"
    r"[^\n]{0,12}\b(?:accepted|rejected|approved)\b[^\n]{0,12}[|/,])"
    r"|\b(?:YYYY-MM-DD|yyyy-mm-dd|DD[./]MM[./]YYYY)\b"
)
_IN_PLACEHOLDER = ("[", "{", "<", "YYYY", "yyyy", "DD")
_IN_CHOICE = ("accepted", "rejected", "approved")
_LINE = lazy_regex(r"(?m)^(?!#)[^\n]*\w[^\n]*$")
# Each decision of a log has a heading: `### ADR-003: Use queues`.
_LOGGED = lazy_regex(r"(?im)^#{2,4}[ \t]+ADR[-_ ]?(\d{1,5})[ \t]*[:–—-]")
_LOGGED_RECORDS = 3
_LOCAL_LINK = lazy_regex(r"\]\((?!\w+:)[^()\s#]+\.(?:md|markdown|mdx|rst|adoc)[^()\s]*\)")


class Traits(NamedTuple):
    """What a document has of a record: a title that says so, a decision, the numbers of `clear`,
    `weak` and `proposing` other sections, a section or a value of a status, who decided, and
    whether a field names its authors."""

    titled: bool
    decides: bool
    clear: int
    weak: int
    proposing: int
    names_status: bool
    has_status: bool
    has_people: bool
    is_signed: bool

    def suffice(self, place: Place) -> bool:
        """Whether a document in such a place is a record."""
        if self.titled or (self.has_people and (self.decides or self.clear)):
            return True
        is_decision = self.decides and (self.names_status or self.clear >= 2)
        if is_decision or self.proposing + min(self.clear, 1) >= 4:
            return True
        # A status alone makes no record of a numbered task.
        usual = self.clear - self.names_status + self.proposing
        is_headed = self.has_status or self.is_signed
        if self.has_status and self.is_signed and (usual >= 2 or place == "numbered"):
            return True
        if place == "series":
            return self.decides or usual >= 2
        if place == "numbered":
            return self.decides or self.clear >= 2 or (is_headed and usual >= 2)
        is_likely = self.decides or self.has_status or self.clear >= 2
        return (is_likely or usual + self.weak >= 3) and place != "anywhere"


def find_traits(text: str, titles: Iterable[str]) -> Traits:
    """Find what a document with these titles of sections has of a record."""
    written = [title for title in titles if title]
    labels: dict[str, str] = {}
    for match in _LABEL.finditer(text[:MAX_HEAD]):
        labels.setdefault(match["name"].strip().lower(), match["value"] or match["end"] or "")
    names = {*labels, *(_AROUND.sub("", title).lower() for title in written)}
    return Traits(
        titled=bool(written) and _TITLE.match(written[0]) is not None,
        decides=any(map(_DECISION.fullmatch, names)),
        clear=sum(_CLEAR.fullmatch(name) is not None for name in names),
        weak=sum(_WEAK.fullmatch(name) is not None for name in names),
        proposing=sum(_PROPOSING.fullmatch(name) is not None for name in names)
        + (_OF_ITSELF.search(text, 0, MAX_HEAD) is not None),
        names_status=not names.isdisjoint(_STATUS_NAMES.split()),
        has_status=any(labels.get(name) for name in _STATUS_NAMES.split()),
        has_people=not _PEOPLE.isdisjoint(names),
        is_signed=not _AUTHORS.isdisjoint(labels),
    )


def is_unfilled(text: str) -> bool:
    """Whether most of a text is placeholders: it is a template, by whatever name."""
    head = text[:MAX_HEAD]
    least = max(2.0, sum(1 for _ in _LINE.finditer(head)) / 2)
    # Each placeholder has one of these, and few texts have as many: the pattern is slow.
    most = sum(map(head.count, _IN_PLACEHOLDER)) + sum(map(head.lower().count, _IN_CHOICE))
    return most >= least and sum(1 for _ in _PLACEHOLDER.finditer(head)) >= least


def is_log(text: str) -> bool:
    """Whether several decisions are in a text, each below a heading with its id."""
    return len({match[1] for match in _LOGGED.finditer(text)}) >= _LOGGED_RECORDS


def is_index(text: str) -> bool:
    """Whether most lines of a text lead to other documents, or it is a log."""
    if is_log(text):
        return True
    lines = [match[0] for match in _LINE.finditer(text[:MAX_HEAD])]
    leading = sum(_LOCAL_LINK.search(line) is not None for line in lines)
    return leading >= 3 and leading * 2 >= len(lines)

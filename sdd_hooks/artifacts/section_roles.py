"""The part that a section has in a record: it decides, or it only leads to the decision.

The headings are those of Nygard's form, of MADR and of records in public repositories.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section


class SectionRole(IntEnum):
    """What a section says. Higher ones are quoted first, and nothing of APART is quoted."""

    APART = 0
    """Status, options, rejected alternatives, links, history, templates."""
    CONTEXT = 1
    """The problem, and the text before the first heading below the title."""
    CONSEQUENCE = 2
    """What follows from the decision, and plans to put it into effect."""
    DETAIL = 3
    """Any other heading: what was decided, by topic."""
    DECISION = 4
    """The decision, the outcome, a requirement."""


_NUMBER = lazy_regex(r"^\W*(?:§?[0-9]+(?:[.][0-9]+)*|[a-z](?=[.)])|[ivx]{1,5}(?=[.)]))?[\W_]*")
_CHOSEN = lazy_regex(r"(?<!not )\b(?:chosen|selected|adopted|our choice)\b|✅")
_REJECTED = lazy_regex(
    r"\b(?:rejected|not (?:chosen|selected|adopted)|discarded|superseded|withdrawn|deferred"
    r"|considered|alternatives?|rejection)\b|❌"
)
_APART = lazy_regex(
    r"(?:status(?: ?/.*|: .*)?|state|metadata|date|tags|history|changelog|change[ -]?log"
    r"|(?:change|revision|version) history|revisions?|amendments?( log)?|references?|links?"
    r"|related\b.*|see also|further reading|(?:more|additional|further) (?:information|resources)"
    r"|resources|sources|citations?|footnotes?|options?\b.*|potential solutions"
    r"|pros(?: ?(?:and|&|/|\+) ?cons)?\b.*|cons|(?:dis)?advantages\b.*|drivers"
    r"|decision (?:makers?|date|criteria|drivers|history|log|matrix)\b.*"
    r"|decision record metadata|deciders|authors?|participants|stakeholders|discussions?"
    r"|(?:\w+ ){0,2}(?:decision|comparison|evaluation|scoring|trade-?offs?) matrix\b.*"
    r"|(?:(?:design|format|implementation|proposal|solution|specification) ){1,2}options"
    r"|(?:[\w-]+ ){0,3}comparison|(?:comparison|comparing)\b.*|evaluat\w+\b.*"
    r"|research\b.*|(?:technical )?investigation\b.*|findings"
    r"|glossary|terminology|(?:table of )?contents|questions|open questions\b.*|unresolved\b.*"
    r"|todo\b.*"
    r"|out of scope|non[ -]?goals|template\b.*|appendix\b.*|acknowledge?ments?|when superseded"
    r"|when to revisit|addressing\b.*|objections?\b.*|faq\b.*|q ?& ?a"
    r"|(?:betrachtete |verworfene )?(?:alternativ\w+|optionen)\b.*|referenzen|verweise|quellen"
    r"|entscheidungs(?:treiber|kriterien)|(?:moteurs|facteurs|critères) de (?:la )?décision|liens"
    r"|(?:options|alternatives|solutions) (?:envisagées|considérées|possibles).*|références|statut"
    r"|(?:opciones|opções|alternativas|opzioni|варианты|альтернативы|ссылки)\b.*|estado|referencias"
    r"|referências|enlaces|статус|検討した.*|参照|ステータス|선택지|참고"
    r"|備考|关联|相关|参考|状态|备选方案|考虑的方案|被否决的方案|变更记录)"
)
_DECISION = lazy_regex(
    r"\bdecisions?\b|\boutcome\b|\bresolution\b|\brequirements?\b|\bproposal\b|\bproposed\b"
    r"|\bsolution\b|\bconclusion\b|\bpolicy\b|\brules?\b|\bprinciples?\b|\binvariants?\b"
    r"|\bwhat we decided\b|\bspecification\b|\bnormative\b|\bcontract\b|\bchoice\b"
    r"|决策|决定|方案|原则|契约|決定|entscheidung|décision|decisi[óo]n|decis[ãa]o"
    r"|decisione|besluit|beslissing|decyzja|karar\b|решени|결정|採用|結論"
)
_CONTEXT = lazy_regex(
    r"(?:(?:decision |requirements? |technical )?(?:context|problem|background)|motivation"
    r"|introduction|abstract|goals?"
    r"|why|purpose|objectives?|existing|current|constraints?|assumptions?|scope|the problem"
    r"|user stor|use cases?|(?:\w+ ){0,2}(?:facts?|evidence|observations?|measurements?)"
    r" (?:\w+ ){0,2}the decision|背景|上下文|问题|动机)\b"
    r"|(?:背景|上下文|问题|动机|kontext|contexte|contexto|contesto|problem|контекст|проблема|배경|文脈)"
)
_CONSEQUENCE = lazy_regex(
    r"(?:consequences?|positive|negative|neutral|risks?|trade-?offs?|impacts?|costs?|benefits?"
    r"|mitigations?|what becomes|rationale|reasons?|justification|confirmation|validation"
    r"|verification|rollout|roll-out|test(?:s|ing)?|migration|implementation|tasks?|plan|phases?"
    r"|steps?|timeline|follow-?ups?|next steps|future|backwards?|compatibility|monitoring|success"
    r"|operational|examples?|limitations?|drawbacks?|security considerations|notes?)\b"
    r"|(?:后果|影响|收益|代价|风险|理由|实施|验收|迁移|示例|consecuencias|konsequenzen|conséquences"
    r"|conseguenze|consequências|gevolgen|positiv[aeo]?\b|negativ[aeo]?\b|결과|結果|影響"
    r"|последствия)"
)


def find_role(section: Section, record: Artifact) -> SectionRole:
    """Find the role of a section by its heading, or by the closest heading above that tells it.

    A section below a heading of APART is APART, unless a heading says that it was chosen. The text
    under the title is the context, unless the record has no other section. The title of the record
    itself tells nothing.
    """
    if section.level <= 1 or _is_title(section, record):
        return SectionRole.CONTEXT if _has_parts(record) else SectionRole.DETAIL
    above = section.path[1:] if _is_below_title(section, record) else section.path
    closest: SectionRole | None = None
    for title in (section.title, *reversed(above)):
        if _CHOSEN.search(title.lower()):
            return SectionRole.DECISION
        role = _role_of(title)
        if role == SectionRole.APART:
            return role
        closest = role if closest is None else closest
    return SectionRole.DETAIL if closest is None else closest


def tells_role(title: str) -> bool:
    """Whether a heading tells the part of its section, as `Decision Outcome` does."""
    return _role_of(title) is not None


def _is_title(section: Section, record: Artifact) -> bool:
    """Whether a heading is the title of the record: `# Decision 4: Queues`."""
    return bool(record.title) and section.title.endswith(record.title)


def _is_below_title(section: Section, record: Artifact) -> bool:
    return any(
        one.title == section.path[0] and (one.level == 1 or _is_title(one, record))
        for one in record.sections[:2]
        if section.path
    )


def _has_parts(record: Artifact) -> bool:
    return any(section.level > 1 for section in record.sections)


# Most records of a repository have the same headings.
@lru_cache(maxsize=4_096)
def _role_of(title: str) -> SectionRole | None:
    """The role that a heading tells; None for one that tells none."""
    words = _NUMBER.sub("", title.lower(), count=1).strip(" *_`#:")
    if _APART.fullmatch(words) or _REJECTED.search(words):
        return SectionRole.APART
    if _CONTEXT.match(words):
        return SectionRole.CONTEXT
    if _CONSEQUENCE.match(words):
        return SectionRole.CONSEQUENCE
    return SectionRole.DECISION if _DECISION.search(words) else None

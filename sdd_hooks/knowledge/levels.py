"""How far a lesson or a pattern applies: one feature, a domain, or the whole project.

What it names decides, not how it says it: "always" is said of one screen, too. A thing of one
feature is one whose name the code has in one place only; a domain is a technology, a tag, or a kind
of feature. A rule that names neither is one for the whole project.
"""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Triage"

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from sdd_hooks.code.paths import is_production_code
from sdd_hooks.knowledge.drafts import Draft, Level
from sdd_hooks.knowledge.entries import Lesson
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.query_match import stem

_GENERAL_TEXT = """
naming names style styles convention conventions formatting format code coding project general
global all everywhere git commit commits workflow review reviews documentation docs language
comments clean-code quality camelcase snake-case pascalcase rules guideline
"""
_GENERAL = frozenset(_GENERAL_TEXT.split())

# Kinds of features, by what their users do with them. What every feature has is not among them:
# errors, tests, keys, tables, logs.
_DOMAINS_TEXT = """
accessibility attachment auth authentication authorization avatar billing button cache caching cart
chart checkout crawler cron crud currency dashboard download element email endpoint focus form
geolocation i18n icon image inference invoice job keyboard l10n layout localization login logout
mail migration mobile modal money multi-tenant notification offline onboarding orm page pagination
payment payout pdf permission price push query queryset queue realtime refund route scheduler screen
scroll search shipping signup sms sql sso streaming subscription sync tenant theme tooltip
transcoding translation ui upload ux video webhook websocket widget wizard worker
"""
_DOMAINS = frozenset(_DOMAINS_TEXT.split())

_TOKEN = re.compile(r"[^\W_]\w*(?:[-.]\w+)*")
_CODE_NAME = re.compile(r"\w*[a-z0-9][A-Z]\w*|\w+_\w+|\w+(?:[-.]\w+)+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OF_ONE = (
    r"table|column|field|page|screen|form|endpoint|route|model|component|dialog|feature|command"
    r"|view|job|report|button|menu|wizard|store|controller|parser|handler|service|repository"
)
_ONE_FEATURE = re.compile(
    rf"(?i)\b(?:(?:this|that) (?:{_OF_ONE}|ticket|issue|story|task)\b"
    rf"|the [`\"']?\w+[-_]\w+[`\"']? (?:{_OF_ONE})\b)"
)
_NAMED_ONE = re.compile(rf"(?i)\bthe [`\"']?(\w+)[`\"']? (?:{_OF_ONE})\b")
_NORM = re.compile(
    r"(?i)\b(?:must|should|shall|always|never|every|needs?|ha(?:s|ve) to|avoid|only|prefer)\b"
    r"|(?:^|[.,;:]\s*)(?:don['’]t|do not)\b"
)
_FACT = re.compile(
    r"(?i)\b(?:(?:does|do|did|is|are|was|were|can|could|will|would)(?: not|n['’]t)|cannot|can['’]t"
    r"|won['’]t|breaks?|ignores?|blocks|returns|loses|fails?|throws?|drops|hangs?|leaks?|arrives?"
    r"|silently|turns out)\b"
)
_DEFINING = (
    "class",
    "struct",
    "interface",
    "enum",
    "type",
    "def",
    "func",
    "function",
    "fn",
    "table",
)
_SUBJECT = 6
"""Characters before the subject of a text: an article and a quote."""
_FEW = 3
"""Folders whose code names what belongs to one feature: its own, and those that show it."""


class ProjectEvidence(NamedTuple):
    """What the project shows about a text.

    `features` are its features by name, `files` the paths of its files, `naming` returns those that
    contain one of some texts, and `technologies` those of a domain that a text names.
    """

    features: Sequence[str] = ()
    files: Callable[[], Iterable[str]] = tuple
    naming: Callable[[Sequence[str]], Collection[str]] = lambda _: ()
    technologies: Callable[[str], Collection[str]] = lambda _: ()


def classify(draft: Draft, evidence: ProjectEvidence) -> Level:
    """How far a draft applies: the stated level, else what the things that it names show."""
    if draft.level:
        return draft.level
    entry = draft.entry
    text = entry.advice if isinstance(entry, Lesson) else f"{entry.name} {entry.problem}"
    features = (*evidence.features, draft.feature)
    if (
        _ONE_FEATURE.search(text)
        or _names_feature(text, entry.tags, features)
        or _names_one_place(text, evidence)
    ):
        return "feature-specific"
    if not isinstance(entry, Lesson) or _names_domain(text, draft, evidence):
        return "domain-specific"
    # What was a surprise is a fact about some technology, not a rule for all features.
    fact = _FACT.search(text)
    norm = _NORM.search(text)
    is_fact = fact and fact.start() > 0 and not (norm and norm.start() <= fact.start())
    return "domain-specific" if is_fact else "project-wide"


def _names_feature(text: str, tags: Sequence[str], features: Iterable[str]) -> bool:
    words = " " + re.sub(r"[\W_]+", " ", text.lower()) + " "
    for feature in features:
        name = re.sub(r"[\W_]+", " ", feature.lower()).strip()
        # A feature called `auth` is a domain, too.
        if " " in name and (f" {name} " in words or name.replace(" ", "-") in tags):
            return True
    return False


def _names_one_place(text: str, evidence: ProjectEvidence) -> bool:
    """Whether the text has a name of the project's own that one folder of its code defines.

    One that is no subject of the text counts if few folders use it: others share it.
    """
    names = {name: (spelled, at) for name, spelled, at in reversed(list(_names(text)))}
    if not names:
        return False
    folders: dict[str, set[str]] = {name: set() for name in names}
    for path in evidence.files():
        *parents, file = path.split("/")
        if not is_production_code(path):
            continue
        ends = {file.rpartition(".")[0] or file, file.partition(".")[0], *parents[-1:]}
        for own in folders.keys() & set(map(_joined, ends)):
            folders[own].add("/".join(parents))
    for name, (spelled, at) in names.items():
        defined = folders[name] or _folders([f"{one} {spelled}" for one in _DEFINING], evidence)
        # A file may be spelled in full.
        if not 0 < len(defined) <= 1 + ("." in spelled) or evidence.technologies(spelled):
            continue
        if at <= _SUBJECT or len(_folders([spelled], evidence) - defined) < _FEW:
            return True
    return False


def _folders(texts: Sequence[str], evidence: ProjectEvidence) -> set[str]:
    found = filter(is_production_code, evidence.naming(texts))
    return {path.rpartition("/")[0] for path in found}


def _names(text: str) -> Iterator[tuple[str, str, int]]:
    """The names of a text that may be those of files, joined, with their spelling and place.

    They are names of code, and the words after "the" or at the start.
    """
    for found in _CODE_NAME.finditer(text):
        for name in {found[0], re.sub(r"\.[a-z]{1,4}$", "", found[0])}:
            yield _joined(name), name, found.start()
    for found in _NAMED_ONE.finditer(text):
        yield _joined(found[1]), found[1], 0
    for start in re.finditer(r"(?:^|(?i:\bthe|\ban?)\s+)(?=\w)", text):
        words = _TOKEN.findall(text[start.end() : start.end() + 80])
        for count in (2, 3):
            if len(words) >= count:
                yield _joined("_".join(words[:count])), " ".join(words[:count]), start.end()


def _joined(name: str) -> str:
    return "".join(stem(part.lower()) for part in _PART.findall(name))


def _names_domain(text: str, draft: Draft, evidence: ProjectEvidence) -> bool:
    if draft.has_tags and not _GENERAL.issuperset(draft.entry.tags):
        return True
    words = [word.lower() for word in _TOKEN.findall(text)]
    parts = {part.removesuffix("s") for word in words for part in (word, *word.split("-"))}
    if _DOMAINS & {*words, *parts}:
        return True
    return bool(evidence.technologies(text))

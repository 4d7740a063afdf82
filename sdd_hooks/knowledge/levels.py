"""How far a lesson or a pattern applies: one feature, a domain, or the whole project.

What it names decides, not how it says it: "always" is said of one screen, too. A thing of one
feature is one that a single place of the code defines; a domain is a technology, a tag, or a kind
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
from sdd_hooks.text.domains import DOMAIN_WORDS
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

_GENERAL_TEXT = """
naming names style styles convention conventions formatting format code coding project general
global all everywhere git commit commits workflow review reviews documentation docs language
comments clean-code quality camelcase snake-case pascalcase rules guideline
"""
_GENERAL = frozenset(_GENERAL_TEXT.split())
_TOKEN = lazy_regex(r"[^\W_]\w*(?:[-.]\w+)*")
_CODE_NAME = lazy_regex(r"\w*[a-z0-9][A-Z]\w*|\w+_\w+|\w+(?:[-.]\w+)+")
_PART = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OF_ONE = (
    r"(?:table|column|field|page|screen|form|endpoint|route|model|component|dialog|feature|command"
    r"|view|job|report|button|menu|wizard|store|controller|parser|handler|service|repository)\b"
)
_ONE_FEATURE = lazy_regex(
    rf"(?i)\b(?:(?:this|that) (?:ticket\b|issue\b|story\b|task\b|{_OF_ONE})"
    rf"|the [`\"']?\w+[-_]\w+[`\"']? {_OF_ONE})"
)
_NAMED_ONE = lazy_regex(rf"(?i)\bthe [`\"']?(\w+)[`\"']? {_OF_ONE}")
_PHRASE = lazy_regex(r"(?:^|(?i:\bthe|\ban?)\s+)(?=\w)")
_NORM = lazy_regex(
    r"(?i)\b(?:must|should|shall|always|never|every|needs?|ha(?:s|ve) to|avoid|only|prefer)\b"
    r"|(?:^|[.,;:]\s*)(?:don['’]t|do not)\b"
)
_FACT = lazy_regex(
    r"(?i)(?<!^)\b(?:(?:does|do|did|is|are|was|were|can|could|will|would)(?: not|n['’]t)|cannot"
    r"|won['’]t|breaks?|ignores?|blocks|returns|loses|fails?|throws?|drops?|hangs?|leaks?|arrives?"
    r"|silently|turns out)\b"
)
_DEFINING = ("class", "struct", "interface", "enum", "type", "def", "func", "function", "table")
_SUBJECT = 6
"""Characters before the subject of a text: an article and a quote."""
_FEW = 3
"""Folders whose code names what belongs to one feature: its own, and those that show it."""


class ProjectEvidence(NamedTuple):
    """What the project shows: its `features` by name, the paths of its `files`, those that contain
    one of some texts (`naming`), and the `technologies` of a domain that a text names."""

    features: Sequence[str] = ()
    files: Callable[[], Iterable[str]] = tuple
    naming: Callable[[Sequence[str]], Collection[str]] = lambda _: ()
    technologies: Callable[[str], Collection[object]] = lambda _: ()


def classify(draft: Draft, evidence: ProjectEvidence) -> Level:
    """How far a draft applies: the stated level, else what the things that it names show."""
    if draft.level:
        return draft.level
    entry = draft.entry
    text = entry.advice if isinstance(entry, Lesson) else f"{entry.name} {entry.problem}"
    plain = f" {re.sub(r'[^a-z0-9]+', ' ', f'{text} {entry.tags}'.lower())} "
    features = (re.sub(r"[\W_]+", " ", one.lower()) for one in (*evidence.features, draft.feature))
    # A feature called `auth` is a domain, too.
    is_feature = any(" " in one.strip() and f" {one.strip()} " in plain for one in features)
    if is_feature or _ONE_FEATURE.search(text) or _names_one_place(text, evidence):
        return "feature-specific"
    if not isinstance(entry, Lesson) or (draft.has_tags and not _GENERAL.issuperset(entry.tags)):
        return "domain-specific"
    words = {part for word in _TOKEN.findall(text.lower()) for part in (word, *word.split("-"))}
    if DOMAIN_WORDS & {*words, *(one.removesuffix("s") for one in words)}:
        return "domain-specific"
    # A surprise is a fact about some technology, not a rule for all features.
    fact, norm = _FACT.search(text), _NORM.search(text)
    is_fact = fact and not (norm and norm.start() <= fact.start())
    return "domain-specific" if is_fact or evidence.technologies(text) else "project-wide"


def _names_one_place(text: str, evidence: ProjectEvidence) -> bool:
    """Whether the text has a name of the project's own that one folder of its code defines.

    One that is no subject of the text counts if few folders use it: others share it.
    """
    names = {_joined(name): (name, at) for name, at in reversed(list(_names(text)))}
    folders: dict[str, set[str]] = {name: set() for name in names}
    for path in filter(is_production_code, evidence.files() if names else ()):
        *parents, file = path.split("/")
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


def _names(text: str) -> Iterator[tuple[str, int]]:
    """The names that may be those of files, and where: names of code, and the words after "the"."""
    for found in _CODE_NAME.finditer(text):
        yield from (
            (one, found.start()) for one in (found[0], re.sub(r"\.[a-z]{1,4}$", "", found[0]))
        )
    yield from ((found[1], 0) for found in _NAMED_ONE.finditer(text))
    for start in _PHRASE.finditer(text):
        words = _TOKEN.findall(text[start.end() : start.end() + 80])[:3]
        yield from ((" ".join(words[:count]), start.end()) for count in range(2, len(words) + 1))


def _joined(name: str) -> str:
    return "".join(stem(part.lower()) for part in _PART.findall(name))

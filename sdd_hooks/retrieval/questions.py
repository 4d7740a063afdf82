"""The query of each kind of collection: its words, its wording for meaning, and its intent.

The wordings of ADRs, specs and code, and the intents, are those of the search skill.
"""

# Governing: SPEC-0005 REQ "Search"

from __future__ import annotations

from collections.abc import Iterable

from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import COLLECTION_KINDS

DEFAULT_KINDS = ("adrs", "specs", "code")
"""The kinds that a search covers unless others are requested."""

_MEANINGS = {
    "adrs": "Architecture decisions about {}",
    "specs": "Specifications and requirements for {}",
    "code": "Source code implementing {}",
    "issues": "Issues about {}",
    "knowledge": "Patterns and lessons about {}",
}
_NOUNS = {"adrs": "ADRs", "knowledge": "patterns and lessons"}
_INTENT = "/sdd:search — find {} relevant to: {}"


class KindQuery(NamedTuple):
    """The sub-queries for one kind of collection, by words first, and the intent."""

    searches: tuple[SubQuery, ...]
    intent: str


def kind_query(kind: str, text: str) -> KindQuery:
    """Return the query that searches collections of a kind for `text`."""
    meaning = _MEANINGS.get(kind, "{}").format(text)
    intent = _INTENT.format(_NOUNS.get(kind, kind), text)
    return KindQuery((SubQuery("lex", text), SubQuery("vec", meaning)), intent)


def order_kinds(kinds: Iterable[str]) -> list[str]:
    """Return the kinds, each once: ADRs, specs, code, issues, then the others as they come."""
    given = dict.fromkeys(kinds)
    known = [kind for kind in COLLECTION_KINDS if kind in given]
    return [*known, *(kind for kind in given if kind not in known)]

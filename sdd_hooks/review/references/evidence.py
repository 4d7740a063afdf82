"""The evidence that a record governs a change: thirteen kinds, each a number for every record.

Each kind is a pure function of the change, the records, and what the repository said before. A kind
is only compared with itself: `ranking` brings them together.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.review.references import signals as traces
from sdd_hooks.review.references.query import Query
from sdd_hooks.review.references.signals import Known
from sdd_hooks.review.references.similarity import Likeness

Numbers = Sequence[float]

KINDS = {
    "sections": "the most telling words of the change",
    "terms": "all words of the change",
    "files": "the words of each file",
    "title": "the words of the title",
    "prose": "the words of documents and comments",
    "identifiers": "identifiers that the record names",
    "paths": "paths that the record names",
    "comments": "the changed files mention the record",
    "neighbours": "files beside them mention it",
    "governed": "the words of the places that mention it",
    "history": "commits to the same files named it",
    "messages": "the words of commits that named it",
    "links": "the strongest records name it",
}
"""Every kind, and what it looks at. `links` follows from the others (`ranking`)."""


def gather(query: Query, known: Known, likeness: Likeness) -> Mapping[str, Numbers]:
    """Every kind of evidence but `links`, for every record in order; 0 is none."""
    return {
        "sections": likeness.sections(),
        "terms": likeness.terms(known.paths),
        "files": likeness.files(),
        "title": likeness.title(),
        "prose": likeness.prose(),
        "identifiers": traces.named_identifiers(query, known),
        "paths": traces.named_paths(query, known),
        "comments": traces.mentioned_inside(query, known),
        "neighbours": traces.mentioned_nearby(query, known),
        "governed": traces.like_mentioning(likeness.asked, known),
        "history": traces.named_by_commits(query, known),
        "messages": traces.like_messages(query, known),
    }

"""Decision records of other repositories, from the organisation's index, for one change.

They are the ones that share most with the words of the change, of the repositories that the base of
the change names. Their texts are those of other repositories: no rule of theirs runs, nothing of
them is cached, and a failure of the server is a note without its address.
"""

# Governing: ADR-0064 (a review shows records of repositories that its base names), ADR-0035
# (decisions of another repository are read, not run), SPEC-0010 REQ "Decisions of the organisation"

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.engines.organisation import OrganisationText
from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.registry import find_organisation
from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.external.records import STALE_SECONDS, ExternalRecords, adopt, is_safe
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.review.references.evidence.records import DecisionRecord, read_content, with_origin
from sdd_hooks.review.references.words.code_words import CodeWords
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.system.time_limit import time_limit
from sdd_hooks.text.durations import format_duration

MAX_RECORDS = 20
"""Records that are read and ranked."""
MAX_RECORD = 100_000
"""Characters of a longer record are not read: it is left out."""
SECONDS = 10.0
"""The time for the server to answer in."""

_HITS_PER_RECORD = 5
_MAX_TITLE_WORDS = 20
_MAX_WORDS = 40
_KIND = "adrs"
_ADVICE = "`sdd org status` says why"


class _Slow(Exception):
    """The server did not answer in time."""


class FoundElsewhere(NamedTuple):
    """Records of other repositories, best first, and a line for each part that was not read.

    `ages` has a line about each repository that was not indexed for a day, by its name.
    """

    records: tuple[DecisionRecord, ...] = ()
    notes: tuple[str, ...] = ()
    ages: Mapping[str, str] = {}


SearchElsewhere = Callable[[str], FoundElsewhere]
"""Finds the records that share most with some words. Raises nothing."""


def search_organisation(
    project: Project,
    external: ExternalRecords,
    clock: Callable[[], float],
    seconds: float = SECONDS,
) -> SearchElsewhere | None:
    """Return the search in the repositories that the base names; None where it names none.

    `clock` returns seconds since the epoch. After `seconds`, a search finds nothing.
    """
    names = external.organisation
    if not names:
        return None

    def search(words: str) -> FoundElsewhere:
        try:
            with time_limit(seconds, _Slow):
                return _search(project, names, words, clock())
        except EngineUnavailable:
            reason = "it cannot be reached from here"
        except _Slow:
            reason = f"it did not answer in {seconds:g} seconds"
        except SddError:
            reason = "it refused"
        # A comment must not tell the address of the server.
        note = f"not read: the decisions of the organisation's index ({reason}): {_ADVICE}"
        return FoundElsewhere(notes=(note,))

    return search


def describe_change(query: ChangeQuery, code: CodeWords) -> str:
    """Return the words of a change by which records are found: those of its title, and the ones of
    its added lines that few files of the repository have."""

    def worth(word: str) -> float:
        rarity = math.log((code.files + 2) / (code.frequency.get(word, 0) + 1))
        return (1 + math.log(query.words.added[word])) * rarity

    added = (word for word in query.words.added if not code.is_common(word))
    rare = sorted(added, key=lambda word: (-worth(word), word))
    return " ".join(dict.fromkeys([*[*query.title][:_MAX_TITLE_WORDS], *rare[:_MAX_WORDS]]))


def _search(project: Project, names: Mapping[str, str], words: str, now: float) -> FoundElsewhere:
    limit = MAX_RECORDS * _HITS_PER_RECORD
    with closing(find_organisation(project).open_organisation(project)) as organisation:
        touched = organisation.touched()
        missing = [names[one] for one in names if one not in touched]
        query = Query((SubQuery("lex", words),), (), "", limit, 0.0, 0)
        hits = organisation.search(query, [_KIND], [*names]).hits if words else ()
        places = dict.fromkeys((one.repository, one.hit.collection, one.hit.path) for one in hits)
        found = {
            (one.repository, one.collection, one.path): one
            for one in organisation.texts([*places][:MAX_RECORDS], MAX_RECORD)
        }
    texts = [found[place] for place in places if place in found]
    records = tuple(record for text in texts for record in _read(text, names))
    notes = (
        f"not read: the decisions of {', '.join(missing)}: the organisation's index does not have"
        " them, or this role may not read them",
    )
    return FoundElsewhere(records, notes if missing else (), dict(_ages(names, touched, now)))


def _read(text: OrganisationText, names: Mapping[str, str]) -> Iterator[DecisionRecord]:
    """The record in a text, none where there is no such record."""
    origin = names.get(text.repository)
    if origin is None or len(text.text) > MAX_RECORD or not is_safe(text.path):
        return
    data = text.text.encode("utf-8", "surrogateescape")
    file = ArtifactFile(text.path, data, ARTIFACT_KINDS[_KIND], text.module)
    decoded = data.decode("utf-8", "replace")
    for artifact in load_corpus([file]).artifacts:
        if artifact.kind == "ADR":
            content = with_origin(read_content(artifact, decoded), origin)
            yield DecisionRecord(adopt(artifact, origin), decoded, content)


def _ages(
    names: Mapping[str, str], touched: Mapping[str, float | None], now: float
) -> Iterator[tuple[str, str]]:
    for one, name in names.items():
        time = touched.get(one)
        if time is not None and now - time >= STALE_SECONDS:
            age = format_duration(now - time)
            yield name, f"the decisions of {name} were indexed {age} ago: its job indexes them"


def distinct_records(
    found: Sequence[DecisionRecord], own: Sequence[DecisionRecord]
) -> list[DecisionRecord]:
    """The records whose title and text neither the repository nor a better one has."""
    titles = {one.artifact.title.casefold() for one in own}
    kept = []
    for record in found:
        title = record.artifact.title.casefold()
        if title not in titles:
            titles.add(title)
            kept.append(record)
    return kept

"""Say in words what speaks for a record: each strong kind of evidence as one line, with a place."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from sdd_hooks.reporting.outcome import Evidence
from sdd_hooks.review.references.history import Commit
from sdd_hooks.review.references.query import Query
from sdd_hooks.review.references.ranking import Ranked
from sdd_hooks.review.references.sentences import Quote, best_quote
from sdd_hooks.review.references.signals import Known
from sdd_hooks.review.references.similarity import Likeness
from sdd_hooks.review.references.words import words
from sdd_hooks.text.display import one_line
from sdd_hooks.text.markdown import Section

TELLING = 0.5
"""The share from which a kind of evidence is worth a line."""
MOST_WORDS = 6
TELLING_NAME = 8
"""Letters from which an identifier of letters only is shown."""
LONGEST_SUBJECT = 100

_EVERYWHERE = frozenset({"adr", "adrs"})
_WORDS = ("sections", "terms", "files", "prose")


class Passage(NamedTuple):
    """A section of a record, and the sentence of it to quote, if it has one."""

    section: Section
    quote: Quote | None


class Explanation:
    """What there is to say about records of one review."""

    def __init__(
        self, query: Query, known: Known, likeness: Likeness, first: Sequence[Ranked]
    ) -> None:
        self._query = query
        self._known = known
        self._likeness = likeness
        self._first = first
        self._passages: dict[int, Passage | None] = {}
        self._kinds: dict[str, Callable[[int], Evidence | None]] = {
            "title": self._title,
            "identifiers": self._identifiers,
            "paths": self._paths,
            "comments": self._comments,
            "neighbours": self._neighbours,
            "history": self._history,
            "messages": self._messages,
            "links": self._links,
        }

    def evidence(self, ranked: Ranked) -> tuple[Evidence, ...]:
        """The kinds that speak for a record, strongest first."""
        shares = dict(ranked.shares)
        likest = max(shares[kind] for kind in _WORDS)
        strong = [(likest, "words")]
        strong += [(shares[kind], kind) for kind in self._kinds]
        found = []
        for share, kind in sorted(strong, key=lambda one: (-one[0], one[1])):
            if share >= TELLING:
                say = self._kinds.get(kind, self._words)
                if said := say(ranked.place):
                    found.append(said)
        return tuple(found)

    def passage(self, place: int) -> Passage | None:
        """What of a record is most like the change: of the sections that have a sentence to quote,
        where there is one. None where nothing is like it."""
        if place not in self._passages:
            self._passages[place] = self._find_passage(place)
        return self._passages[place]

    def _find_passage(self, place: int) -> Passage | None:
        record = self._known.records[place]
        scores = self._likeness.of_sections(place)
        alike = [at for at, score in enumerate(scores) if score > 0]
        sections = [record.sections[at][0] for at in sorted(alike, key=lambda at: -scores[at])]
        asked, idf = self._likeness.asked, self._likeness.idf
        for section in sections:
            if quote := best_quote(record.text, section, asked, idf):
                return Passage(section, quote)
        return Passage(sections[0], None) if sections else None

    def _words(self, place: int) -> Evidence | None:
        passage = self.passage(place)
        if passage is None:
            return None
        section = passage.section
        text = self._known.records[place].text[section.start : section.end]
        shared = set(words(text)) & set(self._likeness.asked)
        return self._said("words", "words in common", shared, place, section.first_line)

    def _title(self, place: int) -> Evidence | None:
        own = set().union(*self._known.records[place].content.counts) & set(self._query.title)
        return self._said("title", "words of the title in it", own, place, 1)

    def _said(
        self, kind: str, what: str, shared: set[str], place: int, line: int
    ) -> Evidence | None:
        told = shared - _EVERYWHERE
        telling = sorted(told, key=lambda word: (-self._likeness.idf(word), word))[:MOST_WORDS]
        path = self._known.records[place].artifact.path
        return Evidence(kind, f"{what}: {', '.join(telling)}", path, line) if telling else None

    def _identifiers(self, place: int) -> Evidence | None:
        records = self._known.records
        names = records[place].content.identifiers
        # A short word of the language convinces nobody, whatever it counts for.
        touched = {
            n for n in names & self._query.touched if not n.isalpha() or len(n) >= TELLING_NAME
        }
        if not touched:
            return None
        having = Counter(name for one in records for name in one.content.identifiers & touched)
        rarest = min(touched, key=lambda name: (having[name], -len(name), name))
        used = self._query.first_use(rarest)
        said = f"it names {rarest}, which the change touches"
        return Evidence("identifiers", said, *used) if used else None

    def _paths(self, place: int) -> Evidence | None:
        record = self._known.records[place]
        for path in sorted(record.content.paths, key=lambda path: (-path.count("/"), path)):
            if count := self._query.inside[path]:
                files = "a changed file" if count == 1 else f"{count} changed files"
                line = record.text[: max(record.text.find(path), 0)].count("\n") + 1
                detail = f"it names {path}, where {files} lie{'s' if count == 1 else ''}"
                return Evidence("paths", detail, record.artifact.path, line)
        return None

    def _comments(self, place: int) -> Evidence | None:
        for file in self._query.files:
            path = file.before or file.path
            for mention in self._known.mentions.get(path, ()):
                if place in self._known.places(mention.names):
                    detail = "a changed file mentions it"
                    return Evidence("comments", detail, path, mention.line)
        return None

    def _neighbours(self, place: int) -> Evidence | None:
        around = {file.path.rpartition("/")[0] for file in self._query.files}
        own = {file.path for file in self._query.files}
        near = sorted(
            path
            for path, lines in self._known.mentions.items()
            if path not in own
            and path.rpartition("/")[0] in around
            and any(place in self._known.places(line.names) for line in lines)
        )
        if not near:
            return None
        lines = self._known.mentions[near[0]]
        line = next(one.line for one in lines if place in self._known.places(one.names))
        others = f", and {len(near) - 1} more" if len(near) > 1 else ""
        return Evidence("neighbours", f"a file beside it mentions it{others}", near[0], line)

    def _history(self, place: int) -> Evidence | None:
        for commit in self._known.touching:
            if place in self._known.places(commit.names) and commit.files:
                detail = f"an earlier commit to {commit.files[0]} named it: {_shown(commit)}"
                return Evidence("history", detail)
        return None

    def _messages(self, place: int) -> Evidence | None:
        naming = (one for one in self._alike if place in self._known.places(one[0].names))
        # Among equals one is chosen that does not depend on how they were found.
        best = max(naming, key=lambda one: (one[1], one[0].id), default=None)
        if best is None or not best[1]:
            return None
        return Evidence("messages", f"a commit like this one named it: {_shown(best[0])}")

    @cached_property
    def _alike(self) -> Sequence[tuple[Commit, float]]:
        """How like title and paths are to the message of each commit that names a record."""
        asked = {*self._query.title, *self._query.path_words}
        return [
            (commit, sum(self._likeness.idf(word) for word in sorted(asked & {*said})))
            for commit, said in zip(self._known.naming, self._known.said, strict=True)
        ]

    def _links(self, place: int) -> Evidence | None:
        for ranked in self._first:
            record = self._known.records[ranked.place]
            if place in self._known.named_by(ranked.place):
                detail = f"{record.artifact.name}, which fits as well, names it"
                return Evidence("links", detail, record.artifact.path, 0)
        return None


def _shown(commit: Commit) -> str:
    subject = one_line(commit.message.partition("\n")[0][:LONGEST_SUBJECT])
    return f"`{commit.id[:10]}` “{subject}”"

"""The evidence for a record in words: each strong kind as one line with a place."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from sdd_hooks.reporting.outcome import Evidence
from sdd_hooks.review.references.evidence import GatheredEvidence
from sdd_hooks.review.references.history import PastCommit
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.references.sentences import find_best_sentence
from sdd_hooks.review.references.words import split_words
from sdd_hooks.text.display import one_line
from sdd_hooks.text.markdown import Section
from sdd_hooks.text.sentences import Sentence

MIN_SHARE = 0.5
"""The share from which a kind of evidence gets a line."""
MAX_WORDS = 6
"""Words in common that are listed."""
MIN_LETTERS = 8
"""Letters of an identifier without digits and separators. A shorter one is an ordinary word."""
MAX_SUBJECT = 100
"""Characters of the subject of a commit."""

# Words of every record.
_UBIQUITOUS = frozenset({"adr", "adrs"})
_WORD_KINDS = ("sections", "terms", "files", "prose")


class RecordPassage(NamedTuple):
    """A section of a record, and a sentence of it to quote; None when it has no such sentence."""

    section: Section
    sentence: Sentence | None


class Explainer:
    """Explains the evidence of one review. `top` are the first records of the ranking."""

    def __init__(self, gathered: GatheredEvidence, top: Sequence[RankedRecord]) -> None:
        self._query = gathered.query
        self._context = gathered.context
        self._similarity = gathered.similarity
        self._top = top
        self._passages: dict[int, RecordPassage | None] = {}
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

    def explain(self, ranked: RankedRecord) -> tuple[Evidence, ...]:
        """The kinds of evidence with a share of at least MIN_SHARE, strongest first."""
        shares = dict(ranked.shares)
        kinds = [(max(shares[kind] for kind in _WORD_KINDS), "words")]
        kinds += [(shares[kind], kind) for kind in self._kinds]
        lines = []
        for share, kind in sorted(kinds, key=lambda one: (-one[0], one[1])):
            if share >= MIN_SHARE:
                describe = self._kinds.get(kind, self._words)
                if evidence := describe(ranked.record_index):
                    lines.append(evidence)
        return tuple(lines)

    def find_passage(self, index: int) -> RecordPassage | None:
        """Find the passage of a record that is most similar to the change.

        Sections with a sentence to quote are preferred. None when no section is similar.
        """
        if index not in self._passages:
            self._passages[index] = self._find_passage(index)
        return self._passages[index]

    def _find_passage(self, index: int) -> RecordPassage | None:
        record = self._context.records[index]
        scores = self._similarity.section_scores(index)
        similar = [position for position, score in enumerate(scores) if score > 0]
        best_first = sorted(similar, key=lambda position: -scores[position])
        sections = [record.sections[position][0] for position in best_first]
        weights, idf = self._similarity.weights, self._similarity.idf
        for section in sections:
            if sentence := find_best_sentence(record.text, section, weights, idf):
                return RecordPassage(section, sentence)
        return RecordPassage(sections[0], None) if sections else None

    def _words(self, index: int) -> Evidence | None:
        passage = self.find_passage(index)
        if passage is None:
            return None
        section = passage.section
        text = self._context.records[index].text[section.start : section.end]
        shared = set(split_words(text)) & set(self._similarity.weights)
        listed = self._list_words(shared)
        path = self._path(index)
        return (
            Evidence("words", f"words in common: {listed}", path, section.first_line)
            if listed
            else None
        )

    def _title(self, index: int) -> Evidence | None:
        counts = self._context.records[index].content.counts
        listed = self._list_words(set().union(*counts) & set(self._query.title))
        detail = f"words of the title in it: {listed}"
        return Evidence("title", detail, self._path(index), 1) if listed else None

    def _list_words(self, words: set[str]) -> str:
        """The rarest words, separated by commas."""
        ranked = sorted(words - _UBIQUITOUS, key=lambda word: (-self._similarity.idf(word), word))
        return ", ".join(ranked[:MAX_WORDS])

    def _path(self, index: int) -> str:
        return self._context.records[index].artifact.path

    def _identifiers(self, index: int) -> Evidence | None:
        records = self._context.records
        common = {
            name
            for name in records[index].content.identifiers & self._query.identifiers
            if not name.isalpha() or len(name) >= MIN_LETTERS
        }
        if not common:
            return None
        frequency = Counter(
            name for record in records for name in record.content.identifiers & common
        )
        rarest = min(common, key=lambda name: (frequency[name], -len(name), name))
        place = self._query.find_first_use(rarest)
        detail = f"it names {rarest}, which the change touches"
        return Evidence("identifiers", detail, *place) if place else None

    def _paths(self, index: int) -> Evidence | None:
        record = self._context.records[index]
        for path in sorted(record.content.paths, key=lambda path: (-path.count("/"), path)):
            if count := self._query.path_names[path]:
                files = "a changed file" if count == 1 else f"{count} changed files"
                line = record.text[: max(record.text.find(path), 0)].count("\n") + 1
                detail = f"it names {path}, where {files} lie{'s' if count == 1 else ''}"
                return Evidence("paths", detail, record.artifact.path, line)
        return None

    def _comments(self, index: int) -> Evidence | None:
        for file in self._query.files:
            path = file.before or file.path
            if line := self._mentioning_line(path, index):
                return Evidence("comments", "a changed file mentions it", path, line)
        return None

    def _neighbours(self, index: int) -> Evidence | None:
        changed = {file.path for file in self._query.files}
        directories = {path.rpartition("/")[0] for path in changed}
        neighbours = sorted(
            path
            for path in self._context.mentions
            if path not in changed
            and path.rpartition("/")[0] in directories
            and self._mentioning_line(path, index)
        )
        if not neighbours:
            return None
        first = neighbours[0]
        others = f", and {len(neighbours) - 1} more" if len(neighbours) > 1 else ""
        detail = f"a file beside it mentions it{others}"
        return Evidence("neighbours", detail, first, self._mentioning_line(first, index))

    def _mentioning_line(self, path: str, index: int) -> int:
        """The first line of a file that mentions a record, 0 when no line does."""
        for mention in self._context.mentions.get(path, ()):
            if index in self._context.find_records(mention.ids):
                return mention.line
        return 0

    def _history(self, index: int) -> Evidence | None:
        for commit in self._context.touching:
            if commit.files and index in self._context.find_records(commit.ids):
                detail = f"an earlier commit to {commit.files[0]} named it: {_describe(commit)}"
                return Evidence("history", detail)
        return None

    def _messages(self, index: int) -> Evidence | None:
        citing = (
            (similarity, commit)
            for commit, similarity in self._similar_commits
            if index in self._context.find_records(commit.ids)
        )
        # Of equally similar commits, the id decides: their order differs between caches.
        best = max(citing, key=lambda one: (one[0], one[1].id), default=None)
        if best is None or not best[0]:
            return None
        return Evidence("messages", f"a commit like this one named it: {_describe(best[1])}")

    @cached_property
    def _similar_commits(self) -> Sequence[tuple[PastCommit, float]]:
        """Each citing commit with the similarity of its message to the title and the paths."""
        wanted = {*self._query.title, *self._query.path_words}
        return [
            (commit, sum(self._similarity.idf(word) for word in sorted(wanted & {*words})))
            for commit, words in zip(self._context.citing, self._context.message_words, strict=True)
        ]

    def _links(self, index: int) -> Evidence | None:
        for ranked in self._top:
            record = self._context.records[ranked.record_index]
            if index in self._context.find_linked(ranked.record_index):
                detail = f"{record.artifact.name}, which fits as well, names it"
                return Evidence("links", detail, record.artifact.path, 0)
        return None


def _describe(commit: PastCommit) -> str:
    subject = one_line(commit.message.partition("\n")[0][:MAX_SUBJECT])
    return f"`{commit.id[:10]}` “{subject}”"

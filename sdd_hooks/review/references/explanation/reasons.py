"""The evidence for a record in words: its most specific kinds, each as one line with a place.

A word is a reason only if few files and few records have it. A place is a line that contains what
the reason says.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import islice

from sdd_hooks.artifacts.identifiers import ArtifactId, find_ids
from sdd_hooks.artifacts.section_roles import tells_role
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import Evidence
from sdd_hooks.review.references.evidence.commits import PastCommit
from sdd_hooks.review.references.evidence.gather import GatheredEvidence
from sdd_hooks.review.references.evidence.kinds import MAX_PHRASES, find_phrase
from sdd_hooks.review.references.evidence.mentions import FileMention
from sdd_hooks.review.references.explanation.passages import (
    RecordPassage,
    find_passage,
    find_passage_at,
)
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.references.words.code_words import GENERIC_WORDS, CodeWords
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings

MIN_SHARE = 0.5
"""The share from which a kind of evidence is a reason."""
MAX_REASONS = 3
"""Reasons of a record."""
MAX_WORDS = 4
"""Words in common that are listed."""
MIN_LETTERS = 8
"""Letters of an identifier without digits and separators. A shorter one is an ordinary word."""
MIN_NAME_LETTERS = 4
"""Letters of any other identifier: `utf-8` and `v0.21.1` name nothing of a repository."""
MAX_MENTIONED = 10
"""Records that a file mentions. One that mentions more lists records, such as a navigation."""
MIN_WORD = 3
"""Letters of a word that is listed."""
MIN_SINGLE = 5
"""Letters of a word that is listed alone."""
NAME_SHARE = 0.02
"""The share of the files from which a word or a name in lower case alone is no reason."""
MAX_SUBJECT = 100
"""Characters of the subject of a commit."""
RECORDS_SHARE = 0.1
"""The share of the sections of all records from which a word is common."""
MIN_SECTIONS = 4
"""The number of sections from which a word can be common."""
PATH_SHARE = 0.2
"""The share of the files of a repository from which a directory around them is no reason."""
MIN_FILES = 10
"""The number of files from which a directory can be too large for a reason."""
DIGEST_RUN = 3
"""Characters of the parts of a hash on average, at most. The parts of a name are longer."""

_JOINED = lazy_regex(r"[a-z][A-Z]|[^A-Za-z]")
_SEPARATED = lazy_regex(r"[^a-z0-9]+")
_LONG_NAME = lazy_regex(r"[A-Za-z0-9]{20,}")
_EMPHASIS = lazy_regex(r"[*`]|_(?=\s)|(?<=\s)_")
_CASES = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_IDENTIFIER = lazy_regex(r"it names (.+), (?:which the change touches|and so does a changed line)$")
_COMMIT = lazy_regex(r"(?<=: )`[0-9a-f]+`(?= “)")
_LISTING_KINDS = frozenset({"phrases", "words", "title"})
_WORD_KINDS = ("sections", "terms", "files", "prose")


class _Mention(NamedTuple):
    """A line of a file that mentions a record, and the id in it."""

    mention: FileMention
    id: ArtifactId


class Explainer:
    """Explains the evidence of one review.

    `top` are the first records of the ranking. `read_head` returns the text of a file after the
    change, "" for none.
    """

    def __init__(
        self,
        gathered: GatheredEvidence,
        top: Sequence[RankedRecord],
        code: CodeWords,
        read_head: Callable[[str], str],
    ) -> None:
        self._query = gathered.query
        self._context = gathered.context
        self._similarity = gathered.similarity
        self._reach = gathered.reach
        self._file_rules = gathered.file_rules
        self._top = top
        self._code = code
        self._read_head = read_head
        self._passages: dict[int, RecordPassage | None] = {}
        # The most specific kinds first: they hold for few records.
        self._kinds: dict[str, Callable[[int], Evidence | None]] = {
            "applies": self._applies,
            "comments": self._comments,
            "identifiers": self._identifiers,
            "paths": self._paths,
            "phrases": self._phrases,
            "history": self._history,
            "neighbours": self._neighbours,
            "words": self._words,
            "title": self._title,
            "messages": self._messages,
            "links": self._links,
        }

    def explain(self, ranked: RankedRecord) -> tuple[Evidence, ...]:
        """The first MAX_REASONS kinds of evidence with a share of at least MIN_SHARE.

        One that lists only parts of what is named before is left out. A phrase of common words
        is a reason if there is no other.
        """
        rules = {"paths": 1.0} if ranked.record_index in self._file_rules else {}
        shares = {**ranked.shares, **rules}
        shares["words"] = max(shares.get(kind, 0.0) for kind in _WORD_KINDS)
        found = (
            describe(ranked.record_index)
            for kind, describe in self._kinds.items()
            if shares.get(kind, 0.0) >= MIN_SHARE
        )
        reasons = tuple(islice(_without_repeats(filter(None, found)), MAX_REASONS))
        if not reasons and ranked.shares.get("phrases", 0.0) >= MIN_SHARE:
            common = self._common_phrase(ranked.record_index)
            reasons = (common,) if common else ()
        return reasons

    def find_passage(self, index: int) -> RecordPassage | None:
        """Find the passage of a record to quote. None for a record without sections."""
        if index not in self._passages:
            record = self._context.records[index]
            weights = self._similarity.weights
            if rule := self._file_rules.get(index):
                self._passages[index] = find_passage_at(record, rule.sentence, rule.line)
            else:
                self._passages[index] = find_passage(record, weights, self._worth)
        return self._passages[index]

    def _worth(self, word: str) -> float:
        """What a shared word tells: little if it is common, and more the fewer records have it."""
        idf = self._similarity.idf(word)
        return idf / 4 if self._code.is_common(word) else idf

    def _is_specific(self, word: str) -> bool:
        """Whether few files and few records have a word."""
        return self._is_rare_in_records(word) and not self._code.is_common(word)

    def _is_rare_in_records(self, word: str) -> bool:
        """Whether few records have a word, and it is none of any code."""
        if len(word) < MIN_WORD or not word.isalpha() or word in GENERIC_WORDS:
            return False
        return self._similarity.idf(word) >= self._common_idf

    @cached_property
    def _common_idf(self) -> float:
        """The inverse document frequency of a word that is in as many sections as a common one."""
        sections = sum(len(record.sections) for record in self._context.records)
        common = min(sections, max(MIN_SECTIONS, RECORDS_SHARE * sections))
        return math.log(1 + (sections - common + 0.5) / (common + 0.5))

    def _applies(self, index: int) -> Evidence | None:
        first = self._reach[index].first
        if first is None:
            return None
        entry = first.entry
        if entry.kind == "symbol":
            detail = f"it applies to {entry.text}, which the change touches"
            return Evidence("applies", detail, first.path, first.line)
        detail = f"it applies to {entry.text}, which matches {first.path}"
        return Evidence("applies", detail, self._path(index), entry.line)

    def _words(self, index: int) -> Evidence | None:
        passage = self.find_passage(index)
        if passage is None:
            return None
        weights = self._similarity.weights
        alone = {
            word
            for word in weights
            if len(word) >= MIN_SINGLE and not self._code.is_common(word, NAME_SHARE)
        }
        # A heading that only says which part of a record follows is in many records.
        first = passage.section.first_line + tells_role(passage.section.title)
        lines = range(first, passage.section.last_line + 1)
        found = self._best_line(index, weights, lines, alone)
        if found is None:
            return None
        line, listed = found
        return Evidence("words", f"words in common: {listed}", self._path(index), line)

    def _phrases(self, index: int) -> Evidence | None:
        return self._phrase_of(index, self._is_specific)

    def _common_phrase(self, index: int) -> Evidence | None:
        """A phrase of words that many files have: most words of a small repository are common."""
        return self._phrase_of(index, self._is_rare_in_records)

    def _phrase_of(self, index: int, tells: Callable[[str], bool]) -> Evidence | None:
        """A phrase of the title in a record, with at least one word that tells."""
        specific = (
            phrase for phrase in self._query.title_phrases[:MAX_PHRASES] if any(map(tells, phrase))
        )
        found = find_phrase(specific, self._context.records[index].text)
        if found is None:
            return None
        text = _EMPHASIS.sub("", found.text)
        detail = f"it has the words of the title side by side: {text}"
        return Evidence("phrases", detail, self._path(index), found.line)

    def _title(self, index: int) -> Evidence | None:
        lines = range(1, len(self._lines(index)) + 1)
        subject = self._context.records[index].title_words
        found = self._best_line(index, self._query.title, lines, frozenset(subject))
        if found is None:
            return None
        line, listed = found
        detail = f"words of the change's title in it: {listed}"
        return Evidence("title", detail, self._path(index), line)

    def _best_line(
        self, index: int, wanted: Iterable[str], lines: range, alone: Set[str] = frozenset()
    ) -> tuple[int, str] | None:
        """The line of a record with the most telling words of `wanted`, and those words.

        They are at least two, or one of `alone`.
        """
        specific = {word for word in wanted if self._is_specific(word)}
        best: tuple[float, int, list[str]] | None = None
        for number, text in enumerate(
            self._lines(index)[lines.start - 1 : lines.stop - 1], lines.start
        ):
            shared = sorted(specific.intersection(split_words(_without_digests(text))))
            value = sum(self._similarity.idf(word) for word in shared)
            if (len(shared) > 1 or alone & {*shared}) and (best is None or value > best[0]):
                best = value, number, shared
        if best is None:
            return None
        rarest = sorted(_without_parts(best[2]), key=lambda one: (-self._similarity.idf(one), one))
        line = self._lines(index)[best[1] - 1]
        return best[1], ", ".join(_spelling(word, line) for word in rarest[:MAX_WORDS])

    def _lines(self, index: int) -> Sequence[str]:
        return unify_line_endings(self._context.records[index].text).split("\n")

    def _path(self, index: int) -> str:
        return self._context.records[index].artifact.path

    def _identifiers(self, index: int) -> Evidence | None:
        records = self._context.records
        common = {
            name
            for name in records[index].content.identifiers & self._query.identifiers
            if _is_name(name)
            # A path of a changed file is evidence of another kind.
            and not ("/" in name and name in self._changed_paths)
            and not self._code.is_common(name)
        }
        frequency = {
            name: sum(name in record.content.identifiers for record in records) for name in common
        }
        limit = max(MIN_SECTIONS, RECORDS_SHARE * len(records))
        rare = (name for name in common if frequency[name] < limit)
        for name in sorted(rare, key=lambda name: (frequency[name], -len(name), name)):
            place = self._query.find_first_use(name)
            spelled = _spelling(name, self._added_line(*place)) if place else ""
            # A word of prose may be quoted in a record, and is a name only if it is rare.
            if place and (_JOINED.search(spelled) or not self._code.is_common(name, NAME_SHARE)):
                # The file of a path that a line has may be another one.
                used = (
                    "and so does a changed line" if "/" in spelled else "which the change touches"
                )
                return Evidence("identifiers", f"it names {spelled}, {used}", *place)
        return None

    @cached_property
    def _changed_paths(self) -> Set[str]:
        """What the changed files can be called, in lower case."""
        return {name.lower() for name in self._query.path_names}

    def _added_line(self, path: str, line: int) -> str:
        return next((one.text for one in self._query.added[path] if one.number == line), "")

    def _paths(self, index: int) -> Evidence | None:
        record = self._context.records[index]
        if rule := self._file_rules.get(index):
            detail = f"it has a rule about {rule.path}, which the change touches"
            return Evidence("paths", detail, record.artifact.path, rule.line)
        for path in sorted(record.content.paths, key=lambda path: (-path.count("/"), path)):
            count = self._query.path_names[path]
            if count and not self._is_large(path):
                line = _find_line(unify_line_endings(record.text), path)
                if any(f"/{file.path}".endswith(f"/{path}") for file in self._query.files):
                    detail = f"it names {path}, which the change touches"
                else:
                    files = "a changed file lies" if count == 1 else f"{count} changed files lie"
                    detail = f"it names {path}, where {files}"
                return Evidence("paths", detail, record.artifact.path, line)
        return None

    def _is_large(self, path: str) -> bool:
        """Whether a directory has so many files that a change in it tells nothing."""
        paths = self._context.paths
        inside = sum(f"/{path}/" in f"/{one}" for one in paths)
        return inside >= max(MIN_FILES, PATH_SHARE * len(paths))

    def _comments(self, index: int) -> Evidence | None:
        for file in self._query.files:
            for one in self._mentions_in(file.before or file.path, index):
                # The mention is a line of the base, and the place is one of the head.
                lines = self._read_head(file.path).split("\n")
                same = (
                    at
                    for at, text in enumerate(lines, 1)
                    if text.startswith(one.mention.text.rstrip())
                )
                if closest := min(same, key=lambda at: abs(at - one.mention.line), default=0):
                    detail = f"a changed file mentions {_named(one.id)}"
                    return Evidence("comments", detail, file.path, closest)
        return None

    def _neighbours(self, index: int) -> Evidence | None:
        changed = {path for file in self._query.files for path in (file.path, file.before)}
        directories = {path.rpartition("/")[0] for path in changed}
        neighbours = sorted(
            path
            for path in self._context.mentions
            if path not in changed
            and path.rpartition("/")[0] in directories
            and self._mentions_in(path, index)
        )
        if not neighbours:
            return None
        first, *others = neighbours
        one = self._mentions_in(first, index)[0]
        more = f", and {len(others)} more do" if others else ""
        detail = f"a file beside the change mentions {_named(one.id)}{more}"
        return Evidence("neighbours", detail, first, one.mention.line)

    def _mentions_in(self, path: str, index: int) -> list[_Mention]:
        """The lines of a file that mention a record; none of a file that lists records."""
        mentions = self._context.mentions.get(path, ())
        found = [
            _Mention(mention, id)
            for mention in mentions
            if (id := self._find_id(mention.ids, index))
        ]
        if found and len({id for mention in mentions for id in mention.ids}) > MAX_MENTIONED:
            return []
        return found

    def _find_id(self, ids: Iterable[ArtifactId], index: int) -> ArtifactId | None:
        """The first of `ids` that leads to a record: the record's, else that of a spec."""
        leading = [id for id in ids if index in self._context.find_records([id])]
        return min(leading, key=lambda id: id.kind != "ADR", default=None)

    def _find_named(self, commit: PastCommit, index: int) -> ArtifactId | None:
        """The id by which a commit names a record."""
        if index not in self._context.find_named(commit):
            return None
        return self._find_id(sorted(commit.ids), index)

    def _history(self, index: int) -> Evidence | None:
        written = {path for file in self._query.files for path in (file.path, file.before)}
        for commit in self._context.touching:
            # A lock file belongs to many commits, whatever they are about.
            path = next((path for path in commit.files if path in written), "")
            id = self._find_named(commit, index) if path else None
            if id:
                subject = f"an earlier commit to {path} named {_named(id)}"
                return Evidence("history", f"{subject}: {_describe(commit)}")
        return None

    def _messages(self, index: int) -> Evidence | None:
        best: tuple[float, str, PastCommit, ArtifactId, Set[str]] | None = None
        for commit, words in self._similar_commits:
            id = self._find_named(commit, index) if len(words) > 1 else None
            value = sum(self._similarity.idf(word) for word in sorted(words))
            # Of equally similar commits, the id decides: their order differs between caches.
            if id and (best is None or (value, commit.id) > best[:2]):
                best = value, commit.id, commit, id, words
        if best is None:
            return None
        rarest = sorted(best[4], key=lambda word: (-self._similarity.idf(word), word))
        about = ", ".join(rarest[:MAX_WORDS])
        detail = f"a commit about {about} named {_named(best[3])}: {_describe(best[2])}"
        return Evidence("messages", detail)

    @cached_property
    def _similar_commits(self) -> Sequence[tuple[PastCommit, Set[str]]]:
        """Each citing commit with the specific words that its message shares with the change."""
        wanted = {*self._query.title, *self._query.words.paths}
        specific = {word for word in wanted if self._is_specific(word)}
        pairs = zip(self._context.citing, self._context.message_words, strict=True)
        return [(commit, specific.intersection(words)) for commit, words in pairs]

    def _links(self, index: int) -> Evidence | None:
        for ranked in self._top:
            other = ranked.record_index
            if ranked.score < MIN_SHARE * self._top[0].score:
                return None
            if index in self._context.find_linked(other):
                record = self._context.records[other]
                line = self._linking_line(other, index)
                detail = f"{record.artifact.name}, which fits as well, names it"
                return Evidence("links", detail, record.artifact.path, line)
        return None

    def _linking_line(self, other: int, index: int) -> int:
        """The line of a record that names another one."""
        wanted = self._context.records[index].artifact.id
        for number, text in enumerate(self._lines(other), 1):
            ids = find_ids(text, "ADR")
            if wanted and any(id._replace(module=wanted.module) == wanted for id in ids):
                return number
        return 0


def _without_repeats(reasons: Iterable[Evidence]) -> Iterator[Evidence]:
    """The reasons in order, without those that list only parts of what is named before, or are
    about the commit of another one."""
    told: list[str] = []
    commits: set[str] = set()
    for reason in reasons:
        if commit := _COMMIT.search(reason.detail):
            if commit[0] in commits:
                continue
            commits.add(commit[0])
        names = [_SEPARATED.sub("", name.lower()) for name in _names_in(reason)]
        listing = reason.kind in _LISTING_KINDS
        if not (listing and all(any(name in other for other in told) for name in names)):
            yield reason
        told += names


def _names_in(reason: Evidence) -> Sequence[str]:
    """The words or the identifier that a reason is about; none for a reason of another kind."""
    if reason.kind in _LISTING_KINDS:
        return reason.detail.rpartition(": ")[2].split(", ")
    named = _IDENTIFIER.match(reason.detail) if reason.kind == "identifiers" else None
    return [named[1]] if named else []


def _is_name(identifier: str) -> bool:
    """Whether an identifier may name something of a repository: a short word is an ordinary one."""
    letters = sum(map(str.isalpha, identifier))
    return letters >= (MIN_LETTERS if letters == len(identifier) else MIN_NAME_LETTERS)


def _without_digests(text: str) -> str:
    """A line without long names of random letters, such as a hash: their parts are no words."""
    return _LONG_NAME.sub(lambda found: " " if _is_digest(found[0]) else found[0], text)


def _is_digest(name: str) -> bool:
    return any(map(str.isdigit, name)) and len(_CASES.findall(name)) * DIGEST_RUN >= len(name)


def _spelling(name: str, line: str) -> str:
    """A name in lower case as a line spells it."""
    whole = rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"
    found = re.search(whole, line, re.I) or re.search(re.escape(name), line, re.I)
    return found[0] if found else name


def _without_parts(words: Sequence[str]) -> list[str]:
    """The words that are no part of another one: `mlflow`, of `MLflow` and its part."""
    return [word for word in words if not any(word in other for other in words if other != word)]


def _named(id: ArtifactId) -> str:
    """How a line names a record: directly, or by a spec that refers to it."""
    return "it" if id.kind == "ADR" else f"{id}, which refers to it"


def _find_line(text: str, path: str) -> int:
    """The first line with a path, as a whole where there is one; 0 for none."""
    name = re.escape(path)
    match = re.search(rf"(?<![\w/.-]){name}(?![\w-]|/[\w.])", text) or re.search(name, text)
    return text.count("\n", 0, match.start()) + 1 if match else 0


def _describe(commit: PastCommit) -> str:
    subject = one_line(commit.message.partition("\n")[0][:MAX_SUBJECT])
    return f"`{commit.id[:10]}` “{subject}”"

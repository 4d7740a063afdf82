"""What the rules of an audit look at: a work tree, its records, and what names them.

Traces of a record elsewhere in the repository (files and commits that name it, words of it) show
that it was taken up where no governing comment says so.
"""

# Governing: ADR-0021 (rules are functions), SPEC-0019 REQ "Right or silent", ADR-0003 (one module
# talks to git)

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from sdd_hooks.artifacts.applies_to import AppliesTo, read_applies_to
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.artifacts.named_code import CodePaths, NamedCode, read_named_code
from sdd_hooks.code.languages import describe_language
from sdd_hooks.code.paths import is_changelog, is_document, is_index, is_production_code, is_sample
from sdd_hooks.drift.citations import Citation, Citations
from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.review.mentions import resolve_mention
from sdd_hooks.review.rules.decision.blocks import DecisionRule, read_rules
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git, GitError, first_error_line

MIN_NAMED = 3
"""Records that code names before a record that it does not name means something."""
MIN_SHARE = 0.8
"""The share of the records in force that code names, for the same."""

MAX_WORDS = 400
"""Words that are searched at once."""
MAX_COMMITS = 2_000
"""Commits whose messages name a record, and whose files are read."""

MAX_REMOVING = 20
"""Commits in which it is looked for what became of a file."""

_MENTION = r"(^|[^[:alnum:]])(adr|spec)s?[-_ #/(]*[0-9]{1,5}[a-z]?"
_GREP = ("grep", "-I", "--untracked", "--no-color", "--no-recurse-submodules", "--full-name")
_LOG = ("log", "--no-renames", "--name-only", "-z", "--format=%x01%B%x00", "--no-merges")


class LostFile(NamedTuple):
    """The commit that removed a file, and the path that it got there, "" for none."""

    commit: str
    renamed: str


def _find_nothing(_: Sequence[str]) -> frozenset[str]:
    return frozenset()


def _find_no_lost_file(_: Sequence[str]) -> Mapping[str, LostFile]:
    return {}


def _find_no_commit(_: Sequence[ArtifactId]) -> frozenset[ArtifactId]:
    return frozenset()


@dataclass(frozen=True)
class Audited:
    """A whole tree, and the evidence about its records.

    `paths` are all files of the work tree, whatever the scope. `naming_files` has the files that
    name a record in any spelling, by the path of the record. `words_in_code` returns those of some
    words that code has, `ids_in_commits` those of some ids that a commit with code names, and
    `lost_files` those of some paths that a commit removed; they are asked for few records only.
    `overdue` has a line about each record that waits too long for a decision, by its path.
    """

    subject: Subject
    scope: Scope
    citations: Citations
    today: date
    paths: Sequence[str] = ()
    naming_files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words_in_code: Callable[[Sequence[str]], frozenset[str]] = _find_nothing
    ids_in_commits: Callable[[Sequence[ArtifactId]], frozenset[ArtifactId]] = _find_no_commit
    lost_files: Callable[[Sequence[str]], Mapping[str, LostFile]] = _find_no_lost_file
    overdue: Mapping[str, str] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """All records of the work tree."""
        return self.subject.corpus

    @cached_property
    def records(self) -> tuple[Artifact, ...]:
        """The records in scope."""
        return tuple(
            one
            for one in self.corpus.artifacts
            if any(self.scope.contains(path) for path in one.paths)
        )

    @cached_property
    def cited(self) -> Mapping[str, tuple[Citation, ...]]:
        """The governing comments that name each record, by the path of the record."""
        return Citations(self.citations.comments).by_artifact(self.corpus)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The files of production code in the work tree."""
        return tuple(path for path in self.paths if is_source(path) and path not in self._documents)

    @cached_property
    def source_set(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.sources)

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset(path for path in self.paths if self.subject.is_artifact(path))

    def named_in_code(self, artifact: Artifact) -> tuple[str, ...]:
        """The files of production code that name a record, in a governing comment or elsewhere."""
        commented = (one.path for one in self.cited.get(artifact.path, ()))
        named = self.naming_files.get(artifact.path, ())
        return tuple(dict.fromkeys(path for path in (*commented, *named) if is_source(path)))

    @cached_property
    def names_records(self) -> bool:
        """Whether code names nearly all accepted decisions, so that it matters if it does not."""
        accepted = [
            one
            for one in self.corpus.artifacts
            if one.kind == "ADR" and one.status.value == "accepted"
        ]
        named = sum(bool(self.named_in_code(one)) for one in accepted)
        return named >= MIN_NAMED and named >= MIN_SHARE * len(accepted)

    def applies_to(self, artifact: Artifact) -> AppliesTo:
        """The files and symbols that a record states."""
        return self._statements[artifact.path][0]

    def rules_of(self, artifact: Artifact) -> Sequence[DecisionRule]:
        """The decision rules that a record states."""
        return self._statements[artifact.path][1]

    @cached_property
    def governed(self) -> frozenset[str]:
        """The source files that name a record in force, or that it states."""
        found: set[str] = set()
        for one in self.corpus.artifacts:
            if one.status.authoritative:
                found.update(self.named_in_code(one))
                found.update(self.stated_files(one))
        return frozenset(found & self.source_set)

    def stated_files(self, artifact: Artifact) -> Iterator[str]:
        """The source files that `applies-to` and the rules of a record name."""
        applies = self.applies_to(artifact)
        # A rule for all files says nothing about one of them.
        filters = [rule.path_filter() for rule in self.rules_of(artifact) if rule.within]
        if applies.entries or filters:
            for path in self.sources:
                if applies.match(path) or any(matches(path) for matches in filters):
                    yield path

    def names_of(self, artifact: Artifact) -> tuple[NamedCode, ...]:
        """The files and folders that the text of a record names."""
        if artifact.path not in self._names:
            text = self.subject.text(artifact.path)
            self._names[artifact.path] = read_named_code(artifact, text, self.code_paths)
        return self._names[artifact.path]

    @cached_property
    def code_paths(self) -> CodePaths:
        """The files to which names are resolved."""
        return CodePaths(path for path in self.paths if path not in self._documents)

    @cached_property
    def _names(self) -> dict[str, tuple[NamedCode, ...]]:
        return {}

    @cached_property
    def _statements(self) -> Mapping[str, tuple[AppliesTo, Sequence[DecisionRule]]]:
        return dict(self._read_statements())

    def _read_statements(self) -> Iterator[tuple[str, tuple[AppliesTo, Sequence[DecisionRule]]]]:
        for artifact in self.corpus.artifacts:
            text = self.subject.text(artifact.path)
            rules = read_rules(text)[0] if artifact.kind == "ADR" else ()
            yield artifact.path, (read_applies_to(artifact, text), rules)


def is_source(path: str) -> bool:
    """Whether a path is that of production code, which a decision can govern."""
    language = describe_language(path)
    is_code = language is not None and not language.is_data
    return is_code and is_production_code(path) and not is_sample(path)


def find_naming_files(project: Project, corpus: Corpus) -> Mapping[str, tuple[str, ...]]:
    """The files that name each record in any spelling, by the path of the record, sorted.

    Records, indexes, changelogs and data do not count. Raises GitError.
    """
    found: dict[str, set[str]] = {}
    for path, written in _mentions(project):
        if path in corpus.by_path or is_index(path) or is_changelog(path) or is_sample(path):
            continue
        for reference in find_id_references(written):
            for artifact in resolve_mention(corpus, reference.id):
                found.setdefault(artifact.path, set()).add(path)
    return {record: tuple(sorted(paths)) for record, paths in found.items()}


def _mentions(project: Project) -> Iterator[tuple[str, str]]:
    """Each file with each of the distinct texts in it that look like an id."""
    seen: set[tuple[str, str]] = set()
    for prefix, git in _repositories(project):
        for row in _grep(git, "-i", "-o", "--null", "-E", "-e", _MENTION):
            path, _, written = row.partition(b"\0")
            # Spellings of a path (`adrs/0012-…`) need what precedes the number, and no more.
            one = (prefix + os.fsdecode(path), written.decode("utf-8", "replace"))
            if one not in seen:
                seen.add(one)
                yield one


def find_words_in_code(project: Project, corpus: Corpus, words: Sequence[str]) -> frozenset[str]:
    """Those of the words that a file has which is neither a document nor a record.

    Raises GitError.
    """
    wanted = list(dict.fromkeys(words))[:MAX_WORDS]
    if not wanted:
        return frozenset()
    patterns = [argument for word in wanted for argument in ("-e", word)]
    found: set[str] = set()
    for prefix, git in _repositories(project):
        for row in _grep(git, "-o", "-w", "--null", "-F", *patterns):
            name, _, word = row.partition(b"\0")
            path = prefix + os.fsdecode(name)
            if not is_document(path) and path not in corpus.by_path:
                found.add(word.decode("utf-8", "replace"))
    return frozenset(found)


def find_ids_in_commits(git: Git, ids: Iterable[ArtifactId]) -> frozenset[ArtifactId]:
    """Those of the ids that the message of a commit names which changes more than documents.

    The last MAX_COMMITS commits that name one of them are read.
    """
    wanted = frozenset(ids)
    if not wanted:
        return frozenset()
    numbers = "|".join(sorted({f"0*{one.number}" for one in wanted}))
    search = ("-i", "-E", f"--grep=(adr|spec)s?[-_ #/(]*({numbers})($|[^0-9])")
    # git fails when a partial clone lacks an object; the output before the failure is valid.
    output = git.run(*_LOG, f"--max-count={MAX_COMMITS}", *search).stdout
    found: set[ArtifactId] = set()
    for entry in output.split(b"\x01"):
        message, _, names = entry.partition(b"\0")
        files = [os.fsdecode(name) for name in names.strip(b"\n\0").split(b"\0") if name]
        if any(not is_document(path) for path in files):
            text = message.decode("utf-8", "replace")[:4_000]
            found.update(reference.id for reference in find_id_references(text))
    return frozenset(one for one in wanted if _without_module(one) in found or one in found)


def _without_module(identifier: ArtifactId) -> ArtifactId:
    return identifier._replace(module="", origin="")


def _repositories(project: Project) -> Iterator[tuple[str, Git]]:
    """The repository and its submodules with a collection, with the prefixes of their paths."""
    git = project.repository.git
    yield "", git
    for path in dict.fromkeys(one.repository for one in project.collections if one.repository):
        yield f"{path}/", git.at(git.root / path)


def _grep(git: Git, *arguments: str) -> list[bytes]:
    done = git.run(*_GREP, *arguments)
    # git exits with 1 if no file matches.
    if done.returncode > 1:
        raise GitError(f"git grep: {first_error_line(done.stderr)}")
    return [row for row in done.stdout.split(b"\n") if row]


def find_lost_files(git: Git, paths: Sequence[str]) -> Mapping[str, LostFile]:
    """Find the last commit that removed each path, and where it moved the file. Raises GitError."""
    log = ("log", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
    output = git.output("--literal-pathspecs", *log, "HEAD", "--", *paths).decode(
        "utf-8", "replace"
    )
    removed: dict[str, str] = {}
    for entry in output.split("\1")[1:]:
        commit, _, names = entry.partition("\0")
        for name in names.split("\0"):
            removed.setdefault(name.strip("\n"), commit.strip())
    removed.pop("", None)
    renamed: dict[str, str] = {}
    for commit in list(dict.fromkeys(removed.values()))[:MAX_REMOVING]:
        show = ("show", "-M", "--diff-filter=R", "--name-status", "-z", "--format=", commit)
        fields = git.output(*show).decode("utf-8", "replace").split("\0")
        renamed.update(zip(fields[1::3], fields[2::3], strict=False))
    return {path: LostFile(commit, renamed.get(path, "")) for path, commit in removed.items()}

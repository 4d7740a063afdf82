"""Give a decision record another number: rename its file, and rewrite what refers to it, also the
description of the branch's pull request."""

# Governing: SPEC-0024 REQ "Renumbering", ADR-0034 (numbers that are not merged yet), ADR-0019 (a
# token belongs to one host)

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.identifiers import (
    ArtifactId,
    find_id_references,
    grep_expression,
    in_module,
    parse_id,
)
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_work_tree
from sdd_hooks.authoring.edit_file import edit_file
from sdd_hooks.authoring.numbers import find_used_numbers, lock_numbers
from sdd_hooks.authoring.renumber import (
    Holder,
    Leftover,
    ReferringFile,
    Renumbering,
    renamed_path,
    rewrite_record,
    rewrite_references,
    stem,
)
from sdd_hooks.authoring.reservations import NumberScope, NumbersElsewhere, find_numbers_elsewhere
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.forges.protocol import DescriptionEditor, PullRequest, PullRequestLister
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.project.workspace import module_names
from sdd_hooks.system.file_edits import FileEdit, FileNotEditable, apply_edits
from sdd_hooks.system.files import FileTooLarge, PathRefused
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.usecases.forge import forge_at_hand
from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write

MAX_DATED_LINES = 300
"""Lines whose date is looked up, to tell which of two records they mean."""

_NOTHING = NumbersElsewhere()
_GREP = ("grep", "-l", "-z", "-I", "-i", "--untracked", "--no-recurse-submodules")

MAX_DESCRIPTIONS = 100
"""Open pull requests that are read, those that were updated last."""


class NumberTaken(SddError):
    """Another record has the number that the user names, or it is none."""

    exit_code = EXIT_USAGE
    code = "usage"


class RenumberRequest(NamedTuple):
    """The record to renumber, by its id or path, and its number: "" for the next free one."""

    target: str
    number: str = ""
    module: str | None = None
    dry_run: bool = False


class DescriptionEdit(NamedTuple):
    """A description before and after, and how many references were replaced in it."""

    number: int
    before: str
    after: str
    replaced: int

    def diff(self) -> str:
        """The edit as a unified diff."""
        name = f"pull-request-{self.number}"
        return FileEdit(name, self.before.encode(), self.after.encode()).diff()


class RenumberOutcome(NamedTuple):
    """What was renumbered. `replaced` counts the references in other files.

    `leftovers` are lines that may refer to the record and stay as they are, `notes` what no edit of
    files can change.
    """

    old: ArtifactId
    new: ArtifactId
    edits: tuple[FileEdit, ...]
    replaced: int
    leftovers: tuple[Leftover, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    descriptions: tuple[DescriptionEdit, ...] = ()


def renumber(project: Project, request: RenumberRequest, now: float) -> RenumberOutcome:
    """Renumber a record. `now` is in seconds since the epoch.

    Raises UnknownArtifact, NumberTaken, and what `apply_edits` raises.
    """
    repository = project.repository
    corpus, _ = read_work_tree(repository.git, project.select(tuple(ARTIFACT_KINDS)))
    artifact = find_artifact(corpus, request.target, request.module)
    if artifact.id.name or artifact.kind != "ADR":
        raise NumberTaken(
            f"{artifact.path} has no number of an ADR: its name is its id, so rename it"
        )
    elsewhere = _elsewhere(project, artifact, artifact.id, now) if not request.number else _NOTHING
    with lock_numbers(repository):
        change = _plan(project, corpus, artifact, request.number, elsewhere.taken)
        rewriting = _Rewriting(project, corpus, change)
        edits = tuple(rewriting.edits())
        if not request.dry_run:
            apply_edits(repository.root, edits)
    described = _Descriptions(change, rewriting.module_of(""))
    described.rewrite(project, now, dry_run=request.dry_run)
    outcome = RenumberOutcome(
        change.old,
        change.new,
        edits,
        rewriting.replaced,
        (*rewriting.leftovers, *described.leftovers),
        (*elsewhere.notes, *_notes(repository.git, change), *described.notes),
        descriptions=tuple(described.edits),
    )
    if request.dry_run:
        return outcome
    written = collections_containing(project, [edit.path for edit in edits])
    return outcome._replace(warnings=refresh_after_write(project, written))


def _elsewhere(
    project: Project, artifact: Artifact, old: ArtifactId, now: float
) -> NumbersElsewhere:
    scope, directory = NumberScope("ADR", old.module), numbering_directory(artifact.path)
    return find_numbers_elsewhere(
        project.repository, scope, directory, lambda: forge_at_hand(project, now)
    )


def _plan(
    project: Project, corpus: Corpus, artifact: Artifact, number: str, taken: frozenset[int]
) -> Renumbering:
    git, old = project.repository.git, artifact.id
    assert old is not None
    directory = numbering_directory(artifact.path)
    own = [
        id.number
        for id in corpus.by_id
        if not id.name and (id.kind, id.module) == (old.kind, old.module)
    ]
    free = find_used_numbers(project.repository, "ADR", directory, own).next(taken)
    new = old._replace(number=free, suffix="")
    if number:
        wanted = parse_id(number, "ADR", old.module)
        if wanted is None or wanted.kind != "ADR" or wanted.module != old.module:
            raise NumberTaken(f"{number!a} is no number of an ADR: write one, such as {free}")
        if corpus.resolve(wanted):
            path = corpus.resolve(wanted)[0].path
            raise NumberTaken(f"{wanted} is taken by {path}: the next number that is free is {new}")
        new = wanted
    path = renamed_path(artifact.path, old, new)
    if path == artifact.path:
        raise NumberTaken(f"the name of {path} does not have the number {old.number}: edit it")
    others = [one for one in corpus.resolve(old) if one.path != artifact.path]
    return Renumbering(
        Holder(artifact, _added_at(git, artifact.path) if others else None),
        new,
        path,
        tuple(Holder(one, _added_at(git, one.path)) for one in others),
    )


class _Rewriting:
    """The edits of a renumbering, and what they leave."""

    def __init__(self, project: Project, corpus: Corpus, change: Renumbering) -> None:
        self.replaced = 0
        self.leftovers: list[Leftover] = []
        self._project = project
        self._corpus = corpus
        self._change = change
        self._dated = 0

    def edits(self) -> Iterator[FileEdit]:
        """The edits: the record under its old name, under its new one, then other files."""
        root, change = self._project.repository.root, self._change
        path = change.record.artifact.path
        record = edit_file(root, path, lambda text: rewrite_record(text, change))
        yield FileEdit(path, record.before, None)
        yield FileEdit(change.new_path, None, record.after)
        for other in _mentioning(self._project.repository.git, change):
            if other == path:
                continue
            try:
                edit = edit_file(root, other, partial(self._rewrite, other))
            except (FileNotEditable, FileTooLarge, PathRefused, OSError) as error:
                self.leftovers.append(Leftover(other, 0, "", f"it cannot be edited: {error}"))
                continue
            if edit.before != edit.after:
                yield edit

    def _rewrite(self, path: str, text: str) -> str:
        artifact = self._corpus.by_path.get(path)
        file = ReferringFile(path, self.module_of(path), artifact.kind if artifact else None)
        done = rewrite_references(file, text, self._change, self._written_at)
        self.replaced += done.replaced
        self.leftovers += done.leftovers
        return done.text

    def module_of(self, path: str) -> str:
        """The module that an id without one means in a file: its own, the root, or any."""
        old = self._change.old
        for module in (module_names(self._project.modules)(path), ""):
            if self._corpus.resolve(old._replace(module=module)):
                return module
        return old.module

    def _written_at(self, path: str, line: int) -> float | None:
        self._dated += 1
        if self._dated > MAX_DATED_LINES:
            return None
        span = f"-L{line},{line}"
        blamed = self._project.repository.git.try_output("blame", "-p", span, "--", path) or b""
        rows = blamed.split(b"\n")
        if rows[0].startswith(b"0" * 40):
            return None
        times = (row.split()[1] for row in rows if row.startswith(b"author-time "))
        return next((float(time) for time in times), None)


def _added_at(git: Git, path: str) -> float | None:
    """When a file was added, in seconds since the epoch; None if it is not committed."""
    options = ("--follow", "--diff-filter=A", "--format=%at")
    listed = git.try_output("log", *options, "--", path) or b""
    times = listed.split()
    return float(times[-1]) if times else None


def _mentioning(git: Git, change: Renumbering) -> Sequence[str]:
    """The files that may refer to the record, tracked or not, by path."""
    number = f"(^|[^0-9])0*{change.old.number}([^0-9]|$)"
    ids = git.run(*_GREP, "-E", "--all-match", "-e", "adr", "-e", number)
    names = git.run(*_GREP, "-F", "-e", stem(change.record.artifact.path))
    return sorted({*nul_split(ids.stdout), *nul_split(names.stdout)})


def _notes(git: Git, change: Renumbering) -> Iterator[str]:
    """What no edit of a file can change."""
    old = change.old
    options = ("-E", "-i", f"--grep={grep_expression(old)}", "--format=%h", "--max-count=100")
    commits = os.fsdecode(git.try_output("log", *options) or b"").split()
    if commits:
        first = ", ".join(commits[:5])
        more = f" and {len(commits) - 5} more" if len(commits) > 5 else ""
        yield f"messages of commits that name {old} stay as they are: {first}{more}"


class _Descriptions:
    """The edits of descriptions of pull requests, the lines that stay, and notes about the rest.

    An id without a module in a description is one of `module`.
    """

    def __init__(self, change: Renumbering, module: str) -> None:
        self.edits: list[DescriptionEdit] = []
        self.leftovers: list[Leftover] = []
        self.notes: list[str] = []
        self._change = change
        self._module = module

    def rewrite(self, project: Project, now: float, *, dry_run: bool) -> None:
        """Rewrite the description of the open pull request of the branch that is checked out.

        Descriptions of other pull requests that name the record are notes. Raises nothing that the
        forge causes.
        """
        git = project.repository.git
        name = git.try_output("symbolic-ref", "--quiet", "--short", "HEAD") or b""
        branch = name.decode("utf-8", "replace").strip()
        by_hand = f"if the description of an open pull request names {self._change.old}, edit it"
        try:
            with forge_at_hand(project, now) as forge:
                if forge is None:
                    self.notes.append(by_hand)
                    return
                for pull in forge.open_pull_requests(MAX_DESCRIPTIONS):
                    # A branch of a fork may have the same name.
                    if pull.head_ref == branch != "" and not pull.is_fork:
                        self._rewrite(pull, None if dry_run else forge)
                    elif self._names_record(pull.body):
                        self.notes.append(
                            f"the description of pull request {pull.number} names"
                            f" {self._change.old}: edit it if it means this record"
                        )
        except SddError as error:
            self.notes.append(f"{by_hand}: {error}")

    def _rewrite(self, pull: PullRequest, forge: PullRequestLister | None) -> None:
        """Rewrite a description, and write it to the forge, if there is one."""
        file = ReferringFile(f"pull request {pull.number}", self._module)
        done = rewrite_references(file, pull.body, self._change)
        self.leftovers += done.leftovers
        if done.text == pull.body:
            return
        if forge and (problem := _write(forge, pull.number, done.text)):
            self.notes.append(
                f"the description of pull request {pull.number} still names {self._change.old}:"
                f" edit it ({problem})"
            )
            return
        self.edits.append(DescriptionEdit(pull.number, pull.body, done.text, done.replaced))

    def _names_record(self, body: str) -> bool:
        found = (one.id for one in find_id_references(body))
        return any(in_module(id, self._module) == self._change.old for id in found)


def _write(forge: PullRequestLister, number: int, body: str) -> str:
    """Write a description. Returns why that failed, "" for a success."""
    if not isinstance(forge, DescriptionEditor):
        return "its forge cannot edit it"
    try:
        forge.edit_description(number, body)
    except SddError as error:
        return str(error)
    return ""

"""Find the artifacts that govern a file, and say by what."""

# Governing: ADR-0036 (a record says what it applies to), SPEC-0005 REQ "List"

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sdd_hooks.artifacts.applies_to import AppliesTo, AppliesToEntry, read_applies_to
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import Origins
from sdd_hooks.artifacts.named_code import CodePaths, may_name, read_named_code
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES, read_work_tree
from sdd_hooks.code.definitions import Definition, find_definitions
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.external.records import NO_RECORDS, ExternalRecords
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.review.rules.decision.blocks import read_rules
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.decoding import decode, is_text
from sdd_hooks.text.display import printable_line
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.globs import is_named

MAX_DEFINITIONS = 5_000
"""Definitions of a file that are compared with symbols."""


KINDS = ("comment", "glob", "symbol", "rule", "named")
"""The kinds of a `GoverningReason`, the most specific ones first."""


class NotAFile(SddError):
    """What the user names cannot be a file of the repository."""

    exit_code = EXIT_USAGE
    code = "usage"


class GoverningReason(NamedTuple):
    """Why an artifact governs a file.

    `kind` is comment, glob, symbol, rule or named. `text` is the requirement that a comment names
    or "", the glob or the symbol as written, the rule's names, or what a sentence names. `line` is
    a line of the file at `path`.
    """

    kind: str
    text: str
    path: str
    line: int


class GoverningArtifacts(NamedTuple):
    """The artifacts that govern the file at `path`, relative to the root, with the reasons.

    Those in force come first, then the more specific: comments, globs and symbols, rules,
    names.
    """

    path: str
    artifacts: tuple[tuple[Artifact, tuple[GoverningReason, ...]], ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class GoverningRecords:
    """The records that may govern a file, each with its text and what it says it applies to."""

    git: Git
    root: Path
    corpus: Corpus
    entries: tuple[tuple[Artifact, str, AppliesTo], ...]
    external: ExternalRecords
    left_out: tuple[str, ...]

    @cached_property
    def files(self) -> CodePaths:
        """The tracked files. Raises GitError."""
        return CodePaths(nul_split(self.git.output("ls-files", "-z")))


def read_governing_records(
    project: Project,
    collections: tuple[Collection, ...],
    external: ExternalRecords = NO_RECORDS,
) -> GoverningRecords:
    """Read the artifacts of the collections, and those of `external`, once for many files.

    Raises GitError.
    """
    root = project.repository.root
    own, left_out = read_work_tree(project.repository.git, collections)
    corpus = Corpus((*own.artifacts, *external.corpus.artifacts))
    entries = []
    for artifact in corpus.artifacts:
        path = artifact.path
        is_external = external.origin(path)
        text = external.text(path) if is_external else as_markdown(path, _read(root, path))
        entries.append((artifact, text, read_applies_to(artifact, text)))
    git = project.repository.git
    return GoverningRecords(git, root, corpus, tuple(entries), external, tuple(left_out))


def find_governing(
    project: Project,
    collections: tuple[Collection, ...],
    cwd: Path,
    name: str,
    external: ExternalRecords = NO_RECORDS,
) -> GoverningArtifacts:
    """Find the artifacts of the collections that govern a file, which may not exist yet.

    `name` is relative to `cwd`. The records of `external` govern it as well: by their rules only
    if these are trusted. Raises NotAFile for a directory and for a path outside of the
    repository, GitError.
    """
    path = _relative(project.repository.root, cwd, name)
    return _govern(read_governing_records(project, collections, external), path)


def govern_file(records: GoverningRecords, cwd: Path, name: str) -> GoverningArtifacts:
    """Find the records that govern a file, as `find_governing` does. Raises NotAFile."""
    return _govern(records, _relative(records.root, cwd, name))


def _govern(records: GoverningRecords, path: str) -> GoverningArtifacts:
    external = records.external
    text = _read(records.root, path)
    trusted = {one.source.name for one in external.sources if one.source.trusts_rules} | {""}
    names = NamesOfArtifacts(records.corpus.artifacts, external.names)
    reasons: dict[str, list[GoverningReason]] = defaultdict(list)
    for artifact, reason in _by_comments(records.corpus, path, text, names):
        reasons[artifact.path].append(reason)
    definitions = list(_definitions(path, text))
    files: CodePaths | None = None
    for artifact, record, applies in records.entries:
        reasons[artifact.path] += _by_entries(artifact, applies, path, definitions)
        is_in_force = artifact.kind == "ADR" and artifact.status.authoritative
        if is_in_force and external.origin(artifact.path) in trusted:
            reasons[artifact.path] += _by_rules(artifact, record, path)
        # What a record of another repository names is there.
        own = not external.origin(artifact.path)
        if own and not reasons[artifact.path] and may_name(record, path):
            files = files or records.files.including(path)
            reasons[artifact.path] += _by_names(artifact, record, path, files)
    governing = [
        (artifact, tuple(reasons[artifact.path]))
        for artifact in records.corpus.artifacts
        if reasons[artifact.path]
    ]
    order = {kind: rank for rank, kind in enumerate(KINDS)}
    governing.sort(key=lambda one: (not one[0].status.authoritative, order[one[1][0].kind]))
    return GoverningArtifacts(path, tuple(governing), records.left_out)


def _relative(root: Path, cwd: Path, name: str) -> str:
    shown = printable_line(name)
    path = os.path.relpath(os.path.normpath(cwd / name), root)
    real = os.path.realpath(root)
    if path.startswith(".."):
        # The current directory may lead through a link.
        path = os.path.relpath(os.path.realpath(cwd / name), real)
    if path == ".." or path.startswith("../") or "\0" in name:
        raise NotAFile(f"{shown} is outside of the repository: name a file in {root}")
    # A name that is too long is no directory, and no error.
    if path == "." or os.path.isdir(root / path):  # noqa: PTH112
        raise NotAFile(f"{shown} is a directory: name a file in it, which may be a new one")
    return Path(path).as_posix()


def _read(root: Path, path: str) -> str:
    """The text of a file; "" for one that is absent, refused, too large or binary."""
    try:
        data = read_inside(root, path, MAX_ARTIFACT_BYTES)
    except (OSError, FileTooLarge, PathRefused):
        return ""
    return decode(data) if is_text(data) else ""


def _by_comments(
    corpus: Corpus, path: str, text: str, origins: Origins
) -> Iterator[tuple[Artifact, GoverningReason]]:
    for reference in read_governing(text, origins):
        found = corpus.resolve(reference.id) or corpus.by_id_of_any_module.get(reference.id, ())
        for artifact in found:
            yield artifact, GoverningReason("comment", reference.requirement, path, reference.line)


def _definitions(path: str, text: str) -> Iterator[tuple[str, int]]:
    """The names of the definitions of a file with their lines; members also with their owner."""
    definitions = find_definitions(path, text) if text else None
    pending: list[tuple[str, Definition]] = []
    if definitions:
        pending = [("", one) for one in definitions.outermost()]
    for _ in range(MAX_DEFINITIONS):
        if definitions is None or not pending:
            return
        owner, one = pending.pop(0)
        line = text.count("\n", 0, one.head) + 1
        yield one.name, line
        if owner:
            yield f"{owner}.{one.name}", line
        if one.is_container:
            pending += [(one.name, member) for member in definitions.members(one)]


def find_defined_symbols(
    applies: AppliesTo, path: str, text: str
) -> Iterator[tuple[AppliesToEntry, int]]:
    """Find the symbols of a record that a file defines, each with its line of the file."""
    return _defined(applies, list(_definitions(path, text)))


def _defined(
    applies: AppliesTo, definitions: list[tuple[str, int]]
) -> Iterator[tuple[AppliesToEntry, int]]:
    lines: Mapping[str, int] = dict(reversed(definitions))
    for symbol in applies.symbols:
        if symbol.qualified_name in lines:
            yield symbol, lines[symbol.qualified_name]


def _by_entries(
    artifact: Artifact, applies: AppliesTo, path: str, definitions: list[tuple[str, int]]
) -> Iterator[GoverningReason]:
    if entry := applies.match(path):
        yield GoverningReason("glob", entry.text, artifact.path, entry.line)
    for symbol, line in _defined(applies, definitions):
        yield GoverningReason("symbol", symbol.text, path, line)


def _by_rules(artifact: Artifact, text: str, path: str) -> Iterator[GoverningReason]:
    """The rules that are stated for certain files. One for all files says nothing of this one."""
    for rule in read_rules(text)[0]:
        if rule.within and rule.path_filter()(path):
            stated = f"{rule.verb} {rule.what} {', '.join(rule.names)}"
            yield GoverningReason("rule", stated, artifact.path, rule.line)


def _by_names(
    artifact: Artifact, text: str, path: str, files: CodePaths
) -> Iterator[GoverningReason]:
    """What the text of a record names, where it decides, that is or holds the file."""
    for named in read_named_code(artifact, text, files):
        if named.governs and is_named(path, named.path):
            yield GoverningReason("named", named.path, artifact.path, named.line)
            return

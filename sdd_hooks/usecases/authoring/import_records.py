"""Take over what decision records of other tools say into the frontmatter that sdd reads."""

# Governing: SPEC-0024 REQ "Records of other tools", SPEC-0007 REQ "After a mutation"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES, read_artifact_files
from sdd_hooks.authoring.foreign.plan import ImportedRecord, plan_import
from sdd_hooks.authoring.numbers import lock_numbers
from sdd_hooks.code.languages import MARKDOWN_SUFFIXES
from sdd_hooks.code.paths import is_markdown
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.decoding import split_mark
from sdd_hooks.text.display import printable_line
from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")


class NothingToImport(SddError):
    """A path has no decision record."""

    exit_code = EXIT_USAGE
    code = "usage"


class ImportRequest(NamedTuple):
    """The files and directories to import, none for all decisions of the project or a module.

    With `dry_run`, nothing is written.
    """

    paths: tuple[str, ...] = ()
    module: str | None = None
    dry_run: bool = False


class ImportOutcome(NamedTuple):
    """The records, the edits of their files, and notes about what was left out."""

    records: tuple[ImportedRecord, ...]
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def import_records(project: Project, request: ImportRequest) -> ImportOutcome:
    """Add to the frontmatter of records what their text says. The rest of each file stays.

    Raises NothingToImport, UnknownName for a module, and what `apply_edits` raises: nothing is
    written then.
    """
    repository = project.repository
    with lock_numbers(repository):
        files, chosen, notes = _read(project, request)
        corpus = load_corpus(files)
        texts, unreadable = _texts(files, chosen)
        records = tuple(plan_import(corpus, texts))
        data = {file.path: file.data for file in files}
        edits = tuple(
            _edit(one, data[one.artifact.path]) for one in records if one.before != one.after
        )
        if not request.dry_run:
            apply_edits(repository.root, edits)
    outcome = ImportOutcome(records, edits, (*notes, *unreadable))
    if request.dry_run or not edits:
        return outcome
    written = collections_containing(project, [edit.path for edit in edits])
    return outcome._replace(warnings=refresh_after_write(project, written))


def _read(
    project: Project, request: ImportRequest
) -> tuple[list[ArtifactFile], set[str], Sequence[str]]:
    """All artifacts, those of the paths, the paths to import, and notes."""
    files, left_out = read_artifact_files(
        project.repository.git, project.select(tuple(ARTIFACT_KINDS), None)
    )
    if not request.paths:
        collections = project.select(("adrs",), request.module)
        modules = {one.module for one in collections}
        return files, {one.path for one in files if one.module in modules}, left_out
    known = {one.path for one in files}
    chosen: set[str] = set()
    for path in request.paths:
        found = _markdown_below(project, path)
        if not found:
            raise NothingToImport(f"{printable_line(path)} has no Markdown file: name another path")
        chosen.update(found)
    other = [path for path in sorted(chosen) if path not in known]
    added = [one for path in other if (one := _file(project, path))]
    notes = list(left_out)
    if load_corpus(added).artifacts:
        directories = sorted({one.path.rpartition("/")[0] or "." for one in added})
        notes.append(
            f"{', '.join(map(printable_line, directories[:5]))}: no directory of decisions of this"
            " project: declare it under `## Architecture Context`"
        )
    return [*files, *added], chosen, notes


def _edit(record: ImportedRecord, before: bytes) -> FileEdit:
    """The edit of a file, which may begin with a byte order mark."""
    mark, _ = split_mark(before)
    return FileEdit(record.artifact.path, before, mark + record.after.encode())


def _markdown_below(project: Project, path: str) -> list[str]:
    name = path.removeprefix("./").rstrip("/")
    listed = project.repository.git.try_output(*_LIST, f":(literal){name}" if name else ".") or b""
    return [one for one in nul_split(listed) if one.lower().endswith(MARKDOWN_SUFFIXES)]


def _file(project: Project, path: str) -> ArtifactFile | None:
    try:
        data = read_inside(project.repository.root, path, MAX_ARTIFACT_BYTES)
    except (FileNotFoundError, FileTooLarge, PathRefused):
        return None
    return ArtifactFile(path, data, "ADR")


def _texts(files: Sequence[ArtifactFile], chosen: set[str]) -> tuple[dict[str, str], list[str]]:
    """The texts of the chosen decisions, and a note for each that is not Markdown in UTF-8."""
    texts: dict[str, str] = {}
    notes: list[str] = []
    for file in files:
        if file.kind != "ADR" or file.path not in chosen:
            continue
        if not is_markdown(file.path):
            notes.append(f"left out {file.path}: is not Markdown")
            continue
        try:
            texts[file.path] = split_mark(file.data)[1].decode("utf-8")
        except UnicodeDecodeError:
            notes.append(f"left out {file.path}: is not UTF-8")
    return texts, notes

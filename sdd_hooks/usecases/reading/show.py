"""Show a record, a section or a definition as text, with its references."""

# Governing: SPEC-0005 REQ "Show", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.find_artifact import UnknownArtifact, find_artifact
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.code.paths import has_sections
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.external.records import read_external_records
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.names import QueryName, named_hits, parse_name
from sdd_hooks.retrieval.records import Records
from sdd_hooks.retrieval.references import RecordReferences, Shown, ShownText, find_references
from sdd_hooks.text.forms import equal_spellings
from sdd_hooks.text.markdown import parse_sections, unify_line_endings

_MAX_NAMED = 8


class NothingToShow(SddError):
    """No record, file or section has the name that the user gives, or several have it."""

    exit_code = EXIT_USAGE
    code = "usage"


class ShowRequest(NamedTuple):
    """What to show: `ID`, `ID#ANCHOR`, `PATH` or `PATH#ANCHOR`, and the module (None: any).

    A path is relative to the top of the repository, or to `directory`.
    """

    target: str
    module: str | None
    directory: Path


def show(project: Project, request: ShowRequest, now: float) -> Shown:
    """Show a record or a part of a file. `now` is in seconds since the epoch.

    Raises:
        NothingToShow: no record or file has this name, or several records have it.
        UnknownName: the project does not have the module.
        NotIndexed: nothing is indexed.
        EngineUnavailable, StorageError: the index cannot be read.
    """
    selected = project.select((), request.module)
    with open_fresh_index(project, now) as (engine, freshness):
        external = partial(read_external_records, project.repository, project.external)
        records = Records(project.repository.root, engine, project.collections, external)
        collections = _indexed(engine, selected)
        name, anchor = _split(request.target)
        if name.ids:
            collection, artifact = _find_record(project, records, name, selected)
            path = artifact.path
        else:
            path = _find_file(project, request, records, name.text, selected)
            collection, found = _record_of(records, selected, path)
            if found is None:
                part = _part(records, path, anchor)
                comments = read_governing(part.text) if not has_sections(path) else ()
                notes, warnings = freshness.notes, (*freshness.warnings, *project.warnings)
                return Shown(
                    part, None, None, RecordReferences(), (), comments, {}, notes, warnings
                )
            artifact = found
        repository = records.collection(collection).repository
        git = project.repository.git
        references = find_references(
            git.at(git.root / repository) if repository else git, records, artifact, collections
        )
        label = records.label(collection, artifact.path)
        titles = _titles(project, records, references, selected)
    return Shown(
        _part(records, path, anchor),
        artifact,
        label,
        references,
        _governed(references),
        (),
        titles,
        freshness.notes,
        (*freshness.warnings, *project.warnings),
    )


def _indexed(engine: Engine, collections: tuple[Collection, ...]) -> list[Collection]:
    known = engine.bookmarks()
    return [collection for collection in collections if collection.name in known]


def _split(target: str) -> tuple[QueryName, str]:
    """Split `ID#ANCHOR`; `#8` is an id."""
    whole = parse_name(target)
    if whole.ids or "#" not in target:
        return whole, ""
    name, _, anchor = target.partition("#")
    return parse_name(name), anchor


def _find_record(
    project: Project, records: Records, name: QueryName, collections: tuple[Collection, ...]
) -> tuple[str, Artifact]:
    hits = named_hits(project, records, name, collections)
    found = [
        (hit.collection, artifact)
        for hit in hits
        if (artifact := records.artifact(hit.collection, hit.path))
    ]
    # An id without a module is that of the root before those of modules.
    own = [entry for entry in found if not entry[1].module]
    candidates = own if own and len({artifact.kind for _, artifact in found}) == 1 else found
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise NothingToShow(f"no record has the id {name.text}: `sdd list` lists them")
    ids = list(dict.fromkeys(str(artifact.id) for _, artifact in candidates))
    names = ids if len(ids) == len(candidates) else [artifact.path for _, artifact in candidates]
    raise NothingToShow(f"{name.text} is not unique: choose one of {_listed(names)}")


def _find_file(
    project: Project,
    request: ShowRequest,
    records: Records,
    name: str,
    collections: tuple[Collection, ...],
) -> str:
    """Return the path of a file, relative to the top of the repository.

    `acme/ADR-0012` is the file of a record of another repository, `use-kafka` that of a record
    without a number.
    """
    identifier = parse_id(name, origins=project.external.names)
    if identifier and identifier.origin:
        for artifact in records.external.corpus.resolve(identifier):
            return artifact.path
    root = project.repository.root
    candidates = [name.removeprefix("./")]
    with suppress(ValueError):
        candidates.append((request.directory / name).relative_to(root).as_posix())
    for path in (spelled for one in candidates for spelled in equal_spellings(one)):
        if records.text(path) is not None:
            return path
    corpus, _ = read_work_tree(project.repository.git, collections)
    try:
        return find_artifact(corpus, name, request.module).path
    except UnknownArtifact as error:
        if "is not unique" in str(error):
            raise NothingToShow(str(error)) from None
    raise NothingToShow(f"no record and no file is called {name}: `sdd list` lists the records")


def _record_of(
    records: Records, collections: tuple[Collection, ...], path: str
) -> tuple[str, Artifact | None]:
    for collection in collections:
        if collection.contains(path) and (found := records.artifact(collection.name, path)):
            return collection.name, found
    return "", None


def _part(records: Records, path: str, anchor: str) -> ShownText:
    """Return the whole file, or the section or definition with this anchor."""
    text = unify_line_endings(records.source(path))
    lines = text.split("\n")
    if not anchor:
        return ShownText(path, "", 1, max(1, len(lines) - (not lines[-1])), text)
    ranges = _ranges(path, records.text(path) or "")
    if anchor not in ranges:
        raise NothingToShow(f"{path} has no #{anchor}: it has {_listed(list(ranges))}")
    first, last = ranges[anchor]
    return ShownText(path, anchor, first, last, "\n".join(lines[first - 1 : last]))


def _ranges(path: str, text: str) -> dict[str, tuple[int, int]]:
    """Return the first and last line of each anchor. A section includes those below it."""
    ranges: dict[str, tuple[int, int]] = {}
    if not has_sections(path):
        from sdd_hooks.chunking.document import chunk_document

        for chunk in chunk_document(path, text.encode("utf-8", "surrogatepass")).chunks:
            ranges.setdefault(chunk.anchor, (chunk.first_line, chunk.last_line))
        return ranges
    sections = parse_sections(text)
    for at, section in enumerate(sections):
        last = section.last_line
        for below in sections[at + 1 :] if section.level else ():
            if below.level <= section.level:
                break
            last = below.last_line
        ranges[section.anchor] = (section.first_line, last)
    return ranges


def _governed(references: RecordReferences) -> tuple[str, ...]:
    """Return the files with a governing comment, and the specs that the record governs."""
    files = [comment.path for comment in references.comments]
    specs = [
        str(edge.target) for edge in references.edges if edge.kind in ("governs", "implemented-by")
    ]
    return tuple(dict.fromkeys([*files, *specs]))


def _titles(
    project: Project,
    records: Records,
    references: RecordReferences,
    collections: tuple[Collection, ...],
) -> dict[str, str]:
    """Return the titles of the records at the other ends of the edges."""
    titles = {mention.id: mention.title for mention in references.records}
    for edge in references.edges:
        name = str(edge.target)
        if name not in titles:
            wanted = QueryName(name, (edge.target,))
            for hit in named_hits(project, records, wanted, collections):
                artifact = records.artifact(hit.collection, hit.path)
                titles.setdefault(name, artifact.title if artifact else "")
    return titles


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MAX_NAMED])
    return shown if len(names) <= _MAX_NAMED else f"{shown} and {len(names) - _MAX_NAMED} more"

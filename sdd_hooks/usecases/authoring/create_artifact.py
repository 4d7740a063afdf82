"""Create a decision record or a specification: search first, take a number, draft, refresh."""

# Governing: SPEC-0024 (authoring), SPEC-0007 REQ "After a mutation"

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from sdd_hooks.artifacts.adr import is_template
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus, numbering_directory
from sdd_hooks.artifacts.frontmatter_edit import NotEditable, add_list_items
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind
from sdd_hooks.artifacts.spec import DESIGN_FILE, SPEC_FILE
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_artifact_files
from sdd_hooks.authoring.edit_file import edit_file
from sdd_hooks.authoring.new_edges import (
    MAX_CANDIDATES,
    MIN_SCORE,
    CandidateEdge,
    RequestedEdge,
    parse_edges,
    propose_by_theme,
    propose_edges,
)
from sdd_hooks.authoring.new_file import (
    NewFile,
    NumberChoice,
    TakenNumber,
    home_directory,
    take_number,
)
from sdd_hooks.authoring.other_markup import from_markdown
from sdd_hooks.authoring.record_draft import RecordDraft, draft_record
from sdd_hooks.authoring.record_form import RecordForm, find_record_form
from sdd_hooks.authoring.reservations import NumberScope, find_numbers_elsewhere
from sdd_hooks.authoring.spec_draft import draft_spec
from sdd_hooks.authoring.status_change import NewStatus, change_status, validate_transition
from sdd_hooks.drift.discover.choices import find_purposes
from sdd_hooks.errors import EXIT_USAGE, NotIndexed, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.report import LabelledHit
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.system.file_edits import FileEdit, FileNotEditable, apply_edits
from sdd_hooks.system.processes import exit_on_signals
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.documents import document_text
from sdd_hooks.usecases.forge import forge_at_hand
from sdd_hooks.usecases.knowledge.entries import consult
from sdd_hooks.usecases.reading.search import SearchRequest, search
from sdd_hooks.usecases.upkeep.refresh import (
    collections_containing,
    ensure_index,
    refresh_after_write,
)

NOTHING_RELATED = "No related artifacts found — drafting from scratch"

MAX_CONTEXT = 2_000
"""Characters of the context that are searched with."""

ChooseEdges = Callable[[Sequence[CandidateEdge]], Sequence[str]]
"""Decides which of the candidates become edges. Returns them as `kind=ID`."""

_KINDS: Mapping[ArtifactKind, str] = {kind: name for name, kind in ARTIFACT_KINDS.items()}


class EmptyTitle(SddError):
    """A new artifact has no title."""

    exit_code = EXIT_USAGE
    code = "usage"


class CreateRequest(NamedTuple):
    """A new artifact. `edges` are requested ones as `kind=ID`, `date` is ISO.

    `sections` are texts by the titles of sections, for an ADR. With `dry_run`, nothing is written.
    With `reserve`, the number is reserved in the remote for all clones. `context` is further text
    that related artifacts are searched with. `near` is the directory of the repository for which
    the artifact is, "" for its top.
    """

    kind: ArtifactKind
    title: str
    date: str
    edges: tuple[str, ...] = ()
    sections: Mapping[str, str] = MappingProxyType({})
    module: str = ""
    dry_run: bool = False
    reserve: bool = False
    context: str = ""
    near: str = ""


class CreatedArtifact(NamedTuple):
    """The new artifact, what was found for it, and the edits of files: its own first.

    `edges` are the written ones as `kind=ID`. `reservation` is the ref that reserves the number in
    the remote, "" for none.
    """

    id: ArtifactId
    title: str
    edits: tuple[FileEdit, ...]
    edges: tuple[str, ...]
    candidates: tuple[CandidateEdge, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reservation: str = ""


class _Draft(NamedTuple):
    """A new artifact before it is written, with the artifacts that there are."""

    project: Project
    request: CreateRequest
    new: NewFile
    corpus: Corpus
    files: Mapping[str, ArtifactFile]

    def edits(self, taken: TakenNumber, edges: Sequence[RequestedEdge]) -> Iterator[FileEdit]:
        """The edits, with None as the content of the artifact's files before."""
        (path, text), *others = self._texts(taken)
        for edge in edges:
            text = add_list_items(text, edge.kind, [edge.spelling(self.request.module)])
        for name, content in ((path, text), *others):
            yield FileEdit(name, None, from_markdown(name, content).encode(errors="replace"))
        for edge in edges:
            if edge.kind == "supersedes":
                yield self._superseded(edge.target, taken)

    def _texts(self, taken: TakenNumber) -> Iterator[tuple[str, str]]:
        request = self.request
        draft = RecordDraft(taken.id, request.title, request.date, request.sections)
        if self.request.kind == "SPEC":
            specs = (one.path for one in self.corpus.artifacts if one.kind == "SPEC")
            samples = [decode(self.files[path].data) for path in specs]
            spec, design = draft_spec(draft, samples)
            yield taken.path, spec
            yield f"{taken.path.removesuffix(SPEC_FILE)}{DESIGN_FILE}", design
            return
        path, template = self._template()
        try:
            yield taken.path, draft_record(self.new.form, draft, template)
        except NotEditable as error:
            raise FileNotEditable(f"{path or taken.path}:{error}") from None

    def _template(self) -> tuple[str, str]:
        """The path and the text of the file beside the records that is called a template."""
        directory = self.new.form.directory
        near = {directory, *(f"{directory}/{name}" for name in ("template", "templates"))}
        for path, file in sorted(self.files.items()):
            if path.rpartition("/")[0] in near and is_template(path):
                return path, document_text(path, file.data)
        return "", ""

    def _superseded(self, target: Artifact, taken: TakenNumber) -> FileEdit:
        link = posixpath.relpath(taken.path, posixpath.dirname(target.path) or ".")
        value = "superseded" if target.kind == "ADR" else "deprecated"
        successor = taken.id if target.kind == "ADR" else None
        new = NewStatus(value, successor, link, target.path)
        root = self.project.repository.root
        return edit_file(root, target.path, lambda text: change_status(text, target.kind, new))


def create_artifact(
    project: Project, request: CreateRequest, choose: ChooseEdges, now: float
) -> CreatedArtifact:
    """Create an artifact with a free number. `now` is in seconds since the epoch.

    Raises EmptyTitle, EdgeRefused, UnknownArtifact, StatusRefused for a record that cannot be
    superseded, and StorageError. Nothing is written then.
    """
    request = request._replace(title=" ".join(request.title.split()))
    if not request.title:
        raise EmptyTitle("The title is empty: describe what is decided")
    draft = _begin(project, request)
    edges = _requested(draft, request.edges)
    index_notes = () if request.dry_run else ensure_index(project)
    found = _search(project, request, now)
    records = _records(draft)
    candidates = propose_edges(request.kind, request.title, found.hits, records)
    known = {one.path for one in candidates}
    about = f"{request.title} {request.context[:MAX_CONTEXT]}"
    thematic = propose_by_theme(about, records, find_purposes, found.code)
    thematic = tuple(one for one in thematic if one.path not in known)
    candidates = (*candidates, *thematic)[:MAX_CANDIDATES]
    repository = project.repository
    scope = NumberScope(request.kind, draft.new.collection.module)
    # Nothing is written before the answers are there.
    edges = edges or _requested(draft, choose(candidates))
    elsewhere = find_numbers_elsewhere(
        repository, scope, draft.new.form.directory, lambda: forge_at_hand(project, now)
    )
    choice = NumberChoice(elsewhere.taken, request.reserve, request.dry_run)
    with exit_on_signals(), take_number(repository, draft.new, draft.corpus, choice) as taken:
        edits = tuple(draft.edits(taken, edges))
        if not request.dry_run:
            apply_edits(repository.root, edits)
    notes = (
        *index_notes,
        *found.notes,
        *elsewhere.notes,
        *(() if candidates else (NOTHING_RELATED,)),
    )
    if not draft.corpus.artifacts:
        status = "accepted" if request.kind == "ADR" else "approved"
        notes += (f"next: fill it in, commit it, and `sdd status {taken.id} {status}`",)
    notes += consult(repository, project.configuration, request.title, "designing-*")
    created = CreatedArtifact(
        taken.id,
        request.title,
        edits,
        tuple(f"{edge.kind}={edge.target.id}" for edge in edges),
        candidates,
        notes,
        found.warnings,
        taken.reservation.ref if taken.reservation else "",
    )
    if request.dry_run:
        return created
    written = collections_containing(project, [edit.path for edit in edits])
    warnings = (*found.warnings, *refresh_after_write(project, written))
    return created._replace(warnings=warnings)


class _Found(NamedTuple):
    """What the title and the context find, each record with the better of its scores."""

    hits: Sequence[LabelledHit] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    code: Sequence[str] = ()


def _search(project: Project, request: CreateRequest, now: float) -> _Found:
    kind = _KINDS[request.kind]
    # In an index of few records every score is low.
    limits = HitLimits(min_score=0.0)
    context = " ".join(request.context.split())[:MAX_CONTEXT]
    best: dict[str, LabelledHit] = {}
    found = _Found()
    for query in filter(None, (request.title, context)):
        try:
            wanted = SearchRequest(query, (kind, "code"), request.module, limits)
            done = search(project, wanted, now)
        except NotIndexed:
            # The first index is being made, or nothing is to be written.
            return found
        for one in done.report.hits(kind):
            known = best.get(one.hit.path)
            best[one.hit.path] = one if known is None or one.hit.score > known.hit.score else known
        hits = tuple(sorted(best.values(), key=lambda one: -one.hit.score))
        about = [one.hit.path for one in done.report.hits("code") if one.hit.score >= MIN_SCORE]
        warnings = found.warnings or done.warnings
        found = _Found(hits, found.notes or done.notes, warnings, (*found.code, *about))
    return found


def _records(draft: _Draft) -> list[tuple[Artifact, str]]:
    """The records of the kind that are in force, with their texts."""
    kind, module = draft.request.kind, draft.new.collection.module
    return [
        (one, decode(draft.files[one.path].data))
        for one in draft.corpus.artifacts
        if one.kind == kind and one.module == module and one.status.authoritative
    ]


def _begin(project: Project, request: CreateRequest) -> _Draft:
    chosen = project.select((_KINDS[request.kind],), request.module)
    collections = [one for one in chosen if one.kind in ARTIFACT_KINDS]
    if not collections:
        raise SddError(
            f"no directory of {_KINDS[request.kind]} is declared: run `sdd init`, or declare it"
            " under `## Architecture Context`"
        )
    files, _ = read_artifact_files(project.repository.git, project.collections)
    corpus = load_corpus(files)
    by_path = {file.path: file for file in files}
    collection = collections[0]
    directory = home_directory(corpus.artifacts, collection, request.near)
    form = _form(request.kind, directory, collection, corpus, by_path)
    new = NewFile(request.kind, request.title, request.date, collection, form)
    return _Draft(project, request, new, corpus, by_path)


def _form(
    kind: ArtifactKind,
    directory: str,
    collection: Collection,
    corpus: Corpus,
    files: Mapping[str, ArtifactFile],
) -> RecordForm:
    if kind == "SPEC":
        return RecordForm(directory)
    own = [one for one in corpus.artifacts if collection.contains(one.path)]
    beside = [one for one in own if numbering_directory(one.path) == directory]
    return find_record_form(
        directory, [(one, document_text(one.path, files[one.path].data)) for one in beside]
    )


def _requested(draft: _Draft, written: Sequence[str]) -> list[RequestedEdge]:
    """The edges, each of whose targets can be superseded if it is to be."""
    edges = parse_edges(draft.request.kind, written, draft.corpus, draft.request.module)
    for edge in edges:
        if edge.kind == "supersedes":
            value = "superseded" if edge.target.kind == "ADR" else "deprecated"
            validate_transition(edge.target.kind, edge.target.status.value, value)
    return edges

"""All artifacts of a project: the lookup from ids to artifacts, and ids that several share."""

# Governing: SPEC-0002 REQ "Collisions are reported", SPEC-0002 REQ "Edges"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.edges import Edge, inverse_edge
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    ArtifactKind,
    Origins,
    parse_reference,
    split_heading,
)
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.artifacts.spec import DESIGN_FILE, INCOMPLETE_SPEC, SPEC_FILE, SPEC_FILES, read_spec
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import is_folder_page, looks_like_record, parents
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.documents import document_text


class ArtifactFile(NamedTuple):
    """A file in a folder of ADRs or specs: its path in the repository, and its bytes.

    `blob` is the id of the object that has them, "" for a file that is not read from git.
    """

    path: str
    data: bytes
    kind: ArtifactKind
    module: str = ""
    blob: str = ""


class IdCollision(NamedTuple):
    """An id that several artifacts share, and their paths."""

    id: ArtifactId
    paths: tuple[str, ...]


class Corpus:
    """Every artifact, ordered by module, kind and path. Paths are unique; ids may not be."""

    artifacts: tuple[Artifact, ...]

    def __init__(self, artifacts: tuple[Artifact, ...] = ()) -> None:
        self.artifacts = artifacts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Corpus) and self.artifacts == other.artifacts

    def __hash__(self) -> int:
        return hash(tuple(artifact.path for artifact in self.artifacts))

    @cached_property
    def by_id(self) -> Mapping[ArtifactId, tuple[Artifact, ...]]:
        """The artifacts of each id, ordered by path."""
        by_id: dict[ArtifactId, list[Artifact]] = {}
        for artifact in self.artifacts:
            by_id.setdefault(artifact.id, []).append(artifact)
        return {identifier: tuple(artifacts) for identifier, artifacts in by_id.items()}

    @cached_property
    def by_id_of_any_module(self) -> Mapping[ArtifactId, tuple[Artifact, ...]]:
        """The artifacts of all modules by their id without its module, in the order of `by_id`."""
        found: dict[ArtifactId, list[Artifact]] = {}
        for identifier, artifacts in self.by_id.items():
            found.setdefault(identifier._replace(module=""), []).extend(artifacts)
        return {identifier: tuple(artifacts) for identifier, artifacts in found.items()}

    @cached_property
    def names(self) -> NamesOfArtifacts:
        """What the artifacts are called by."""
        return NamesOfArtifacts(self.artifacts)

    @cached_property
    def _ids_by_number(self) -> Mapping[int, list[ArtifactId]]:
        found: dict[int, list[ArtifactId]] = {}
        for identifier in self.by_id:
            if not identifier.name:
                found.setdefault(identifier.number, []).append(identifier)
        return found

    @cached_property
    def origins(self) -> frozenset[str]:
        """The names of the repositories of the artifacts, "" for this one."""
        return frozenset(identifier.origin for identifier in self.by_id)

    @cached_property
    def by_path(self) -> Mapping[str, Artifact]:
        """The artifact of each file. A design.md belongs to its spec."""
        return {path: artifact for artifact in self.artifacts for path in artifact.paths}

    @property
    def collisions(self) -> tuple[IdCollision, ...]:
        """The numbers that several artifacts share, in order."""
        return tuple(
            IdCollision(identifier, tuple(artifact.path for artifact in artifacts))
            for identifier, artifacts in sorted(self.by_id.items())
            if len(artifacts) > 1 and not identifier.name
        )

    @cached_property
    def _ids_by_directory(self) -> Mapping[str, frozenset[ArtifactId]]:
        found: dict[str, set[ArtifactId]] = {}
        for identifier, artifacts in self.by_id.items():
            for artifact in artifacts:
                found.setdefault(numbering_directory(artifact.path), set()).add(identifier)
        return {directory: frozenset(ids) for directory, ids in found.items()}

    def count_separately(self, path: str, other: str) -> bool:
        """Whether the directories of two artifacts have series of numbers of their own.

        They have when they share two ids or more: packages of one repository, and translations.
        """
        directories = numbering_directory(path), numbering_directory(other)
        if directories[0] == directories[1]:
            return False
        one, two = (self._ids_by_directory.get(each, frozenset()) for each in directories)
        return len(one & two) > 1

    def resolve(self, identifier: ArtifactId | str) -> tuple[Artifact, ...]:
        """Return the artifacts with this id, in any spelling. Several when the id collides.

        An id without a letter that no artifact has means those with one: `ADR-0020` is 20a and 20b.
        A name is that of any kind of artifact in its module.
        """
        parsed = parse_reference(identifier) if isinstance(identifier, str) else identifier
        if found := self.by_id.get(parsed):
            return found
        if parsed.name and not parsed.origin:
            called = self.names.called(parsed.name)
            return tuple(one for one in called if one.module == parsed.module)
        return self._with_letter(parsed)

    def _with_letter(self, identifier: ArtifactId) -> tuple[Artifact, ...]:
        if identifier.suffix or identifier.name:
            return ()
        same = self._ids_by_number.get(identifier.number, ())
        return tuple(
            artifact
            for one in sorted(same)
            if one.suffix and one._replace(suffix="") == identifier
            for artifact in self.by_id[one]
        )

    def close_matches(self, identifier: ArtifactId, limit: int = 3) -> tuple[ArtifactId, ...]:
        """Return existing ids that `identifier` may be a misspelling of, the closest first.

        Candidates have one digit changed, or the same number in another module. Without any, they
        are the ids of the other kind with the same number. For an id of another repository, all are
        of that one, or of those whose names begin with its name.
        """
        if identifier.name:
            from difflib import get_close_matches

            by_name = {one.name: one for one in self.by_id if one.origin == identifier.origin}
            close = get_close_matches(identifier.name[:200], by_name, limit, 0.7)
            return tuple(by_name[name] for name in close)
        digits = f"{identifier.number:05d}"
        changed = {
            int(digits[:at] + digit + digits[at + 1 :])
            for at in range(len(digits))
            for digit in "0123456789"
        }
        near, others = [], []
        origin = identifier.origin
        for other in (one for number in changed for one in self._ids_by_number.get(number, ())):
            if origin and not f"{other.origin}/".startswith(f"{origin}/"):
                continue
            difference = abs(other.number - identifier.number)
            if other.kind == identifier.kind:
                near.append((difference > 0, difference, other))
            elif not difference:
                others.append(other)
        matches = [other for *_, other in sorted(near)] or sorted(others)
        return tuple(matches[:limit])

    def edges(self) -> tuple[Edge, ...]:
        """Return every written edge, then the inverses that no artifact writes itself."""
        written = [edge for artifact in self.artifacts for edge in artifact.edges]
        known = {(edge.kind, edge.source, edge.target) for edge in written}
        derived = []
        for edge in written:
            back = inverse_edge(edge)
            if (back.kind, back.source, back.target) not in known:
                known.add((back.kind, back.source, back.target))
                derived.append(back)
        return (*written, *derived)


def numbering_directory(path: str) -> str:
    """Return the directory in which the number of the artifact at `path` has to be unique.

    Each directory of records counts by itself. The page of a folder has the number of the folder.
    """
    directory, _, name = path.rpartition("/")
    is_page = name.lower() in SPEC_FILES or is_folder_page(path)
    return directory.rpartition("/")[0] if is_page else directory


def read_adr_file(file: ArtifactFile, origins: Origins = NO_ORIGINS) -> Artifact | None:
    """Read the ADR of a file, None when it is not a record. Never raises."""
    return read_adr(file.path, document_text(file.path, file.data), file.module, origins)


def load_corpus(
    sources: Iterable[ArtifactFile],
    origins: Origins = NO_ORIGINS,
    read: Callable[[ArtifactFile, Origins], Artifact | None] = read_adr_file,
) -> Corpus:
    """Read every artifact among the files, each ADR with `read`. Never raises.

    Indexes, templates and other pages are skipped. `origins` are as in
    `identifiers.find_id_references`.
    """
    records: dict[str, Artifact] = {}
    folders: dict[tuple[str, str], dict[str, str]] = {}
    for source in sources:
        path = PurePosixPath(source.path)
        if source.kind == "ADR":
            if artifact := read(source, origins):
                records[artifact.path] = artifact
        elif path.name in SPEC_FILES:
            directory = source.path.rpartition("/")[0]
            folders.setdefault((source.module, directory), {})[path.name] = decode(source.data)
    artifacts = _without_attachments(records)
    specs = []
    for (module, directory), texts in folders.items():
        design = texts.pop(DESIGN_FILE, None)
        page = next((name for name in SPEC_FILES if name in texts), SPEC_FILE)
        # A `requirements.md` may be a checklist of the spec around it, and Kiro's design of a fix
        # stands alone.
        is_part = page != SPEC_FILE and any((module, one) in folders for one in parents(directory))
        if is_part or (page not in texts and ".kiro" in directory):
            continue
        location = f"{directory}/{page}".lstrip("/")
        spec = read_spec(location, texts.get(page), design, module, origins)
        if spec:
            specs.append(spec)
    artifacts += _without_foreign_rules(specs)
    artifacts.sort(key=lambda artifact: (artifact.module, artifact.kind, artifact.path))
    corpus = Corpus(tuple(artifacts))
    return Corpus(tuple(_with_known_names(corpus, artifact) for artifact in artifacts))


def _with_known_names(corpus: Corpus, artifact: Artifact) -> Artifact:
    """The artifact with the ids of those that it names. Prose without a known name says nothing."""
    written = (*artifact.successors, *(edge.target for edge in artifact.edges))
    known = {id: corpus.resolve(id) for id in written if id.name}
    if not known:
        return artifact
    edges = [
        edge._replace(target=known[edge.target][0].id) if known.get(edge.target) else edge
        for edge in artifact.edges
        if edge.origin == "frontmatter" or known.get(edge.target, True)
    ]
    successors = [
        found[0].id if (found := known.get(id)) else id
        for id in artifact.successors
        if known.get(id, True)
    ]
    return artifact._replace(edges=tuple(edges), successors=tuple(successors))


def _without_foreign_rules(specs: Sequence[Artifact]) -> Iterator[Artifact]:
    """Drop the finding that a design is missing where specs are those of another tool.

    Ours have an id, or a design for the most. OpenSpec and spec-kit write no `design.md`.
    """
    designs: dict[str, list[bool]] = {}
    for spec in specs:
        designs.setdefault(numbering_directory(spec.path), []).append(bool(spec.design))
    for spec in specs:
        beside = designs[numbering_directory(spec.path)]
        is_ours = spec.path == spec.design or split_heading(_heading(spec), "SPEC")[0] is not None
        if is_ours or 2 * sum(beside) >= len(beside):
            yield spec
        else:
            kept = tuple(one for one in spec.findings if one.rule != INCOMPLETE_SPEC)
            yield spec._replace(findings=kept)


def _heading(spec: Artifact) -> str:
    return next((one.title for one in spec.sections if one.level == 1), "")


def _without_attachments(records: Mapping[str, Artifact]) -> list[Artifact]:
    """Leave out what lies beside a record with a folder of its own, and what introduces records.

    The page of a folder is a record, unless several files in it have names of records.
    """
    pages: dict[str, str] = {}
    for path in filter(is_folder_page, records):
        # Others of its name are translations.
        pages.setdefault(path.rpartition("/")[0], path)
    inside: dict[str, list[str]] = {folder: [] for folder in pages}
    for path in records if pages else ():
        for above in parents(path):
            if above in inside and path != pages[above]:
                inside[above].append(path)
    dropped = _annexes(records)
    for folder, paths in inside.items():
        numbered = [path for path in paths if looks_like_record("adr", path.rpartition("/")[2])]
        dropped.update([pages[folder]] if len(numbered) > 1 else paths)
    return [one for path, one in records.items() if path not in dropped]


def _annexes(records: Mapping[str, Artifact]) -> set[str]:
    """What lies below a record, has its number, and neither a status nor a decision."""
    holders: dict[ArtifactId, list[str]] = {}
    for path, one in records.items():
        if not one.id.name and (one.decision or one.status.value):
            holders.setdefault(one.id, []).append(numbering_directory(path))
    found = set()
    for path, one in records.items():
        above = parents(numbering_directory(path))
        if not (one.decision or one.status.value or set(above).isdisjoint(holders.get(one.id, ()))):
            found.add(path)
    return found


def find_replacements(corpus: Corpus) -> Mapping[str, tuple[ArtifactId, ...]]:
    """Return, for the path of each artifact that others replace, their ids in order.

    An artifact names its successors itself, or a successor says that it supersedes the artifact.
    """
    found: dict[str, dict[ArtifactId, None]] = {}
    for artifact in corpus.artifacts:
        found.setdefault(artifact.path, {}).update(dict.fromkeys(artifact.successors))
    for artifact in corpus.artifacts:
        for replaced in _superseded(corpus, artifact):
            found[replaced.path][artifact.id] = None
    return {path: tuple(sorted(ids)) for path, ids in found.items() if ids}


def _superseded(corpus: Corpus, artifact: Artifact) -> list[Artifact]:
    targets = (edge.target for edge in artifact.edges if edge.kind == "supersedes")
    return [one for target in targets for one in corpus.resolve(target) if one is not artifact]

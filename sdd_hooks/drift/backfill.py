"""Write edges that prose states into frontmatter, and remember which of them were rejected."""

# Governing: SPEC-0021 REQ "Backfill", ADR-0012 (no path leaves the repository)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.frontmatter_edit import NotEditable, add_list_items
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.code.paths import is_markdown
from sdd_hooks.drift.stated_edges import StatedEdge, find_stated_edges
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.system.files import (
    FileTooLarge,
    PathRefused,
    read_inside,
    read_or_leave_out,
    write_atomically,
)
from sdd_hooks.text.decoding import split_mark
from sdd_hooks.text.documents import document_text

REJECTIONS_FILE = ".sdd-graph-backfill-skip"
"""At the root of the repository: a line `ADR-0009|governs|SPEC-0007` for each rejected edge. Other
tools for spec-driven repositories read and write the same file, so that it can be committed."""

MAX_REJECTIONS_BYTES = 4 << 20


class Proposal(NamedTuple):
    """The edges that the prose of one artifact states, and the edit that writes them.

    `problem` says why the file cannot be edited, else "".
    """

    artifact: Artifact
    edges: tuple[StatedEdge, ...]
    edit: FileEdit
    problem: str = ""


def find_proposals(
    root: Path, corpus: Corpus, rejected: Set[str]
) -> tuple[tuple[Proposal, ...], tuple[str, ...]]:
    """The proposals in the order of the artifacts, without the `rejected` edges.

    The second value notes each file that could not be read.
    """
    left_out: list[str] = []
    contents = dict(_read(root, corpus, left_out))
    texts = {path: document_text(path, data) for path, data in contents.items()}
    by_artifact: dict[str, list[StatedEdge]] = {}
    for edge in find_stated_edges(corpus, texts):
        if rejection(edge) not in rejected:
            by_artifact.setdefault(edge.source.path, []).append(edge)
    proposals = (
        propose(edges[0].source, edges, contents[path]) for path, edges in by_artifact.items()
    )
    return tuple(proposals), tuple(left_out)


def propose(artifact: Artifact, edges: Sequence[StatedEdge], before: bytes) -> Proposal:
    """The proposal to write these edges into the file with the content `before`."""
    after, problem = before, ""
    try:
        after = _edited(artifact, edges, before)
    except UnicodeDecodeError:
        problem = f"{artifact.path} is not UTF-8: add the edges by hand"
    except NotEditable as error:
        problem = f"{artifact.path}:{error}"
    return Proposal(artifact, tuple(edges), FileEdit(artifact.path, before, after), problem)


def _edited(artifact: Artifact, edges: Sequence[StatedEdge], before: bytes) -> bytes:
    if not is_markdown(artifact.path):
        raise NotEditable(1, "a record that is no Markdown")
    mark, data = split_mark(before)
    text = data.decode("utf-8")
    by_type: dict[str, list[str]] = {}
    for edge in edges:
        by_type.setdefault(edge.type, []).append(_spelled(artifact, edge.target))
    for type, names in by_type.items():
        text = add_list_items(text, type, names)
    return mark + text.encode("utf-8")


def _spelled(artifact: Artifact, target: Artifact) -> str:
    """The id of the target as the artifact writes it: without the module that both are in."""
    name = target.name
    prefix = f"[{target.module}]/"
    return name.removeprefix(prefix) if artifact.module == target.module else name


def _read(root: Path, corpus: Corpus, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    for artifact in corpus.artifacts:
        data = read_or_leave_out(root, artifact.path, MAX_ARTIFACT_BYTES, left_out)
        if data is not None:
            yield artifact.path, data


def write_proposals(root: Path, proposals: Iterable[Proposal]) -> None:
    """Write the proposals, all or none. Raises as `file_edits.apply_edits`."""
    apply_edits(root, [one.edit for one in proposals])


def rejection(edge: StatedEdge) -> str:
    """The line that remembers a rejected edge."""
    return f"{edge.source.name}|{edge.type}|{edge.target.name}"


def read_rejections(root: Path) -> frozenset[str]:
    """The rejected edges. Raises StorageError for a file that is a link or too large."""
    try:
        data = read_inside(root, REJECTIONS_FILE, MAX_REJECTIONS_BYTES)
    except FileNotFoundError:
        return frozenset()
    except (FileTooLarge, PathRefused) as error:
        raise StorageError(f"{error}: remove it") from None
    lines = data.decode("utf-8", "replace").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())


def add_rejections(root: Path, edges: Iterable[StatedEdge]) -> None:
    """Remember rejected edges. Raises StorageError."""
    lines = sorted({*read_rejections(root), *map(rejection, edges)})
    write_atomically(root / REJECTIONS_FILE, "".join(f"{line}\n" for line in lines).encode())


def forget_rejections(root: Path) -> int:
    """Forget all rejected edges. Returns how many there were. Raises StorageError."""
    count = len(read_rejections(root))
    try:
        (root / REJECTIONS_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"cannot remove {REJECTIONS_FILE}: {error.strerror}") from None
    return count

"""Read the artifacts of a project from the work tree, committed or not."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, ArtifactKind, Origins
from sdd_hooks.project.collections import Collection, all_pathspecs, select_paths
from sdd_hooks.project.record_contents import is_log
from sdd_hooks.project.record_names import (
    is_folder_page,
    is_page_name,
    is_template_name,
    looks_like_record,
)
from sdd_hooks.system.files import read_or_leave_out
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.display import format_count

MAX_ARTIFACT_BYTES = 8 << 20
"""A larger file is skipped, with a note."""

WOULD_BE_ONE = (
    "a decision is a document with a section `Decision` and a status, such as"
    " docs/adr/0001-use-queues.md; a specification is a folder with spec.md"
)
"""What to tell a repository without any."""

MAX_NAMED = 3
"""Files that a note names."""

# In a directory of this name, short numbers and dates are marks of records.
_MARKED = "adr"

ARTIFACT_KINDS: dict[str, ArtifactKind] = {"adrs": "ADR", "specs": "SPEC"}
"""The kind of artifact in each kind of collection. Other collections have no artifacts."""

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")


def read_work_tree(
    git: Git, collections: Iterable[Collection], origins: Origins = NO_ORIGINS
) -> tuple[Corpus, list[str]]:
    """Read the artifacts of the collections. The second value notes each file that is left out, and
    what looks like a decision and is none.

    `git` runs at the root of the repository. Files that git ignores do not count. `origins` are as
    in `identifiers.find_id_references`. Raises GitError.
    """
    sources, left_out = read_artifact_files(git, collections)
    corpus = load_corpus(sources, origins)
    return corpus, [*left_out, *_unread(sources, corpus)]


def read_artifact_files(
    git: Git, collections: Iterable[Collection]
) -> tuple[list[ArtifactFile], list[str]]:
    """Read the files of the artifacts, like `read_work_tree`."""
    by_repository: dict[str, list[Collection]] = {}
    for collection in collections:
        if collection.kind in ARTIFACT_KINDS:
            by_repository.setdefault(collection.repository, []).append(collection)
    left_out: list[str] = []
    sources = [
        source
        for repository, group in by_repository.items()
        for source in _sources(git, repository, group, left_out)
    ]
    return sources, left_out


def _unread(sources: Iterable[ArtifactFile], corpus: Corpus) -> Iterator[str]:
    """Name the files that are called like the decisions beside them, and cannot be read as one, and
    those that have several."""
    known: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    logs: list[str] = []
    for source in sources:
        directory, _, name = source.path.rpartition("/")
        if source.kind == "ADR" and source.path in corpus.by_path:
            known.setdefault(directory, []).append(name)
        elif source.kind == "ADR" and not is_page_name(name.rpartition(".")[0]):
            is_several = b"ADR" in source.data and is_log(source.data.decode("utf-8", "replace"))
            (logs if is_several else others.setdefault(directory, [])).append(name)
    if logs:
        yield (
            f"{format_count(len(logs), 'file')} with several decisions, each of which needs a file"
            f" of its own to be read: {_few(logs)}"
        )
    for directory, names in others.items():
        beside = known.get(directory, ())
        marked = sum(looks_like_record(_MARKED, name) for name in beside)
        alike = [one for one in names if _is_alike(one, is_marked=2 * marked > len(beside))]
        # What lies beside the page of a folder is attached to it.
        if alike and beside and not any(is_folder_page(f"{directory}/{one}") for one in beside):
            yield (
                f"{len(beside) + len(alike):,} files in {directory or '.'}/ look like decisions;"
                f" {len(alike):,} have neither a section nor a field of one: {_few(alike)}"
            )


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (", …" if len(names) > MAX_NAMED else "")


def _is_alike(name: str, *, is_marked: bool) -> bool:
    """Whether a file is called like records, which have numbers and dates, or have none."""
    stem = name.rpartition(".")[0]
    is_other = is_page_name(stem) or is_template_name(stem) or is_folder_page(f"x/{name}")
    return not is_other and looks_like_record(_MARKED, name) is is_marked


def read_paths(
    root: Path, collection: Collection, paths: Iterable[str]
) -> tuple[list[ArtifactFile], list[str]]:
    """Read these files of a collection below `root`, those that exist. The second value is as in
    `read_work_tree`."""
    left_out: list[str] = []
    return list(_read(root, collection, paths, left_out)), left_out


def _sources(
    git: Git, repository: str, collections: Sequence[Collection], left_out: list[str]
) -> Iterator[ArtifactFile]:
    paths = sorted(list_paths(git, repository, collections))
    for collection in collections:
        yield from _read(git.root, collection, select_paths(collection, paths), left_out)


def _read(
    root: Path, collection: Collection, paths: Iterable[str], left_out: list[str]
) -> Iterator[ArtifactFile]:
    for path in paths:
        data = read_or_leave_out(root, path, MAX_ARTIFACT_BYTES, left_out)
        if data is not None:
            yield ArtifactFile(path, data, ARTIFACT_KINDS[collection.kind], collection.module)


def list_paths(git: Git, repository: str, collections: Sequence[Collection]) -> list[str]:
    """Return the paths of the files in `repository` ("": the root) that may be in the collections.

    Reads no file. Raises GitError.
    """
    if repository:
        # A submodule lists its own files, relative to its root.
        names = nul_split(git.at(git.root / repository).output(*_LIST, "."))
        return [f"{repository}/{name}" for name in dict.fromkeys(names)]
    # git lists a file in a merge conflict once for each side.
    return list(dict.fromkeys(nul_split(git.output(*_LIST, *all_pathspecs(collections)))))

"""The files of a commit, or of the index, read from git's objects and never from the work tree."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0010 REQ "What is compared"

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from sys import getsizeof

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, Origins
from sdd_hooks.artifacts.parsed_adrs import ParsedAdrs
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES, read_work_tree
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap, all_pathspecs
from sdd_hooks.project.committed import Entry, list_commit
from sdd_hooks.system.files import MAX_PATH_LENGTH
from sdd_hooks.system.git import Git, GitError, first_error_line, nul_split
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode, is_text

REGULAR_MODES = ("100644", "100755")
MAX_CACHED = 64_000_000
"""Bytes of memory for the texts that a tree caches. Older texts are read again."""

_SUBMODULE_MODE = "160000"
_LINK_MODE = "120000"
# No pathspec is one of these.
_LINKS = ("\0links",)
_LITERAL = ":(literal)"
_MAX_BATCH = 500
# The empty blob, by each hash algorithm of git.
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)


class Blob(NamedTuple):
    """A regular file of a tree: its path, and the id of its content."""

    path: str
    id: str


class _TextCache:
    """The texts that were read last, by path."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._room = MAX_CACHED

    def get(self, path: str) -> str | None:
        return self._texts.get(path)

    def keep(self, path: str, text: str) -> None:
        before = self._texts.pop(path, None)
        self._room += (0 if before is None else getsizeof(before)) - getsizeof(text)
        self._texts[path] = text
        while self._room < 0:
            self._room += getsizeof(self._texts.pop(next(iter(self._texts))))


@dataclass(frozen=True)
class Tree:
    """The tree of `commit`, or of the index if `commit` is "".

    `index` is git's index file if it is not the repository's own: `git commit -a` uses another.
    """

    git: Git
    commit: str = ""
    index: str = ""
    _adrs: ParsedAdrs | None = field(default=None, repr=False, compare=False)
    _cache: _TextCache = field(default_factory=_TextCache, repr=False, compare=False)
    _expected: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    _listed: dict[tuple[str, ...], list[Blob]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _entries: dict[tuple[str, ...], list[Entry]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def root(self) -> Path:
        """The top of the work tree."""
        return self.git.root

    def blobs(self, pathspecs: Sequence[str] = ()) -> list[Blob]:
        """The regular files by path. Of a commit, they may be more than the pathspecs match."""
        key = tuple(pathspecs)
        if key not in self._listed:
            listed = [
                Blob(path, blob) for mode, blob, path in self.entries(key) if mode in REGULAR_MODES
            ]
            self._listed[key] = listed if self.commit else self._without_intended(listed)
        return self._listed[key]

    def entries(self, pathspecs: Sequence[str] = ()) -> list[Entry]:
        """All that the pathspecs match, which git lists once; everything without any."""
        key = tuple(pathspecs)
        if key not in self._entries:
            self._entries[key] = list(self._list_entries(key))
        return self._entries[key]

    def links(self) -> list[Blob]:
        """The symbolic links by path; their content is the path that they lead to."""
        if _LINKS not in self._listed:
            self._listed[_LINKS] = [
                Blob(path, blob) for mode, blob, path in self.entries() if mode == _LINK_MODE
            ]
        return self._listed[_LINKS]

    def expect(self, blob: Blob) -> None:
        """Announce that a file will be read, so that one process of git reads many of them.

        A blob without an id is a path that is not a file of this tree.
        """
        self._expected[blob.path] = blob.id

    def texts(self, blobs: Iterable[Blob]) -> Mapping[str, str]:
        """The text of each file by its path, without large and binary files."""
        requested = list(blobs)
        cached = {blob.path: self._cache.get(blob.path) for blob in requested}
        read = dict(self._read([blob for blob in requested if cached[blob.path] is None]))
        texts = ((path, text or read.get(path)) for path, text in cached.items())
        return {path: text for path, text in texts if text}

    def text(self, path: str) -> str:
        """The text of a file; "" if it does not exist, is too large, or is binary."""
        cached = self._cache.get(path)
        if cached is not None:
            return cached
        if path in self._expected:
            return self._read_together(path)
        mode, blob = self._entry(path)
        return dict(self._read([Blob(path, blob if mode in REGULAR_MODES else "")]))[path]

    def contents(self, ids: Sequence[str], limit: int) -> Iterator[bytes | None]:
        """The content of each blob, in order; None where there is none.

        A blob larger than `limit` bytes is cut after `limit` + 1 bytes.
        """
        return read_blobs(self.git, ids, limit=limit)

    def grep(
        self, texts: Sequence[str], pathspecs: Sequence[str] = (), *options: str
    ) -> list[Blob]:
        """The regular files that contain one of `texts`; `options` are those of `git grep`.

        Raises GitError if git fails.
        """
        # Configuration must not add colours or search submodules.
        flags = ("-l", "-z", "-F", "--no-color", "--no-recurse-submodules", *options)
        patterns = [argument for text in texts for argument in ("-e", text)]
        where = self.commit or "--cached"
        done = self.git.run("grep", *flags, *patterns, where, "--", *pathspecs, index=self.index)
        # git exits with 1 if no file matches.
        if done.returncode > 1:
            raise GitError(f"git grep: {first_error_line(done.stderr)}")
        # git puts the commit before each path.
        prefix = len(self.commit) + 1 if self.commit else 0
        paths = {name[prefix:] for name in nul_split(done.stdout)}
        return [blob for blob in self.blobs(pathspecs) if blob.path in paths] if paths else []

    def corpus(self, collections: Sequence[Collection], origins: Origins = NO_ORIGINS) -> Corpus:
        """The artifacts in the collections.

        Artifacts of a submodule are read from its commit in this tree, or from its work tree if its
        clone lacks that commit. `origins` are as in `identifiers.find_id_references`.
        """
        groups: dict[str, list[Collection]] = {}
        for one in collections:
            if one.kind in ARTIFACT_KINDS:
                groups.setdefault(one.repository, []).append(one)
        artifacts: list[Artifact] = []
        for repository, group in groups.items():
            artifacts += self._artifacts(repository, group, origins)
        return Corpus(tuple(sorted(artifacts, key=lambda one: (one.module, one.kind, one.path))))

    def _artifacts(
        self, repository: str, group: Sequence[Collection], origins: Origins
    ) -> Sequence[Artifact]:
        if repository:
            commit = self._submodule(repository)
            if not commit:
                return ()
            inner = Tree(self.git.at(self.root / repository), commit)
            if inner.git.try_output("cat-file", "-e", f"{commit}^{{commit}}") is None:
                return read_work_tree(self.git, group, origins)[0].artifacts
            sources = list(inner._sources(f"{repository}/", [], group))
        else:
            sources = list(self._sources("", all_pathspecs(group), group))
        for source in sources:
            if is_text(source.data):
                self._cache.keep(source.path, decode(source.data))
        if self._adrs is None:
            return load_corpus(sources, origins).artifacts
        found = load_corpus(sources, origins, self._adrs.read).artifacts
        self._adrs.save()
        return found

    def _sources(
        self, prefix: str, specs: Sequence[str], group: Sequence[Collection]
    ) -> Iterator[ArtifactFile]:
        """The files of the collections. `prefix` precedes the paths in a submodule."""
        artifacts = CollectionMap(group)
        chosen = [
            (one, prefix + path, blob)
            for mode, blob, path in self.entries(specs)
            if mode in REGULAR_MODES
            for one in artifacts.containing(prefix + path)
        ]
        contents = read_blobs(self.git, [blob for _, _, blob in chosen], limit=MAX_ARTIFACT_BYTES)
        for (one, path, blob), data in zip(chosen, contents, strict=True):
            # `git add --intent-to-add` puts an empty file into the index.
            if data and len(data) <= MAX_ARTIFACT_BYTES:
                yield ArtifactFile(path, data, ARTIFACT_KINDS[one.kind], one.module, blob)

    def _submodule(self, path: str) -> str:
        """The commit of the submodule at `path`; "" for none."""
        mode, commit = self._entry(path)
        return commit if mode == _SUBMODULE_MODE else ""

    def _entry(self, path: str) -> tuple[str, str]:
        """Mode and object at `path`, "" for none. The path is untrusted."""
        parts = path.split("/")
        if len(path) <= MAX_PATH_LENGTH and "\0" not in path and not {"", ".", ".."} & {*parts}:
            # A directory matches all files in it.
            for mode, blob, name in self.entries([_LITERAL + path]):
                if name == path:
                    return mode, blob
        return "", ""

    def _list_entries(self, specs: Sequence[str]) -> Iterator[Entry]:
        if not self.commit:
            rows = self.git.output("ls-files", "-z", "--stage", "--", *specs, index=self.index)
            for row in nul_split(rows):
                fields, _, path = row.partition("\t")
                mode, blob, stage = fields.split(" ")
                # Other stages are the sides of a merge conflict.
                if stage == "0":
                    yield mode, blob, path
            return
        # ls-tree supports only literal pathspecs, and is fast enough to list everything.
        literal = specs if all(spec.startswith(_LITERAL) for spec in specs) else ()
        yield from list_commit(self.git, self.commit, literal)

    def _without_intended(self, blobs: list[Blob]) -> list[Blob]:
        """The files without those that `git add --intent-to-add` put into the index."""
        empty = [blob.path for blob in blobs if blob.id in _EMPTY]
        if not empty:
            return blobs
        specs = [_LITERAL + path for path in empty] if len(empty) <= _MAX_BATCH else []
        command = ("diff-files", "-z", "--name-only", "--diff-filter=A", "--ita-invisible-in-index")
        intended = set(nul_split(self.git.output(*command, "--", *specs, index=self.index)))
        return [blob for blob in blobs if blob.path not in intended]

    def _read_together(self, path: str) -> str:
        """The text of an expected file. Also reads the expected files after it."""
        names = iter(self._expected)
        for name in names:
            if name == path:
                break
        following = islice((name for name in names if self._cache.get(name) is None), _MAX_BATCH)
        blobs = [Blob(name, self._expected[name]) for name in (path, *following)]
        room = MAX_CACHED // 2
        text = ""
        with closing(self._read(blobs)) as read:
            for name, content in read:
                text = content if name == path else text
                room -= getsizeof(content)
                if room < 0:
                    break
        return text

    def _read(self, blobs: Sequence[Blob]) -> Generator[tuple[str, str], None, None]:
        """Path and text of each blob; "" for a missing, large or binary one."""
        contents = self.contents([blob.id for blob in blobs if blob.id], MAX_ARTIFACT_BYTES)
        for path, blob in blobs:
            data = next(contents) if blob else None
            usable = data is not None and len(data) <= MAX_ARTIFACT_BYTES and is_text(data)
            text = decode(data) if data is not None and usable else ""
            self._cache.keep(path, text)
            yield path, text

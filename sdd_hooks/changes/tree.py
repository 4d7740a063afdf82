"""The files of a commit, or of the index, read from git's objects and never from the work tree."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0010 REQ "What is compared"

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES, read_work_tree
from sdd_hooks.project.collections import Collection, all_pathspecs
from sdd_hooks.system.files import LONGEST, is_binary
from sdd_hooks.system.git import Git, GitError, complaint, nul_split
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode

REGULAR = ("100644", "100755")
KEPT = 64_000_000
"""Characters of texts that a tree keeps; who asks for more has them read again."""

_LINK = "160000"
_LITERAL = ":(literal)"
_TOGETHER = 500
# The empty blob, by either hash that git knows.
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)


class Blob(NamedTuple):
    """A regular file of a tree: its path, and the object that is its content."""

    path: str
    id: str


class _Texts:
    """The texts that were read last, by path."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._room = KEPT

    def get(self, path: str) -> str | None:
        return self._kept.get(path)

    def keep(self, path: str, text: str) -> None:
        self._room += len(self._kept.pop(path, "")) - len(text)
        self._kept[path] = text
        while self._room < 0:
            self._room += len(self._kept.pop(next(iter(self._kept))))


@dataclass(frozen=True)
class Tree:
    """The tree of `commit`, or of the index where that is "". `index` is git's index file when it
    is not the repository's own (`git commit -a` has one)."""

    git: Git
    commit: str = ""
    index: str = ""
    _texts: _Texts = field(default_factory=_Texts, repr=False, compare=False)
    _expected: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    _listed: dict[tuple[str, ...], list[Blob]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def root(self) -> Path:
        """The top of the work tree."""
        return self.git.root

    def blobs(self, pathspecs: Sequence[str] = ()) -> list[Blob]:
        """The regular files, by path; of a commit, at least those that the pathspecs match."""
        key = tuple(pathspecs)
        if key not in self._listed:
            listed = [
                Blob(path, blob) for mode, blob, path in self._entries(key) if mode in REGULAR
            ]
            self._listed[key] = listed if self.commit else self._without_intended(listed)
        return self._listed[key]

    def expect(self, blob: Blob) -> None:
        """Say that a file will be asked for: one process of git then reads many of them.

        A blob without an id is no file of this tree.
        """
        self._expected[blob.path] = blob.id

    def texts(self, blobs: Iterable[Blob]) -> Mapping[str, str]:
        """The text of each file by its path; those that are too large or binary have none."""
        wanted = list(blobs)
        known = {blob.path: self._texts.get(blob.path) for blob in wanted}
        read = dict(self._read([blob for blob in wanted if known[blob.path] is None]))
        texts = ((path, text or read.get(path)) for path, text in known.items())
        return {path: text for path, text in texts if text}

    def text(self, path: str) -> str:
        """The text of a file; "" when there is none, or it is too large or binary."""
        known = self._texts.get(path)
        if known is not None:
            return known
        if path in self._expected:
            return self._read_together(path)
        mode, blob = self._entry(path)
        return dict(self._read([Blob(path, blob if mode in REGULAR else "")]))[path]

    def having(
        self, texts: Sequence[str], pathspecs: Sequence[str] = (), *options: str
    ) -> list[Blob]:
        """The regular files in which one of `texts` stands; `options` are those of `git grep`.

        Raises GitError when git cannot tell.
        """
        # Whatever settings say, without a colour, and in this repository.
        asked = ("-l", "-z", "-F", "--no-color", "--no-recurse-submodules", *options)
        wanted = [argument for text in texts for argument in ("-e", text)]
        where = self.commit or "--cached"
        done = self.git.run("grep", *asked, *wanted, where, "--", *pathspecs, index=self.index)
        if done.returncode > 1:
            # 1 is that there is none.
            raise GitError(f"git grep: {complaint(done.stderr)}")
        skipped = len(self.commit) + 1 if self.commit else 0
        found = {name[skipped:] for name in nul_split(done.stdout)}
        return [blob for blob in self.blobs(pathspecs) if blob.path in found] if found else []

    def corpus(self, collections: Sequence[Collection]) -> Corpus:
        """The artifacts in those collections.

        A submodule's are those of the commit that this tree has of it, or, where its clone lacks
        that, those of its work tree.
        """
        kept = [one for one in collections if one.kind in ARTIFACT_KINDS]
        repositories = dict.fromkeys(one.repository for one in kept)
        artifacts: list[Artifact] = []
        for repository in repositories:
            group = [one for one in kept if one.repository == repository]
            artifacts += self._artifacts(repository, group)
        return Corpus(tuple(sorted(artifacts, key=lambda one: (one.module, one.kind, one.path))))

    def _artifacts(self, repository: str, group: Sequence[Collection]) -> Sequence[Artifact]:
        if repository:
            commit = self._submodule(repository)
            if not commit:
                return ()
            inner = Tree(self.git.at(self.root / repository), commit)
            if inner.git.try_output("cat-file", "-e", f"{commit}^{{commit}}") is None:
                return read_work_tree(self.git, group)[0].artifacts
            sources = list(inner._sources(f"{repository}/", [], group))
        else:
            sources = list(self._sources("", all_pathspecs(group), group))
        for source in sources:
            if not is_binary(source.data):
                self._texts.keep(source.path, decode(source.data))
        return load_corpus(sources).artifacts

    def _sources(
        self, above: str, specs: Sequence[str], group: Sequence[Collection]
    ) -> Iterator[ArtifactFile]:
        """The files that belong to the collections, whose paths begin with `above`."""
        chosen = [
            (one, above + path, blob)
            for mode, blob, path in self._entries(specs)
            if mode in REGULAR
            for one in group
            if one.contains(above + path)
        ]
        contents = read_blobs(self.git, [blob for _, _, blob in chosen], limit=MAX_ARTIFACT_BYTES)
        for (one, path, _), data in zip(chosen, contents, strict=True):
            # A file that is only going to be added is in the index already, as an empty one.
            if data and len(data) <= MAX_ARTIFACT_BYTES:
                yield ArtifactFile(path, data, ARTIFACT_KINDS[one.kind], one.module)

    def _submodule(self, path: str) -> str:
        """The commit of the submodule at `path`, or ""."""
        mode, commit = self._entry(path)
        return commit if mode == _LINK else ""

    def _entry(self, path: str) -> tuple[str, str]:
        """Mode and object of what is at `path`, which any text may have named; "" for nothing."""
        parts = path.split("/")
        if len(path) <= LONGEST and "\0" not in path and not {"", ".", ".."} & {*parts}:
            # A directory stands for all that is in it.
            for mode, blob, found in self._entries([_LITERAL + path]):
                if found == path:
                    return mode, blob
        return "", ""

    def _entries(self, specs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Mode, object and path of what the pathspecs match, everything where there are none."""
        if not self.commit:
            rows = self.git.output("ls-files", "-z", "--stage", "--", *specs, index=self.index)
            for row in nul_split(rows):
                about, _, path = row.partition("\t")
                mode, blob, stage = about.split(" ")
                # Another stage is a side of a conflict.
                if stage == "0":
                    yield mode, blob, path
            return
        # ls-tree knows no other pathspecs, and is fast enough to list everything.
        literal = specs if all(spec.startswith(_LITERAL) for spec in specs) else ()
        for row in nul_split(self.git.output("ls-tree", "-r", "-z", self.commit, "--", *literal)):
            about, _, path = row.partition("\t")
            mode, _, blob = about.split(" ")
            yield mode, blob, path

    def _without_intended(self, blobs: list[Blob]) -> list[Blob]:
        """Without the files that `git add --intent-to-add` has put into the index."""
        empty = [blob.path for blob in blobs if blob.id in _EMPTY]
        if not empty:
            return blobs
        specs = [_LITERAL + path for path in empty] if len(empty) <= _TOGETHER else []
        command = ("diff-files", "-z", "--name-only", "--diff-filter=A", "--ita-invisible-in-index")
        intended = set(nul_split(self.git.output(*command, "--", *specs, index=self.index)))
        return [blob for blob in blobs if blob.path not in intended]

    def _read_together(self, path: str) -> str:
        """The text of an expected file, with those after it read as well."""
        names = iter(self._expected)
        for name in names:
            if name == path:
                break
        following = islice((name for name in names if self._texts.get(name) is None), _TOGETHER)
        blobs = [Blob(name, self._expected[name]) for name in (path, *following)]
        room = KEPT // 2
        text = ""
        with closing(self._read(blobs)) as read:
            for name, found in read:
                text = found if name == path else text
                room -= len(found)
                if room < 0:
                    break
        return text

    def _read(self, blobs: Sequence[Blob]) -> Generator[tuple[str, str], None, None]:
        """Path and text of each, "" for what has none."""
        contents = read_blobs(
            self.git, [blob.id for blob in blobs if blob.id], limit=MAX_ARTIFACT_BYTES
        )
        for path, blob in blobs:
            data = next(contents) if blob else None
            usable = data is not None and len(data) <= MAX_ARTIFACT_BYTES and not is_binary(data)
            text = decode(data) if data is not None and usable else ""
            self._texts.keep(path, text)
            yield path, text

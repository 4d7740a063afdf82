"""Read which numbers of records other commits take: heads of branches and of pull requests.

The commits are untrusted. Only the folders of records are listed, within bounds, and only files
that differ from the common commit are read, as git objects.
"""

# Governing: ADR-0034 (numbers that are not merged yet), ADR-0012 (untrusted input never leaves the
# repository), ADR-0032 (a review ends in time), SPEC-0010 REQ "Numbers"

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES
from sdd_hooks.changes.tree import REGULAR_MODES
from sdd_hooks.errors import RepositoryError
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap
from sdd_hooks.review.claims import Claim, Claims
from sdd_hooks.review.numbers import newly_numbered
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.system.time_limit import TimeLimitExceeded, time_limit
from sdd_hooks.text.display import one_line

MAX_SECONDS = 30.0
"""The time for all commits. One takes some milliseconds."""
MAX_RECORDS = 200
"""Records that one commit may add or change. One with more is not compared."""
MAX_LISTING_BYTES = 16 << 20
"""Bytes of the listing of a commit: 100,000 paths."""

ClaimReader = Callable[[Subject], Claims]
"""Finds the claims that compete with the records of a change."""


class OtherHead(NamedTuple):
    """A commit that may be merged like the reviewed one.

    `name` is what a note calls it, `where` and `severity` are those of its claims. `is_first` says
    whether its claims precede those of the change, None to compare the dates of the commits.
    """

    commit: str
    name: str
    where: str
    is_first: bool | None
    severity: Severity = "critical"


def add_claims(subject: Subject, read: ClaimReader | None) -> Subject:
    """The subject with its claims; nothing is read for a change that numbers no record."""
    return subject.with_claims(read(subject)) if read and newly_numbered(subject) else subject


def read_claims(
    subject: Subject, heads: Sequence[OtherHead], *, objects: Path | None = None
) -> Claims:
    """The numbers that are new in these commits, and not on the base branch.

    A record with the path or the title of another one is the same record. `objects` is a directory
    with the objects of the commits, as in `Git.output`. A commit that does not exist, or has no
    commit in common with the change, has no claims.
    """
    found: list[Claim] = []
    notes: list[str] = []
    try:
        with time_limit(MAX_SECONDS):
            comparison = _Comparison(subject, objects)
            for head in comparison.differing(heads):
                claims = comparison.read(head)
                found += claims or ()
                if claims is None:
                    notes.append(
                        f"numbers of {one_line(head.name)} were not compared: its records cannot be"
                        f" read, or it changes over {MAX_RECORDS}"
                    )
    except TimeLimitExceeded:
        notes.append(f"some numbers were not compared: it took over {MAX_SECONDS:g} seconds")
    except RepositoryError as error:
        notes.append(f"some numbers were not compared: {error}")
    return Claims(tuple(found), tuple(notes))


@dataclass(frozen=True)
class _Comparison:
    """The comparison of the records of a change with those of other commits."""

    subject: Subject
    objects: Path | None
    _listed: dict[str, Mapping[str, str] | None] = field(default_factory=dict)

    @property
    def git(self) -> Git:
        return self.subject.after.git

    @property
    def own(self) -> str:
        """The reviewed commit. What is staged will follow HEAD."""
        return self.subject.change.head or "HEAD"

    @property
    def collections(self) -> list[Collection]:
        """The collections of the repository itself; submodules have branches of their own."""
        both = (*self.subject.collections, *self.subject.base_collections)
        return [one for one in dict.fromkeys(both) if not one.repository]

    def differing(self, heads: Sequence[OtherHead]) -> Iterator[OtherHead]:
        """The commits whose folders of records are not those of the base branch."""
        tip = self.subject.change.base_tip or self.own
        folders = self._folders()
        commits = [tip, *(head.commit for head in heads)]
        specs = [f"{commit}:{folder}" for commit in commits for folder in folders]
        rows = self._output("cat-file", "--batch-check=%(objectname)", stdin=_lines(specs))
        ids = [row if b" " not in row else b"" for row in rows.split(b"\n")]
        width = len(folders)
        groups = [ids[at : at + width] for at in range(0, len(specs), width or 1)]
        for head, group in zip(heads, groups[1:], strict=False):
            if group != groups[0] and any(group):
                yield head

    def read(self, head: OtherHead) -> list[Claim] | None:
        """The claims of one commit; None for one with too many records."""
        common = (self._try("merge-base", self.own, head.commit) or b"").decode().strip()
        if not common or common == head.commit:
            return []
        after, before = self._list(head.commit), self._list(common)
        if after is None or before is None:
            return None
        artifacts = CollectionMap(self.collections)
        changed = [
            path
            for path in {**before, **after}
            if before.get(path) != after.get(path) and artifacts.containing(path)
        ]
        if len(changed) > MAX_RECORDS:
            return None
        taken = self._read(changed, before).by_id
        claimed = [one for one in self._read(changed, after).artifacts if one.id not in taken]
        return [self._claim(head, one, one.id) for one in claimed if one.id and self._is_new(one)]

    def _is_new(self, artifact: Artifact) -> bool:
        """Whether the base branch has neither the number nor the record."""
        tip = self.subject.corpus_tip
        is_known = artifact.id in tip.by_id or artifact.path in tip.by_path
        return not is_known and not _has_title(artifact, tip.artifacts)

    def _claim(self, head: OtherHead, artifact: Artifact, id: ArtifactId) -> Claim:
        rivals = [one for one in newly_numbered(self.subject) if one.id == id]
        is_same = any(
            artifact.path in one.artifact.paths or _has_title(artifact, (one.artifact,))
            for one in rivals
        )
        is_first = bool(rivals) and not is_same and head.is_first
        if rivals and not is_same and head.is_first is None:
            is_first = self._precedes(head.commit, artifact.path, rivals[0].artifact.path)
        return Claim(id, artifact.path, head.where, bool(is_first), head.severity)

    def _precedes(self, commit: str, path: str, own_path: str) -> bool:
        """Whether the other commit has its record for longer, by the dates of the authors."""
        if not self.subject.change.head:
            return True
        other, own = self._date(self.own, commit, path), self._date(commit, self.own, own_path)
        # Of two of the same second each side has to come to the same result.
        return other is not None and (own is None or (other, path) < (own, own_path))

    def _date(self, without: str, commit: str, path: str) -> int | None:
        """The date (epoch seconds) of the first commit that `without` lacks and that has a file."""
        span = f"{without}..{commit}"
        listed = self._try("log", "--format=%at", span, "--", f":(literal){path}")
        dates = [int(row) for row in (listed or b"").split() if row.isdigit()]
        return min(dates, default=None)

    def _read(self, paths: Sequence[str], blobs: Mapping[str, str]) -> Corpus:
        """The records among the files of a commit."""
        artifacts = CollectionMap(self.collections)
        chosen = [
            (one, path) for path in paths if path in blobs for one in artifacts.containing(path)
        ]
        ids = [blobs[path] for _, path in chosen]
        contents = read_blobs(self.git, ids, limit=MAX_ARTIFACT_BYTES, objects=self.objects)
        return load_corpus(
            ArtifactFile(path, data, ARTIFACT_KINDS[one.kind], one.module)
            for (one, path), data in zip(chosen, contents, strict=True)
            if data and len(data) <= MAX_ARTIFACT_BYTES
        )

    def _list(self, commit: str) -> Mapping[str, str] | None:
        """The blob of each file in the folders of records; None if they cannot be listed."""
        if commit not in self._listed:
            self._listed[commit] = self._list_files(commit)
        return self._listed[commit]

    def _list_files(self, commit: str) -> Mapping[str, str] | None:
        specs = [f":(literal){folder}" for folder in self._folders() if folder]
        command = ("ls-tree", "-r", "-z", commit, "--", *specs)
        # A few objects can describe more paths than fit into memory: the output has a limit.
        with self.git.start(*command, objects=self.objects) as process:
            assert process.stdout is not None
            data = process.stdout.read(MAX_LISTING_BYTES + 1)
            if len(data) > MAX_LISTING_BYTES:
                process.kill()
        if process.returncode:
            return None
        rows = (row.partition("\t") for row in nul_split(data))
        entries = ((fields.split(" "), path) for fields, _, path in rows)
        return {path: entry[-1] for entry, path in entries if entry[0] in REGULAR_MODES}

    def _folders(self) -> list[str]:
        """The folders of records; "" alone if the top is one. git reads a name on one line."""
        folders = {name for one in self.collections for name in one.directories}
        return [""] if "" in folders else sorted(name for name in folders if "\n" not in name)

    def _output(self, *args: str, stdin: bytes) -> bytes:
        return self.git.output(*args, stdin=stdin, objects=self.objects)

    def _try(self, *args: str) -> bytes | None:
        return self.git.try_output(*args, objects=self.objects)


def _has_title(artifact: Artifact, others: Sequence[Artifact]) -> bool:
    """Whether one of the others is of the same kind and has the same title."""
    wanted = (artifact.kind, artifact.title.casefold())
    return any((one.kind, one.title.casefold()) == wanted for one in others)


def _lines(specs: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(spec) + b"\n" for spec in specs)

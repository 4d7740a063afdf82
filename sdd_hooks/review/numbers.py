"""The numbers of records: those that a change takes, and those that other work takes.

Other work is in the heads of branches and of pull requests. Nothing is fetched, and the commits are
untrusted: only the folders of records are listed, within bounds, and only files that differ from
the common commit are read, as git objects. A branch is left out if it is merged, if it is stale, if
it is the reviewed branch itself, and if its name says that it belongs to the host.
"""

# Governing: ADR-0034 (numbers that are not merged yet), ADR-0012 (untrusted input never leaves the
# repository), ADR-0032 (a review ends in time), SPEC-0010 REQ "Numbers", SPEC-0002 REQ "Collisions
# are reported"

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import ArtifactId, id_from_name, parse_id, split_heading
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES
from sdd_hooks.changes.base import default_base
from sdd_hooks.changes.tree import REGULAR_MODES
from sdd_hooks.errors import RepositoryError
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.subject import Claim, Claims, Subject
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.system.time_limit import TimeLimitExceeded, time_limit
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SECONDS = 30.0
"""The time for all commits. One takes some milliseconds."""
MAX_BRANCHES = 100
"""Branches that are compared, those with the newest commits."""
STALE_SECONDS = 90 * 86_400
"""A branch whose last commit is so much older than the reviewed one is stale."""
MAX_RECORDS = 200
"""Records that one commit may add or change. One with more is not compared."""
MAX_LISTING_BYTES = 16 << 20
"""Bytes of the listing of a commit: 100,000 paths."""

_FOLDER_PAGES = frozenset({"spec", "design", "index", "readme"})

ClaimReader = Callable[[Subject], Claims]
"""Finds the claims that compete with the records of a change."""

_PREFIX = "refs/remotes/"
_FORMAT = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(symref)"
# Users fetch the refs of pull requests under such names, closed ones too, and git never removes
# them. The last one is GitHub's, for its merge queue.
_OF_HOST = lazy_regex(
    r"(?:.*/)?(?:pr|pull|pulls|pull-requests?|mr|merge-requests?)/[0-9]+(?:/.*)?"
    r"|gh-readonly-queue/.*"
)


class NumberedRecord(NamedTuple):
    """A record that gets the number `id` in a change."""

    artifact: Artifact
    id: ArtifactId


def newly_numbered(subject: Subject) -> tuple[NumberedRecord, ...]:
    """The records whose number differs from the one at the base, ordered by path."""
    former = {file.path: file.before for file in subject.change.files}
    touched = (path for path in former if subject.is_artifact(path))
    found = {one.path: one for path in touched if (one := subject.corpus.by_path.get(path))}
    numbered = []
    for _, artifact in sorted(found.items()):
        before = former.get(artifact.path, artifact.path)
        known = subject.corpus_before.by_path.get(before)
        if not artifact.id.name and (known is None or known.id != artifact.id):
            numbered.append(NumberedRecord(artifact, artifact.id))
    return tuple(numbered)


def places_of(record: NumberedRecord) -> str:
    """Where the number of a record stands: "the file name and the title"."""
    artifact, number = record.artifact, record.id._replace(module="")
    path = PurePosixPath(artifact.path)
    is_page = path.stem.lower() in _FOLDER_PAGES
    name = path.parent.name if is_page else path.stem
    headings = [section.title for section in artifact.sections if section.level == 1]
    fields = artifact.frontmatter.get("id")
    written = {
        f"the {'folder' if is_page else 'file'} name": id_from_name(name, number.kind),
        "the title": split_heading(headings[0], number.kind)[0] if headings else None,
        "the frontmatter": parse_id(str(fields), number.kind) if fields else None,
    }
    places = [place for place, id in written.items() if id and id._replace(module="") == number]
    *rest, last = places or ["the record"]
    return f"{', '.join(rest)} and {last}" if rest else last


def free_numbers(subject: Subject, record: NumberedRecord) -> Iterator[ArtifactId]:
    """The numbers after the highest in use that no claim has, for records like this one."""
    series = (record.id.kind, record.id.module)
    corpora = (subject.corpus, subject.corpus_tip)
    used = [id.number for one in corpora for id in one.by_id if (id.kind, id.module) == series]
    claims = subject.claims.claims
    claimed = {one.id.number for one in claims if (one.id.kind, one.id.module) == series}
    number = max(used, default=0)
    while True:
        number += 1
        if number not in claimed:
            yield ArtifactId(record.id.kind, number, "", record.id.module)


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
        found = self._read(changed, after).artifacts
        claimed = [one for one in found if not one.id.name and one.id not in taken]
        return [self._claim(head, one, one.id) for one in claimed if self._is_new(one)]

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


def claims_of_branches(
    repository: Repository, *, head: str = "HEAD", branch: str = "", remote: str = ""
) -> ClaimReader:
    """A reader of the claims of the branches of a remote.

    `head` names the reviewed commit. `branch` is the name of the reviewed branch on the remote, ""
    for the one that `head` names. `remote` is "" for that of the main branch.
    """

    def read(subject: Subject) -> Claims:
        git = repository.git
        base = ""
        with suppress(RepositoryError):
            base = _full_name(git, default_base(repository))
        of_base = base.removeprefix(_PREFIX).partition("/")[0] if base.startswith(_PREFIX) else ""
        source = remote or of_base or "origin"
        own = _names_of(git, head, source) | {f"{_PREFIX}{source}/{branch}"}
        heads = list(_find_heads(subject, f"{_PREFIX}{source}/", base, own))
        return read_claims(subject, heads) if heads else Claims()

    return read


def _find_heads(subject: Subject, prefix: str, base: str, own: set[str]) -> Iterator[OtherHead]:
    """The branches below `prefix` that may take numbers. `base` is the ref of the main branch."""
    git = subject.after.git
    reviewed = subject.change.head or "HEAD"
    date = git.try_output("log", "-1", "--format=%ct", reviewed)
    oldest = int(date or 0) - STALE_SECONDS
    options = ("--sort=-committerdate", f"--count={MAX_BRANCHES}", f"--format={_FORMAT}")
    unmerged = f"--no-merged={subject.change.base_tip or reviewed}"
    listed = git.try_output("for-each-ref", *options, unmerged, prefix)
    for row in os.fsdecode(listed or b"").splitlines():
        ref, commit, seconds, target = row.split("\0")
        name = ref.removeprefix(prefix)
        is_base = ref == base
        if target or ref in own or _OF_HOST.fullmatch(name):
            continue
        if not is_base and int(seconds or 0) < oldest:
            continue
        short = one_line(ref.removeprefix(_PREFIX))
        if is_base:
            yield OtherHead(commit, short, f"on {short}", True)
        else:
            where = f"on the branch {short}, which took it first"
            yield OtherHead(commit, short, where, None, "warning")


def _names_of(git: Git, head: str, remote: str) -> set[str]:
    """The refs of the remote for the branch that `head` names: the same name, and its upstream."""
    full = _full_name(git, head)
    upstream = _full_name(git, f"{full.removeprefix('refs/heads/')}@{{upstream}}")
    same = f"{_PREFIX}{remote}/{full.removeprefix('refs/heads/')}"
    return {full, same, upstream}


def _full_name(git: Git, name: str) -> str:
    """The full name of the ref that `name` names; "" if it names none."""
    if not name or name.startswith("-") or "\0" in name:
        return ""
    output = git.try_output("rev-parse", "--verify", "--quiet", "--symbolic-full-name", name)
    full = os.fsdecode(output or b"").strip()
    return full if full.startswith("refs/") else ""

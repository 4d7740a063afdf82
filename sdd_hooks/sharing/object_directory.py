"""A directory of git objects beside those of the repository, for what is fetched and pushed.

No ref, no object and no setting of the repository changes: `git log --all` shows nothing new, and a
shallow or partial clone stays one. The directory may be deleted at any time.
"""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0003 (one module talks to git)

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import read_state, state_directory, write_atomically
from sdd_hooks.system.git import Git
from sdd_hooks.system.git_objects import read_blobs

_ALTERNATES = b"../../../objects\n"
_PARTS = ("info", "pack")


class ObjectDirectory(NamedTuple):
    """git in a repository, with new objects in the directory `path`.

    git reads the objects of both. Methods raise GitError where a command fails.
    """

    git: Git
    path: Path

    def create(self) -> None:
        """Create the directory, which is three levels below the repository's `objects`.

        Also removes what an interrupted fetch left. Raises OSError, and StorageError for a symlink.
        """
        info, packs = (state_directory(self.path.parent, self.path.name, name) for name in _PARTS)
        info.mkdir(parents=True, exist_ok=True)
        packs.mkdir(exist_ok=True)
        try:
            alternates = read_state(info / "alternates", len(_ALTERNATES))
        except (FileNotFoundError, StorageError):
            alternates = b""
        if alternates != _ALTERNATES:
            # git would read the objects of any repository that the file names.
            write_atomically(info / "alternates", _ALTERNATES)
        for file in self.path.glob("pack/tmp_*"):
            file.unlink(missing_ok=True)

    def delete(self) -> None:
        """Delete the directory as far as that is possible."""
        shutil.rmtree(self.path, ignore_errors=True)

    def size(self) -> int:
        """How many bytes the files of the directory have."""
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())

    def output(self, *args: str, stdin: bytes | None = None) -> bytes:
        """The output of a git command."""
        return self.git.output(*args, stdin=stdin, objects=self.path)

    def has_object(self, name: str) -> bool:
        """Whether an object is here with every object that it reaches.

        Were the object enough, a blob that was deleted here would count as missing on the remote.
        """
        return self._succeeds("rev-list", "--objects", "--quiet", "--max-count=1", name)

    def kind(self, name: str) -> str:
        """`commit`, `tag`, `tree` or `blob`; "" for an object that is missing here."""
        kind = self.git.try_output("cat-file", "-t", name, objects=self.path)
        return (kind or b"").decode("ascii", "replace").strip()

    def describe(self, *names: str) -> list[tuple[str, int]]:
        """Kind and size in bytes of each object; "" and 0 for one that is missing here."""
        names_in = "".join(f"{name}\n" for name in names)
        lines = self.output("cat-file", "--batch-check", stdin=names_in.encode()).splitlines()
        found = (os.fsdecode(line).rsplit(" ", 2) for line in lines)
        return [
            (fields[1], int(fields[2])) if fields[-1].isdigit() else ("", 0) for fields in found
        ]

    def has_parent(self, commit: str) -> bool:
        """Whether a commit has a parent."""
        return self._succeeds("rev-parse", "--verify", "--quiet", f"{commit}^1")

    def read_blobs(self, blobs: Sequence[str], limit: int | None = None) -> Iterator[bytes | None]:
        """The content of each blob, of which at most `limit` + 1 bytes; None for a missing one."""
        return read_blobs(self.git, blobs, limit=limit, objects=self.path)

    def write_blob(self, data: bytes) -> str:
        """Store a blob. Returns its id."""
        return self._write("hash-object", "-w", "--stdin", stdin=data)

    def write_tree(self, listing: str) -> str:
        """Store a tree with the entries that `git ls-tree` would list so. Returns its id."""
        return self._write("mktree", stdin=listing.encode())

    def write_commit(self, text: str) -> str:
        """Store a commit with this content. Returns its id."""
        return self._write("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())

    def _write(self, *args: str, stdin: bytes) -> str:
        return self.output(*args, stdin=stdin).decode().strip()

    def _succeeds(self, *args: str) -> bool:
        return self.git.try_output(*args, objects=self.path) is not None

"""Discover the repository of a directory: its work tree, its git directories, and its slug.

Linked worktrees share the git common directory and the slug. A submodule is a separate repository.
"""

# Governing: ADR-0003 (one module talks to git), ADR-0006 (where derived state lives), ADR-0012
# (untrusted input), SPEC-0004 REQ "Another repository's environment"

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.descriptors import IS_POSIX, NO_WAIT, open_unlinked
from sdd_hooks.system.files import MAX_PATH_LENGTH, is_directory, read_inside, state_directory
from sdd_hooks.system.git import Git, first_error_line
from sdd_hooks.text.names import slugify

SEARCH_DIR = ".sdd/search"
"""Relative to a work tree, the directory of the state of its index."""
REQUEST_FILE = "again"
"""Exists in that directory while a requested refresh has not begun."""
RUNNING_FILE = "refreshing"
"""Its name while the refresh runs, and for good if that is killed."""

_REV_PARSE = (
    "rev-parse",
    "--path-format=absolute",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--show-toplevel",
    "--absolute-git-dir",
    "--git-common-dir",
)


_DERIVED = (
    "# sdd derives these and never commits them.\n/.gitignore\n/issues/\n/review/\n/search/\n"
)

_MAX_BYTES = 65_536
_HEX_DIGITS = frozenset(b"0123456789abcdef")
_USUAL = {"bare": "false", "repositoryformatversion": "0"}
"""Settings that say how git reads a repository, with the values of the usual form."""

# A setting of another place, or one that only a newer format has.
_UNUSUAL = ("worktree", "include", "[extensions")


class Repository(NamedTuple):
    """A work tree of a git repository. All paths are absolute and resolved.

    `root` is the top of this work tree, `git_dir` its git directory (of a linked worktree:
    `….git/worktrees/x`), `common_dir` the git directory that all worktrees share. `environ` is the
    environment of the command. It may contain tokens, so `repr` leaves it out.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    environ: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Repository(root={self.root!r}, git_dir={self.git_dir!r})"

    @property
    def git(self) -> Git:
        """git in this work tree."""
        return Git(self.root, self.environ)

    @property
    def slug(self) -> str:
        """The name of the repository in collection names, the same in all its worktrees."""
        return slugify(_name(self.root, self.git_dir, self.common_dir)) or "repository"

    @property
    def state(self) -> Path:
        """The directory of derived state."""
        return self.root / ".sdd"

    @property
    def search_dir(self) -> Path:
        """The directory of the state of this work tree's index, and of an index on this machine.

        Raises StorageError if it is a symlink, or in one.
        """
        return state_directory(self.root, *SEARCH_DIR.split("/"))

    @property
    def shared_dir(self) -> Path:
        """The directory of the state that all worktrees share.

        Raises StorageError if it is a symlink.
        """
        return state_directory(self.common_dir, "sdd")

    @property
    def private_dir(self) -> Path:
        """The directory of the state of this work tree in its git directory.

        It needs no index and no `.sdd`. In the main work tree it is the one that all share. Raises
        StorageError if it is a symlink.
        """
        return state_directory(self.git_dir, "sdd")


def has_search_dir(repository: Repository) -> bool:
    """Whether the work tree has the directory for indexes, which the first refresh creates.

    It is there for every engine, also for one whose index is not on this machine. Raises
    StorageError like `search_dir`, and OSError if the system does not tell.
    """
    return is_directory(repository.search_dir)


def discover(start: Path, environ: Mapping[str, str]) -> Repository:
    """Find the repository around the directory `start`. Its git runs with `environ`.

    Raises RepositoryError outside a repository, in a bare repository or a git directory, and when
    git refuses.
    """
    if "\0" in str(start):
        raise RepositoryError("a path cannot hold a null character")
    top = Path(os.path.realpath(start))
    if git_dir := find_plain_git_directory(top):
        return Repository(top, git_dir, git_dir, environ)
    done = Git(start, environ).run(*_REV_PARSE)
    # git prints the values in order until one fails: a bare repository has no top level.
    values = os.fsdecode(done.stdout).splitlines()
    if done.returncode == 0 and len(values) == len(_REV_PARSE) - 2:
        root, git_dir, common_dir = (Path(os.path.realpath(value)) for value in values[2:])
        if not _is_own_work_tree(root, git_dir):
            raise RepositoryError(
                f"{git_dir} names the work tree {root}, which is not its own (core.worktree):"
                " run this in a repository that has its `.git`"
            )
        return Repository(root, git_dir, common_dir, environ)
    raise RepositoryError(_describe_failure(start, values, done.stderr))


def ignore_derived_state(root: Path) -> None:
    """Keep what sdd derives out of commits and stashes, in a work tree with any `.gitignore`.

    Writes `.sdd/.gitignore`, unless there is one or `.sdd` is no directory. Raises nothing.
    """
    state = root / ".sdd"
    rules = state / ".gitignore"
    if os.path.lexists(rules) or state.is_symlink():
        return
    with suppress(OSError):
        descriptor = open_unlinked(rules, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            os.write(descriptor, _DERIVED.encode())
        finally:
            os.close(descriptor)


def find_commit_index(repository: Repository, cwd: Path) -> str:
    """The index file that the current commit is made from, "" for the default one.

    `git commit -a` uses a temporary one, whose path may be relative to `cwd`. A file outside the
    git directory was inherited from a command in another repository, and is ignored.
    """
    path = os.path.join(cwd, repository.environ.get("GIT_INDEX_FILE", ""))  # noqa: PTH118
    path = os.path.realpath(path)
    return path if path.startswith(f"{repository.git_dir}/") else ""


def _is_own_work_tree(root: Path, git_dir: Path) -> bool:
    """Whether the work tree belongs to the git directory, by its `.git`: a directory, or a file
    with a path. A git directory can name any other one in its configuration."""
    dot_git = root / ".git"
    if os.path.realpath(dot_git) == str(git_dir):
        return True
    try:
        content = read_inside(root, ".git", MAX_PATH_LENGTH)
    except (OSError, SddError):
        return False
    target = os.fsdecode(content).removeprefix("gitdir:").strip()
    return os.path.realpath(root / target) == str(git_dir)


def _name(root: Path, git_dir: Path, common_dir: Path) -> str:
    if git_dir == common_dir:
        return root.name
    # A linked worktree has the name of the main one, or of its bare repository.
    if common_dir.name.startswith("."):
        return common_dir.parent.name
    return common_dir.name.removesuffix(".git")


def _describe_failure(start: Path, values: list[str], stderr: bytes) -> str:
    reason = first_error_line(stderr)
    # git refuses every repository that its configuration or its form makes bare.
    is_bare = "cannot use bare repository" in reason
    in_git_dir = ".git" in Path(os.path.realpath(start)).parts
    if values[:1] == ["true"] or (is_bare and not in_git_dir):
        return f"{start} is a bare repository: sdd needs a work tree"
    if values[1:2] == ["false"] or is_bare:
        return f"{start} is inside a git directory: run this in the work tree"
    if reason.startswith("not a git repository"):
        return f"{start} is not inside a git repository: run this inside one, or `git init`"
    if "dubious ownership" in reason:
        import shlex

        trust = shlex.join(["git", "config", "--global", "--add", "safe.directory", str(start)])
        return f"git refuses {start}: {reason}: if you trust its owner, run `{trust}`"
    if stderr:
        return f"git refuses {start}: {reason}"
    return f"{start}: sdd needs git 2.31 or newer, and no line breaks in the path"


# The usual form of a repository is recognised without git, whose start takes a tenth of a search.
# What git would refuse, or find elsewhere, is left to git.
def find_plain_git_directory(top: Path) -> Path | None:
    """Return `.git` of the resolved directory `top` if git, too, would find and accept it there.

    None for anything unusual: a linked worktree, a submodule, another owner, another format, a
    setting that git might read in another way. None on macOS, where git changes the spelling of
    paths, and on Windows. Reads two small files and writes nothing.
    """
    if not IS_POSIX or sys.platform == "darwin" or "\n" in str(top):
        return None
    git_dir = top / ".git"
    try:
        if not _is_own_directory(top) or not _is_own_directory(git_dir):
            return None
        has_parts = all(_is_directory(git_dir / name) for name in ("objects", "refs"))
        if not has_parts or os.path.lexists(git_dir / "commondir"):
            return None
        if _is_usual_head(_read_small(git_dir / "HEAD")) and _is_usual(
            _read_small(git_dir / "config")
        ):
            return git_dir
    except (OSError, ValueError):
        pass
    return None


def _is_own_directory(path: Path) -> bool:
    """Whether it is no link and belongs to the user: git refuses those of others."""
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _is_directory(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode) and os.access(path, os.X_OK)


def _read_small(path: Path) -> bytes:
    """Return the content of a small file, which is no link and no pipe. Raises OSError."""
    descriptor = open_unlinked(path, os.O_RDONLY | NO_WAIT)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError
        data = os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)
    if len(data) == _MAX_BYTES:
        raise OSError
    return data


def _is_usual_head(data: bytes) -> bool:
    """Whether HEAD names a branch or a commit."""
    value = data.rstrip(b"\n")
    is_branch = value.startswith(b"ref: refs/heads/") and len(value.split()) == 2
    return is_branch or (len(value) == 40 and _HEX_DIGITS.issuperset(value))


def _is_usual(data: bytes) -> bool:
    """Whether a configuration has plain lines only, and none that moves the repository."""
    text = data.decode("utf-8").lower()
    if any(word in text for word in _UNUSUAL):
        return False
    seen = set()
    for line in text.split("\n"):
        stripped = line.strip(" \t")
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[":
            if not stripped.endswith("]") or stripped.count("]") != 1 or "\\" in stripped:
                return False
            continue
        key, equals, value = (part.strip(" \t") for part in stripped.partition("="))
        is_plain = key.isascii() and key.replace("-", "").isalnum() and key[0].isalpha()
        if not equals or not is_plain or not value.isprintable() or {*value} & {*'"\\#;'}:
            return False
        if _USUAL.get(key, value) != value:
            return False
        seen.add(key)
    return "repositoryformatversion" in seen

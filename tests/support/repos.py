"""Real git repositories for tests, isolated from the configuration of the user."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from sdd_hooks.project.project import Project, load_project
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system.git import Git

ISOLATION = {
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00",
}


def git_at(root: Path) -> Git:
    """Return git in any directory, with the environment of this process."""
    return Git(root, os.environ)


def in_environment(project: Project, environ: Mapping[str, str]) -> Project:
    """Return the same project with another environment."""
    return project._replace(repository=project.repository._replace(environ=environ))


def only_git(folder: Path) -> str:
    """Create a folder for `PATH` with git and the shell only."""
    folder.mkdir()
    for name in ("git", "sh"):
        (folder / name).symlink_to(shutil.which(name) or "")
    return str(folder)


@cache
def _empty_git_directory() -> Path:
    """The git directory of a new repository, without git's examples of hooks."""
    folder = Path(tempfile.mkdtemp(prefix="sdd-empty-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Repo(folder).git("init", "--quiet", "--initial-branch=main")
    for example in (folder / ".git/hooks").glob("*.sample"):
        example.unlink()
    return folder / ".git"


class Repo:
    """A repository at `root`, and the actions of its user."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def init(cls, root: Path, *args: str) -> Repo:
        """Create an empty repository on branch `main`; `args` go to `git init`."""
        root.mkdir(parents=True, exist_ok=True)
        repo = cls(root)
        if args or (root / ".git").exists():
            repo.git("init", "--quiet", "--initial-branch=main", *args)
        else:
            # Takes half as long as git itself.
            shutil.copytree(_empty_git_directory(), root / ".git")
        return repo

    @property
    def handle(self) -> Git:
        """The handle through which sdd runs git here, with the environment of this process."""
        return git_at(self.root)

    @property
    def repository(self) -> Repository:
        """The repository as sdd discovers it, with the environment of this process."""
        return discover(self.root, os.environ)

    def project(self, environ: Mapping[str, str] | None = None) -> Project:
        """Load the project with the environment `environ` (None: of this process).

        Without a `PATH` in `environ`, git is found in that of this process.
        """
        path = {"PATH": os.environ["PATH"]}
        return load_project(self.root, os.environ if environ is None else {**path, **environ})

    def environment(self) -> dict[str, str]:
        """Return the environment of this process with only the `GIT_` variables of ISOLATION."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        return {**inherited, **ISOLATION, "HOME": str(self.root.parent)}

    def run(
        self, *args: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `git args` in the repository; the caller checks the exit status."""
        return subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={**self.environment(), **(env or {})},
            input=stdin,
            capture_output=True,
            check=False,
        )

    def git(self, *args: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> str:
        """Run `git args` and return its stripped output. Fails with the error of git."""
        done = self.run(*args, env=env, stdin=stdin)
        assert done.returncode == 0, f"git {' '.join(args)}: {os.fsdecode(done.stderr)}"
        return os.fsdecode(done.stdout).strip()

    def write(self, path: str, content: str | bytes = "") -> Path:
        """Write `content` to `path` byte for byte, and create the directories above it."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def remove(self, path: str) -> None:
        """Delete the file at `path` from the work tree."""
        (self.root / path).unlink()

    def link(self, path: str, target: str | Path) -> Path:
        """Create a symlink at `path` to `target`."""
        symlink = self.root / path
        symlink.parent.mkdir(parents=True, exist_ok=True)
        symlink.symlink_to(target)
        return symlink

    def commit(
        self, message: str = "Change", files: Mapping[str, str | bytes] | None = None
    ) -> str:
        """Write `files`, commit the whole work tree, and return the id of the commit."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        """Return the id of the commit that is checked out."""
        with suppress(OSError):
            head = (self.root / ".git/HEAD").read_text().strip()
            branch = head.removeprefix("ref: ")
            # A branch without a file of its own is among the packed ones.
            return (self.root / ".git" / branch).read_text().strip() if branch != head else head
        return self.git("rev-parse", "HEAD")

    def worktree(self, root: Path, branch: str) -> Repo:
        """Create a linked worktree at `root` on the new branch `branch`."""
        self.git("worktree", "add", "--quiet", "-b", branch, str(root))
        return Repo(root)

    def submodule(self, source: Repo, path: str, *args: str) -> Repo:
        """Add the repository `source` as a submodule at `path`, staged but not committed."""
        allow = ("-c", "protocol.file.allow=always")
        self.git(*allow, "submodule", "add", "--quiet", *args, str(source.root), path)
        return Repo(self.root / path)

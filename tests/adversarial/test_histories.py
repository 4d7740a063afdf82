"""After random git operations an index equals one that is built from scratch.

The hooks are the real ones. Where they would start `sdd`, they hand the event to this process, and
git waits for it: an event is handled in the middle of the command of git, as it is for users.
"""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.freshness.index_changes import start_scan
from sdd_hooks.freshness.refresh import RefreshOptions, refresh
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.githooks.shims import EVENTS, render_shim
from tests.adversarial.conftest import Rounds
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

STEPS = 20
NAMES = (
    "docs/adrs/ADR-0001-one.md",
    "docs/adrs/ADR-0002-two.md",
    "docs/adrs/ADR-0003-draft.md",
    "docs/adrs/ADR-0004-four.md",
    "docs/openspec/specs/login/spec.md",
    "docs/openspec/specs/login/design.md",
    "src/app.py",
    "src/util/more.py",
    os.fsdecode(b"docs/adrs/ADR-0005-caf\xe9.md"),
    "docs/adrs/ADR-0006-cafe\u0301.md",
    "docs/adrs/ADR-0006-caf\xe9.md",
    "notes/tea.md",
    "decisions/ADR-0007-seven.md",
)
IGNORES = ("", "*-draft.md\n", "docs/adrs/ADR-0002*\n", "src/\n", "docs/openspec/\n")
MODULES = "### Workspace Modules\n\n| Module | Root |\n|---|---|\n| util | src/util |\n"
DECLARATIONS = {
    ".gitignore": IGNORES,
    "docs/.gitignore": IGNORES,
    ".gitattributes": ("", "*.md text eol=crlf\n", "*.md text=auto\n", "*.md ident\n"),
    "semantic-search.yml": (
        "",
        "collections:\n  notes:\n    path: notes\n",
        "collections:\n  notes:\n    path: .\n    pattern: '*/*.md'\n",
    ),
    "CLAUDE.md": (
        "",
        MODULES,
        "## Architecture Context\n\n- Architecture Decision Records are in `decisions/`\n",
    ),
}
COMMANDS = (
    *("add --all; commit -q [|--amend] -m Change", "commit -q -a -m Change") * 2,
    "add -- NAME; commit -q -m Change",
    *("merge -q [|--no-ff|--squash|--autostash] -X ours -m Merge BRANCH",) * 2,
    *("rebase -q [|--autostash] -X theirs BRANCH",) * 2,
    "[cherry-pick|revert] BRANCH",
    "reset -q [--hard|--soft|--mixed] [HEAD|HEAD~1|BRANCH]",
    "checkout -q -- [.|NAME]",
    "mv -f NAME NAME",
    "rm -q --cached --ignore-unmatch -- NAME",
    "sparse-checkout [set docs|set src|disable|reapply]",
    "clean -fdq",
    "config core.hooksPath /nonexistent",
    *("config --unset core.hooksPath",) * 2,
)
DAY = 24 * 3600
LIBRARY = "lib"
WORDS = ("lakes", "rivers", "harbours", "bridges", "$Id$", "tea\r")
BRANCHES = ("main", "side", "other")


class History:
    """A repository and its random user."""

    def __init__(self, repo: Repo, rng: random.Random) -> None:
        self.repo = repo
        self.rng = rng
        self.log: list[str] = []

    def git(self, *args: str) -> bool:
        self.log.append(f"git {' '.join(args)}")
        done = self.repo.run(*args)
        return done.returncode == 0

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def text(self) -> str:
        words = " ".join(self.rng.choice(WORDS) for _ in range(3))
        return f"# Title {self.rng.randrange(5)}\n\n## Decision\n\n{words}\n"

    def write(self, path: str, text: str) -> None:
        self.log.append(f"write {path!a} {text!a}")
        with_parents = self.repo.root / path
        if any(above.is_symlink() or above.is_file() for above in with_parents.parents):
            return
        if not with_parents.is_dir():
            self.repo.write(path, text)

    def edit(self) -> None:
        self.write(self.name(), self.text())

    def delete(self) -> None:
        path = self.repo.root / self.name()
        self.log.append(f"delete {path.name!a}")
        if path.is_file():
            path.unlink()

    def switch(self) -> None:
        branch = self.rng.choice(BRANCHES)
        if not self.git("checkout", "-q", branch):
            self.git("checkout", "-q", "-f", branch)

    def prepare(self) -> None:
        """Give each branch commits of its own."""
        for branch in BRANCHES[1:]:
            self.git("checkout", "-q", "-b", branch, "main")
            for _ in range(2):
                self.edit()
                self.git("add", "--all")
                self.git("commit", "-q", "-m", "Change")
        self.git("checkout", "-q", "main")

    def stash(self) -> None:
        self.git("stash", "-q", *self.rng.choice(((), ("-u",))))
        if self.rng.random() < 0.5:
            self.switch()
        if self.rng.random() < 0.8 and not self.git("stash", "pop", "-q"):
            self.git("checkout", "-q", "-f", ".")

    def declare(self) -> None:
        """Change what is ignored, converted, a collection, a module or a folder of records."""
        path = self.rng.choice(sorted(DECLARATIONS))
        self.write(path, self.rng.choice(DECLARATIONS[path]))
        if path == ".gitattributes":
            self.delete()
            self.git("checkout", "-q", "--", ".")

    def command(self) -> None:
        """Run a command of git, with one of the choices at each place."""
        for line in self.rng.choice(COMMANDS).split("; "):
            chosen = re.sub(r"\[(.*?)\]", lambda found: self.rng.choice(found[1].split("|")), line)
            places = {"NAME": self.name, "BRANCH": lambda: self.rng.choice(BRANCHES)}
            self.git(*(places[word]() if word in places else word for word in chosen.split()))

    def link(self) -> None:
        adrs, moved = self.repo.root / "docs/adrs", self.repo.root / "docs/records"
        self.log.append("link or unlink docs/adrs")
        if adrs.is_symlink():
            adrs.unlink()
            if moved.is_dir() and self.rng.random() < 0.5:
                moved.rename(adrs)
        elif adrs.is_dir() and not moved.exists():
            adrs.rename(moved)
            adrs.symlink_to("records")

    def edit_during_refresh(self) -> None:
        name = self.name()
        self.edit()
        project = self.repo.project()
        scan = start_scan(project.repository.git, "", self.rng.choice(("all", "tracked")))
        before = self.repo.root / name
        data = before.read_bytes() if before.is_file() and not before.is_symlink() else None
        self.write(name, self.text())
        self.log.append(f"refresh {scan.scope}")
        try:
            refresh(project, options=RefreshOptions(scan=scan))
        finally:
            scan.close()
        if before.is_file():
            before.unlink() if data is None else before.write_bytes(data)

    def move(self) -> None:
        """Rename the directory of the repository."""
        name = self.rng.choice(("repo", "renamed", "third"))
        target = self.repo.root.with_name(name)
        if not target.exists():
            self.log.append(f"rename the repository to {name}")
            self.repo.root.rename(target)
            self.repo.root = target

    def submodule(self) -> None:
        """Add a submodule with records, or take it away."""
        library = Repo(self.repo.root.with_name("library"))
        if not library.root.exists():
            Repo.init(library.root).commit("Start", {"docs/adrs/ADR-0001-lib.md": self.text()})
        if (self.repo.root / LIBRARY / ".git").exists():
            self.git(*self.rng.choice((("rm", "-qf"), ("submodule", "deinit", "-qf"))), LIBRARY)
        else:
            local = ("-c", "protocol.file.allow=always", "submodule")
            self.git(*local, "add", "-qf", str(library.root), LIBRARY)
            self.git(*local, "update", "-q", "--init")

    def edit_submodule(self) -> None:
        if (self.repo.root / LIBRARY / ".git").exists():
            self.write(f"{LIBRARY}/docs/adrs/ADR-000{self.rng.randrange(1, 3)}-lib.md", self.text())
            if self.rng.random() < 0.5:
                self.git("-C", LIBRARY, "add", "--all")
                self.git("-C", LIBRARY, "commit", "-q", "-m", "Change")

    def clock(self) -> None:
        """Give files times as after a jump of the clock."""
        moment = time.time() + self.rng.choice((-DAY, DAY))
        for path in (self.repo.root / self.name(), self.repo.root / ".git/index"):
            if path.is_file():
                os.utime(path, (moment, moment))

    def worktree(self) -> None:
        """Index a linked worktree, and move it."""
        linked = Repo(self.repo.root.with_name("linked"))
        if not self.git("worktree", "add", "-qf", "--detach", str(linked.root)):
            return
        index(linked)
        moved = Repo(linked.root.with_name("moved"))
        if self.git("worktree", "move", str(linked.root), str(moved.root)):
            moved.write("docs/adrs/ADR-0001-one.md", self.text())
            refresh(moved.project())
            assert_index_matches_scratch(moved)
            self.git("worktree", "remove", "-f", str(moved.root))
        shutil.rmtree(linked.root, ignore_errors=True)
        self.git("worktree", "prune")

    def end_what_is_unfinished(self) -> None:
        for file, command in (
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
        ):
            if (self.repo.root / ".git" / file).exists() and not self.git(command, "--abort"):
                self.git("reset", "-q", "--hard")
                self.git(command, "--quit")

    def compare(self) -> None:
        self.log.append("update")
        refresh(self.repo.project())
        assert_index_matches_scratch(self.repo)


def index(repo: Repo) -> None:
    project = repo.project()
    refresh(project, collections=project.collections)


def become_partial(repo: Repo) -> None:
    """Replace a repository by a clone of it without blobs."""
    origin = Repo(repo.root.rename(repo.root.with_name("origin")))
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("clone", "-q", "--filter=blob:none", origin.root.as_uri(), str(repo.root))
    for branch in BRANCHES[1:]:
        repo.git("branch", "-q", branch, f"origin/{branch}")


OPERATIONS: tuple[tuple[Callable[[History], None], int], ...] = (
    (History.edit, 5),
    (History.delete, 1),
    (History.command, 16),
    (History.switch, 3),
    (History.stash, 2),
    (History.declare, 4),
    (History.link, 1),
    (History.edit_during_refresh, 1),
    (History.move, 1),
    (History.submodule, 1),
    (History.edit_submodule, 1),
    (History.clock, 1),
    (History.worktree, 1),
)


@contextmanager
def hooks_in_this_process(folder: Path) -> Iterator[Path]:
    """Yield a command for shims. It hands events to a thread here, and waits for it."""
    asked, answered, command = folder / "asked", folder / "answered", folder / "sdd"
    for pipe in (asked, answered):
        os.mkfifo(pipe)
    command.write_text(
        f"#!/bin/sh\n"
        f"printf '%s\\n' \"$PWD\" \"$*\" >'{asked}'\nread -r answer <'{answered}'\nexit 0\n"
    )
    command.chmod(0o755)
    said: list[str] = []

    def serve() -> None:
        while True:
            directory, arguments = asked.read_bytes().split(b"\n")[:2]
            if arguments == b"end":
                return
            event, *rest = os.fsdecode(arguments).split(" ")[1:]
            stderr = io.StringIO()
            run_hook(event, rest, HookContext(Path(os.fsdecode(directory)), os.environ, stderr))
            said.append(stderr.getvalue())
            answered.write_text("done\n")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield command
    finally:
        asked.write_bytes(b"\nend\n")
        thread.join()
    # A hook does not fetch what a partial clone lacks, and says what does.
    assert not [text for text in said if "failed" in text and "is partial" not in text], said


def run_history(repo: Repo, rng: random.Random, sdd: Path) -> None:
    history = History(repo, rng)
    files = {name: history.text() for name in NAMES if rng.random() < 0.7}
    if rng.random() < 0.7:
        files[".gitignore"] = ".sdd/\n"
    repo.commit("Start", files)
    history.prepare()
    if rng.random() < 0.2:
        become_partial(repo)
    for event in EVENTS:
        shim = repo.root / ".git/hooks" / event
        # A hook that is stopped, as on a busy machine, would leave the thread waiting.
        shim.write_bytes(re.sub(rb"sdd_seconds=\d+", b"sdd_seconds=900", render_shim(event, sdd)))
        shim.chmod(0o755)
    index(repo)
    operations, weights = zip(*OPERATIONS, strict=True)
    try:
        for _ in range(STEPS):
            rng.choices(operations, weights)[0](history)
            history.end_what_is_unfinished()
            if rng.random() < 0.3:
                history.compare()
        history.compare()
    except BaseException:
        sys.stdout.write("\n".join([*history.log, ""]))
        raise


def test_an_index_equals_one_from_scratch(rounds: Rounds, tmp_path: Path) -> None:
    number = 0

    def case(rng: random.Random) -> None:
        nonlocal number
        number += 1
        with hooks_in_this_process(_folder(tmp_path / f"hooks-{number}")) as sdd:
            run_history(Repo.init(tmp_path / str(number) / "repo"), rng, sdd)
        shutil.rmtree(tmp_path / str(number))

    rounds.run(case)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path

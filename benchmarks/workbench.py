"""The repositories that the measures share, created on first use and indexed by both sides."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.corpus import append_sentence, create_repository
from benchmarks.process import Run
from benchmarks.qmd import Qmd
from benchmarks.sdd import Sdd, environment

_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Sizes:
    """Numbers of documents, issues, changed files (the large change: bytes), vectors, artifacts,
    records of a hybrid search, source files, files of an audit, and rounds.

    The targets apply to the defaults.
    """

    small: int = 1_000
    middle: int = 10_000
    large: int = 100_000
    commits: int = 40
    rebased: int = 100
    rebases: int = 5
    switches: int = 6
    refreshes: int = 15
    searches: int = 15
    hybrid: int = 2_000
    first_indexes: int = 3
    cloned: int = 1
    embedded: int = 120
    embeds: int = 3
    issues: int = 5_000
    fewer_issues: int = 500
    syncs: int = 5
    records: int = 300
    usual_change: int = 200
    wide_change: int = 5_000
    large_change: int = 60_000_000
    reviews: int = 7
    large_reviews: int = 3
    shared: int = 10_000
    pulls: int = 5
    primes: int = 15
    artifacts: int = 1_000
    sources: int = 50_000
    questions: int = 7
    audited: int = 3_000
    audits: int = 5


ELSEWHERE = "zebranoelsewhere"

QUICK = Sizes(
    200, 1_000, 3_000, commits=10, rebased=10, rebases=2, switches=2, refreshes=5, searches=5,
    hybrid=20, first_indexes=1, embedded=12, embeds=1, issues=500, fewer_issues=200, syncs=2,
    records=30, usual_change=20, wide_change=500, large_change=1_500_000, reviews=2,
    large_reviews=1, shared=1_000, pulls=1, primes=5, artifacts=100, sources=2_000, questions=2,
    audited=300, audits=1,
)  # fmt: skip


class Skipped(Exception):
    """This machine cannot take a measure. Has the reason."""


@dataclass(frozen=True)
class Repository:
    """An indexed repository with hooks, and the paths of its records."""

    sdd: Sdd
    paths: list[str]

    def word(self, number: int) -> str:
        """A word that only the change with this number adds."""
        return f"zebrano{number}of{len(self.paths)}"

    def change(self, number: int) -> None:
        """Add a sentence with `word(number)` to one record, and commit it without hooks."""
        path = self.paths[number * 37 % len(self.paths)]
        append_sentence(self.sdd.root, path, f"Measured with {self.word(number)} in mind.")
        self.sdd.commit(f"Mention {self.word(number)}", hooks=False)

    def copied(self, name: str) -> Repository:
        """A copy of the repository beside it."""
        root = self.sdd.root.with_name(f"{self.sdd.root.name}-{name}")
        shutil.copytree(self.sdd.root, root, symlinks=True)
        return replace(self, sdd=replace(self.sdd, root=root))

    def take_note(self, line: str, *, hooks: bool) -> Run:
        """Commit a change to a file outside the index. Returns the cost of the commit."""
        append_sentence(self.sdd.root, "NOTES.txt", line)
        return self.sdd.commit("Take a note", hooks=hooks)

    def write(self, paths: Sequence[str], sentence: str) -> None:
        """Add a sentence to each of these files, and commit them without hooks."""
        for path in paths:
            append_sentence(self.sdd.root, path, sentence)
        self.sdd.commit(sentence, hooks=False)

    def prepare_rebase(self, commits: int, *, records: bool) -> None:
        """Commits that change a record each, or nothing indexed, beside one with `ELSEWHERE`."""
        self.sdd.git("tag", "left")
        self.write(self.paths[-1:], f"Decided {ELSEWHERE}.")
        self.sdd.git("tag", "right")
        self.sdd.git("reset", "--quiet", "--hard", "left")
        for number in range(commits):
            self.write([self.paths[number] if records else "NOTES.txt"], f"Line {number}.")
        self.sdd.refresh()

    def rebase(self, number: int, commits: int, *, hooks: bool) -> Run:
        """Move these commits to the other side, from the left one at first."""
        onto = ("right", "left")[number % 2]
        return self.sdd.git("rebase", "--quiet", "--onto", onto, f"HEAD~{commits}", hooks=hooks)

    def prepare_switch(self, changed: int) -> None:
        """A branch on which that many records have `ELSEWHERE`."""
        self.sdd.git("switch", "--quiet", "--create", "other")
        self.write(self.paths[:changed], f"Decided {ELSEWHERE}.")
        self.sdd.git("switch", "--quiet", "main")
        self.sdd.refresh()

    def switch(self, number: int, *, hooks: bool) -> Run:
        """Check out the other branch, or at an odd number `main`."""
        return self.sdd.git("switch", "--quiet", ("other", "main")[number % 2], hooks=hooks)

    def is_elsewhere(self) -> bool:
        """Whether a search finds what only one side has."""
        return '"snippet"' in self.sdd.search(ELSEWHERE).output


@dataclass
class Workbench:
    """Everything a run of the benchmarks writes is below `directory`.

    Without a `qmd_installation`, measures that need qmd are skipped.
    """

    directory: Path
    sizes: Sizes
    qmd_installation: Path | None
    models: Path
    sources: Path = _ROOT / ".cache/sources"
    _repositories: dict[int, Repository] = field(default_factory=dict)
    _qmds: dict[Path, Qmd] = field(default_factory=dict)

    def sdd(self, name: str) -> Sdd:
        """sdd in the directory called `name`, which need not exist."""
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        return Sdd(self.directory / name, environment(home))

    def repository(self, count: int) -> Repository:
        """The repository of `count` records, indexed by sdd, with its hooks installed."""
        if count not in self._repositories:
            sdd = self.sdd(f"records-{count}")
            paths = create_repository(sdd.root, count, sdd.environ)
            sdd.first_index()
            sdd.install_hooks()
            self._repositories[count] = Repository(sdd, paths)
        return self._repositories[count]

    def cloned_sources(self) -> Sdd:
        """A clone of a real repository with many source files. Raises Skipped without one."""
        if not (self.sources / ".git").exists():
            raise Skipped(f"needs a clone with many source files in {self.sources}")
        sdd = self.sdd("sources")
        sdd.git("-C", "..", "clone", "--quiet", "--shared", str(self.sources), str(sdd.root))
        return sdd

    def qmd(self, count: int) -> Qmd:
        """qmd with the repository of `count` records indexed.

        Raises:
            Skipped: this run has no qmd.
        """
        self.install_qmd()  # before the repository, whose creation takes longer
        return self.indexed_by_qmd(self.repository(count).sdd.root)

    def indexed_by_qmd(self, root: Path, model: Path | None = None) -> Qmd:
        """qmd with the records below `root` indexed; installed if it is missing."""
        if root not in self._qmds:
            home = self.directory / f"qmd-{root.name}"
            self._qmds[root] = Qmd(self.install_qmd(), root, home, model)
            self._qmds[root].first_index()
        return self._qmds[root]

    def install_qmd(self) -> Path:
        """Install qmd if it is missing. Returns its directory.

        Raises:
            Skipped: this run has no qmd.
        """
        if self.qmd_installation is None:
            raise Skipped("needs qmd: --qmd DIRECTORY")
        installer = str(_ROOT / "scripts/install-qmd")
        subprocess.run([installer, str(self.qmd_installation)], check=True)
        return self.qmd_installation

    def versions(self) -> list[str]:
        """The programs that sdd was compared with: git, and qmd if used."""
        git = subprocess.run(["git", "--version"], check=True, capture_output=True, text=True)
        qmds = {f"{qmd.version()}" for qmd in self._qmds.values()}
        return [git.stdout.strip(), *qmds]

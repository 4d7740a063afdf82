"""Random histories of a work tree: the governing comments that are kept equal those read anew.

After each operation, the citations of the work tree are compared with those of a project whose git
directory keeps no comments.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from sdd_hooks.drift.citations import Citations, read_citations
from tests.adversarial.conftest import Rounds
from tests.support.repos import Repo

NAMES = ("a.py", "src/b.go", "src/c d.js", "templates/e.html", "dist/f.js", "g.md", "x/y/h.sql")
TEXTS = (
    "# Governing: ADR-0001 (why)\n",
    '// Implements: SPEC-0002 REQ "A", ADR-0003\n',
    "-- Governed by: ADR-0004\nselect 1\n",
    "<!-- Governing: ADR-0005 -->\n",
    "x = 1\n",
    "\0# Governing: ADR-0006\n",
    "",
)


def write(repo: Repo, chance: random.Random) -> None:
    name = chance.choice(NAMES)
    # A link would lead elsewhere.
    (repo.root / name).unlink(missing_ok=True)
    repo.write(name, chance.choice(TEXTS) + chance.choice(TEXTS))


def remove(repo: Repo, chance: random.Random) -> None:
    (repo.root / chance.choice(NAMES)).unlink(missing_ok=True)


def link(repo: Repo, chance: random.Random) -> None:
    name = chance.choice(NAMES)
    (repo.root / name).unlink(missing_ok=True)
    repo.link(name, repo.root / chance.choice(NAMES))


def rename(repo: Repo, chance: random.Random) -> None:
    source, target = repo.root / chance.choice(NAMES), repo.root / chance.choice(NAMES)
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)


def ignore(repo: Repo, chance: random.Random) -> None:
    repo.write(".gitignore", f".sdd/\n{chance.choice(('', *NAMES, 'src/'))}\n")


def stage(repo: Repo, chance: random.Random) -> None:
    repo.run("add", "--all" if chance.random() < 0.5 else "--intent-to-add", "--", ".")


def commit(repo: Repo, _: random.Random) -> None:
    repo.commit()


def move_head(repo: Repo, chance: random.Random) -> None:
    mode = chance.choice(("--soft", "--mixed", "--hard"))
    repo.run("reset", "--quiet", mode, f"HEAD~{chance.randrange(2)}")


def untrack(repo: Repo, chance: random.Random) -> None:
    repo.run("rm", "--quiet", "--cached", "-f", "--", chance.choice(NAMES))


def forget(repo: Repo, _: random.Random) -> None:
    (repo.root / ".git/sdd/comments").unlink(missing_ok=True)


OPERATIONS: tuple[Callable[[Repo, random.Random], None], ...] = (
    *(write, write, write, remove, link, rename, ignore),
    *(stage, commit, commit, move_head, untrack, forget),
)


def read_anew(repo: Repo) -> Citations:
    """The citations without kept comments."""
    kept = repo.root / ".git/sdd/comments"
    saved = kept.read_bytes() if kept.exists() else None
    kept.unlink(missing_ok=True)
    (repo.root / ".sdd").rename(repo.root / ".away")
    found = read_citations(repo.project())
    (repo.root / ".away").rename(repo.root / ".sdd")
    if saved is not None:
        kept.write_bytes(saved)
    return found


def test_kept_comments_equal_those_that_are_read_anew(tmp_path: Path, rounds: Rounds) -> None:
    def case(chance: random.Random) -> None:
        shutil.rmtree(tmp_path / "shop", ignore_errors=True)
        repo = Repo.init(tmp_path / "shop")
        repo.write(".sdd/x")
        repo.commit("Start", {".gitignore": ".sdd/\n"})
        done = []
        for _ in range(chance.randint(1, 12)):
            operation = chance.choice(OPERATIONS)
            operation(repo, chance)
            done.append(operation.__name__)
            expected = read_anew(repo)
            assert read_citations(repo.project()) == expected, done

    rounds.run(case)

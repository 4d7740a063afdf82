import os
from pathlib import Path
from subprocess import run

from sdd_hooks.project.project import load_project
from sdd_hooks.review.review import review_commits
from tests.cli.commands import SCRIPTS
from tests.support.repos import Repo


def test_the_review_of_a_shallow_clone_has_a_note_about_the_missing_history(tmp_path: Path) -> None:
    origin = Repo.init(tmp_path / "origin")
    origin.write("docs/adrs/ADR-0001-x.md", "# ADR-0001: X\n\n## Decision\n\nQueues are kept.\n")
    origin.write("CLAUDE.md", "- Architecture Decision Records are in `docs/adrs/`\n")
    for number in range(4):
        origin.write("a.py", f"{number}\n")
        origin.commit(f"Change {number} (ADR-0001)")
    origin.git("clone", "-q", "--depth=2", f"file://{origin.root}", str(tmp_path / "clone"))
    whole = review_commits(origin.project(), "HEAD~1", "HEAD")
    shallow = review_commits(load_project(tmp_path / "clone", os.environ), "HEAD~1", "HEAD")
    assert whole.notes == ()
    assert [note.partition(" before")[0] for note in shallow.notes] == ["not read: commits"]
    assert [reference.id for reference in shallow.references.ranked] == ["ADR-0001"]


def test_a_report_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    for number in range(6):
        text = f"# ADR-000{number}: Queues {number}\n\n## Decision\n\nQueue{number} keeps leases.\n"
        repo.write(f"docs/adrs/ADR-000{number}-x.md", text)
    repo.write("CLAUDE.md", "- Architecture Decision Records are in `docs/adrs/`\n")
    repo.commit("Begin")
    for number in range(40):
        repo.write(f"src/queue{number}/lease.py", f"class Queue{number}Lease:\n    keeps = 1\n")
    repo.commit("Keep leases of queues")
    command = [str(SCRIPTS / "sdd"), "review", "--base", "HEAD~1", "--json"]
    printed = {
        run(command, cwd=repo.root, env={**repo.environment(), "PYTHONHASHSEED": seed},
            capture_output=True, check=True).stdout
        for seed in "123"
    }  # fmt: skip
    assert len(printed) == 1

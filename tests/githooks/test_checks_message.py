"""Review of the artifacts that a commit message names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.githooks.reviewed import APP, hook, repository, stage
from tests.support.repos import Repo

MESSAGE = ".git/COMMIT_EDITMSG"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path / "repo")


def say(repo: Repo, message: str, *options: str) -> tuple[int, str]:
    repo.write(MESSAGE, message)
    result = hook(repo, "commit-msg", MESSAGE, *options)
    assert (repo.root / MESSAGE).read_text() == message
    return result


def test_existing_ids_have_no_finding(repo: Repo) -> None:
    assert say(repo, "Keep sessions longer\n\nRefs: ADR-0001\n", "--fail-on", "info") == (0, "")


def test_an_unknown_id_is_a_finding(repo: Repo) -> None:
    code, said = say(repo, "Keep sessions longer\n\nRefs: ADR-0099\n")
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith("sdd: warning: a commit message names what is not there: ADR-0099")
    assert say(repo, "x\n\nRefs: ADR-0099\n", "--fail-on", "warning")[0] == 1


def test_a_superseded_id_is_a_finding(repo: Repo) -> None:
    code, said = say(repo, "Keep sessions longer\n\nRefs: ADR-0002\n")
    assert (code, said.count("\n")) == (0, 1)
    assert "ADR-0002, which is superseded: see ADR-0001 (Keep sessions in SQLite)" in said


def test_comments_and_the_text_below_the_scissors_are_ignored(repo: Repo) -> None:
    scissors = "# ------------------------ >8 ------------------------\n"
    assert say(repo, f"Words\n\n# ADR-0099\n{scissors}diff ADR-0098\n") == (0, "")
    repo.git("config", "core.commentChar", ";")
    assert say(repo, f"Words\n\n; ADR-0099\n{scissors.replace('#', ';')}ADR-0098\n") == (0, "")
    assert "ADR-0099" in say(repo, "Words\n\nADR-0099\n; ADR-0098\n")[1]


@pytest.mark.parametrize(
    "subject",
    [
        "Merge branch 'ADR-0099'",
        "fixup! ADR-0099",
        "squash! ADR-0099",
        "amend! ADR-0099",
        "",
        "# x",
    ],
)
def test_messages_that_git_generates_are_not_reviewed(repo: Repo, subject: str) -> None:
    assert say(repo, f"{subject}\n", "--fail-on", "info") == (0, "")


def test_a_merge_with_another_subject_is_not_reviewed(repo: Repo) -> None:
    repo.write(".git/MERGE_HEAD", f"{repo.head()}\n")
    assert say(repo, "Bring in ADR-0099\n") == (0, "")


def test_a_missing_message_file_is_an_error(repo: Repo) -> None:
    for arguments in (["nothing"], []):
        code, said = hook(repo, "commit-msg", *arguments)
        assert (code, said.count("\n")) == (0, 1)


def test_a_message_may_have_any_bytes_and_size(repo: Repo) -> None:
    (repo.root / MESSAGE).write_bytes(b"\xff\0\x1b[31m ADR-0099\n" + b"x" * 3_000_000)
    code, said = hook(repo, "commit-msg", MESSAGE)
    assert (code, "\x1b" in said) == (0, False)


def test_the_path_of_the_message_may_be_in_another_folder(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "message").write_text("See ADR-0099\n")
    assert "ADR-0099" in hook(repo, "commit-msg", str(tmp_path / "message"), cwd="src")[1]


# Suggested records

QUEUE = """\
---
status: accepted
---

# ADR-0003: Publish events through an outbox table

## Decision Outcome

An event is written to the table `outbox` in the transaction that causes it. A relay, in
`src/relay.py`, publishes it at least once.
"""
RELAY = "# Governing: ADR-0003 (outbox)\ndef relay(outbox):\n    return outbox\n"


@pytest.fixture
def governed(repo: Repo) -> Repo:
    """A decision that names the changed file. Earlier commits changed both together."""
    repo.commit(
        "Decide on an outbox", {"docs/adrs/ADR-0003-outbox.md": QUEUE, "src/relay.py": RELAY}
    )
    for number in range(3):
        repo.commit(
            f"Relay the outbox {number}\n\nRefs: ADR-0003",
            {"src/relay.py": RELAY + f"# outbox {number}\n"},
        )
    code = "def relay(outbox):\n    for event in outbox:\n        publish(event)\n"
    repo.commit("Say less\n\nRefs: ADR-0003", {"src/relay.py": code})
    stage(repo, "src/relay.py", code + "\n\ndef drop(outbox):\n    outbox.delete_published()\n")
    return repo


def test_a_clear_candidate_is_suggested(governed: Repo) -> None:
    code, said = say(governed, "Drop events of the outbox once the relay has published them\n")
    first, second = said.splitlines()
    assert code == 0
    assert first == (
        "sdd: should this commit name ADR-0003? (Publish events through an outbox table)"
        " `Refs: ADR-0003`"
    )
    assert second.startswith("sdd:   docs/adrs/ADR-0003-outbox.md:9: ")


@pytest.mark.parametrize(
    "message",
    [
        "Drop events of the outbox\n\nRefs: ADR-0003\n",
        "Drop events of the outbox\n\nReviewed-ADRs: none\n",
        "Drop events of the outbox\n\nADR-Exempt: housekeeping\n",
    ],
)
def test_a_message_with_an_id_gets_no_suggestion(governed: Repo, message: str) -> None:
    assert say(governed, message) == (0, "")


def test_suggestions_can_be_disabled(governed: Repo) -> None:
    setting = "## SDD Configuration\n\n#### Review\n- Max Suggestions: 0\n"
    governed.write("CLAUDE.md", setting)
    assert say(governed, "Drop events of the outbox the relay has published\n") == (0, "")


def test_the_first_commit_gets_no_suggestion(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    stage(repo, "docs/adrs/ADR-0003-outbox.md", QUEUE)
    stage(repo, APP, "outbox = []\n")
    assert say(repo, "Start with an outbox\n") == (0, "")

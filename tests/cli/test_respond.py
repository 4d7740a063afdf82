"""`sdd respond`: an edit for each finding of a review, which settles it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import on_terminal, one_line, run
from tests.support.github_forge import PERSONAL, serving_forge
from tests.support.repos import Repo

ADRS = "docs/adrs/ADR-"
RECORD = (
    "---\nstatus: {status}\n{more}---\n\n# ADR-{number}: {title}\n\n## Decision Outcome\n\n{text}\n"
)
RULE = """
```sdd-rule
forbid regex: \\bsleep\\(
in: src/**
message: Do not wait.
severity: MUST
```
"""


def record(number: str, title: str, text: str, status: str = "accepted", more: str = "") -> str:
    return RECORD.format(number=number, title=title, text=text, status=status, more=more)


FILES = {
    ".gitignore": ".sdd/\n",
    f"{ADRS}0001-sqlite.md": record("0001", "Keep sessions in SQLite", "In `src/sessions.py`."),
    f"{ADRS}0002-smtp.md": record(
        "0002", "Send mail by SMTP", "By SMTP.", "superseded by ADR-0003"
    ),
    f"{ADRS}0003-queue.md": record("0003", "Send mail by a queue", "By a queue."),
    f"{ADRS}0004-clock.md": record("0004", "Wait for events", "Nothing polls." + RULE),
    "src/sessions.py": "def open_session(name):\n    return name\n",
}
CODE = "# Governing: ADR-0003 (Send mail by a queue)\n\n\ndef page():\n    return 1\n"

CASES = {
    # What the change writes, the answers, and the first line of the diff that tells each.
    "an unknown id": (
        {"src/page.py": CODE.replace("ADR-0003", "ADR 0013")},
        "dangling-reference",
        "correction",
        "+# Governing: ADR-0003 (Send mail by a queue)",
    ),
    "a superseded record": (
        {"src/page.go": "// Governing: ADR-0002 (Send mail by SMTP)\r\npackage page\r\n"},
        "superseded-reference",
        "correction",
        "+// Governing: ADR-0003 (Send mail by a queue)",
    ),
    "a status": (
        {f"{ADRS}0005-x.md": record("0005", "Poll", "Poll.", more="supersedes: [ADR-0001]\n")},
        "frontmatter/superseded-status",
        "status",
        "+status: superseded by ADR-0005",
    ),
    "a number": (
        {f"{ADRS}0003-logs.md": record("0003", "Write logs as JSON", "As JSON.")},
        "duplicate-number",
        "number",
        "+# ADR-0005: Write logs as JSON",
    ),
}
REASONS = {
    "code": (
        {"src/page.py": CODE + "    sleep(1)\n"},
        "decision-rule/ADR-0004",
        "+    # sdd-ignore: decision-rule/ADR-0004 (it is (only) a test)",
    ),
    "a language with other comments": (
        {"src/page.sql": "-- top\nselect sleep(1);\n"},
        "decision-rule/ADR-0004",
        "+-- sdd-ignore: decision-rule/ADR-0004 (it is (only) a test)",
    ),
    "a table": (
        {"docs/page.md": "| a | b |\n| - | - |\n| x | ADR-0077 |\n"},
        "dangling-reference",
        "+| x | ADR-0077 | <!-- sdd-ignore: dangling-reference (it is (only) a test) -->",
    ),
}
WITHOUT_EDIT = {
    "a string of several lines": (
        {"src/page.py": CODE + 'TEXT = """\nsleep(1)\n"""\n'},
        "write `sdd-ignore: decision-rule/ADR-0004 (x)` in a comment",
    ),
    "a language without comments": (
        {"src/page.unknown": "sleep(1)\n"},
        "write `sdd-ignore: decision-rule/ADR-0004 (x)` in a comment",
    ),
    "a field": (
        {f"{ADRS}0005-x.md": record("0005", "Poll", "Poll.", more="extends: [ADR-0077]\n")},
        "no comment suppresses what a field of frontmatter says",
    ),
    "a rule that guards records": (
        {f"{ADRS}0001-sqlite.md": record("0001", "Keep sessions in Redis", "In Redis.")},
        "no reason settles it",
    ),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.commit("Start", FILES)
    repo.git("switch", "--quiet", "-c", "topic")
    return repo


def rules_now(repo: Repo) -> list[str]:
    repo.git("add", ".")
    repo.git("commit", "--quiet", "--allow-empty", "-m", "Answer")
    found = run(repo.root, "review", "--json").json["findings"]
    return [one["rule"] for one in found if one["rule"] != "suppression/critical"]


@pytest.mark.parametrize(("files", "rule", "kind", "line"), CASES.values(), ids=CASES)
def test_a_finding_is_settled_by_an_edit(
    repo: Repo, files: dict[str, str], rule: str, kind: str, line: str
) -> None:
    repo.commit("Change, by ADR-0003", files)
    shown = run(repo.root, "respond", "--json").json
    (answer,) = [one for one in shown["answers"] if one["rule"] == rule]
    assert (answer["answer"], answer["applied"], shown["dry_run"]) == (kind, False, True)
    assert line in answer["diff"].replace("\r", "").splitlines()
    assert repo.git("status", "--porcelain") == ""
    done = run(repo.root, "respond", "--yes")
    assert line in [one.strip() for one in done.out.splitlines()]
    assert rules_now(repo) == []


@pytest.mark.parametrize(("files", "rule", "line"), REASONS.values(), ids=REASONS)
def test_a_reason_suppresses_a_finding(
    repo: Repo, files: dict[str, str], rule: str, line: str
) -> None:
    repo.commit("Change, by ADR-0003", files)
    (answer,) = run(repo.root, "respond", "--json").json["answers"]
    assert (answer["rule"], answer["answer"], answer["diff"]) == (rule, "", "")
    reason = ("--only", answer["key"][:8], "--reason", "it is (only)\n a test")
    assert line in run(repo.root, "respond", *reason, "--dry-run").out.replace("    +", "+")
    (answer,) = run(repo.root, "respond", *reason, "--yes", "--json").json["answers"]
    assert (answer["answer"], answer["applied"]) == ("suppression", True)
    assert rules_now(repo) == []


@pytest.mark.parametrize(("files", "advice"), WITHOUT_EDIT.values(), ids=WITHOUT_EDIT)
def test_what_no_edit_can_settle_gets_advice(
    repo: Repo, files: dict[str, str], advice: str
) -> None:
    repo.commit("Change, by ADR-0003", files)
    (answer,) = run(repo.root, "respond", "--json").json["answers"]
    reason = ("--only", answer["key"], "--reason", "x", "--yes", "--json")
    (answer,) = run(repo.root, "respond", *reason).json["answers"]
    assert (answer["diff"], answer["applied"]) == ("", False)
    assert advice in answer["advice"]
    assert repo.git("status", "--porcelain") == ""


SUGGESTED = {"src/sessions.py": FILES["src/sessions.py"] + "# Sessions stay in SQLite.\n"}


def test_a_suggestion_is_answered_in_the_message_of_a_commit(repo: Repo) -> None:
    repo.commit("Keep sessions in SQLite longer", SUGGESTED)
    repo.write("src/other.py", "staged = 1\n")
    repo.git("add", ".")
    code, out = on_terminal(repo.root, "n\n\n", "respond")
    assert (code, out.splitlines()[-1]) == (0, "0 of 1 finding answered")
    assert "ADR-" not in repo.git("log", "-1", "--format=%B")
    code, out = on_terminal(repo.root, "n\nfor one day\ny\n", "respond")
    assert "+ADR-Exempt: for one day" in out
    assert repo.git("log", "-1", "--format=%(trailers)").strip() == "ADR-Exempt: for one day"
    repo.git("commit", "--quiet", "--amend", "-m", "Keep sessions in SQLite longer", "--only")
    assert "1 of 1 finding answered" in run(repo.root, "respond", "--yes").out
    message = repo.git("log", "-1", "--format=%B").strip()
    assert message == "Keep sessions in SQLite longer\n\nRefs: ADR-0001"
    assert repo.git("status", "--porcelain").split() == ["A", "src/other.py"]
    assert run(repo.root, "respond", "--json").json["answers"] == []


def test_a_pushed_commit_is_answered_in_the_code(repo: Repo) -> None:
    repo.commit("Keep sessions in SQLite longer", SUGGESTED)
    repo.git("update-ref", "refs/remotes/origin/topic", "HEAD")
    exempt = ("--only", "ADR-0001", "--reason", "by hand", "--yes", "--json")
    (answer,) = run(repo.root, "respond", *exempt).json["answers"]
    assert (
        "write `ADR-Exempt: by hand` on a line of the pull request's description"
        in answer["advice"]
    )
    head = repo.head()
    assert "1 of 1 finding answered" in run(repo.root, "respond", "--yes").out
    assert repo.head() == head
    text = (repo.root / "src/sessions.py").read_text()
    assert text.startswith("# Governing: ADR-0001 (Keep sessions in SQLite)\ndef ")
    assert rules_now(repo) == []


def test_a_report_is_read_from_a_file_or_stdin(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Change, by ADR-0003", CASES["an unknown id"][0])
    report = run(repo.root, "review", "--json").out
    (tmp_path / "report.json").write_text(report)
    named = run(repo.root, "respond", str(tmp_path / "report.json"), "--json").json
    assert named == run(repo.root, "respond", "-", "--json", stdin=report.encode()).json
    assert [one["answer"] for one in named["answers"]] == ["correction"]
    # A report of another commit edits only a line that still is as it says.
    repo.write("src/page.py", "other = 1\n")
    (answer,) = run(repo.root, "respond", "-", "--json", stdin=report.encode()).json["answers"]
    assert answer["advice"] == "the line is no longer there: run `sdd review` again"
    hostile = json.loads(report)
    hostile["findings"][0]["path"] = "../report.json"
    done = run(repo.root, "respond", "-", "--yes", "--json", stdin=json.dumps(hostile).encode())
    assert not done.json["applied"]
    for broken in (b"", b"[]", b'{"findings": [{}], "references": {}}', b"[" * 9999):
        message = one_line(run(repo.root, "respond", "-", "--yes", stdin=broken), 2)
        assert message == "this is no review: hand over what `sdd review --json` prints"
    assert "confirm with --yes" in run(repo.root, "respond").err


def test_the_review_of_a_pull_request_is_answered(repo: Repo) -> None:
    repo.commit("Keep sessions", SUGGESTED)
    with serving_forge() as forge:
        repo.git("remote", "add", "origin", f"{forge.url}/{forge.home}.git")
        repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Tracker\n\n- **Type**: github\n")
        environ = {"GITHUB_TOKEN": PERSONAL, "GITHUB_SERVER_URL": forge.url}
        base = repo.git("rev-parse", "main")
        number = forge.add_pull("In SQLite", "ADR-0088", base=base, head=repo.head())
        writes = forge.writes
        done = run(repo.root, "respond", str(number), "--json", env=environ)
        found = {one["rule"]: one["advice"] for one in done.json["answers"]}
        assert set(found) == {"reference", "dangling-reference"}
        other = forge.add_pull("Other", "", base=base, head="1" * 40, head_ref="other")
        done = run(repo.root, "respond", str(other), "--json", env=environ)
        assert "check its branch other out" in done.out
        assert forge.writes == writes

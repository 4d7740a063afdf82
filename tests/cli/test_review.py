"""`sdd review`: options, formats and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from sdd_hooks.reporting.registry import FORMATS
from tests.cli.commands import on_terminal, one_line, run
from tests.support.repos import Repo

TOP = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((TOP / "docs/review.schema.json").read_text(encoding="utf-8"))

RECORD = """\
---
status: accepted
---

# ADR-0001: Keep sessions in SQLite

## Decision Outcome

Sessions are kept in SQLite, in `src/sessions.py`, and nowhere else.
"""
CODE = "# Governing: ADR-0001 (SQLite)\ndef open_session(name):\n    return name\n"
BROKEN = "# Governing: ADR-0099 (nothing)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch `topic` of one commit, which names a decision that does not exist."""
    repo = Repo.init(tmp_path / "repo")
    repo.commit(
        "Start",
        {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-sqlite.md": RECORD, "src/sessions.py": CODE},
    )
    repo.git("switch", "--quiet", "-c", "topic")
    repo.commit("Add a page", {"src/page.py": BROKEN})
    return repo


def rules(found: object) -> list[str]:
    assert isinstance(found, dict)
    jsonschema.validate(found, SCHEMA)
    return [one["rule"] for one in found["findings"]]


def test_a_branch_is_compared_with_the_main_branch(repo: Repo) -> None:
    done = run(repo.root, "review")
    assert (done.code, done.err) == (0, "")
    assert "src/page.py:1" in done.out
    assert "ADR-0099 does not exist" in done.out
    found = run(repo.root, "review", "--json").json
    assert rules(found) == ["dangling-reference"]
    assert found["base"] == repo.git("rev-parse", "main")
    assert found["head"] == repo.head()
    assert [one["id"] for one in found["references"]["ranked"]] == ["ADR-0001"]


def test_base_and_head(repo: Repo) -> None:
    repo.commit("Mend it", {"src/page.py": CODE})
    assert rules(run(repo.root, "review", "--json").json) == []
    found = run(repo.root, "review", "--json", "--base", "HEAD~2", "--head", "HEAD~1").json
    assert rules(found) == ["dangling-reference"]
    assert found["notes"] == []
    assert "all clear" in run(repo.root, "review").out.lower()


def test_uncommitted_changes_are_not_reviewed(repo: Repo) -> None:
    repo.write("src/page.py", CODE)
    found = run(repo.root, "review", "--json").json
    assert rules(found) == ["dangling-reference"]
    assert found["notes"] == ["uncommitted changes are not part of this review"]
    assert "uncommitted changes" in run(repo.root, "review").out
    # A review of another commit has no such note.
    assert run(repo.root, "review", "--json", "--head", "topic").json["notes"] == []


def test_staged_changes_are_reviewed_by_the_rules(repo: Repo) -> None:
    assert rules(run(repo.root, "review", "--staged", "--json").json) == []
    repo.write("src/more.py", BROKEN)
    repo.git("add", "--all")
    found = run(repo.root, "review", "--staged", "--json").json
    assert [(one["path"], one["rule"]) for one in found["findings"]] == [
        ("src/more.py", "dangling-reference")
    ]
    assert found["head"] == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--fail-on", "never"], 0),
        (["--fail-on", "info"], 1),
        (["--fail-on", "critical"], 1),
    ],
)
def test_the_option_fail_on_makes_findings_fail(
    repo: Repo, arguments: list[str], code: int
) -> None:
    assert run(repo.root, "review", *arguments).code == code


def test_the_setting_fail_on_makes_findings_fail(repo: Repo) -> None:
    repo.git("switch", "--quiet", "main")
    strict = "## SDD Configuration\n\n#### Review\n- Fail On: warning\n"
    repo.commit("Be strict", {"CLAUDE.md": strict})
    repo.git("switch", "--quiet", "topic")
    repo.write("CLAUDE.md", strict.replace("warning", "never"))
    assert run(repo.root, "review").code == 1
    assert run(repo.root, "review", "--fail-on", "never").code == 0


def test_title_and_body(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "body").write_text("It follows ADR-0098.\n\nReviewed-ADRs: none\n")
    arguments = ("review", "--json", "--title", "Add page ADR-0097", "--body-file")
    for found in (
        run(repo.root, *arguments, str(tmp_path / "body")).json,
        run(repo.root, *arguments, "-", stdin=(tmp_path / "body").read_bytes()).json,
    ):
        messages = " ".join(one["message"] for one in found["findings"])
        assert "the title names what is not there: ADR-0097" in messages
        assert "the description names what is not there: ADR-0098" in messages
        assert found["references"]["silenced"] == "Reviewed-ADRs: none"
        assert found["title"] == "Add page ADR-0097"


def test_every_format_has_the_finding_and_is_deterministic(repo: Repo) -> None:
    for form in FORMATS:
        done = run(repo.root, "review", "--format", form)
        assert (done.code, done.err) == (0, ""), form
        assert "ADR-0099" in done.out, form
        assert "src/page.py" in done.out, form
        assert run(repo.root, "review", "--format", form).out == done.out, form


@pytest.mark.parametrize(
    "arguments",
    [
        ["--staged", "--base", "main"],
        ["--staged", "--title", "x"],
        ["--json", "--format", "sarif"],
        ["--format", "poem"],
        ["--fail-on", "everything"],
        ["--body-file", "not-there"],
    ],
)
def test_contradicting_options_are_refused(repo: Repo, arguments: list[str]) -> None:
    done = run(repo.root, "review", *arguments)
    assert done.code == 2


def test_an_unknown_base(repo: Repo) -> None:
    assert "no-such-branch" in one_line(run(repo.root, "review", "--base", "no-such-branch"), 3)
    done = run(repo.root, "review", "--json", "--base", "no-such-branch")
    assert (done.code, done.json["error"]["code"]) == (3, "repository")
    repo.git("branch", "--quiet", "-D", "main")
    assert "`--base`" in one_line(run(repo.root, "review"), 3)


def test_an_unknown_judge(repo: Repo) -> None:
    done = run(repo.root, "review", "--judge", "no-such-model")
    assert "no-such-model" in one_line(done, 6)


def test_a_warning_about_the_project(repo: Repo) -> None:
    repo.write("CLAUDE.md", "## SDD Configuration\n\n#### Review\n- Fail Upon: never\n")
    done = run(repo.root, "review")
    assert done.err.startswith("warning: CLAUDE.md:4: unknown key 'Fail Upon'")
    assert run(repo.root, "review", "--json").json["warnings"] == [
        done.err.removeprefix("warning: ").strip()
    ]


def test_a_terminal_gets_styles(repo: Repo) -> None:
    code, shown = on_terminal(repo.root, "", "review", env={"TERM": "xterm"})
    assert code == 0
    assert "\x1b[" in shown
    assert "ADR-0099 does not exist" in shown
    _, shown = on_terminal(repo.root, "", "review", env={"TERM": "xterm", "NO_COLOR": "1"})
    # The line of the progress is cleared; nothing has a style.
    assert "\x1b[" not in shown.replace("\x1b[K", "")


def test_hostile_names_are_shown_escaped(repo: Repo) -> None:
    repo.commit("Evil", {"src/\x1b[31m\n::error::x.py": BROKEN})
    for form in FORMATS:
        shown = run(repo.root, "review", "--format", form).out
        assert "\x1b" not in shown
        assert "\n::error::x.py" not in shown


def test_a_range_is_an_argument(repo: Repo) -> None:
    repo.commit("More", {"src/more.py": BROKEN.replace("0099", "0098")})
    both = run(repo.root, "review", "--json", "HEAD~2..HEAD").json
    last = run(repo.root, "review", "--json", "HEAD~1..HEAD").json
    assert [one["path"] for one in last["findings"]] == ["src/more.py"]
    assert len(both["findings"]) == 2
    assert run(repo.root, "review", "--json", "main...").json == both
    assert run(repo.root, "review", "--json", "..HEAD~1").json["head"] == last["base"]
    assert "write BASE..HEAD, or --base main" in one_line(run(repo.root, "review", "main"), 2)
    for others in (("--base", "main"), ("--head", "HEAD"), ("--staged",)):
        assert run(repo.root, "review", "main..HEAD", *others).code == 2


@pytest.mark.parametrize("option", [("--format", "json"), ("--format=json",), ("--json",)])
def test_an_error_is_in_the_format_json(repo: Repo, option: tuple[str, ...]) -> None:
    done = run(repo.root, "review", *option, "--base", "nothing")
    assert (done.code, done.json["error"]["code"]) == (3, "repository")
    assert run(repo.root, "review", *option, "--nothing").json["error"]["code"] == "usage"
    assert run(repo.root, "review", "--format", "markdown", "--base", "nothing").out == ""

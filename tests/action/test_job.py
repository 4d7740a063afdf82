"""`sdd ci` as a step of a job: a process, the variables of a host, and the files that it writes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.action.results import OUTPUTS
from sdd_hooks.system.installation import advise_extra
from tests.action.hosting import MEMORY, RECORD, checked_out, host
from tests.action.steps import Step, step
from tests.cli.commands import run
from tests.support.abacus import CHOICE, install_abacus
from tests.support.github_forge import JOB, serving_forge
from tests.support.ledger import MODULE, LedgerServer, install_ledger, ledger
from tests.support.loopback import CannedResponse
from tests.support.models import make_model
from tests.support.programs import run_program
from tests.support.repos import Repo

OWN, TRACKERS = "t0ken-of-the-job", "t0ken-of-the-tracker"
DECISION = "# ADR-0001: Tokens\n\n## Decision Outcome\n\nEach user has a token.\n"
SETTINGS = """## SDD Configuration

#### Tracker

- **Type**: ledger
- **URL**: {url}

#### Search

- **Embed Model**: {model}
"""
TOKENS = {"SDD_TOKEN": OWN, "SDD_TRACKER_TOKEN": TRACKERS}
GITHUB = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_EVENT_NAME": "schedule",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_SERVER_URL": "https://github.com",
}
# Gitea's runner also sets every input of the action.
GITEA = {
    **GITHUB,
    "GITEA_ACTIONS": "true",
    "GITHUB_API_URL": "http://127.0.0.1:1/api/v1",
    "GITHUB_SERVER_URL": "http://127.0.0.1:1",
    "INPUT_TOKEN": OWN,
    "INPUT_TRACKER-TOKEN": TRACKERS,
}
EMPTY = dict.fromkeys(OUTPUTS, "")


@dataclass
class Shop:
    """A repository with a tracker and a model, and the steps of jobs in it."""

    folder: Path
    repo: Repo
    server: LedgerServer
    found: Mapping[str, str]

    def step(self, *args: str, env: Mapping[str, str] | None = None, **more: str) -> Step:
        """A step of a scheduled job on GitHub, or of another one."""
        environ = {**GITHUB, **TOKENS, **self.found, **(env or {})}
        return step(self.repo.root, self.folder / "step", *args, env=environ, **more)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    make_model(tmp_path / "model")
    with ledger() as server:
        server.books["book"].write("1", "Add a cart")
        found = {**install_ledger(tmp_path / "lib"), "LEDGER_HOST": server.url}
        settings = SETTINGS.format(url=server.url, model=tmp_path / "model")
        files = {
            "CLAUDE.md": settings,
            ".gitignore": ".sdd/\n",
            "docs/adrs/ADR-0001-x.md": DECISION,
        }
        repo = Repo.init(tmp_path / "shop")
        repo.commit("Start", files)
        yield Shop(tmp_path, repo, server, found)


def without_masks(text: str) -> str:
    """A log without the lines that mask a secret, which a runner does not show."""
    return re.sub(r"^::add-mask::.*\n", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("runner", [GITHUB, GITEA], ids=["github", "gitea"])
def test_all_on_a_schedule(shop: Shop, runner: Mapping[str, str]) -> None:
    first = shop.step("all", env=runner)
    assert (first.code, first.errors) == (0, []), first
    chunks = first.outputs["chunks-embedded"]
    assert int(chunks) > 0
    assert first.outputs == {
        **EMPTY,
        "issues-synced": "1",
        "chunks-embedded": chunks,
        "device": "cpu",
    }
    rows = first.summary.splitlines()
    assert rows[:4] == [
        "| command | what it did |",
        "| --- | --- |",
        "| sync | issues of Ledger in shop-issues: 1 added |",
        "| update | documents: 2 added |",
    ]
    assert rows[5].startswith(f"| embed | embedded {chunks} chunks in ")
    assert rows[-2] == "- embedded on a CPU: no GPU was found"
    assert [one.name for one in first.log.commands] == ["add-mask"] * 2 + ["group", "endgroup"] * 3
    again = shop.step("all", env=runner)
    assert again.code == 0
    assert again.outputs == {**first.outputs, "issues-synced": "0", "chunks-embedded": "0"}
    assert {one.headers["x-ledger"] for one in shop.server.server.requests} == {TRACKERS}


def test_no_file_or_child_process_gets_a_token(shop: Shop) -> None:
    # A git that records its environment, before the real one.
    wrapper = shop.folder / "bin/git"
    wrapper.parent.mkdir()
    record = shop.folder / "record"
    script = (
        f'#!/bin/sh\nenv >>"{record}"\necho "$*" >>"{record}"\nexec {shutil.which("git")} "$@"\n'
    )
    wrapper.write_text(script)
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    shop.server.server.fail(CannedResponse(403, {"message": f"not with {TRACKERS}"}))
    done = shop.step("all", env={**GITEA, "PATH": path, "SDD_DEBUG": "1"})
    assert done.code == 8
    assert " http GET " in done.text
    assert " git " in done.text
    assert record.stat().st_size > 1_000
    assert done.log.commands[0] == ("add-mask", {}, OWN)
    assert done.log.commands[1] == ("add-mask", {}, TRACKERS)
    texts = [without_masks(done.text).encode()]
    texts += [one.read_bytes() for one in shop.folder.rglob("*") if one.is_file()]
    assert [text for text in texts if b"t0ken-of" in text] == []


def test_a_command_that_fails_does_not_stop_the_others(shop: Shop) -> None:
    shop.server.server.faults.append(lambda _request: CannedResponse(403, {"message": "go away"}))
    done = shop.step("all")
    assert done.code == 8
    (error,) = done.errors
    assert error.startswith("Ledger")
    assert int(done.outputs["chunks-embedded"]) > 0
    assert set(done.outputs) == set(OUTPUTS)
    assert "| sync | failed: Ledger" in done.summary


def test_a_bug_is_one_line_and_a_log(shop: Shop) -> None:
    opened = "    return Ledger(location, environment.connect(location.url, SOURCES))"
    broken = MODULE.replace(opened, '    raise ValueError("x\\n::add-mask::y")')
    assert broken != MODULE
    found = install_ledger(shop.folder / "broken", broken)
    done = shop.step("all", env={**found, "XDG_CACHE_HOME": str(shop.folder / "cache")})
    assert done.code == 70
    (error,) = done.errors
    assert error.startswith("a bug in sdd (ValueError): please report it with ")
    assert "Traceback" not in done.text + done.summary
    assert int(done.outputs["chunks-embedded"]) > 0
    (log,) = (shop.folder / "cache").rglob("bug-*.log")
    assert "Traceback" in log.read_text()


def test_a_sync_on_a_pull_request_sends_no_request(shop: Shop) -> None:
    event = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/7/merge"}
    for command in ("sync", "update", "embed"):
        done = shop.step(command, env=event)
        assert (done.code, done.errors, done.outputs) == (0, [], EMPTY)
        note = f"left out on a pull request, which must not decide where tokens go: {command}"
        assert f"note: {note} (for pushes and schedules)" in done.log.lines
        assert note in done.summary
    assert shop.server.requests() == []
    assert not (shop.repo.root / ".sdd").exists()


def test_all_on_a_pull_request_is_a_review(tmp_path: Path) -> None:
    with serving_forge() as forge:
        # Its head declares another tracker, and that nothing fails.
        mine = "\n### SDD Configuration\n\n#### Tracker\n\n- **Type**: github\n- **URL**: {url}\n"
        lenient = "\n#### Review\n\n- **Fail On**: never\n"
        strict = f"{MEMORY}\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: critical\n"
        changes = {
            "src/a.py": "# Governing: ADR-0099\na = 2\n",
            "CLAUDE.md": MEMORY + mine.format(url=forge.url) + lenient,
        }
        hosted = host(tmp_path / "shop", changes, number=1, files={"CLAUDE.md": strict})
        forge.add_pull(base=hosted.base, head=hosted.head)
        job = checked_out(hosted, tmp_path / "job", "refs/pull/1/merge")
        environ = {**forge.environ(tmp_path, "pull_request", forge.event(1)), "SDD_TOKEN": JOB}
        done = step(job.root, tmp_path / "step", "all", env=environ)
        assert done.code == 1
        assert done.outputs == {
            **EMPTY,
            **{"findings": "1", "critical": "1", "suppressed": "0", "incomplete": "0"},
            "comment-url": f"{forge.url}/acme/shop/pull/1#issuecomment-2147483649",
        }
        assert "ADR\\-0099" in done.summary or "ADR-0099" in done.summary
        assert len(forge.bodies(1)) == 1
        names = [one.name for one in done.log.commands]
        assert names == ["add-mask", "group", "endgroup", "error", "error"]
        assert done.errors[1].startswith("there are findings as severe as `fail-on`")
        assert "left out on a pull request" in done.log.lines[0]
        assert "left out" not in done.summary
        assert not (job.root / ".sdd").exists()
        writes = forge.writes
        again = step(job.root, tmp_path / "step", "review", env=environ)
        assert (again.code, forge.writes) == (1, writes)


def test_untrusted_text_is_no_command(shop: Shop) -> None:
    base = "::set-output name=report::x"
    other = "a\n::add-mask::b\n##[error]c ##[add-mask]d"
    for value in (base, other):
        done = shop.step("review", env={"SDD_BASE": value, "GITHUB_SHA": shop.repo.head()})
        assert done.code == 3
        assert done.outputs == EMPTY
        names = [one.name for one in done.log.commands]
        assert names == ["add-mask", "add-mask", "group", "endgroup", "error"]


def test_a_wrong_input_is_one_line(shop: Shop) -> None:
    done = shop.step(env={"SDD_COMMAND": "review", "SDD_FAIL_ON": "severe"})
    assert (done.code, done.outputs) == (2, {})
    assert done.errors == ["fail-on must be one of critical, warning, info, never, not 'severe'"]
    plain = run(shop.repo.root, "ci", env={"SDD_COMMAND": "push"})
    assert (plain.code, plain.out) == (2, "")
    assert plain.err == (
        "sdd: command must be one of sync, update, embed, review, all, not 'push'\n"
    )


def test_options_and_variables_are_the_same(shop: Shop) -> None:
    found = {**install_abacus(shop.folder / "abacus")}
    shop.repo.write("CLAUDE.md", CHOICE.replace("abacus", "embedded"))
    by_option = run(shop.repo.root, "ci", "update", "--engine", "abacus", env=found)
    assert by_option.code == 0, by_option
    first = shop.repo.root / ".sdd/search/abacus.json"
    assert first.exists()
    first.unlink()
    variables = {**found, "SDD_COMMAND": "update", "SDD_ENGINE": "abacus"}
    assert run(shop.repo.root, "ci", env=variables).code == 0
    assert first.exists()


def test_an_input_selects_the_model(shop: Shop) -> None:
    done = shop.step("embed", env={"SDD_EMBED_MODEL": "/nowhere"})
    assert done.code == 6
    assert done.errors[0].startswith("/nowhere is not a model")
    assert "| embed | documents: 1 added |" in done.summary


def test_outside_ci(repo: Repo) -> None:
    # With a text that a forge would turn into a mention.
    decision = RECORD.replace("Events through an outbox", "Events of @ana in the outbox table")
    repo.commit("Start", {"docs/adrs/ADR-0001-x.md": decision})
    repo.git("switch", "--quiet", "--create", "change")
    repo.commit(
        "Write the events into the outbox table",
        {"src/a.py": "# Governing: ADR-0099\n# the outbox table, where an event is written\n"},
    )
    done = run(repo.root, "ci", "review", "--fail-on", "critical", "--sarif-file", "out.sarif")
    assert (done.code, done.err) == (
        1,
        "sdd: there are findings as severe as `fail-on`, or else `Fail On` of the base\n",
    )
    lines = done.out.splitlines()
    assert lines[0] == "sdd review:"
    assert "ADR-0099 does not exist" in done.out
    assert "### Should this PR reference ADR-0001? (Events of @ana in the outbox table)" in lines
    assert "findings: 1" in lines
    assert any(line.startswith("sarif: ") and line.endswith("out.sarif") for line in lines)
    assert (repo.root / "out.sarif").exists()


def test_outside_a_repository(tmp_path: Path) -> None:
    done = step(tmp_path, tmp_path / "step", "all", env=GITHUB)
    assert done.code == 3
    assert done.outputs == EMPTY
    assert "not inside a git repository" in done.errors[0]
    assert "| all | failed: " in done.summary


def test_without_the_library_of_the_runner(shop: Shop) -> None:
    # An empty package of that name comes first.
    (shop.folder / "none/actions_toolkit").mkdir(parents=True)
    (shop.folder / "none/actions_toolkit/__init__.py").touch()
    path = f"{shop.folder / 'none'}{os.pathsep}{shop.found['PYTHONPATH']}"
    done = shop.step("update", env={"PYTHONPATH": path})
    assert (done.code, done.outputs) == (0, {})
    assert done.log.lines[0] == (
        f"note: outputs and errors of the step are only printed: {advise_extra('action')}"
    )
    assert "documents: 1 added" in done.log.lines
    assert OWN not in done.text


def test_the_log_has_the_summary_where_the_host_shows_none(shop: Shop) -> None:
    shop.repo.git("switch", "--quiet", "--create", "change")
    shop.repo.commit("Change", {"src/a.py": "# Governing: ADR-0099\n"})
    for runner, in_log in ((GITHUB, False), (GITEA, True)):
        env = {**runner, "GITHUB_SHA": shop.repo.head()}
        done = shop.step("review", "--base", "main", env=env)
        assert done.outputs["critical"] == "1"
        assert "### Critical" in done.summary
        assert ("### Critical" in done.log.lines) == in_log


def test_outputs_are_written_to_the_file_of_the_runner(shop: Shop) -> None:
    name = "a\nreport<<x\n::b=c"
    shop.repo.commit("More", {"src/a.py": "a = 1\n"})
    env = {"SDD_BASE": "HEAD~1", "SDD_REPORT": name, "GITHUB_SHA": shop.repo.head()}
    done = shop.step("review", env=env)
    assert done.outputs["report"].endswith(name)
    assert list(shop.repo.root.glob("a\nreport*"))
    assert set(done.outputs) == set(OUTPUTS)


def test_outputs_that_cannot_be_written(shop: Shop) -> None:
    done = shop.step("update", env={"GITHUB_OUTPUT": str(shop.folder / "gone")})
    assert done.code == 7
    assert "check GITHUB_OUTPUT" in done.errors[0]
    assert "documents: 1 added" in done.summary


def test_a_job_loads_one_http_client(shop: Shop) -> None:
    """The library of the runner brings others, which have no place beside the token."""
    shop.repo.commit("More", {"src/a.py": "a = 1\n"})
    (shop.folder / "output").touch()
    environ = {
        **os.environ,
        **GITHUB,
        **TOKENS,
        **shop.found,
        "GITHUB_OUTPUT": str(shop.folder / "output"),
        "SDD_BASE": "HEAD~1",
        "GITHUB_SHA": shop.repo.head(),
    }
    program = "import sys; from sdd_hooks.cli.entry import main; sys.exit(main())"
    done = run_program(
        sys.executable,
        "-X",
        "importtime",
        "-c",
        program,
        "ci",
        "review",
        cwd=shop.repo.root,
        env=environ,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.split("\n")}
    assert "actions_toolkit" in loaded
    assert not {"requests", "urllib3", "github", "nacl", "jwt", "cryptography"} & loaded

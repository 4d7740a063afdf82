"""A language model compares the records that govern most code with that code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.drift.audit.judge import MAX_FILES, MAX_QUESTIONS, Judged, judge_audit
from sdd_hooks.models.language_model import ModelPrompt, PromptFailed, load_language_model
from tests.drift.audit.repositories import adr, audited, named_files
from tests.support.language_model import NAME, registered_model, respond_here
from tests.support.repos import Repo

pytest.importorskip("llm", reason="needs the extra llm")

RECORD = "docs/adrs/ADR-0001-tokens.md"
DECIDED = "Session tokens MUST be signed before they are sent."
LINE = "send(token)  # as it is"
FILES = {
    RECORD: adr(1, text=DECIDED),
    "docs/adrs/ADR-0002-lost.md": adr(2),
    "src/tokens.py": f"# Governing: ADR-0001 (why)\n{LINE}\n",
    "src/other.py": "print('nothing about it')\n",
}
FINDING = {
    "file": "src/tokens.py",
    "line": 2,
    "added": LINE,
    "record": RECORD,
    "quote": DECIDED,
    "why": "Sign it.",
}


def judged(
    repo: Repo,
    files: dict[str, str],
    *findings: object,
    environ: dict[str, str] | None = None,
    scope: str = "",
) -> tuple[Judged, list[str]]:
    """What is found, and the prompts."""

    def answer(_: Any) -> Iterator[str]:
        yield json.dumps({"findings": findings})

    found = audited(repo, files, scope=scope)
    with registered_model(answer) as model:
        loaded = load_language_model(NAME, {}, respond_here)
        result = judge_audit(loaded, found, environ=environ or {})
    return result, [prompt.prompt for prompt in model.prompts]


def test_a_finding_quotes_the_code_and_the_record(repo: Repo) -> None:
    result, prompts = judged(repo, FILES, FINDING)
    (finding,) = result.findings
    assert (finding.path, finding.line, finding.rule, finding.severity, finding.evidence) == (
        "src/tokens.py",
        2,
        "judge/adr-0001",
        "critical",
        LINE,
    )
    (note,) = result.notes
    assert note.startswith("the judge talker was asked 1 question of ")
    assert note.endswith(" bytes about ADR-0001")
    (prompt,) = prompts
    assert DECIDED in prompt
    assert "nothing about it" not in prompt


def test_what_is_not_there_is_no_finding(repo: Repo) -> None:
    result, _ = judged(repo, FILES, {**FINDING, "added": "other()"})
    assert result.findings == ()
    assert "1 of the judge's findings left out: what they quote is not there" in result.notes


def test_the_records_that_most_code_names_are_asked_about(repo: Repo) -> None:
    files = named_files(range(1, 8))
    files |= {f"src/more/{n}.py": "# Governing: ADR-0007 (why)\nx = 1\n" for n in range(9)}
    result, prompts = judged(repo, files)
    assert len(prompts) == MAX_QUESTIONS
    assert result.notes[-1].endswith("about ADR-0007, ADR-0001, ADR-0002, ADR-0003")
    assert prompts[0].count('A {"path": "src/') == MAX_FILES


def test_only_the_scope_is_asked_about(repo: Repo) -> None:
    result, prompts = judged(repo, FILES, scope="src/other.py")
    assert (prompts, result.notes) == (
        [],
        ("the judge was not asked: no governing comment names a record in scope",),
    )


def test_a_pull_request_of_a_fork_asks_nothing(repo: Repo) -> None:
    environ = {"GITHUB_EVENT_NAME": "pull_request"}
    result, prompts = judged(repo, FILES, FINDING, environ=environ)
    assert (prompts, result.findings) == ([], ())
    assert result.notes == ("the judge was not asked: the pull request is from a fork, or may be",)


def test_a_model_that_fails_is_a_note(repo: Repo) -> None:
    def fail(_prompt: ModelPrompt, _timeout: float) -> str:
        raise PromptFailed("no answer")

    found = audited(repo, FILES)
    with registered_model(lambda _: ()):
        result = judge_audit(load_language_model(NAME, {}, fail), found, environ={})
    assert result.findings == ()
    assert "no answer" in result.notes[0]
    assert result.notes[0].endswith("the audit goes without it")

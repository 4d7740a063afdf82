"""A review is judged by the settings of its base, if there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.review import review_pull
from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.findings import INCOMPLETE
from sdd_hooks.usecases.review import (
    BASE_SETTINGS_NOTE,
    CommitRange,
    PushedBranch,
    Verdict,
    review_pushed_branch,
    review_range,
)
from tests.support.repos import Repo

HEADING = "# Shop\n\n## Architecture Context\n\nDecision records are in `docs/adrs/`\n\n"
SECTION = f"{HEADING}### SDD Configuration\n\n#### Review\n\n"
SETTINGS = {
    "fail_on": ("critical", "never"),
    "incomplete": ("critical", "info"),
    "suppressions": ("base", "all"),
    "max_suggestions": ("1", "0"),
}
"""Each setting that a review reads, in the words of the base, and in those of a change."""
RULE = "```sdd-rule\nforbid import: requests\nseverity: MUST\n```\n"
RECORD = (
    "---\nstatus: accepted\n---\n\n# ADR-0001: Write events to the outbox table\n\n"
    f"## Decision Outcome\n\nThe `OutboxSweeper` sends what is in the outbox table.\n\n{RULE}"
)


def memory(changed: str = "") -> str:
    lines = (
        f"- **{name.replace('_', ' ').title()}**: {values[name == changed]}\n"
        for name, values in SETTINGS.items()
    )
    return SECTION + "".join(lines)


def change(folder: Path, base: str, head: str | None) -> Repo:
    """A change that breaks a rule twice, once with a suppression, and has an unreadable part."""
    repo = Repo.init(folder)
    files = {"CLAUDE.md": base, "docs/adrs/ADR-0001-outbox.md": RECORD}
    repo.commit("Begin", {**files, "src/outbox.py": "# Governing: ADR-0001\nx = 1\n"})
    repo.git("switch", "-qc", "topic")
    ignored = "import requests  # sdd-ignore: decision-rule (a trial)\n"
    sweeper = "class OutboxSweeper:\n    table = 'outbox'\n"
    repo.write("src/a.py", ignored)
    repo.write("src/outbox_sweeper.py", sweeper)
    repo.write("src/b.ipynb", "{")
    if head is None:
        repo.git("rm", "-q", "CLAUDE.md")
    else:
        repo.write("CLAUDE.md", head)
    repo.commit("Sweep the outbox table")
    return repo


def in_range(repo: Repo) -> Verdict:
    return review_range(repo.project(), CommitRange())


def pushed(repo: Repo) -> Verdict:
    branch = PushedBranch(repo.head(), "topic", "", "origin")
    verdict = review_pushed_branch(repo.project(), branch)
    assert verdict is not None
    return verdict


def judged(verdict: Verdict) -> tuple[bool, list[tuple[str, str]], int]:
    review = verdict.review
    found = sorted((one.finding.rule, one.finding.severity) for one in review.findings)
    return verdict.fails, found, len(review.references.suggested)


def test_the_table_has_every_setting_that_a_review_reads() -> None:
    assert set(SETTINGS) == set(ReviewSettings._fields) - {"merge_strategy", "review_within"}


@pytest.mark.parametrize("review", [in_range, pushed])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_change_cannot_relax_a_setting(
    tmp_path: Path, name: str, review: Callable[[Repo], Verdict]
) -> None:
    strict = review(change(tmp_path / "strict", memory(), memory()))
    relaxed = review(change(tmp_path / "relaxed", memory(), memory(name)))
    lax = review(change(tmp_path / "lax", memory(name), memory(name)))

    assert judged(relaxed) == judged(strict) != judged(lax)
    assert (INCOMPLETE, "critical") in judged(strict)[1]
    assert BASE_SETTINGS_NOTE in relaxed.review.notes
    assert BASE_SETTINGS_NOTE not in strict.review.notes


@pytest.mark.parametrize("head", [None, "", "x" * 20_000_000, HEADING.replace("adrs", "none")])
def test_a_memory_file_that_the_change_takes_away_counts(tmp_path: Path, head: str | None) -> None:
    repo = change(tmp_path / "shop", memory(), head)
    result = review_pull(repo.project(), None, Inputs("review"), None, {})  # type: ignore[arg-type]

    assert result.exit_code == 1
    assert int(result.outputs["critical"]) >= 2


def test_a_link_to_the_other_memory_file_is_followed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    repo.link("CLAUDE.md", "AGENTS.md")
    repo.commit("Begin", {"AGENTS.md": f"{SECTION}- **Fail On**: info\n"})
    repo.commit("Break", {"docs/adrs/ADR-0001-x.md": "# ADR-0001: x\n\nAs ADR-0007 says.\n"})
    repo.write("AGENTS.md", "")
    assert review_range(repo.project(), CommitRange("HEAD~1")).fails


@pytest.mark.parametrize("content", ["", "# No settings\n", "x" * (1 << 20) + SECTION])
def test_the_defaults_apply_without_settings(tmp_path: Path, content: str) -> None:
    repo = change(tmp_path / "shop", content, memory())
    assert not in_range(repo).fails


def test_an_invalid_value_is_named_with_its_line(tmp_path: Path) -> None:
    repo = change(tmp_path / "shop", f"{SECTION}- **Fail On**: sometimes\n", HEADING)
    with pytest.raises(ConfigurationError, match=r"CLAUDE\.md:11: .*Fail On"):
        in_range(repo)

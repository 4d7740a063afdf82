"""The baseline of a repository: the file, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.drift.baseline import BaselineEntry
from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.errors import ConfigurationError, StorageError
from sdd_hooks.findings import Finding, identify_findings, incomplete_finding
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.drift.baseline import (
    BaselineRefused,
    BaselineUse,
    Compared,
    use_baseline,
)
from tests.support.repos import Repo

RAW = Finding("web/a.js", 3, "security/inner-html", "warning", "use text", "a.innerHTML = b")
LOST = Finding("src/b.py", 1, "dangling-reference", "critical", "no ADR-0009", "# ADR-0009")
RULES = {"security", "dangling-reference", "incomplete"}


def outcome(*findings: Finding) -> ReviewOutcome:
    return ReviewOutcome("", "", "", 3, findings=identify_findings(findings, {}))


def use(
    repo: Repo,
    *findings: Finding,
    file: str = "known.json",
    write: bool = False,
    scope: str = "",
    directory: str = "",
) -> Compared:
    where = repo.root / directory

    def covers(entry: BaselineEntry) -> bool:
        return entry.is_covered(Scope((scope,)), RULES)

    return use_baseline(repo.project(), where, BaselineUse(file, write), outcome(*findings), covers)


def shown(compared: Compared) -> list[tuple[str, str]]:
    return [(one.finding.rule, one.finding.path) for one in compared.outcome.findings]


def test_new_and_stale_findings_are_in_the_order_of_a_report(repo: Repo) -> None:
    use(repo, RAW, write=True)
    compared = use(repo, LOST)
    assert shown(compared) == [("dangling-reference", "src/b.py"), ("stale-baseline", "known.json")]
    assert len({one.fingerprint for one in compared.outcome.findings}) == 2


def test_another_scope_and_other_rules_keep_their_entries(repo: Repo) -> None:
    use(repo, RAW, LOST, write=True)
    assert shown(use(repo, scope="src")) == [("stale-baseline", "known.json")]
    assert shown(use(repo, scope="docs")) == []
    assert use(repo, LOST, write=True, scope="src").written == 2
    assert use(repo, write=True, scope="src").written == 1


def test_what_a_run_covers() -> None:
    other = BaselineEntry("0" * 32, "judge/contradiction", "web/a.js", "")
    assert not other.is_covered(Scope(), RULES)
    assert other._replace(rule="security/x").is_covered(Scope(), RULES)
    # A finding of the repository as a whole is covered by a run on all of it.
    whole = other._replace(rule="security", path="")
    assert whole.is_covered(Scope(), RULES)
    assert not whole.is_covered(Scope(("src",)), RULES)


def test_what_could_not_be_checked_covers_nothing(repo: Repo) -> None:
    use(repo, RAW, LOST, write=True)
    unread = incomplete_finding("web/a.js is too large: split it", "critical", "web/a.js")
    assert shown(use(repo, LOST, unread)) == [("incomplete", "web/a.js")]
    late = incomplete_finding("security did not end in 90 seconds: divide", "critical")
    assert shown(use(repo, late)) == [("incomplete", "")]


def test_the_file_is_relative_to_the_directory(repo: Repo) -> None:
    (repo.root / "ci").mkdir()
    assert use(repo, RAW, write=True, directory="ci").path == "ci/known.json"
    assert use(repo, RAW, file="../known.json", write=True, directory="ci").path == "known.json"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("known.json", "known.json does not exist: write it with --write-baseline"),
        ("../known.json", "../known.json is outside of the repository: name a file in "),
        ("/etc/passwd", "/etc/passwd is outside of the repository: name a file in "),
        (".", ". is a directory: name a file in it"),
        ("src", "src is a directory: name a file in it"),
        ("known.txt", "known.txt does not end in .json: name a file that does"),
        ("link.json", "the baseline cannot be read: link.json: "),
        ("a\0b", "a\\u0000b is outside of the repository"),
    ],
)
def test_what_cannot_be_a_baseline(repo: Repo, file: str, message: str) -> None:
    (repo.root / "src").mkdir()
    (repo.root / "link.json").symlink_to("/etc/passwd")
    with pytest.raises(BaselineRefused) as raised:
        use(repo, RAW, file=file)
    assert str(raised.value).startswith(message)


def test_a_link_is_not_written_through(repo: Repo, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("keep")
    (repo.root / "link.json").symlink_to(target)
    with pytest.raises(BaselineRefused):
        use(repo, RAW, file="link.json", write=True)
    assert target.read_text() == "keep"


def test_another_file_is_neither_read_nor_overwritten(repo: Repo) -> None:
    repo.write("package.json", '{"name": "shop"}\n')
    for write in (False, True):
        with pytest.raises(ConfigurationError) as raised:
            use(repo, RAW, file="package.json", write=write)
        assert str(raised.value).startswith("package.json: is no baseline of sdd: ")
    assert (repo.root / "package.json").read_text() == '{"name": "shop"}\n'


def test_a_directory_that_does_not_exist(repo: Repo) -> None:
    with pytest.raises(StorageError):
        use(repo, RAW, file="gone/known.json", write=True)

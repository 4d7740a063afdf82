"""Records whose status does not fit the repository."""

from __future__ import annotations

from datetime import date

import pytest

from sdd_hooks.drift.audit.statuses import find_not_accepted, find_unimplemented
from tests.drift.audit.repositories import adr, audited, named_files, places
from tests.support.repos import Repo

NAMED = named_files(range(1, 6))
LAST = "docs/adrs/ADR-0009-last.md"
FOUND = [f"{LAST}:2 stale-artifact/unimplemented"]


def unimplemented(repo: Repo, files: dict[str, str], today: date = date(2026, 6, 1)) -> list[str]:
    return places(find_unimplemented(audited(repo, files, today=today)))


def test_an_accepted_decision_that_nothing_takes_up(repo: Repo) -> None:
    (found,) = find_unimplemented(audited(repo, {**NAMED, LAST: adr(9)}))
    assert (found.path, found.line, found.severity, found.evidence) == (
        LAST,
        2,
        "warning",
        "accepted",
    )
    assert found.message == (
        "ADR-0009 is accepted since 2026-01-02, and no code, commit, rule or other record takes it"
        " up: implement it, name it in a governing comment, or change its status"
    )


def test_an_implemented_spec_that_nothing_takes_up(repo: Repo) -> None:
    text = "---\nstatus: implemented\ndate: 2026-01-02\n---\n\n# SPEC-0001: Mail\n"
    path = "docs/openspec/specs/mail/spec.md"
    files = {**NAMED, path: text, path.replace("spec.md", "design.md"): "# Design\n"}
    assert unimplemented(repo, files) == [f"{path}:2 stale-artifact/unimplemented"]
    assert unimplemented(repo, {path: text.replace("implemented", "approved")}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/other.py", "# ADR-9 says so.\n"),
        ("src/other.py", "# see docs/adrs/ADR-0009-last.md\n"),
        ("tests/test_other.py", "# Governing: ADR-0009\n"),
        ("docs/guide.md", "We deploy as ADR-0009 says.\n"),
        (
            "docs/adrs/ADR-0010-more.md",
            adr(10, "proposed").replace("date", "extends: [ADR-0009]\ndate"),
        ),
        (LAST, adr(9, text="Mail is in `src/path1/path.py`.")),
        (LAST, adr(9, text="Mail is below `src/path1/`.")),
        (LAST, adr(9).replace("date", "applies-to: [src/mail/]\ndate")),
        (LAST, adr(9, text="```sdd-rule\nforbid import: smtplib\n```")),
        # Too young, without a date, in another status.
        (LAST, adr(9, written="2026-05-20")),
        (LAST, adr(9, written="")),
        (LAST, adr(9, "proposed")),
        (LAST, adr(9, "deprecated")),
    ],
)
def test_anything_that_shows_the_decision_silences(repo: Repo, path: str, text: str) -> None:
    assert unimplemented(repo, {**NAMED, LAST: adr(9)}) == FOUND
    assert unimplemented(repo, {path: text}) == []


def test_a_word_of_the_decision_in_code_silences(repo: Repo) -> None:
    files = {**NAMED, LAST: adr(9, text="The `MailQueue` keeps `mail` back.")}
    assert unimplemented(repo, files) == FOUND
    assert unimplemented(repo, {"docs/guide.md": "MailQueue\n"}) == FOUND
    assert unimplemented(repo, {"src/mail.py": "class MailQueue: ...\n"}) == []


def test_a_commit_with_code_that_names_the_decision_silences(repo: Repo) -> None:
    repo.commit("Record ADR-0009", {LAST: adr(9)})
    assert unimplemented(repo, NAMED) == FOUND
    repo.commit("Keep mail back\n\nRefs: ADR-0009", {"src/mail.py": "def keep(): ...\n"})
    assert unimplemented(repo, NAMED) == []


def test_where_code_names_few_decisions_nothing_is_said(repo: Repo) -> None:
    others = {f"docs/adrs/ADR-00{n}-other.md": adr(n) for n in (20, 21)}
    assert unimplemented(repo, {**NAMED, LAST: adr(9), **others}) == []
    few = named_files((1, 2))
    repo.root.joinpath("src").rename(repo.root / "gone")
    assert places(find_unimplemented(audited(repo, {**few, LAST: adr(9)}))) == []


def test_a_record_out_of_scope_is_left_out(repo: Repo) -> None:
    files = {**NAMED, LAST: adr(9)}
    assert places(find_unimplemented(audited(repo, files, scope="src"))) == []
    assert places(find_unimplemented(audited(repo, files, scope="docs/adrs"))) == FOUND


def test_a_proposed_decision_that_code_follows(repo: Repo) -> None:
    files = {
        "docs/adrs/ADR-0001-mail.md": adr(1, "proposed"),
        "src/mail.py": "import smtplib\n\n# Governing: ADR-0001 (why)\n",
        "src/post.py": "# Governing: ADR-0001\n",
        "src/send.py": "# As ADR-0001 says.\n",
        "tests/test_mail.py": "# Governing: ADR-0001\n",
    }
    (found,) = find_not_accepted(audited(repo, files))
    assert (found.path, found.line, found.rule, found.evidence) == (
        "docs/adrs/ADR-0001-mail.md",
        2,
        "stale-artifact/not-accepted",
        "proposed",
    )
    assert found.message == (
        "ADR-0001 is proposed since 2026-01-02, and src/mail.py:3, src/post.py:1 and 1 more file of"
        " code name it: set the status to accepted, or take the code back"
    )


@pytest.mark.parametrize(
    ("status", "written", "code", "expected"),
    [
        ("proposed", "", {"src/a.py": "# Governing: ADR-0001\n"}, True),
        ("draft", "2026-01-02", {"src/a.py": "# Governing: ADR-0001\n"}, True),
        ("proposed", "2026-05-20", {"src/a.py": "# Governing: ADR-0001\n"}, False),
        ("accepted", "2026-01-02", {"src/a.py": "# Governing: ADR-0001\n"}, False),
        ("rejected", "2026-01-02", {"src/a.py": "# Governing: ADR-0001\n"}, False),
        ("proposed", "2026-01-02", {"tests/test_a.py": "# Governing: ADR-0001\n"}, False),
        ("proposed", "2026-01-02", {"docs/a.md": "Governing: ADR-0001\n"}, False),
        # A status that says how much is built is no contradiction.
        (
            "proposed (phase 1 is built)",
            "2026-01-02",
            {"src/a.py": "# Governing: ADR-0001\n"},
            False,
        ),
        # What is only mentioned counts if several files do.
        ("proposed", "2026-01-02", {f"src/{n}.py": "# See ADR-0001.\n" for n in "ab"}, False),
        ("proposed", "2026-01-02", {f"src/{n}.py": "# See ADR-0001.\n" for n in "abc"}, True),
    ],
)
def test_what_shows_that_code_follows(
    repo: Repo, status: str, written: str, code: dict[str, str], expected: bool
) -> None:
    files = {"docs/adrs/ADR-0001-mail.md": adr(1, status, written), **code}
    assert bool(list(find_not_accepted(audited(repo, files)))) is expected


def test_code_that_names_a_shared_number_may_mean_the_other_record(repo: Repo) -> None:
    files = {LAST: adr(9, "proposed"), "src/a.py": "# Governing: ADR-0009\n"}
    assert places(find_not_accepted(audited(repo, files))) == [
        f"{LAST}:2 stale-artifact/not-accepted"
    ]
    files["docs/adrs/ADR-0009-other.md"] = adr(9)
    assert places(find_not_accepted(audited(repo, files))) == []


def test_a_draft_spec_that_code_follows(repo: Repo) -> None:
    path = "docs/openspec/specs/mail/spec.md"
    files = {
        path: "---\nstatus: draft\ndate: 2026-01-02\n---\n\n# SPEC-0001: Mail\n",
        "src/mail.py": '# Implements: SPEC-0001 REQ "Send"\n',
    }
    (found,) = find_not_accepted(audited(repo, files))
    assert found.message.endswith(
        "src/mail.py:1 names it: set the status to implemented, or take the code back"
    )

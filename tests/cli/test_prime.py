"""`sdd prime`: the context of a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdd_hooks.reporting.budget import count_tokens
from tests.cli.commands import FILES, OFFLINE, WORKSPACE, Done, one_line, run
from tests.support.clock import set_touched
from tests.support.programs import run_python
from tests.support.repos import ISOLATION, Repo

JWT = "---\nstatus: accepted\n---\n# ADR-{:04d}: {}\n\n## Decision Outcome\n\n{}\n"
AUTH = {
    ".gitignore": ".sdd/\n",
    "docs/adrs/README.md": "# Decisions about session tokens\n\nAn index.\n",
    "docs/adrs/ADR-0001-jwt.md": JWT.format(1, "Session tokens", "Session tokens are signed."),
    "docs/adrs/ADR-0002-old.md": JWT.format(2, "Opaque session tokens", "A table.").replace(
        "accepted", "superseded by ADR-0001"
    ),
    "docs/openspec/specs/login/spec.md": "# SPEC-0007: Session tokens at login\n\nToken.\n",
    "docs/openspec/specs/login/design.md": "# Design of session tokens\n\nOne cookie.\n",
    **{
        f"docs/adrs/ADR-{number:04d}-queue.md": JWT.format(number, "Queues", "Work is queued.")
        for number in range(10, 20)
    },
    "docs/openspec/specs/billing/spec.md": "# SPEC-0008: Billing\n\nAn invoice.\n",
}
NOTE = (
    "{} chunks unembedded — run `sdd index embed` (≈{}s on this machine, foreground; or wait for"
    " the next mutation command to backfill)"
)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """Decisions and specifications, two and one of them about session tokens, indexed."""
    repo.commit("Start", AUTH)
    assert run(repo.root, "index", "add", "--kind", "adrs", "--kind", "specs").code == 0
    return repo


def prime(repo: Repo, *args: str) -> Done:
    done = run(repo.root, "prime", *args)
    assert done.code == 0, done
    return done


def report(repo: Repo, *args: str) -> dict[str, object]:
    return json.loads(prime(repo, *args, "--json").out)  # type: ignore[no-any-return]


def ids(entries: object) -> list[str]:
    return [entry["id"] for entry in entries]  # type: ignore[attr-defined]


def test_every_artifact_without_a_topic(shop: Repo) -> None:
    data = report(shop)
    assert ids(data["artifacts"]) == [
        "ADR-0001",
        *(f"ADR-{number:04d}" for number in range(10, 20)),
        "SPEC-0007",
        "SPEC-0008",
    ]
    assert ids(data["excluded"]) == ["ADR-0002"]
    assert data["excluded"][0]["replaced_by"] == ["ADR-0001"]  # type: ignore[index]
    lines = prime(shop).out.splitlines()
    assert lines[0] == "## Architecture Context Loaded"
    assert "Primed session with 11 ADRs and 2 specs." in lines
    assert "| ADR-0001 | Session tokens | accepted | Session tokens are signed. |" in lines
    assert "- ADR-0002: Opaque session tokens → superseded by ADR-0001" in lines


def test_the_artifacts_that_match_a_topic(shop: Repo) -> None:
    data = report(shop, "session", "tokens")
    found = ids(data["artifacts"])
    assert set(found) == {"ADR-0001", "ADR-0002", "SPEC-0007"}
    assert found.index("ADR-0001") < found.index("ADR-0002"), "replaced by the other"
    why = {one["id"]: one["relevance"] for one in data["artifacts"]}  # type: ignore[attr-defined]
    assert all(one["excerpt"] for one in why.values())
    assert why["ADR-0001"]["matched"] == "session, tokens in the title"
    texts = {one["id"]: one["text"] for one in data["artifacts"]}  # type: ignore[attr-defined]
    assert texts["ADR-0001"] == AUTH["docs/adrs/ADR-0001-jwt.md"]
    assert "Design of session tokens" in texts["SPEC-0007"]
    queues = [f"ADR-{number:04d}" for number in range(10, 20)]
    assert ids(data["skipped"]) == [*queues, "SPEC-0008"]
    out = prime(shop, "session tokens").out
    assert '## Architecture Context Loaded (filtered: "session tokens")' in out
    assert "| ADR-0002 | Opaque session tokens | ⚠ superseded |" in out
    assert "**ADR-0002: Opaque session tokens** ⚠ superseded by ADR-0001" in out
    assert '### Skipped (not relevant to "session tokens")' in out
    assert "- SPEC-0008: Billing" in out


def test_at_most_eight_artifacts_match(shop: Repo) -> None:
    data = report(shop, "work", "queued")
    assert len(data["artifacts"]) == 8  # type: ignore[arg-type]
    assert len(data["skipped"]) == 6  # type: ignore[arg-type]


OPENED = """
import os, sys
sys.argv = ["sdd", "prime", *sys.argv[1:]]
opened = []
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith(".md"):
        opened.append(arguments[0])
from sdd_hooks.cli.entry import main
sys.addaudithook(note)
code = main()
print(*sorted(set(map(os.path.basename, opened))), file=sys.stderr)
raise SystemExit(code)
"""


def opened_files(repo: Repo, *args: str) -> set[str]:
    """The names of the Markdown files that `sdd prime` opens."""
    done = run_python(
        OPENED, *args, cwd=repo.root, env={**repo.environment(), **ISOLATION, **OFFLINE}
    )
    return set(done.stderr.splitlines()[-1].split())


def test_only_the_artifacts_that_match_are_read(shop: Repo) -> None:
    every = {Path(path).name for path in AUTH if path.startswith("docs/adrs/ADR-")}
    assert opened_files(shop, "session", "tokens") & every == {
        "ADR-0001-jwt.md",
        "ADR-0002-old.md",
    }
    assert opened_files(shop) >= every


def test_the_report_header_says_what_a_refresh_changed(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0020-new.md", JWT.format(20, "New", "New."))
    line = "Refreshed index (1 added, 0 updated, 0 removed across all collections)"
    assert line not in prime(shop).out, "scanned a moment ago"
    set_touched(shop, 1.0)
    done = prime(shop)
    assert done.out.splitlines()[2:6] == [line, "", NOTE.format(30, 6), ""], done.out
    assert done.err == ""
    assert line not in prime(shop).out


def test_nothing_about_the_index_where_it_is_fresh_and_embedded(shop: Repo) -> None:
    assert report(shop)["notes"] == [NOTE.format(28, 6)]
    notes = report(shop, "session tokens")["notes"]
    assert notes[0] == NOTE.format(28, 6)  # type: ignore[index]


def test_an_unindexed_repository_is_listed_and_told_to_index(repo: Repo) -> None:
    repo.commit("Start", AUTH)
    out = prime(repo).out
    assert out.splitlines()[2] == "No collections found for repo. Run `sdd index` first."
    assert "| ADR-0001 | Session tokens |" in out
    done = run(repo.root, "prime", "session")
    assert one_line(done, 4) == "No collections found for repo. Run `sdd index` first."
    assert not (repo.root / ".sdd").exists()


def test_a_budget(shop: Repo) -> None:
    out = prime(shop, "--budget", "600", "session tokens").out
    assert count_tokens(out) <= 600
    assert out.splitlines()[-1].startswith("Left out to stay within 600 tokens: ")
    assert count_tokens(prime(shop, "--json", "--budget", "1500", "session").out) <= 1500
    assert "499" in one_line(run(shop.root, "prime", "--budget", "499"), 2)


def test_an_empty_topic_is_an_error(shop: Repo) -> None:
    message = "the topic is empty: name one, or give none for all artifacts: see `sdd prime --help`"
    assert one_line(run(shop.root, "prime", " "), 2) == message


def test_modules(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n", **FILES, **WORKSPACE})
    out = prime(repo).out
    assert "Primed session with 2 ADRs and 1 spec across 1 module." in out
    assert "| [api] | ADR-0001 | Store the index in SQLite | accepted |" in out
    assert "**[api] ADR-0001: Store the index in SQLite** (accepted)" in out
    only = prime(repo, "--module", "api").out
    assert "| ADR-0001 | Store the index in SQLite | accepted |" in only
    assert "[api]" not in only
    run(repo.root, "index", "add")
    assert "- SPEC-0001: Search" not in prime(repo, "--module", "api", "sqlite").out
    assert "| [api] | ADR-0001 |" in prime(repo, "sqlite").out
    assert "'other'" in one_line(run(repo.root, "prime", "--module", "other"), 2)


def test_no_file_is_written_outside_the_index(shop: Repo) -> None:
    def files() -> dict[Path, bytes]:
        everything = shop.root.rglob("*")
        return {
            p: p.read_bytes()
            for p in everything
            if p.is_file() and not {".git", ".sdd"} & {*p.parts}
        }

    before = files()
    prime(shop)
    prime(shop, "session")
    assert files() == before

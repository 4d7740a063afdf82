"""`sdd enrich` and `sdd organize` as commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.freshness.refresh import RefreshOptions, refresh
from tests.cli.commands import run
from tests.support.loopback import CannedResponse
from tests.support.sprint_sites import SPEC, SprintSite, sprint_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        found.add("Implement sessions", SPEC, ("epic",))
        found.add("Sessions expire", f"{SPEC}\n", ("story",))
        yield found


LOST = "warning: .sdd/issues: 1 file of issues damaged or missing (2.md): kept with .aside after"
READERS = {
    "list": ("issues", "list"),
    "show": ("issues", "show", "1"),
    "search": ("search", "--kind", "issues", "sessions"),
    "work": ("work", "1"),
    "enrich": ("enrich", SPEC, "--dry-run"),
    "show a file": ("show", ".sdd/issues/2.md"),
    "graph": ("graph", "impact", SPEC),
}


@pytest.mark.parametrize("first", READERS)
def test_a_damaged_file_is_said_and_read_by_no_command(site: SprintSite, first: str) -> None:
    """A disk may change a bit and not the time of the file."""
    run(site.repo.root, "issues", "sync", env=site.environ)
    run(site.repo.root, "index", "add", env=site.environ)
    path = site.repo.root / ".sdd/issues/2.md"
    whole, time = path.read_bytes(), path.stat().st_mtime_ns
    path.write_bytes(whole.replace(b"Sessions expire", b"Sessions explre"))
    os.utime(path, ns=(time, time))
    if first == "list":
        refresh(site.project(), options=RefreshOptions(scan="full"))
    said = run(site.repo.root, *READERS[first], env=site.environ)
    assert "explre" not in said.out, said
    for name in ("list", "search", "work", "enrich"):
        done = run(site.repo.root, *READERS[name], env=site.environ)
        assert LOST in done.err, (name, done)
        assert "explre" not in done.out, name
    assert b"explre" in path.with_name("2.md.aside").read_bytes()
    assert not path.exists()
    shown = run(site.repo.root, "issues", "show", "2", env=site.environ)
    assert "Sessions expire" in shown.out
    assert LOST in shown.err
    run(site.repo.root, "issues", "sync", env=site.environ)
    assert path.read_bytes() == whole
    again = run(site.repo.root, "issues", "list", env=site.environ)
    assert (again.err, "Sessions expire" in again.out) == ("", True)


def test_a_preview_shows_exactly_what_changes(site: SprintSite) -> None:
    done = run(site.repo.root, "enrich", SPEC, "--dry-run", env=site.environ)
    assert (done.code, done.err) == (0, "note: Syncing 2 issues from GitHub…\n")
    assert done.out.splitlines()[-15:] == [
        "2 Sessions expire: sections Branch and PR Convention",
        "--- 2 before",
        "+++ 2 after",
        "@@ -1 +1,10 @@",
        f" {SPEC}",
        "+",
        "+### Branch",
        "+",
        "+`feature/2-sessions-expire`",
        "+",
        "+### PR Convention",
        "+",
        "+- `Closes #2`",
        f"+- `Part of #1 ({SPEC})`",
        "2 issues would be changed, 0 unchanged",
    ]
    assert site.writes() == 0


def test_enrich_twice(site: SprintSite) -> None:
    done = run(site.repo.root, "enrich", SPEC, env=site.environ)
    assert done.out.splitlines()[-1] == "2 issues changed, 0 unchanged"
    again = run(site.repo.root, "enrich", SPEC, env=site.environ)
    assert (again.code, again.out, again.err) == (0, "0 issues changed, 2 unchanged\n", "")


def test_a_failure_says_how_to_go_on(site: SprintSite) -> None:
    refused = CannedResponse(403, {"message": "no"})
    site.server.fail(refused, when=lambda one: one.method == "PATCH" and one.path.endswith("/2"))
    done = run(site.repo.root, "enrich", SPEC, env=site.environ)
    assert done.code == 8
    assert done.err.splitlines()[-1] == (
        f"warning: 1 of 2 changes made: run `sdd enrich {SPEC}` again to go on"
    )
    assert "warning: 2 is not changed: GitHub refuses GITHUB_TOKEN" in done.err


def test_organize(site: SprintSite) -> None:
    report = run(site.repo.root, "organize", "--depth", "report", env=site.environ)
    assert report.out.splitlines() == [
        "specification  epic  open  closed  milestone",
        f"{SPEC}      1        1       0  Implement sessions",
        "0 issues changed, 0 unchanged",
    ]
    found = run(site.repo.root, "organize", SPEC, "--json", env=site.environ).json
    assert found["changes"] == [
        {
            "id": "2",
            "title": "Sessions expire",
            "change": "new milestone 'Implement sessions'",
            "diff": "",
        }
    ]
    assert found["groups"][0]["stories"] == ["2"]
    assert found["notes"] == ["boards and columns stay as GitHub has them"]


def test_errors_of_usage(site: SprintSite) -> None:
    assert run(site.repo.root, "enrich", env=site.environ).code == 2
    done = run(site.repo.root, "organize", "ADR-0001", env=site.environ)
    assert done.code == 2
    assert "is not the id of a specification" in done.err


def test_a_skipped_sync_is_in_the_log(site: SprintSite) -> None:
    run(site.repo.root, "enrich", SPEC, env=site.environ)
    done = run(site.repo.root, "--verbose", "enrich", SPEC, env=site.environ)
    assert "issues sync skipped: GitHub was synced" in done.err

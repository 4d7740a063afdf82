import re
from contextlib import closing

from sdd_hooks.engines.registry import open_engine
from tests.cli.commands import ADR, FILES, WORKSPACE, on_terminal, one_line, run

COUNTS = {"added": 0, "updated": 0, "removed": 0, "unchanged": 0}
QUEUE = "# ADR-0002: Use a queue\n\nMessages wait in line.\n"


def counts(**changed):
    return {**COUNTS, **changed}


def test_sdd_index_adds_then_updates(repo):
    """Scenario "The first time" of SPEC-0001."""
    repo.commit("Start", FILES)
    first = run(repo.root, "index", "--json").json
    assert first["collections"] == {
        "repo-adrs": counts(added=1),
        "repo-specs": counts(added=2),
        "repo-code": counts(added=1),
        "repo-issues": COUNTS,
    }
    assert first["total"] == counts(added=4)
    repo.write("docs/adrs/ADR-0002-queue.md", QUEUE)
    repo.remove("src/parse.py")
    second = run(repo.root, "index", "--json").json
    assert second["total"] == counts(added=1, removed=1)


def test_update_with_kinds_creates_only_those(repo):
    text = "## Architecture Context\n\n" + "".join(
        f"- Architecture Decision Records are in `{d}/`\n" for d in ("docs/adr", "app/decisions")
    )
    files = {"CLAUDE.md": text, "docs/adr/0001-x.md": ADR, "app/decisions/0002-y.md": QUEUE}
    repo.commit("Start", files)
    assert run(repo.root, "init", "--yes", "--no-hooks").code == 0
    done = run(repo.root, "index", "update", "--kind", "adrs", "--kind", "specs", "--json").json
    assert done["collections"] == {"repo-adrs": counts(added=2), "repo-specs": COUNTS}
    status = run(repo.root, "index", "status", "--json").json
    assert [one["name"] for one in status["collections"]] == ["repo-adrs", "repo-specs"]
    repo.write("src/parse.py", FILES["src/parse.py"])
    assert set(run(repo.root, "index", "update", "--json").json["collections"]) == {
        "repo-adrs",
        "repo-specs",
    }


def test_add_indexes_missing_collections_only(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    done = run(repo.root, "index", "add", "--json").json
    assert set(done["collections"]) == {"repo-specs", "repo-code", "repo-issues"}
    assert run(repo.root, "index", "add").out == "up to date: 4 documents\n"
    assert run(repo.root, "index", "update").out == "up to date: 4 documents\n"


def test_an_index_that_was_cut_short_is_reported(repo):
    """A kill of the first index leaves a collection without a bookmark."""
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add", "--kind", "adrs").code == 0
    project = repo.project()
    with closing(open_engine(project)) as engine:
        engine.ensure(project.select(("code", "specs")))
    note = "note: repo-code, repo-specs are not completely indexed: run `sdd index update`"
    assert note in run(repo.root, "search", "sqlite").err
    assert note in run(repo.root, "index", "status").err
    assert run(repo.root, "index", "update").code == 0
    for command in (("search", "sqlite"), ("index", "status")):
        assert "not completely" not in run(repo.root, *command).err


def test_modules(repo):
    repo.commit("Start", {**FILES, **WORKSPACE})
    done = run(repo.root, "index", "update", "--module", "api", "--kind", "adrs", "--json").json
    assert done["collections"] == {"repo-api-adrs": counts(added=1)}
    hits = run(repo.root, "search", "--module", "api", "--json", "database").hits
    assert {hit["collection"] for hit in hits} == {"repo-api-adrs"}


def test_status_shows_collections_location_and_age(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    done = run(repo.root, "index", "status")
    lines = done.out.splitlines()
    assert lines[0] == "engine     embedded"
    location = re.escape(str(repo.root / ".sdd/search/index.db"))
    assert re.fullmatch(rf"location   {location} \(\d+\.\d MB\)", lines[1])
    assert re.fullmatch(r"refreshed  \d+ seconds? ago", lines[3])
    assert lines[5] == "collection   documents  chunks  pending"
    pending = sum(int(line.split()[3]) for line in lines[6:])
    note = "chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs"
    assert done.err == f"note: {pending} {note}\n"
    data = run(repo.root, "index", "status", "--json").json
    assert data["pending"] == pending
    assert 0 <= data["age"] < 600
    adrs = data["collections"][0]
    assert (adrs["name"], adrs["documents"], adrs["bookmark"]) == ("repo-adrs", 1, repo.head())


def test_remove_removes_the_selected_collections(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    assert "confirm with --yes" in one_line(run(repo.root, "index", "remove"), 2)
    done = run(repo.root, "index", "remove", "--kind", "adrs", "--yes")
    assert done == (0, "removed repo-adrs\n", "")
    assert run(repo.root, "search", "--json", "--kind", "code", "parse").hits
    assert one_line(run(repo.root, "search", "--kind", "adrs", "database"), 4)
    assert run(repo.root, "index", "remove", "--yes", "--json").json["removed"] == [
        "repo-code",
        "repo-issues",
        "repo-specs",
    ]
    assert one_line(run(repo.root, "index", "remove", "--yes"), 4)
    assert one_line(run(repo.root, "index", "status"), 4)
    assert run(repo.root, "index", "add").code == 0


def test_remove_prompts_on_a_terminal(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    code, out = on_terminal(repo.root, "n", "index", "remove")
    assert (code, out.splitlines()[-1]) == (0, "nothing removed")
    assert "Remove repo-adrs from the index? [y/N]: " in out
    assert run(repo.root, "index", "status").code == 0
    code, out = on_terminal(repo.root, "y", "index", "remove")
    assert (code, out.splitlines()[-1]) == (0, "removed repo-adrs")


def test_a_kind_that_is_not_indexed_cannot_be_embedded(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    message = one_line(run(repo.root, "index", "embed", "--kind", "code"), 4)
    assert message == "No collections found for repo. Run `sdd index` first."


def test_an_update_does_not_add_removed_collections(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    assert run(repo.root, "index", "remove", "--kind", "code", "--yes").code == 0
    assert "repo-code" not in run(repo.root, "index", "update", "--json").json["collections"]


def test_options_before_a_subcommand_are_refused(repo):
    message = one_line(run(repo.root, "index", "--kind", "adrs", "update"), 2)
    assert message == "put the options after `update`: see `sdd index --help`"

"""The outputs of a search, to the letter, on both engines' results alike."""

import json
import re

import pytest

from tests.cli.commands import FILES, WORKSPACE, on_terminal, run

SUPERSEDED = """\
---
status: superseded by ADR-0003
---
# ADR-0002: Queue mails in Redis

## Decision Outcome

Mails wait in a Redis list until the relay sends them.
"""
SUCCESSOR = """\
---
status: accepted
supersedes: [ADR-0002]
---
# ADR-0003: Queue mails in PostgreSQL

## Considered Options

* Mails in Redis
* Mails in PostgreSQL

## Decision Outcome

Mails wait in a table until the relay sends them.
"""
MAILS = {"docs/adrs/ADR-0002-redis.md": SUPERSEDED, "docs/adrs/ADR-0003-postgresql.md": SUCCESSOR}
NOTHING = "No relevant ADRs, specs, or code found for 'zebra'. Try a broader search term."


@pytest.fixture
def indexed(repo):
    repo.commit("Start", {**FILES, **MAILS})
    assert run(repo.root, "index", "add").code == 0
    return repo


def search(repo, *args):
    done = run(repo.root, "search", *args)
    assert done.code == 0, done.err
    return done.out


def without_scores(report):
    return re.sub(r"score: \d\.\d\d", "score: …", report).splitlines()


def test_the_usage_is_printed_without_arguments(tmp_path):
    usage = """\
Usage: sdd search <query> [--output markdown|json] [--unfiltered] [--module <name>]

Examples:
sdd search "JWT authentication"
sdd search "payment processing" --output json
sdd search "token validation" --unfiltered
sdd search "auth middleware" --module api

Searches ADRs, specs, and code with qmd hybrid retrieval, then generates
call graphs with cgg for the most relevant code matches.
"""
    for args in ((), ("--help",)):
        done = run(tmp_path, "search", *args)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(usage)
        assert "--kind KIND" in done.out


@pytest.mark.parametrize("args", [("",), ("  ",), ("--output", "json"), ("--module", "api")])
def test_an_empty_query_is_an_error(indexed, args):
    done = run(indexed.root, "search", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err == "sdd: The query is empty: see `sdd search --help`\n"


def test_the_report_is_the_default_without_a_terminal(indexed):
    report = search(indexed, "laptop room database")
    assert report == search(indexed, "laptop room database", "--output", "markdown")
    assert without_scores(report) == [
        "## Search Results: laptop room database",
        "",
        'Found 1 ADRs, 0 specs, 0 code snippets for "laptop room database".',
        "",
        "### 1. Matching ADRs",
        "",
        "- **ADR-0001: Store the index in SQLite** (score: …) · accepted",
        "  We keep it in one SQLite database, because every laptop has room for one.",
        "  `docs/adrs/ADR-0001-sqlite.md:11-13`",
        "",
        "### 2. Matching Specs",
        "",
        "No matching specs found.",
        "",
        "### 3. Relevant Code Snippets",
        "",
        "No relevant code found.",
        "",
        "### 4. Call Graphs",
        "",
        "No call graph nodes matched the filter. Try broadening your search term or use"
        " --unfiltered.",
        "",
        "### 5. Summary",
        "",
        "| Collection | Matches |",
        "|-----------|---------|",
        "| ADRs | 1 |",
        "| Specs | 0 |",
        "| Code | 0 |",
        "| Call graph nodes | unavailable |",
        "",
        'Generate a focused call graph with: `/cgg . --filter "laptop|room|database"`',
    ]


def test_code_in_the_report_has_a_description_and_keeps_its_lines(indexed):
    lines = without_scores(search(indexed, "parse user id"))
    at = lines.index("- **src/parse.py** (score: …)")
    assert lines[at + 1 : at + 6] == [
        "  Defines `parse_user_id` in lines 1-2.",
        "  ```",
        "  def parse_user_id(text):",
        "      return int(text)",
        "  ```",
    ]
    assert "No matching ADRs found." in lines


def test_the_object_of_the_skill_has_exactly_its_keys(indexed):
    data = json.loads(search(indexed, "user", "--output", "json"))
    assert list(data) == ["query", "adr_matches", "spec_matches", "code_snippets", "call_graphs"]
    (spec,) = data["spec_matches"]
    assert list(spec) == ["id", "title", "path", "score", "snippet"]
    assert (spec["id"], spec["title"]) == ("SPEC-0001", "Search")
    (code,) = data["code_snippets"]
    assert list(code) == ["path", "score", "snippet"]
    assert code["snippet"] == "def parse_user_id(text):\n    return int(text)"


def test_the_object_of_the_skill_has_no_place_for_issues(indexed):
    done = run(indexed.root, "search", "x", "--kind", "issues", "--output", "json")
    assert (done.code, done.out) == (2, "")
    assert done.err == "sdd: --output json has no key for issues: use --json\n"


def test_nothing_found_in_each_output(indexed):
    assert search(indexed, "zebra") == f"{NOTHING}\n"
    assert NOTHING in on_terminal(indexed.root, "", "search", "zebra")[1]
    done = run(indexed.root, "search", "zebra", "--output", "json")
    assert json.loads(done.out)["adr_matches"] == []
    assert done.err.startswith(f"note: {NOTHING}\n")
    assert search(indexed, "zebra", "--kind", "code") == (
        "No relevant code found for 'zebra'. Try a broader search term.\n"
    )


def test_a_superseded_record_says_so_and_comes_last(indexed):
    lines = search(indexed, "queue mails in redis").splitlines()
    records = [line for line in lines if line.startswith("- **ADR")]
    assert records[0].startswith("- **ADR-0003: Queue mails in PostgreSQL** (score: ")
    assert records[0].endswith(") · accepted")
    assert records[1].startswith("- **ADR-0002: Queue mails in Redis** (score: ")
    assert records[1].endswith(") · superseded by ADR-0003")


@pytest.mark.parametrize("query", ["ADR-0002", "adr 2", "0002", "adr-0002-redis.md"])
def test_an_id_finds_its_record_first(indexed, query):
    hits = json.loads(run(indexed.root, "search", query, "--json").out)["groups"][0]["hits"]
    assert (hits[0]["artifact_id"], hits[0]["score"]) == ("ADR-0002", 1.0)
    assert (hits[0]["status"], hits[0]["authoritative"]) == ("superseded", False)
    assert hits[0]["replaced_by"] == ["ADR-0003"]


def test_collections_that_are_not_indexed_are_named(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add", "--kind", "adrs").code == 0
    notes = json.loads(run(repo.root, "search", "database", "--json").out)["notes"]
    assert notes[0] == (
        "repo-specs, repo-code are not indexed and not searched: run `sdd index add`"
    )


def test_issues_alone_are_no_index(repo):
    repo.commit("Start", FILES)
    repo.write(".sdd/issues/1.md", "# A database\n")
    assert run(repo.root, "index", "add", "--kind", "issues").code == 0
    done = run(repo.root, "search", "database")
    assert (done.code, done.out) == (4, "")
    assert done.err == "sdd: No collections found for repo. Run `sdd index` first.\n"


def test_a_search_writes_no_file(indexed):
    def state():
        return indexed.git("status", "--porcelain", "--ignored")

    before = state()
    search(indexed, "database")
    assert state() == before


def test_modules_are_searched_together_or_alone(repo):
    repo.commit("Start", {**FILES, **WORKSPACE})
    assert run(repo.root, "index", "add").code == 0
    hits = run(repo.root, "search", "laptop database", "--json").hits
    assert [hit["artifact_id"] for hit in hits] == ["ADR-0001", "[api]/ADR-0001"]
    (only,) = run(repo.root, "search", "laptop database", "--module", "api", "--json").hits
    assert (only["artifact_id"], only["module"]) == ("[api]/ADR-0001", "api")
    assert only["collection"] == "repo-api-adrs"
    (first, *_) = run(repo.root, "search", "[api]/ADR-0001", "--json").hits
    assert first["path"] == "services/api/docs/adrs/ADR-0001-x.md"


def test_an_excerpt_is_no_option_and_no_import(indexed):
    """Scenario "A list of options" of SPEC-0001."""
    indexed.commit(
        "Java",
        {
            "src/Mails.java": "import a.Mails;\nimport b.Mails;\n\n/** Sends mails. */\n"
            "public class Mails {\n    void send() {}\n}\n"
        },
    )
    assert run(indexed.root, "index", "update").code == 0
    report = search(indexed, "mails in redis or postgresql")
    assert "* Mails" not in report
    assert "Mails wait in a table until the relay sends them." in report
    code = search(indexed, "mails", "--kind", "code")
    assert "import" not in code
    assert "public class Mails {" in code

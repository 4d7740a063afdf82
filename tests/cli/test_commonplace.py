import hashlib

from tests.cli.commands import FILES, one_line, run

NOTE = "# Context engineering\n\nWhat an agent sees decides what it does.\n"
COLLECTIONS = "collections:\n  notes:\n    path: kb/notes\n    pattern: '**/*.md'\n"


def commonplace(repo, name, *args):
    return run(repo.root, *args, script=f"commonplace-search-{name}")


def test_records_of_a_named_collection(repo):
    path = "kb/notes/context-engineering.md"
    repo.commit("Start", {**FILES, "semantic-search.yml": COLLECTIONS, path: NOTE})
    assert commonplace(repo, "update").code == 0
    done = commonplace(repo, "query", "--json", "--collection", "notes", "agent", "context")
    record = done.json["records"][0]
    assert 0.3 <= record.pop("score") <= 1
    assert record == {
        "id": f"{path}#file",
        "collection": "notes",
        "path": path,
        "unit": "file",
        "content_hash": f"sha256:{hashlib.sha256(NOTE.encode()).hexdigest()}",
    }
    text = commonplace(repo, "query", "--collection", "notes", "agent context").out
    assert text.startswith(f"id: {path}#file\ncollection: notes\npath: {path}\n")


def test_without_a_name_every_collection_is_searched(repo):
    repo.commit("Start", FILES)
    assert commonplace(repo, "update").code == 0
    records = commonplace(repo, "query", "--json", "one SQLite database").json["records"]
    assert records[0]["id"] == "docs/adrs/ADR-0001-sqlite.md#decision-outcome"
    assert records[0]["collection"] == "repo-adrs"
    assert (
        len(commonplace(repo, "query", "--json", "--limit", "1", "database").json["records"]) == 1
    )
    assert commonplace(repo, "query", "zebra").out == ""


def test_status_is_the_one_of_sdd_index_status(repo):
    repo.commit("Start", FILES)
    assert one_line(commonplace(repo, "status"), 4).startswith("No collections found for repo")
    assert commonplace(repo, "update").code == 0
    status = commonplace(repo, "status", "--json").json
    index = run(repo.root, "index", "status", "--json").json
    assert (status["collections"], status["location"]) == (
        index["collections"],
        index["location"],
    )


def test_errors_have_the_format_of_sdd(repo):
    message = one_line(commonplace(repo, "query", "--collection", "poems", "x"), 2)
    assert message.startswith("no collection 'poems': one of repo-adrs, repo-specs, ")
    message = one_line(commonplace(repo, "query"), 2)
    assert message == "Missing argument 'QUERY': see `commonplace-search-query --help`"

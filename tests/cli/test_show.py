"""`sdd show`: records, sections and definitions as text, with what references them."""

import json

import pytest

from tests.cli.commands import FILES, WORKSPACE, run

OUTBOX = """\
---
status: accepted
date: 2026-03-04
supersedes: [ADR-0001]
---
# ADR-0007: Publish through an outbox

## Decision Outcome

An event is written with its order.

### Consequences

- Good, because none is lost.

## More Information

See ADR-0003.
"""
MORE = {
    "docs/adrs/0007-outbox.md": OUTBOX,
    "docs/adrs/ADR-0003-kafka.md": "# ADR-0003: No Kafka\n\nKafka needs the outbox of ADR-7.\n",
    "src/relay.py": "# Governing: ADR-0007 (outbox), SPEC-0001\n\n\ndef relay():\n    ...\n",
}


@pytest.fixture
def indexed(repo):
    repo.commit("Start", {**FILES, **MORE})
    repo.commit("Relay events, as ADR-0007 says", {"README.md": "# Repo\n"})
    repo.write(".sdd/issues/12.md", "# Lost events\n\nSee ADR-0007.\n")
    assert run(repo.root, "index", "add").code == 0
    return repo


def shown(repo, *args):
    done = run(repo.root, "show", *args)
    assert (done.code, done.err) == (0, "")
    return done.out


def test_a_record_is_shown_with_everything_about_it(indexed):
    lines = shown(indexed, "adr 7").splitlines()
    assert lines[:3] == [
        "ADR-0007: Publish through an outbox · accepted",
        "docs/adrs/0007-outbox.md · 2026-03-04",
        "",
    ]
    text = OUTBOX.splitlines()
    assert lines[3 : 3 + len(text)] == text
    rest = lines[3 + len(text) :]
    (commit,) = [line for line in rest if line.endswith("Relay events, as ADR-0007 says")]
    assert [line for line in rest if line != commit] == [
        "",
        "Edges",
        "  supersedes  ADR-0001  Store the index in SQLite",
        "",
        "Governing comments",
        "  src/relay.py:1  outbox",
        "",
        "Issues",
        "  12  Lost events  .sdd/issues/12.md:3",
        "",
        "Commits",
        "",
        "Records",
        "  ADR-0003  No Kafka  docs/adrs/ADR-0003-kafka.md:3",
        "",
        "Governs",
        "  src/relay.py",
    ]


def test_an_edge_of_another_record_is_derived(indexed):
    data = json.loads(shown(indexed, "ADR-0001", "--json"))
    (edge,) = data["edges"]
    assert (edge["kind"], edge["target"], edge["derived"]) == ("superseded-by", "ADR-0007", True)
    assert edge["title"] == "Publish through an outbox"


def test_a_section_includes_those_below_it(indexed):
    part = shown(indexed, "docs/adrs/0007-outbox.md#decision-outcome")
    assert "### Consequences" in part
    assert "More Information" not in part
    data = json.loads(shown(indexed, "ADR-0007#consequences", "--json"))
    assert data["text"] == "### Consequences\n\n- Good, because none is lost.\n"
    assert (data["first_line"], data["last_line"]) == (12, 15)


def test_a_definition_is_shown_with_its_governing_comments(indexed):
    assert shown(indexed, "src/relay.py#relay").splitlines() == [
        "src/relay.py:4-5",
        "",
        "def relay():",
        "    ...",
    ]
    assert shown(indexed, "src/relay.py").splitlines()[-3:] == [
        "Governed by",
        "  ADR-0007   outbox  line 1",
        "  SPEC-0001          line 1",
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("ADR-0099", "no record has the id ADR-0099: `sdd list` lists them"),
        ("x.md", "no record and no file is called x.md: `sdd list` lists the records"),
        ("../x.md", "no record and no file is called ../x.md: `sdd list` lists the records"),
        ("1", "1 is not unique: choose one of ADR-0001, SPEC-0001"),
        (
            "ADR-0003#x",
            "docs/adrs/ADR-0003-kafka.md has no #x: it has adr-0003-no-kafka",
        ),
    ],
)
def test_what_cannot_be_shown(indexed, target, message):
    done = run(indexed.root, "show", target)
    assert (done.code, done.out, done.err) == (2, "", f"sdd: {message}\n")


@pytest.mark.parametrize("target", ["", " ", "#"])
def test_an_empty_name_is_an_error(indexed, target):
    done = run(indexed.root, "show", target)
    assert done.err == "sdd: The name of what to show is empty: see `sdd show --help`\n"
    assert done.code == 2


def test_a_path_may_be_relative_to_the_current_directory(indexed):
    done = run(indexed.root / "src", "show", "relay.py#relay")
    assert (done.code, done.out.splitlines()[0]) == (0, "src/relay.py:4-5")


def test_two_files_with_one_id_are_told_apart_by_path(repo):
    repo.commit("Start", {"docs/adrs/ADR-0001-a.md": "# A\n", "docs/adrs/ADR-0001-b.md": "# B\n"})
    assert run(repo.root, "index", "add").code == 0
    done = run(repo.root, "show", "ADR-1")
    assert done.err == (
        "sdd: ADR-1 is not unique: choose one of docs/adrs/ADR-0001-a.md, docs/adrs/ADR-0001-b.md\n"
    )


def test_an_id_without_a_module_is_of_the_root(repo):
    repo.commit("Start", {**FILES, **WORKSPACE})
    assert run(repo.root, "index", "add").code == 0
    path = "services/api/docs/adrs/ADR-0001-x.md"
    assert json.loads(shown(repo, "ADR-0001", "--json"))["path"] == "docs/adrs/ADR-0001-sqlite.md"
    assert json.loads(shown(repo, "[api]/ADR-0001", "--json"))["path"] == path
    assert json.loads(shown(repo, "adr 1", "--module", "api", "--json"))["path"] == path


def test_without_an_index_nothing_is_shown(repo):
    repo.commit("Start", FILES)
    done = run(repo.root, "show", "ADR-0001")
    assert (done.code, done.out) == (4, "")
    assert done.err == "sdd: No collections found for repo. Run `sdd index` first.\n"

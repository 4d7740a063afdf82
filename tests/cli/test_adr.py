"""`sdd adr` and `sdd spec`: artifacts are created with a free number, after a search."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.commands import FILES, WORKSPACE, on_terminal, run

REST = "docs/adrs/ADR-0008-use-rest.md"
RECORDS = {
    REST: "---\nstatus: accepted\n---\n# ADR-0008: Use REST for the API\n\n## Context\n\nWe need"
    " an API.\n\n## Decision\n\nREST, because browsers speak it.\n",
    "docs/openspec/specs/token/spec.md": "# SPEC-0014: Token Validation\n\n## Overview\n\nTokens of"
    " authentication are validated.\n",
    "docs/openspec/specs/token/design.md": "# Design: Token Validation\n",
}
NEW = "docs/adrs/ADR-0009-switch-from-rest-to-grpc.md"
SCRATCH = "No related artifacts found — drafting from scratch"
TITLE = "Switch from REST to gRPC"


@pytest.fixture
def indexed(repo):
    repo.commit("Start", {**FILES, **RECORDS})
    assert run(repo.root, "index", "add").code == 0
    return repo


def changed(repo):
    """The paths of changed and new files."""
    return sorted(repo.git("ls-files", "-m", "-o", "--exclude-standard").splitlines())


def test_a_record_supersedes_another(indexed):
    done = run(indexed.root, "adr", TITLE, "--edge", "supersedes=8")
    assert (done.code, done.out) == (0, f"created {NEW}\nchanged {REST}\n")
    text = (indexed.root / NEW).read_text()
    assert text.startswith("---\nstatus: proposed\nsupersedes: [ADR-0008]\n---\n\n# ADR-0009: ")
    assert "\n## Decision\n" in text
    assert "-status: accepted\n+status: superseded by ADR-0009\n" in indexed.git("diff")
    assert run(indexed.root, "search", "ADR-0009", "--json").hits[0]["path"] == NEW
    assert changed(indexed) == [REST, NEW]


def test_candidates_are_found_and_not_written_without_a_terminal(indexed):
    done = run(indexed.root, "adr", TITLE)
    wanted = "candidate: --edge supersedes=ADR-0008 (Use REST for the API)"
    assert done.out.splitlines() == [f"created {NEW}", wanted]
    assert changed(indexed) == [NEW]


def test_a_dry_run_with_json_for_agents(indexed):
    data = run(indexed.root, "adr", TITLE, "--dry-run", "--json").json
    (candidate,) = data["candidates"]
    assert (candidate["edge"], candidate["id"]) == ("supersedes", "ADR-0008")
    assert candidate["choices"] == ["supersedes", "extends", "related"]
    assert candidate["evidence"]
    assert (data["id"], data["path"], data["dry_run"]) == ("ADR-0009", NEW, True)
    assert f"+++ b/{NEW}\n" in data["diff"]
    assert changed(indexed) == []


def test_an_agent_gives_edges_and_sections_as_json(indexed):
    given = {
        "title": TITLE,
        "edges": {"supersedes": ["ADR-0008"], "related": "ADR-0001"},
        "sections": {"Context": "Calls are slow.", "Costs": "None."},
    }
    done = run(indexed.root, "adr", "--input", "-", "--json", stdin=json.dumps(given).encode())
    assert done.json["edges"] == ["supersedes=ADR-0008", "related=ADR-0001"]
    text = (indexed.root / NEW).read_text()
    assert "\n## Context\n\nCalls are slow.\n\n## Decision\n" in text
    assert text.endswith("\n## Costs\n\nNone.\n")


def test_the_context_that_an_agent_gathered_is_searched_as_well(indexed):
    given = {"title": "Choose a wire format", "context": "Browsers speak REST to the API today."}
    arguments = ("adr", "--input", "-", "--dry-run", "--json")
    found = run(indexed.root, *arguments, stdin=json.dumps(given).encode()).json["candidates"]
    assert [one["id"] for one in found] == ["ADR-0008"]
    data = run(indexed.root, "adr", given["title"], "--dry-run", "--json").json
    assert data["candidates"] == []


def test_a_failed_refresh_is_a_warning(indexed):
    lock = indexed.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = run(indexed.root, "adr", TITLE, "--edge", "related=8")
    assert (done.code, done.out) == (0, f"created {NEW}\n")
    name = f"{indexed.root.name}-adrs"
    warning = f"Index refresh failed for {name} — run `sdd index update` manually"
    assert f"warning: {warning}\n" in done.err


@pytest.mark.parametrize("given", [b"", b"[]", b"7", b'{"title": 7, "edges": 7}', b"\xff", b"{}"])
def test_an_input_that_is_none(indexed, given):
    done = run(indexed.root, "adr", "--input", "-", stdin=given)
    assert done.code == 2
    assert done.err.startswith("sdd: The input is no JSON object with")
    assert changed(indexed) == []


def test_on_a_terminal_each_candidate_is_accepted_rejected_or_modified(indexed):
    code, out = on_terminal(indexed.root, "\n", "adr", TITLE)
    assert code == 0
    assert "ADR-0008: Use REST for the API · accepted" in out
    assert "supersedes ADR-0008? (yes, no, supersedes, extends, related) [yes]" in out
    assert changed(indexed) == [REST, NEW]
    indexed.git("checkout", "-q", ".")
    for answer, edges in (("no\n", ""), ("extends\n", "extends: [ADR-0008]\n")):
        indexed.git("clean", "-q", "-f")
        assert on_terminal(indexed.root, answer, "adr", TITLE)[0] == 0
        assert changed(indexed) == [NEW]
        assert f"status: proposed\n{edges}---\n" in (indexed.root / NEW).read_text()


def test_an_interrupted_prompt_leaves_nothing(indexed):
    code, out = on_terminal(indexed.root, "\x03", "adr", TITLE)
    assert (code, out.splitlines()[-1]) == (130, "sdd: interrupted")
    assert changed(indexed) == []


def test_nothing_related(indexed):
    done = run(indexed.root, "adr", "Pick a CSV parsing library")
    assert f"note: {SCRATCH}\n" in done.err


def test_a_specification_is_a_pair(indexed):
    done = run(indexed.root, "spec", "Authentication", "--edge", "requires=SPEC-14")
    path = "docs/openspec/specs/authentication"
    assert done.out.splitlines() == [f"created {path}/spec.md", f"created {path}/design.md"]
    assert (
        "\nrequires: [SPEC-0014]\n---\n\n# SPEC-0015: Auth"
        in (indexed.root / path / "spec.md").read_text()
    )
    assert run(indexed.root, "search", "SPEC-0015", "--json").hits[0]["path"] == f"{path}/spec.md"
    data = run(indexed.root, "spec", "Authentication of tokens", "--dry-run", "--json").json
    assert "SPEC-0014" in {one["id"] for one in data["candidates"]}
    again = run(indexed.root, "spec", "Authentication")
    assert (again.code, again.err.splitlines()[-1]) == (
        1,
        f"sdd: {path}/spec.md exists: choose another title",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((TITLE, "--edge", "replaces=8"), 2, "'replaces=8' is no edge of an ADR"),
        ((TITLE, "--edge", "related=77"), 2, "ADR-0077 does not exist"),
        (("  ",), 2, "The title is empty"),
        (("newe",), 2, "No such command 'newe': did you mean 'new'?"),
        ((TITLE, "more"), 2, "unexpected extra argument"),
    ],
)
def test_what_is_refused(indexed, arguments, code, message):
    done = run(indexed.root, "adr", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert changed(indexed) == []


def test_a_title_that_is_no_utf_8(indexed):
    assert "-keep-caf.md\n" in run(indexed.root, "adr", "Keep caf\udce9").out


def test_a_rejected_record_cannot_be_superseded(indexed):
    (indexed.root / REST).write_text("---\nstatus: rejected\n---\n# ADR-0008: Use REST\n")
    done = run(indexed.root, "adr", TITLE, "--edge", "supersedes=8")
    assert (done.code, done.out) == (1, "")
    assert "an ADR that is rejected cannot become superseded" in done.err
    assert changed(indexed) == [REST]


def test_in_a_module(repo):
    repo.commit("Start", WORKSPACE)
    assert run(repo.root, "index", "add").code == 0
    done = run(repo.root, "adr", "Use queues", "--module", "api", "--edge", "related=1")
    path = "services/api/docs/adrs/ADR-0002-use-queues.md"
    assert done.out == f"created {path}\n"
    assert "related: [ADR-0001]" in (repo.root / path).read_text()


def test_in_a_package_with_records_of_its_own(indexed):
    package = "pkg/web/docs/adr"
    indexed.commit(
        "Add a package",
        {
            f"{package}/0001-use-forms.md": "# 1. Use forms\n\n## Status\n\nAccepted\n",
            "pkg/web/src/main.py": "x = 1\n",
            "pkg/api/main.py": "x = 1\n",
        },
    )

    def place(directory):
        data = run(indexed.root / directory, "adr", "Use tabs", "--dry-run", "--json").json
        return data["path"].rpartition("/")[0]

    assert place("pkg/web/src") == package
    assert place("pkg/web") == package
    assert place(package) == package
    assert place("pkg/api") == "docs/adrs"
    assert place("docs") == "docs/adrs"
    assert place(".") == "docs/adrs"
    created = run(indexed.root, "-C", "pkg/web", "adr", "Use tabs").out
    assert created.startswith(f"created {package}/0009-use-tabs.md\n")


def test_processes_that_ask_at_once_get_different_numbers(indexed):
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda n: run(indexed.root, "adr", f"Decision {n}"), range(12)))
    assert [one.code for one in done] == [0] * 12
    names = sorted(name.rpartition("/")[2][:8] for name in changed(indexed))
    assert names == [f"ADR-{n:04d}" for n in range(9, 21)]


def test_a_template_that_is_no_yaml_is_named(indexed):
    indexed.write("docs/adrs/template.md", "---\nid: 7\n# Title\n")
    done = run(indexed.root, "adr", TITLE)
    assert (done.code, done.out) == (1, "")
    assert "sdd: docs/adrs/template.md:1: `status` in the frontmatter has a form" in done.err
    assert changed(indexed) == ["docs/adrs/template.md"]

"""The call graph in each output of a search."""

import json
import re

import pytest

from sdd_hooks.callgraph.generate import has_module
from tests.cli.commands import FILES, on_terminal, run

WARNING = (
    "Generating unfiltered call graph — output may be large. Use /cgg directly for advanced"
    " scoping."
)
CODE = {
    "src/parse.py": "def parse_user_id(text):\n    return to_number(text)\n\n\n"
    "def to_number(text):\n    return int(text)\n",
    "src/other.py": "def unrelated():\n    return 1\n",
}
MODULES = {
    "CLAUDE.md": "## Architecture Context\n\n### Workspace Modules\n\n"
    "| Module | Root |\n|---|---|\n| api | services/api |\n",
    "services/api/parse.py": "def parse_user_id(text):\n    return text\n",
}
DIAGRAM = [
    "graph TD",
    '    n_parse_parse_user_id["parse.parse_user_id"]',
    '    n_parse_to_number["parse.to_number"]',
    "    n_parse_parse_user_id --> n_parse_to_number",
    "%% Showing entry points + main flow; internal helpers omitted",
]
FILTER = "parse|parse_user_id"

pytestmark = pytest.mark.skipif(not has_module(), reason="needs the extra callgraph")


@pytest.fixture
def indexed(repo):
    repo.commit("Start", {**FILES, **CODE})
    assert run(repo.root, "index", "add").code == 0
    return repo


def sections(repo, *args):
    """The sections of a report after those of the hits, with their lines."""
    done = run(repo.root, "search", *args)
    assert done.code == 0, done.err
    parts = re.split(r"(?m)^### \d+\. ", done.out)[1:]
    named = {part.splitlines()[0]: part.splitlines()[2:] for part in parts}
    return named["Call Graphs"], named["Summary"], done.err


def test_the_report_has_the_graph_and_a_summary(indexed):
    graph, summary, _ = sections(indexed, "parse user id")
    comment, *block = [line for line in graph if line]
    assert re.fullmatch(
        rf"<!-- Call graph: {re.escape(FILTER)}(\|\w+)*, generated \d{{4}}-\d\d-\d\d -->", comment
    )
    assert block == ["```mermaid", *DIAGRAM, "```"]
    assert summary[:6] == [
        "| Collection | Matches |",
        "|-----------|---------|",
        "| ADRs | 0 |",
        "| Specs | 1 |",
        "| Code | 1 |",
        "| Call graph nodes | 2 |",
    ]
    assert summary[-1].startswith(f'Refine the call graph with: `/cgg . --filter "{FILTER}')


def test_the_object_of_the_skill_has_the_graph(indexed):
    data = json.loads(run(indexed.root, "search", "parse user id", "--output", "json").out)
    (graph,) = data["call_graphs"]
    assert list(graph) == ["filter", "mermaid", "error"]
    assert graph["filter"].startswith(FILTER)
    assert graph["mermaid"].splitlines() == DIAGRAM
    assert graph["error"] is None


def test_unfiltered_draws_all_code_and_warns_first(indexed):
    graph, summary, err = sections(indexed, "parse user id", "--unfiltered")
    assert err.startswith(f"warning: {WARNING}\n")
    assert graph[0] == f"> {WARNING}"
    assert graph[2].startswith("<!-- Call graph: unfiltered, generated ")
    assert '    n_other_unrelated["other.unrelated"]' in graph
    assert "| Call graph nodes | 3 |" in summary
    assert FILTER in summary[-1]
    done = run(indexed.root, "search", "parse user id", "--unfiltered", "--output", "json")
    assert json.loads(done.out)["call_graphs"][0]["filter"] is None


def test_a_module_is_the_scope_of_its_graph(repo):
    repo.commit("Start", {**FILES, **CODE, **MODULES})
    assert run(repo.root, "index", "add").code == 0
    graph, summary, _ = sections(repo, "parse user id", "--module", "api")
    assert [line for line in graph if line.endswith('"]')] == [DIAGRAM[1]]
    assert "`/cgg services/api --filter" in summary[-1]


def test_a_terminal_and_the_versioned_object_have_it_only_when_asked(indexed):
    query = ("search", "parse", "user", "id")
    assert "Call graph" not in on_terminal(indexed.root, "", *query)[1]
    shown = on_terminal(indexed.root, "", *query, "--graph")[1]
    assert DIAGRAM[1] in shown
    assert shown.index("src/parse.py") < shown.index("Call graph")
    assert "call_graphs" not in json.loads(run(indexed.root, *query, "--json").out)
    data = json.loads(run(indexed.root, *query, "--json", "--graph", "--unfiltered").out)
    assert data["call_graphs"][0]["mermaid"].startswith("graph TD")
    assert WARNING in data["warnings"]


@pytest.mark.parametrize("args", [("zebra",), ("sqlite", "--kind", "adrs")])
def test_without_hits_and_without_a_search_of_code_there_is_no_graph(indexed, args):
    out = run(indexed.root, "search", *args).out
    assert "Call Graphs" not in out
    assert "Summary" not in out

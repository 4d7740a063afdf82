"""qmd's tools over the index of the repository."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.lowlevel import Server

from sdd_hooks.mcp import qmd
from sdd_hooks.mcp.parameters import input_schema
from tests.mcp.conftest import Serve, call, with_client
from tests.support.qmd import RealQmd
from tests.support.repos import Repo


@pytest.fixture
def server(serve: Serve, indexed: Repo) -> Server[Any]:
    return serve(indexed.root, qmd.TOOLS)


def documents(server: Any, name: str, **arguments: object) -> tuple[list[Any], list[str]]:
    """The resources and the texts of a result."""

    async def use(client: Client) -> Any:
        content = (await client.call_tool(name, arguments)).content
        resources = [one.resource for one in content if one.type == "resource"]
        return resources, [one.text for one in content if one.type == "text"]

    return with_client(server, use)  # type: ignore[no-any-return]


def test_the_tools_take_the_arguments_of_the_real_qmd(real_qmd: RealQmd) -> None:
    """Names, types, defaults and what is required are those of its server."""
    parameters = StdioServerParameters(
        command=real_qmd.installation.command, args=["mcp"], env=dict(real_qmd.environ)
    )

    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools

    theirs = {tool.name: tool.input_schema for tool in with_client(stdio_client(parameters), use)}
    assert set(theirs) == {tool.name for tool in qmd.TOOLS}
    for tool in qmd.TOOLS:
        mine: Any = input_schema(tool.parameters)
        their_properties = theirs[tool.name].get("properties", {})
        assert set(mine["properties"]) - set(their_properties) == {"root"}
        assert set(mine["required"]) <= set(theirs[tool.name].get("required", []))
        for name, one in their_properties.items():
            number = {"integer": "number"}.get(mine["properties"][name]["type"])
            assert (number or mine["properties"][name]["type"]) == one["type"], name
            assert mine["properties"][name].get("default") == one.get("default"), name


def test_the_query_of_the_search_skill_is_answered(server: Any) -> None:
    """Scenario "A query of the search skill" of SPEC-0005."""
    found = call(
        server,
        "query",
        searches=[
            {"type": "lex", "query": "services talk over the bus"},
            {"type": "vec", "query": "Architecture decisions about services"},
        ],
        intent="/sdd:search — find ADRs relevant to: services",
        collections=["shop-adrs"],
        limit=8,
        minScore=0.3,
    )["results"]
    assert set(found[0]) == {"docid", "file", "title", "score", "context", "line", "snippet"}
    titles = {one["file"]: one["title"] for one in found}
    assert titles == {
        "shop-adrs/ADR-0002-grpc.md": "ADR-0002: gRPC",
        "shop-adrs/ADR-0001-rest.md": "ADR-0001: REST (NOT IN FORCE: superseded by ADR-0002)",
        "shop-adrs/ADR-0003-soap.md": "ADR-0003: SOAP (NOT IN FORCE: rejected)",
    }
    assert all(one["score"] >= 0.3 for one in found)
    assert found[0]["snippet"].startswith(f"{found[0]['line']}: ")


def test_what_a_query_returns_can_be_retrieved(server: Any) -> None:
    (hit, *_) = call(server, "query", query="gRPC proto", limit=1)["results"]
    for name in (hit["file"], hit["docid"], f"qmd://{hit['file']}", "docs/adrs/ADR-0002-grpc.md"):
        (resource,), _ = documents(server, "get", file=name, lineNumbers=False)
        assert resource.uri == "qmd://shop-adrs/ADR-0002-grpc.md"
        assert "# ADR-0002: gRPC" in resource.text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"file": "shop-adrs/ADR-0002-grpc.md:7:1"}, "7: # ADR-0002: gRPC"),
        (
            {"file": "docs/adrs/ADR-0002-grpc.md", "fromLine": 7, "maxLines": 1},
            "7: # ADR-0002: gRPC",
        ),
        (
            {"file": "docs/adrs/ADR-0002-grpc.md:3", "fromLine": 7, "maxLines": 1},
            "7: # ADR-0002: gRPC",
        ),
    ],
)
def test_lines_can_be_chosen(server: Any, arguments: dict[str, object], text: str) -> None:
    (resource,), _ = documents(server, "get", **arguments)
    assert resource.text == text


def test_a_document_not_in_force_begins_with_its_mark(server: Any) -> None:
    (resource,), _ = documents(server, "get", file="docs/adrs/ADR-0003-soap.md", lineNumbers=False)
    assert resource.text.startswith("<!-- NOT IN FORCE: rejected -->\n\n---\nstatus: rejected")


@pytest.mark.parametrize(
    "name", ["../outside.txt", "/etc/passwd", "secret.env", ".git/config", "#zzzzzz", "#"]
)
def test_only_indexed_documents_are_served(server: Any, name: str) -> None:
    assert call(server, "get", file=name).startswith("Document not found: ")


def test_a_similar_name_is_suggested(server: Any) -> None:
    line = call(server, "get", file="shop-adrs/ADR-0002-grcp.md")
    assert "Did you mean one of these? shop-adrs/ADR-0002-grpc.md" in line


def test_documents_are_retrieved_by_a_glob_and_a_list(server: Any) -> None:
    found, texts = documents(server, "multi_get", pattern="shop-adrs/*.md", maxLines=1)
    assert [one.uri.rpartition("/")[2] for one in found] == [
        "ADR-0001-rest.md", "ADR-0002-grpc.md", "ADR-0003-soap.md",
    ]  # fmt: skip
    assert texts == []
    found, texts = documents(server, "multi_get", pattern="src/page.py, nope.md")
    assert [one.uri for one in found] == ["qmd://shop-code/src/page.py"]
    assert texts == ["Errors:\nDocument not found: nope.md"]
    found, texts = documents(server, "multi_get", pattern="src/page.py", maxBytes=10)
    assert found == []
    assert texts[0].startswith("[SKIPPED: shop-code/src/page.py - File too large.")
    assert call(server, "multi_get", pattern="*.none") == "No files matched pattern: *.none"
    assert call(server, "multi_get", pattern="{a,b}" * 20 + "*").startswith("pattern: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Error: provide either 'query' (plain text) or 'searches' (typed sub-queries)"),
        (
            {"query": "a", "searches": [{"type": "lex", "query": "a"}]},
            "Error: 'query' and 'searches' are mutually exclusive; provide only one",
        ),
        (
            {"query": "a", "collections": ["x-adrs"]},
            "there is no collection x-adrs: there are shop-",
        ),
        ({"query": "x" * 3_000}, "query has 3,000 characters: the limit is 2,000"),
    ],
)
def test_a_wrong_query_is_one_line(server: Any, arguments: dict[str, Any], message: str) -> None:
    assert call(server, "query", **arguments).startswith(message)


def test_the_status_lists_the_collections(server: Any, indexed: Repo) -> None:
    status = call(server, "status")
    assert status["totalDocuments"] == 7
    assert not status["hasVectorIndex"]
    adrs = next(one for one in status["collections"] if one["name"] == "shop-adrs")
    assert adrs["path"] == str(indexed.root / "docs/adrs")
    assert adrs["documents"] == 3

"""The server, as the client of the SDK sees it, in both eras of the protocol."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import sdd_hooks
from sdd_hooks.mcp.tools import TOOLS
from sdd_hooks.reporting.budget import count_tokens
from tests.mcp.conftest import Serve, call, with_client
from tests.support.repos import Repo

MODES = ("legacy", "2026-07-28")
MODERN = MODES[1]


@pytest.mark.parametrize("mode", MODES)
def test_there_are_five_tools_that_only_read(serve: Serve, mode: str) -> None:
    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = with_client(serve(), use, mode=mode)
    names = ["search", "get", "decisions_for_paths", "review_change", "status"]
    assert [tool.name for tool in tools] == names
    assert all(tool.annotations.read_only_hint for tool in tools)
    catalogue = json.dumps([tool.model_dump(mode="json", exclude_none=True) for tool in tools])
    assert count_tokens(catalogue) < 2_200


@pytest.mark.parametrize("mode", MODES)
def test_the_repository_is_that_of_a_root(serve: Serve, indexed: Repo, mode: str) -> None:
    """Scenario "Started in another directory" of SPEC-0005."""
    status = call(serve(), "status", indexed.root.parent, indexed.root / "src", mode=mode)
    assert status["repository"] == str(indexed.root)
    assert {one["name"] for one in status["collections"]} == {
        "shop-adrs",
        "shop-specs",
        "shop-code",
    }
    assert status["indexed"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_outside_of_a_repository_a_call_says_so_in_one_line(
    serve: Serve, tmp_path: Path, tool: Any, mode: str
) -> None:
    arguments = {"search": {"query": "x"}, "get": {"target": "x"}}.get(tool.name, {})
    if tool.name == "decisions_for_paths":
        arguments = {"paths": ["x"]}
    line = call(serve(), tool.name, mode=mode, **arguments)
    assert "is not inside a git repository" in line
    line = call(serve(), tool.name, tmp_path, mode=mode, **arguments)
    assert line.startswith("no root of the client is in a git repository")


def test_a_repository_that_is_not_indexed_says_what_to_run(serve: Serve, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    assert "Run `sdd index` first." in call(serve(repo.root), "search", query="x")
    status = call(serve(repo.root), "status")
    assert not status["indexed"]
    assert "Run `sdd index` first." in status["notes"][0]


def test_a_search_marks_what_is_not_in_force(serve: Serve, indexed: Repo) -> None:
    found = call(serve(indexed.root), "search", query="services talk over the bus", kinds=["adrs"])
    marks = {hit["artifact"]: (hit["in_force"], hit.get("mark")) for hit in found["hits"]}
    assert marks == {
        "ADR-0002: gRPC": (True, None),
        "ADR-0001: REST": (False, "NOT IN FORCE: superseded by ADR-0002"),
        "ADR-0003: SOAP": (False, "NOT IN FORCE: rejected"),
    }


def test_an_id_of_a_hit_is_a_target(serve: Serve, indexed: Repo) -> None:
    server = serve(indexed.root)
    (hit,) = call(server, "search", query="call_service", kinds=["code"])["hits"][:1]
    assert hit["id"] == "src/rpc/client.py#call_service"
    assert "def call_service(name):" in call(server, "get", target=hit["id"])["text"]


def test_a_record_is_shown_with_its_mark_and_edges(serve: Serve, indexed: Repo) -> None:
    shown = call(serve(indexed.root), "get", target="ADR-0001")
    assert shown["mark"] == "NOT IN FORCE: superseded by ADR-0002"
    assert shown["edges"] == ["superseded-by ADR-0002 gRPC"]
    assert "Services talk REST" in shown["text"]
    section = call(serve(indexed.root), "get", target="ADR-0002#decision")
    assert (section["first_line"], section["last_line"]) == (13, 15)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("../outside.txt", "no record and no file is called ../outside.txt"),
        ("/etc/passwd", "no record and no file is called /etc/passwd"),
        ("secret.env", "secret.env is ignored by git: it is not served"),
        (".git/config", ".git/config is ignored by git: it is not served"),
        ("link.md", "no record and no file is called link.md"),
        ("ADR-0099", "no record has the id ADR-0099"),
        ("  ", "target is empty"),
        ("x" * 2_000, "target has 2,000 characters: the limit is 1,500"),
    ],
)
def test_what_is_not_part_of_the_repository_is_not_served(
    serve: Serve, indexed: Repo, target: str, message: str
) -> None:
    (indexed.root.parent / "outside.txt").write_text("outside")
    link = indexed.root / "link.md"
    if not link.is_symlink():
        link.symlink_to("../outside.txt")
    assert call(serve(indexed.root), "get", target=target).startswith(message)


def test_the_decision_of_a_path_comes_as_text(serve: Serve, indexed: Repo) -> None:
    paths = ["src/rpc/client.py", str(indexed.root / "src/rpc/new.py"), "/etc/passwd", "src"]
    found = call(serve(indexed.root), "decisions_for_paths", paths=paths)
    assert [(one["artifact"], one["decision"]) for one in found["decisions"]] == [
        ("ADR-0002: gRPC", "Services talk gRPC with each other over the bus."),
        ("SPEC-0001: Calls", "Every call MUST have a deadline."),
        ("ADR-0003: SOAP", "Services talk SOAP with each other over the bus."),
    ]
    assert found["decisions"][1]["governs"] == [
        'src/rpc/client.py: governing comment REQ "Deadline" (src/rpc/client.py:1)'
    ]
    assert found["decisions"][2]["mark"] == "NOT IN FORCE: rejected"
    assert len(found["decisions"][0]["governs"]) == 2
    assert [note.partition(":")[0] for note in found["notes"]] == [
        "/etc/passwd is outside of the repository",
        "src is a directory",
    ]


def test_a_path_that_nothing_governs_has_no_decision(serve: Serve, indexed: Repo) -> None:
    found = call(serve(indexed.root), "decisions_for_paths", paths=["src/page.py"])
    assert found["decisions"] == []
    assert found["answer"] == "no decision or specification governs these paths"


def test_a_change_is_reviewed(serve: Serve, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    repo.commit(
        "Start", {"docs/adrs/ADR-0001-x.md": "---\nstatus: superseded\n---\n\n# ADR-0001: X\n"}
    )
    repo.git("checkout", "-q", "-b", "work")
    repo.commit("Cite", {"src/a.py": "# Governing: ADR-0009 (gone)\n"})
    server = serve(repo.root)
    found = call(server, "review_change", base="main")
    assert [(one["rule"], one["place"]) for one in found["findings"]] == [
        ("dangling-reference", "src/a.py:1")
    ]
    assert found["files"] == 1
    (repo.root / "src/b.py").write_text("# Governing: ADR-0008\n")
    repo.git("add", "src/b.py")
    (staged,) = call(server, "review_change", staged=True)["findings"]
    assert staged["place"] == "src/b.py:1"


@pytest.mark.parametrize("revision", ["--output=x", "-x", "a b", "a\nb"])
def test_an_option_is_no_revision(serve: Serve, indexed: Repo, revision: str) -> None:
    for name in ("base", "head"):
        line = call(serve(indexed.root), "review_change", **{name: revision})
        assert line == f"{name} is no revision of git: name a branch, a tag or a commit"
    assert "x" not in {one.name for one in indexed.root.iterdir()}


@pytest.mark.parametrize("name", ["search", "get", "decisions_for_paths", "status"])
def test_a_result_keeps_to_its_budget(serve: Serve, indexed: Repo, name: str) -> None:
    arguments = {
        "search": {"query": "services talk over the bus"},
        "get": {"target": "ADR-0002"},
        "decisions_for_paths": {"paths": ["src/rpc/client.py"]},
        "status": {},
    }[name]

    async def use(client: Client) -> Any:
        return (await client.call_tool(name, {**arguments, "budget": 500})).content[0]

    assert count_tokens(with_client(serve(indexed.root), use).text) <= 500


@pytest.mark.parametrize("mode", MODES)
def test_artifacts_are_resources(serve: Serve, indexed: Repo, mode: str) -> None:
    async def use(client: Client) -> Any:
        listed = (await client.list_resources()).resources
        contents = [(await client.read_resource(one.uri)).contents[0] for one in listed]
        return listed, contents

    listed, contents = with_client(serve(indexed.root), use, mode=mode)
    assert [(one.name, one.description) for one in listed] == [
        ("ADR-0001", "NOT IN FORCE: superseded by ADR-0002"),
        ("ADR-0002", "accepted"),
        ("ADR-0003", "NOT IN FORCE: rejected"),
        ("SPEC-0001", None),
        ("SPEC-0001", None),
    ]
    assert listed[0].uri == "sdd:///docs/adrs/ADR-0001-rest.md"
    assert contents[0].text.startswith("<!-- NOT IN FORCE: superseded by ADR-0002 -->\n\n---\n")
    assert contents[1].text == (indexed.root / "docs/adrs/ADR-0002-grpc.md").read_text()


def test_resources_of_a_root_are_listed_after_a_call(serve: Serve, indexed: Repo) -> None:
    async def use(client: Client) -> Any:
        before = (await client.list_resources()).resources
        await client.call_tool("status", {})
        return before, (await client.list_resources()).resources

    before, after = with_client(serve(), use, indexed.root, mode=MODERN)
    assert (len(before), len(after)) == (0, 5)


@pytest.mark.parametrize(
    "uri",
    [
        "sdd:///../outside.txt",
        "sdd:///secret.env",
        "sdd:///src/page.py",
        "sdd://host/docs/adrs/ADR-0001-rest.md",
        "file:///etc/passwd",
        "sdd:///docs/adrs/ADR-0001-rest.md%00",
    ],
)
def test_no_other_file_is_a_resource(serve: Serve, indexed: Repo, uri: str) -> None:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as raised:
            await client.read_resource(uri)
        return raised.value.message

    message = with_client(serve(indexed.root), use)
    assert message == f"{uri} is no decision or specification of this repository"


def test_an_unknown_tool_is_an_error_of_the_protocol(serve: Serve, indexed: Repo) -> None:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("delete", {})
        return raised.value.message

    assert with_client(serve(indexed.root), use).startswith(
        "there is no such tool: there are search"
    )


def test_a_client_that_does_not_list_its_roots_gets_one_line(serve: Serve, indexed: Repo) -> None:
    """A client may declare a capability that it does not have."""

    async def use(client: Client) -> Any:
        return (await client.call_tool("status", {})).content[0]

    async def refuse(_: object) -> Any:
        raise ValueError("not now")

    async def connect() -> Any:
        server = serve(indexed.root)
        async with Client(server, mode="legacy", list_roots_callback=refuse, cache=None) as client:
            return await use(client)

    line = asyncio.run(connect()).text
    assert line.startswith("the client did not list its roots: start the server with")


def test_the_sdk_is_imported_by_two_modules_only() -> None:
    """Everything else of sdd works without the extra."""
    package = Path(sdd_hooks.__file__).parent
    importing = set()
    for path in package.rglob("*.py"):
        text = path.read_text()
        if not re.search(r"import mcp|from mcp", text):
            continue
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if any(name.partition(".")[0] in {"mcp", "mcp_types"} for name in names):
                importing.add(path.relative_to(package).as_posix())
    assert importing == {"mcp/server.py", "mcp/transports.py"}

"""Call graphs of the real cgg, and every way in which there is none."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.callgraph.analysis import AnalysisRequest, analyze
from sdd_hooks.callgraph.generate import (
    FAILED,
    MAX_TOKEN,
    MAX_TOKENS,
    NO_NODES,
    CallGraph,
    GraphScope,
    derive_filter,
    generate_call_graph,
    has_module,
    keyword_filter,
    run_binary,
    run_module,
)
from tests.support.mermaid import installed_mermaid, parse_diagrams

SHOP = {
    "api/orders.py": "from db import write\n\ndef place(order):\n    write(order)\n",
    "api/db.py": "def write(row):\n    return row\n",
    "web/cart.js": "function add(item) { return total(item) }\nfunction total(i) { return i }\n",
    "web/user.prisma": "model User { id Int }\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in SHOP.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def real() -> None:
    if not has_module():
        pytest.skip("needs the extra callgraph")


def program(tmp_path: Path, script: str) -> dict[str, str]:
    """An environment whose `cgg` is a shell script. Arguments arrive in the file `arguments`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    binary = folder / "cgg"
    binary.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/arguments"\n{script}\n')
    binary.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.usefixtures("real")
def test_the_real_module_draws_what_the_filter_matches(shop: Path) -> None:
    graph = generate_call_graph(GraphScope(shop, ""), "orders|place", os.environ, run=run_module)
    assert graph.error == ""
    labels = [line.split('"')[1] for line in graph.lines if line.endswith('"]')]
    assert labels == ["db.write", "orders.place"]
    assert "    n_orders_place --> n_db_write" in graph.lines
    assert graph.nodes == 2
    again = generate_call_graph(GraphScope(shop, ""), "orders|place", os.environ, run=run_module)
    assert again == graph
    (parsed,) = parse_diagrams(installed_mermaid(), ["\n".join(graph.lines)])
    assert parsed["edges"] == [["n_orders_place", "n_db_write"]]


@pytest.mark.usefixtures("real")
def test_the_real_module_without_a_filter_and_in_a_directory(shop: Path) -> None:
    assert generate_call_graph(GraphScope(shop, ""), None, os.environ).nodes == 4
    web = generate_call_graph(GraphScope(shop, "web"), None, os.environ)
    assert (web.nodes, web.filter) == (2, None)
    assert not [line for line in web.lines if "orders" in line]


@pytest.mark.usefixtures("real")
def test_a_link_out_of_the_repository_is_not_followed(shop: Path) -> None:
    (shop / "web/secret.py").symlink_to(shop / "api/db.py")
    (shop / "web/all").symlink_to(shop / "api")
    graph = generate_call_graph(GraphScope(shop, "web"), None, os.environ, run=run_module)
    assert not [line for line in graph.lines if "write" in line or "place" in line]


@pytest.mark.usefixtures("real")
def test_matched_files_of_an_unknown_language_are_named(shop: Path) -> None:
    notice = (
        "Call graph generation skipped for web/user.prisma (language not supported by cgg)."
        " Showing other results."
    )
    scope = GraphScope(shop, "", ("web/user.prisma", "web/cart.js", "gone.py"))
    graph = generate_call_graph(scope, "add", os.environ, run=run_module)
    assert (graph.skipped, graph.error, graph.nodes) == ((notice,), "", 2)
    scope = GraphScope(shop, "", ("web/user.prisma",))
    graph = generate_call_graph(scope, "prisma", os.environ, run=run_module)
    assert (graph.error, graph.skipped, graph.lines) == (notice, (), ())


@pytest.mark.usefixtures("real")
def test_a_filter_that_matches_nothing(shop: Path) -> None:
    graph = generate_call_graph(GraphScope(shop, ""), "nothing", os.environ, run=run_module)
    assert graph == CallGraph("nothing", error=NO_NODES)
    assert graph.error == (
        "No call graph nodes matched the filter. Try broadening your search term or use"
        " --unfiltered."
    )


@pytest.mark.usefixtures("real")
def test_an_invalid_expression_is_a_message(shop: Path) -> None:
    graph = generate_call_graph(GraphScope(shop, ""), "(", os.environ, run=run_module)
    assert graph.error.startswith("Call graph generation failed: --filter: invalid regex")
    assert "\n" not in graph.error


@pytest.mark.usefixtures("real")
def test_a_module_of_the_repository_is_not_imported(shop: Path) -> None:
    (shop / "cgg.py").write_text("raise SystemExit('imported')\n")
    (shop / "json.py").write_text("raise SystemExit('imported')\n")
    graph = generate_call_graph(GraphScope(shop, "web"), None, os.environ, run=run_module)
    assert graph.error == ""


def test_the_analysis_answers_in_this_process(shop: Path) -> None:
    assert analyze(AnalysisRequest(str(shop / "gone"), "")).error


def test_the_program_gets_the_target_and_one_argument_for_the_filter(
    shop: Path, tmp_path: Path
) -> None:
    environ = program(tmp_path.parent, "echo 'graph LR'; echo '  a[b]'")
    graph = generate_call_graph(GraphScope(shop, "web"), "-x|b", environ, run=run_binary)
    assert graph.lines[1] == '    n_b["b"]'
    given = (tmp_path.parent / "arguments").read_text().splitlines()
    assert given == [str(shop / "web"), "--filter=-x|b", "-t", "mermaid"]
    generate_call_graph(GraphScope(shop, ""), None, environ, run=run_binary)
    given = (tmp_path.parent / "arguments").read_text().splitlines()
    assert given == [f"{shop}", "-t", "mermaid"]


def test_without_the_program_the_message_says_how_to_install_it(shop: Path) -> None:
    """Scenario "cgg is not installed" of SPEC-0005."""
    graph = generate_call_graph(GraphScope(shop, ""), "x", {"PATH": "/nowhere"}, run=run_binary)
    assert graph.error == (
        "Call graphs unavailable — install cgg with: cargo install cgg\n"
        "or see https://github.com/NeuralNotwerk/cgg"
    )


def test_a_program_in_the_repository_is_not_run(shop: Path) -> None:
    environ = program(shop, "echo 'graph TD'; echo '  a[b]'")
    graph = generate_call_graph(GraphScope(shop, ""), "x", environ, run=run_binary)
    assert graph.error.startswith("Call graphs unavailable")
    assert not (shop / "arguments").exists()


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("echo 'no entry points' >&2; exit 1", FAILED.format(reason="no entry points")),
        ("exit 3", FAILED.format(reason="exit status 3")),
        ("kill -9 $$", FAILED.format(reason="exit status -9")),
        ("printf 'a\\n\\033[1mb' >&2; exit 2", FAILED.format(reason="a \\x1b[1mb")),
        ("echo 'graph TD'", NO_NODES),
        (
            "exit 124",
            "Call graph generation timed out (30s). The codebase may be very large.\n"
            "Try: /cgg <module/path> --filter <keyword> to narrow the scope.",
        ),
    ],
)
def test_every_failure_of_the_program_is_a_message(
    shop: Path, tmp_path_factory: pytest.TempPathFactory, script: str, error: str
) -> None:
    environ = program(tmp_path_factory.mktemp("path"), script)
    graph = generate_call_graph(GraphScope(shop, ""), "x", environ, run=run_binary)
    assert (graph.error, graph.lines, graph.nodes) == (error, (), 0)


def test_a_program_that_does_not_end_is_stopped_at_the_deadline(
    shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("path")
    environ = program(folder, f'echo $$ >"{folder}/pid"; sleep 600')
    scope = GraphScope(shop, "")
    graph = generate_call_graph(scope, "x", environ, deadline=3.0, run=run_binary)
    assert graph.error.startswith("Call graph generation timed out (3s). The codebase may be")
    started = int((folder / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)


def test_warnings_of_the_program_name_the_files(
    shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    warning = "echo 'warning: unsupported language for a/b.prisma' >&2"
    folder = tmp_path_factory.mktemp("path")
    environ = program(folder, f"{warning}; echo 'graph TD'; echo '  a[b]'")
    graph = generate_call_graph(GraphScope(shop, ""), "x", environ, run=run_binary)
    notice = "skipped for a/b.prisma (language not supported by cgg). Showing other results."
    assert graph.skipped == (f"Call graph generation {notice}",)
    assert graph.nodes == 1
    environ = program(tmp_path_factory.mktemp("path"), warning)
    graph = generate_call_graph(GraphScope(shop, ""), "x", environ, run=run_binary)
    assert graph.error == f"Call graph generation {notice}"


def test_a_process_that_cannot_be_started_is_a_message(
    shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("path")
    environ = program(folder, "")
    (folder / "bin/cgg").write_bytes(b"\x7fELF")
    graph = generate_call_graph(GraphScope(shop, ""), "x", environ, run=run_binary)
    assert graph.error.startswith("Call graph generation failed: `cgg` cannot be started")


@pytest.mark.parametrize(
    ("matches", "tokens"),
    [
        ([("auth/jwt.go", "")], ["jwt", "auth"]),
        ([("auth/jwt.go", "validateToken")], ["jwt", "auth", "validateToken"]),
        ([("a/jwt.go", ""), ("a/jwt.go", "parse")], ["jwt", "parse"]),
        ([("src/login.test.ts", "Login of a user")], ["login", "Login", "user"]),
        ([("user-store.js", "")], ["user\\-store"]),
        ([(".eslintrc.js", "Class.method")], ["eslintrc", "Class\\.method"]),
    ],
)
def test_names_of_files_and_symbols(matches: list[tuple[str, str]], tokens: list[str]) -> None:
    """Scenario "A file that was found" of SPEC-0005."""
    assert derive_filter(matches, "a query") == "|".join(tokens)


def test_without_code_the_words_of_the_query() -> None:
    assert derive_filter([], "Payment Processing for the API") == "payment|processing|api"
    assert derive_filter([("-", "")], "x token") == "token"
    assert keyword_filter("the of a") == ""


def test_the_number_and_length_of_tokens_are_limited() -> None:
    many = derive_filter([(f"name{number}.py", "") for number in range(99)], "")
    assert len(many.split("|")) == MAX_TOKENS
    assert derive_filter([("x" * (MAX_TOKEN + 1) + ".py", "")], "word") == "word"


HOSTILE = st.text(alphabet=st.sampled_from("ab|()[]{}*+?.\\^$-`\"'<>!# \n/;&日_=%"), max_size=30)


@given(st.lists(st.tuples(HOSTILE, HOSTILE), max_size=4), HOSTILE)
def test_no_name_breaks_the_expression(matches: list[tuple[str, str]], query: str) -> None:
    regex = derive_filter(matches, query)
    re.compile(regex)
    for token in re.split(r"(?<!\\)\|", regex) if regex else ():
        # Each alternative matches its own letters, and nothing that differs from them.
        plain = re.sub(r"\\(.)", r"\1", token)
        assert re.fullmatch(token, plain)
        assert not re.fullmatch(token, plain + "x")
    assert not re.search(r"[\s`\"'<>;&]|-->", regex)
    assert not regex.startswith("-")

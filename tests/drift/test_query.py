"""The query for the records that may govern a file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.query import MAX_WORDS, build_query, summarize_file
from sdd_hooks.engines.ranking.query_terms import parse_terms

LOGIN = """// Governing: ADR-0003 (tokens of sessions), SPEC-0001 REQ "Sign in"
package auth

func LoginHandler() {}

func parseToken() {}

type SessionStore struct{}
"""


def test_the_query_has_the_path_the_comments_and_the_exported_names() -> None:
    summary = summarize_file("src/auth/login.go", LOGIN)
    assert summary.names == ("LoginHandler", "SessionStore")
    assert [str(one.id) for one in summary.comments] == ["ADR-0003", "SPEC-0001"]
    words = build_query([summary]).split()
    assert {"ADR-0003", "SPEC-0001", "auth", "login", "LoginHandler", "SessionStore"} <= {*words}
    assert {"tokens", "sessions", "Sign"} <= {*words}
    assert "parseToken" not in words
    assert len(words) == len(set(words))


def test_what_a_language_marks_is_exported() -> None:
    typescript = "export function openCart() {}\nfunction hidden() {}\n"
    assert summarize_file("cart.ts", typescript).names == ("openCart",)
    rust = "pub fn sweep_outbox() {}\nfn inner() {}\n"
    assert summarize_file("sweep.rs", rust).names == ("sweep_outbox",)
    python = "def _private():\n    ...\n\n\ndef public():\n    ...\n"
    assert summarize_file("a.py", python).names == ("public",)
    assert summarize_file("b.py", "def _private():\n    ...\n").names == ("_private",)


def test_a_document_has_its_headings() -> None:
    summary = summarize_file("docs/sessions.md", "# Sessions\n\n## Sign in\n\nGoverning: ADR-1\n")
    assert summary.names == ("Sessions", "Sign in")
    assert summary.comments == ()


def test_a_file_without_definitions_has_its_frequent_words() -> None:
    text = "poll: broker\npoll: outbox\nname: x\n"
    assert summarize_file("deploy/outbox.yaml", text).names == ("poll", "broker", "outbox")


def test_files_have_in_common_what_comes_first() -> None:
    files = [summarize_file(f"src/outbox/{name}.py", "def sweep():\n    ...\n") for name in "abc"]
    assert build_query(files, "src/outbox").split()[:2] == ["outbox", "sweep"]


def test_a_name_that_only_has_common_words_is_searched_nevertheless() -> None:
    assert build_query([summarize_file("src/main.py", "")]) == "src main"


@given(st.text(max_size=200), st.text(max_size=60))
def test_a_query_has_no_syntax(text: str, path: str) -> None:
    query = build_query([summarize_file(path, text), summarize_file(path, f"# {text}")])
    assert len(query.split()) <= MAX_WORDS
    assert '"' not in query
    assert not any(term.excluded for term in parse_terms(query))

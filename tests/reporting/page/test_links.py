"""Test sdd_hooks.reporting.page.links."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, named_id
from sdd_hooks.artifacts.named_code import CodePaths
from sdd_hooks.reporting.page.links import (
    GraphEdge,
    Hyperlinks,
    RecordRelation,
    assign_keys,
    find_relations,
    graph_edges,
)
from sdd_hooks.reporting.registry import Links
from tests.reporting.page.pages import (
    FILES,
    LOGS_PATH,
    QUEUES_PATH,
    SPEC_PATH,
    STREAMS_PATH,
    corpus_of,
)

CORPUS = corpus_of(FILES)

ARTIFACTS = corpus_of(FILES)
KEYS = assign_keys(ARTIFACTS.artifacts)
LINKED = Hyperlinks(ARTIFACTS, KEYS, Links("https://forge.example/o/r/blob", "abc"))
QUEUES = ARTIFACTS.by_path[QUEUES_PATH]


def test_relations_are_written_or_derived() -> None:
    relations = find_relations(CORPUS)
    assert relations[QUEUES_PATH] == (
        RecordRelation("extended-by", STREAMS_PATH, "ADR-0002", True),
    )
    assert relations[STREAMS_PATH] == (
        RecordRelation("extends", QUEUES_PATH, "ADR-0001"),
        RecordRelation("superseded-by", LOGS_PATH, "ADR-0003", True),
    )
    assert relations[LOGS_PATH] == (
        RecordRelation("supersedes", STREAMS_PATH, "ADR-0002"),
        RecordRelation("implemented-by", SPEC_PATH, "SPEC-0001", True),
    )


def test_an_unknown_target_keeps_its_id() -> None:
    corpus = corpus_of({"docs/adrs/0001-a.md": "---\nextends: [ADR-0009]\n---\n\n# ADR-0001: A\n"})
    relations = find_relations(corpus)
    assert relations["docs/adrs/0001-a.md"] == (RecordRelation("extends", "", "ADR-0009"),)
    assert graph_edges(corpus, relations) == ()


def test_each_edge_is_drawn_once_from_the_older_artifact() -> None:
    edges = graph_edges(CORPUS, find_relations(CORPUS))
    assert edges == (
        GraphEdge("extends", 0, 1),
        GraphEdge("supersedes", 1, 2),
        GraphEdge("implements", 2, 3),
    )


def test_a_replacement_in_the_older_artifact_is_an_edge() -> None:
    old = "# ADR-0001: A\n\n## Status\n\nSuperseded by ADR-0002\n"
    corpus = corpus_of({"docs/adrs/0001-a.md": old, "docs/adrs/0002-b.md": "# ADR-0002: B\n"})
    assert graph_edges(corpus, find_relations(corpus)) == (GraphEdge("supersedes", 0, 1),)


def test_related_artifacts_have_one_edge_without_a_direction() -> None:
    text = "---\nrelated: [ADR-000{}]\n---\n\n# ADR-000{}: A\n"
    files = {f"docs/adrs/000{at}-a.md": text.format(3 - at, at) for at in (1, 2)}
    edges = graph_edges(corpus_of(files), find_relations(corpus_of(files)))
    assert edges == (GraphEdge("related", 0, 1),)


def record(path: str, number: int | None = None, module: str = "") -> Artifact:
    name = path.rpartition("/")[2].removesuffix(".md")
    identifier = named_id("ADR", name) if number is None else ArtifactId("ADR", number, "", module)
    return Artifact("ADR", identifier, path, "T", module)


def test_the_key_is_the_id_or_the_name_of_the_file() -> None:
    keys = assign_keys([record("a/0012-x.md", 12), record("a/logs & more.md")])
    assert keys == {"a/0012-x.md": "ADR-0012", "a/logs & more.md": "logs-more"}


def test_a_module_is_part_of_the_key() -> None:
    assert assign_keys([record("a.md", 7, "api")]) == {"a.md": "api-ADR-0007"}


def test_artifacts_that_share_a_key_are_numbered_by_path() -> None:
    keys = assign_keys([record("b.md", 1), record("a.md", 1), record("c.md", 1)])
    assert keys == {"a.md": "ADR-0001", "b.md": "ADR-0001~2", "c.md": "ADR-0001~3"}


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=8))
def test_keys_differ_and_need_no_escape_in_an_address(names: list[str]) -> None:
    keys = assign_keys([record(f"docs/{name}.md") for name in names])
    assert len(set(keys.values())) == len(names)
    assert all(re.fullmatch(r"[\w.~-]+", key) for key in keys.values())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("src/queue/store.py", "src/queue/store.py"),
        ("store.py:12", "src/queue/store.py?plain=1#L12"),
        ("src/queue/store.py:12-14", "src/queue/store.py?plain=1#L12"),
        ("src/queue/", "src/queue"),
        ("queue.store", "src/queue/store.py"),
        ("src/*.py", ""),
        ("../src/queue/store.py", ""),
        ("src/gone.py", ""),
        ("store", ""),
    ],
)
def test_code_that_a_text_names_is_on_the_forge(written: str, expected: str) -> None:
    named = LINKED._replace(paths=CodePaths(["src/queue/store.py", "src/a.py", "README.md"]))
    assert named.file(written) == (expected and f"https://forge.example/o/r/blob/abc/{expected}")
    assert LINKED.file(written) == named._replace(links=None).file(written) == ""


def address(href: str, hyperlinks: Hyperlinks = LINKED) -> str:
    return hyperlinks.address(href, QUEUES, QUEUES_PATH)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("ADR-0002-use-streams.md", "#/record/ADR-0002"),
        ("./ADR-0002-use-streams.md#decision", "#/record/ADR-0002/decision"),
        ("../openspec/specs/logs/spec.md", "#/record/SPEC-0001"),
        ("../openspec/specs/logs", "#/record/SPEC-0001"),
        ("../openspec/specs/logs/design.md", "#/record/SPEC-0001"),
        ("/docs/adrs/ADR-0003-use-logs.md", "#/record/ADR-0003"),
        ("#context", "#/record/ADR-0001/context"),
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("../../src/a%20b.py", "https://forge.example/o/r/blob/abc/src/a%20b.py"),
    ],
)
def test_links_lead_to_artifacts_files_and_the_web(href: str, expected: str) -> None:
    assert address(href) == expected


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "//example.org/a",
        "\\\\example.org\\a",
        "https:example.org",
        "../../../etc/passwd",
        "https://example.org/" + "a" * 3000,
        "#",
        "#a b",
    ],
)
def test_other_links_lead_nowhere(href: str) -> None:
    assert address(href) == ""


def test_without_a_forge_files_are_no_links() -> None:
    assert address("../../src/a.py", LINKED._replace(links=None)) == ""


@given(st.text(max_size=60))
def test_every_address_is_of_the_page_or_the_web(href: str) -> None:
    found = address(href)
    assert not found or re.match(r"#/record/[\w.~-]+|https?://|mailto:", found, re.IGNORECASE)


def test_ids_in_texts_are_mentions_of_other_artifacts() -> None:
    text = "As ADR-0003 and ADR-0001 say, unlike ADR-0099; see SPEC-0001."
    found = LINKED.mentions(text, QUEUES)
    assert [(text[one.start : one.end], one.key) for one in found] == [
        ("ADR-0003", "ADR-0003"),
        ("SPEC-0001", "SPEC-0001"),
    ]
    assert LINKED.mentions("a spectre", ARTIFACTS.by_path[SPEC_PATH]) == []

"""Documents are cut into chunks with stable ids, whose titles name the headings above them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.chunking.chunk import MAX_LENGTH
from sdd_hooks.chunking.document import chunk_document, chunk_hash, text_to_embed

ADR = """---
status: accepted
---
# Use SQLite

Why we keep it small.

## Considered Options

### PostgreSQL

Too much to run.

## Decision Outcome

SQLite.
"""


def test_the_head_of_a_document_is_one_chunk() -> None:
    cut = chunk_document("docs/a.md", ADR.encode())
    assert cut.title == "Use SQLite"
    head = cut.chunks[0]
    assert (head.anchor, head.title, head.first_line, head.last_line) == ("file", "", 1, 7)
    assert "status: accepted" in head.text
    assert "Why we keep it small." in head.text


def test_a_section_names_the_headings_above_it_and_a_heading_alone_is_no_chunk() -> None:
    cut = chunk_document("docs/a.md", ADR.encode())
    assert [(chunk.anchor, chunk.title) for chunk in cut.chunks[1:]] == [
        ("postgresql", "Considered Options › PostgreSQL"),
        ("decision-outcome", "Decision Outcome"),
    ]
    assert cut.chunks[2].text == "## Decision Outcome\n\nSQLite.\n"


def test_a_document_without_headings_is_one_chunk() -> None:
    cut = chunk_document("docs/a.md", b"Just a note.\n")
    assert cut.title == ""
    assert [chunk.anchor for chunk in cut.chunks] == ["file"]


def test_a_document_that_begins_below_the_first_level_has_sections() -> None:
    cut = chunk_document("docs/a.md", b"## Status\n\nAccepted.\n")
    assert [chunk.anchor for chunk in cut.chunks] == ["status"]


def test_no_section_has_the_id_of_the_head() -> None:
    cut = chunk_document("docs/a.md", b"# A\n\nOne.\n\n## File\n\nTwo.\n\n## File\n\nThree.\n")
    assert [chunk.anchor for chunk in cut.chunks] == ["file", "file-1", "file-2"]


def test_code_is_cut_by_definition() -> None:
    cut = chunk_document("src/a.py", b"import os\n\n\ndef parse_user():\n    return os\n")
    assert [chunk.anchor for chunk in cut.chunks] == ["file", "parse_user"]


def test_the_hash_covers_the_text_that_a_model_embeds() -> None:
    first, *_ = chunk_document("docs/a.md", ADR.encode()).chunks
    assert chunk_hash("Use SQLite", first) != chunk_hash("Use Redis", first)
    assert text_to_embed("Use SQLite", "Context", "## Context\n\nSmall.\n") == (
        "Use SQLite › Context\n\n## Context\n\nSmall."
    )
    assert text_to_embed("", "", "text\n") == "text"


@given(st.text())
def test_any_markdown_is_cut_into_chunks_with_unique_ids(text: str) -> None:
    cut = chunk_document("a.md", text.encode("utf-8", "replace"))
    anchors = [chunk.anchor for chunk in cut.chunks]
    assert len(set(anchors)) == len(anchors)
    assert all(len(chunk.text) <= MAX_LENGTH for chunk in cut.chunks)


@given(st.binary(max_size=300))
def test_any_bytes_are_cut(data: bytes) -> None:
    for path in ("a.md", "a.py", "a.txt"):
        for chunk in chunk_document(path, data).chunks:
            assert 1 <= chunk.first_line <= chunk.last_line

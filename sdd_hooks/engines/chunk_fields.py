"""The fields of a chunk in which words are searched: its titles, its text, and parts of names."""

# Governing: ADR-0002 (words as FTS5 tokenizes them), ADR-0045 (evidence of names and paths)

from __future__ import annotations

from sdd_hooks.engines.query_terms import identifier_parts, separate_unspaced
from sdd_hooks.engines.stored_paths import words_of_path


class ChunkFields:
    """Makes the fields of the chunks of one document."""

    def __init__(self, path: str, title: str) -> None:
        words = words_of_path(path)
        self._titles = separate_unspaced(f"{words} {identifier_parts(words)} {title}")

    def of_chunk(self, section: str, text: str) -> tuple[str, str, str]:
        """Return the titles, the text, and the words of its camelCase identifiers."""
        titles = f"{self._titles} {separate_unspaced(section)} {identifier_parts(section)}"
        return titles, separate_unspaced(text), identifier_parts(text)

"""One form for texts that people read as the same: how words are compared, stored and asked for."""

# Governing: SPEC-0005 REQ "Search", ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations


def fold_forms(text: str) -> str:
    """Return a text with the characters that people type in place of their other forms.

    Canonically equal texts become equal; half-width kana, full-width letters and ligatures become
    the usual characters, and ß becomes ss. The case stays.
    """
    if text.isascii():
        return text
    # Few texts need it, and a search waits for each import.
    from unicodedata import is_normalized, normalize

    if not is_normalized("NFKC", text):
        # A sign behind a name is no part of it.
        text = normalize("NFKC", text.replace("™", " ").replace("℠", " "))
    return text.replace("ß", "ss").replace("ẞ", "SS")


def equal_spellings(path: str) -> tuple[str, ...]:
    """Return a path, and those that are canonically equal: systems store names in either form."""
    if path.isascii():
        return (path,)
    from unicodedata import normalize

    return (path, normalize("NFC", path), decompose(path))


def decompose(text: str) -> str:
    """Return a canonically equal text with its characters taken apart."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFD", text)

"""The `.gitignore` entry that keeps derived state out of commits."""

# Governing: ADR-0006 (derived state under .sdd), SPEC-0005 REQ "Initialisation"

from __future__ import annotations

ENTRY = b".sdd/"

_BOM = b"\xef\xbb\xbf"


def converge(current: bytes | None) -> bytes | None:
    """The file with `.sdd/` in it once, or None when nothing has to change.

    `current` is the file's content, None when there is no file. Lines keep their order and their
    endings; a file that ends its lines with CRLF gets the new one ended likewise.
    """
    if current is None:
        return ENTRY + b"\n"
    lines = current.removeprefix(_BOM).splitlines()
    if any(line.rstrip(b" ") in {ENTRY, b"/" + ENTRY, b"**/" + ENTRY} for line in lines):
        return None
    newline = b"\r\n" if b"\r\n" in current else b"\n"
    glue = b"" if not current or current.endswith(b"\n") else newline
    return current + glue + ENTRY + newline

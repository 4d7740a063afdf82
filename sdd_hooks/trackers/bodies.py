"""Append to the body of an issue, and leave every byte before as it is."""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations


def joined(body: str, text: str) -> str:
    """The body with `text` after it, a blank line between them, and the line ends of the body.

    `text` has line feeds, and no blank lines around it.
    """
    newline = "\r\n" if "\r\n" in body else "\n"
    addition = text.replace("\n", newline)
    if not body:
        return addition
    plain = body.replace("\r\n", "\n")
    missing = 2 - min(len(plain) - len(plain.rstrip("\n")), 2)
    return f"{body}{newline * missing}{addition}"

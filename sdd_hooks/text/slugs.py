"""Slugs: names reduced to the characters that are safe in collection names, paths and git refs.

The anchors of Markdown headings follow other rules: see `text.markdown.heading_anchor`.
"""

from __future__ import annotations

SLUG_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def slugify(name: str) -> str:
    """Lower-case `name` and replace each character but ASCII letters, digits and `-` with `-`."""
    lower = (c.lower() if c.isascii() else "-" for c in name)
    return "".join(c if c in SLUG_CHARACTERS else "-" for c in lower)

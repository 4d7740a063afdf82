"""The text of a pattern or a lesson, which is stored as JSON, as a person would read it."""

# Governing: ADR-0055 (knowledge belongs to its authors), ADR-0008 (units of retrieval)

from __future__ import annotations

import re

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_PATH = lazy_regex(r"(?:.*/)?(?P<kind>patterns|lessons)/[^/]+\.json")

_TEXTS = {
    "patterns": ("name", "problem", "solution", "example"),
    "lessons": ("advice", "context", "trigger"),
}
_MAX_TITLE = 120


class EntryText(NamedTuple):
    """The title of an entry on one line, and its texts as paragraphs, with its tags."""

    title: str
    text: str


def read_entry_text(path: str, text: str) -> EntryText | None:
    """Return the text of the entry at `path`; None for a file that is no entry. Raises nothing."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    names = _TEXTS[match["kind"]]
    if not isinstance(data, dict) or not isinstance(data.get(names[0]), str):
        return None
    texts = [value for name in names if isinstance(value := data.get(name), str) and value.strip()]
    tags = data.get("tags")
    if isinstance(tags, list):
        texts.append(", ".join(tag for tag in tags if isinstance(tag, str)))
    if not texts:
        return None
    title = re.split(r"(?<=[.!?])\s", " ".join(texts[0].split()), maxsplit=1)[0]
    joined = "\n\n".join(texts).encode("utf-8", "replace").decode()
    return EntryText(title[:_MAX_TITLE].encode("utf-8", "replace").decode(), joined + "\n")

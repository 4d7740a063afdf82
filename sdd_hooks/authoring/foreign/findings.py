"""What an import understood in a record, and what it did not."""

# Governing: SPEC-0024 REQ "Records of other tools"

from __future__ import annotations

from sdd_hooks.named_tuple import NamedTuple


class Understood(NamedTuple):
    """A value to add to the frontmatter under `key`, a tuple for a list.

    `line` is the one that says it, 1-based, and `text` what it says.
    """

    key: str
    value: str | tuple[str, ...]
    line: int
    text: str


class NotUnderstood(NamedTuple):
    """A text that looks like such a value, and why it is not taken over."""

    line: int
    text: str
    reason: str

"""A comment on a line that says itself that it is settled, where a thread cannot be resolved.

Who may write comments may not always resolve what they began. Editing one's own comment keeps the
conversation, and is something that only we do to it.
"""

# Governing: SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

SETTLED = "**Settled:** this was no longer found."
"""The second line of a comment that is settled; the first one has its marker."""


def settled(body: str) -> str:
    """The text of a comment, saying below its first line that it is settled."""
    if is_settled(body):
        return body
    marker, _, rest = body.partition("\n")
    return f"{marker}\n{SETTLED}\n\n{rest}"


def is_settled(body: str) -> bool:
    """Whether a comment says that it is settled."""
    lines = body.split("\n", 2)
    return len(lines) > 1 and lines[1].rstrip() == SETTLED

"""The marker in the body of an issue that a plan created: its specification, and what it covers.

A plan finds its issues by it, however their titles and bodies were edited, and however the
requirements would be grouped now.
"""

# Governing: ADR-0052 (an issue says what it covers)

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from sdd_hooks.named_tuple import NamedTuple

LEAD = "sdd-story:"
"""The beginning of a marker."""
EPIC = "epic"
"""The key of the epic of a specification."""

_MARKER = re.compile(
    r"sdd-story: (?P<spec>[^\s<>`]{1,200})(?P<keys>(?: (?:epic|[0-9a-f]{10})){1,500})"
)
_OTHER = re.compile(r"[^\w./\[\]-]+")


class StoryMarker(NamedTuple):
    """A specification, and the keys of the requirements or artifacts that the issue covers."""

    spec: str
    keys: tuple[str, ...]


def marked_spec(name: str) -> str:
    """The id of a specification, or its name without one, as a marker has it."""
    return _OTHER.sub("-", name)[:200]


def key_of(name: str) -> str:
    """The key of a requirement or an artifact by its name, in any case and spacing."""
    normal = " ".join(name.casefold().split())
    return blake2b(normal.encode("utf-8", "replace"), digest_size=5).hexdigest()


def write_marker(marker: StoryMarker, *, hidden: bool) -> str:
    """The line with the marker: a comment if the tracker hides one, else code."""
    text = f"{LEAD} {marker.spec} {' '.join(marker.keys)}"
    return f"<!-- {text} -->" if hidden else f"`{text}`"


def read_markers(body: str) -> Iterator[StoryMarker]:
    """Yield the markers of a body."""
    # The substring test spares most issues the regular expression.
    for match in _MARKER.finditer(body) if LEAD in body else ():
        yield StoryMarker(match["spec"], tuple(match["keys"].split()))


def keys_for(body: str, spec: str) -> frozenset[str]:
    """The keys of a specification that a body covers. `spec` is as in a marker."""
    return frozenset(_keys(one for one in read_markers(body) if one.spec == spec))


def _keys(markers: Iterable[StoryMarker]) -> Iterator[str]:
    for marker in markers:
        yield from marker.keys

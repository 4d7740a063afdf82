"""The marker in the body of an issue that a plan created: its specification, and what it covers.

A plan finds its issues by it, however their titles and bodies were edited, and however the
requirements would be grouped now.
"""

# Governing: ADR-0052 (an issue says what it covers)

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from sdd_hooks.text.lazy_regex import lazy_regex

LEAD = "sdd-story:"
"""The beginning of a marker."""
EPIC = "epic"
"""The key of the epic of a specification."""

_MARKER = lazy_regex(
    r"sdd-story: (?P<spec>[^\s<>`]{1,200})(?P<keys>(?: (?:epic|[0-9a-f]{10})){1,500})"
)
_OTHER = lazy_regex(r"[^\w./\[\]-]+")


def marked_spec(name: str) -> str:
    """The id of a specification, or its name without one, as a marker has it."""
    return _OTHER.sub("-", name)[:200]


def key_of(name: str) -> str:
    """The key of a requirement or an artifact by its name, in any case and spacing."""
    normal = " ".join(name.casefold().split())
    return blake2b(normal.encode("utf-8", "replace"), digest_size=5).hexdigest()


def write_marker(spec: str, keys: Iterable[str], *, hidden: bool) -> str:
    """The line with the marker of an issue: a comment if the tracker hides one, else code.

    `keys` are those of the requirements or artifacts that the issue covers.
    """
    text = f"{LEAD} {spec} {' '.join(keys)}"
    return f"<!-- {text} -->" if hidden else f"`{text}`"


def keys_for(body: str, spec: str) -> frozenset[str]:
    """The keys of a specification that a body covers. `spec` is as in a marker."""
    # The substring test spares most issues the regular expression.
    markers = _MARKER.finditer(body) if LEAD in body else ()
    return frozenset(
        key for marker in markers if marker["spec"] == spec for key in marker["keys"].split()
    )

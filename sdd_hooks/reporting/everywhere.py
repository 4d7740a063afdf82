"""Results from the index of an organisation, for people and for programs."""

# Governing: SPEC-0033 REQ "Search everywhere", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import printable_line
from sdd_hooks.text.durations import format_duration

SCHEMA_VERSION = 1
DAY = 86400.0
"""Seconds after which a repository counts as not refreshed."""


class RepositoryAge(NamedTuple):
    """A repository by its full and its short name, and the time of its last refresh."""

    repository: str
    name: str
    touched: float | None


def describe_age(touched: float | None, now: float) -> str:
    """Return how long ago a repository was refreshed, as the end of a sentence."""
    if touched is None:
        return "never refreshed completely"
    return f"refreshed {format_duration(now - touched)} ago"


def age_lines(ages: Sequence[RepositoryAge], now: float) -> list[str]:
    """Return a line about each repository."""
    return [printable_line(f"{one.name}: {describe_age(one.touched, now)}") for one in ages]


def age_data(ages: Sequence[RepositoryAge]) -> list[dict[str, object]]:
    """Return the repositories for programs."""
    return [one._asdict() for one in ages]


def hit_lines(label: str, status: str, hit: Hit) -> list[str]:
    """Return the lines of a hit."""
    state = f" ({status})" if status else ""
    first = f"{hit.score:.2f}  {label}  {hit.title}{state}"
    lines = [first, f"      {hit.path}:{hit.first_line}-{hit.last_line}"]
    if hit.snippet:
        lines.append(f"      {hit.snippet.partition(chr(10))[0]}")
    return [*map(printable_line, lines), ""]


def hit_data(hit: Hit) -> dict[str, object]:
    """Return a hit for programs, without its collection and context."""
    kept = ("path", "first_line", "last_line", "title", "section", "score", "cosine", "snippet")
    return {"chunk": hit.id, **{name: getattr(hit, name) for name in kept}}

"""The code that a story extends: files that a requirement names, and those that it is about."""

# Governing: ADR-0052 (existing code by its words), SPEC-0025 REQ "Existing code"

from __future__ import annotations

from collections.abc import Collection, Iterable

from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import CodePlace, ReusedCode
from sdd_hooks.planning.requirement_code import CodeBase, find_code
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.query_match import stem

MAX_PLACES = 4
"""Definitions of a file that a story names."""


def find_existing(
    requirement: PlannedRequirement, code: CodeBase, title: str = ""
) -> tuple[ReusedCode, ...]:
    """Find the files that a requirement extends, those that it names first.

    `code` is the production code of the work tree, `title` that of the specification.
    """
    own = {stem(word) for word in split_words(requirement.text)}
    found = []
    for one in find_code(requirement.question(title), code):
        about = f"both are about {', '.join(one.words[:4])}"
        reason = about if one.words else "the requirement names it"
        found.append(ReusedCode(one.path, _places(one.path, code.read(one.path), own), reason))
    return tuple(found)


def merge_existing(found: Iterable[ReusedCode]) -> tuple[ReusedCode, ...]:
    """The existing code of several requirements, each file once with all its places."""
    merged: dict[str, ReusedCode] = {}
    for one in found:
        known = merged.setdefault(one.path, one)
        places = tuple(dict.fromkeys((*known.places, *one.places)))[:MAX_PLACES]
        merged[one.path] = known._replace(places=places)
    return tuple(merged.values())


def _places(path: str, text: str, own: Collection[str]) -> tuple[CodePlace, ...]:
    """The definitions of a file whose names have most words of a requirement, by their lines."""
    shared = [
        (len({stem(word) for word in split_words(one.simple_name)} & set(own)), one)
        for one in find_symbols(path, text)
    ]
    best = sorted((one for one in shared if one[0]), key=lambda one: -one[0])[:MAX_PLACES]
    places = (CodePlace(one.name, one.first_line, one.last_line) for _, one in best)
    return tuple(sorted(places, key=lambda one: one.first_line))

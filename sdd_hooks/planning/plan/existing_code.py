"""The code that a story extends: files that a requirement names, and those that it is about."""

# Governing: ADR-0052 (existing code by its words), SPEC-0025 REQ "Existing code"

from __future__ import annotations

from collections.abc import Collection, Iterable

from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import CodePlace, ReusedCode
from sdd_hooks.planning.requirement_code import MAX_FILES, CodeBase, CodeQuestion, find_code
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
    reasons = dict.fromkeys(_named_files(requirement, code.files), "the requirement names it")
    for one in find_code(CodeQuestion(requirement.name, requirement.text, title), code):
        reasons.setdefault(one.path, f"both are about {', '.join(one.words[:4])}")
    return tuple(
        ReusedCode(path, _places(path, code.read(path), own), reason)
        for path, reason in list(reasons.items())[:MAX_FILES]
    )


def merge_existing(found: Iterable[ReusedCode]) -> tuple[ReusedCode, ...]:
    """The existing code of several requirements, each file once with all its places."""
    merged: dict[str, ReusedCode] = {}
    for one in found:
        known = merged.setdefault(one.path, one)
        places = tuple(dict.fromkeys((*known.places, *one.places)))[:MAX_PLACES]
        merged[one.path] = known._replace(places=places)
    return tuple(merged.values())


def _named_files(requirement: PlannedRequirement, files: Collection[str]) -> list[str]:
    """The existing files whose paths the requirement has in code spans, each once."""
    named = []
    for span in requirement.spans:
        path = span.removeprefix("./").partition(":")[0]
        if path in files:
            named.append(path)
        elif "/" in path:
            ends = [file for file in files if file.endswith(f"/{path}")]
            named += ends if len(ends) == 1 else []
    return list(dict.fromkeys(named))


def _places(path: str, text: str, own: Collection[str]) -> tuple[CodePlace, ...]:
    """The definitions of a file whose names have most words of a requirement, by their lines."""
    shared = [
        (len({stem(word) for word in split_words(one.simple_name)} & set(own)), one)
        for one in find_symbols(path, text)
    ]
    best = sorted((one for one in shared if one[0]), key=lambda one: -one[0])[:MAX_PLACES]
    places = (CodePlace(one.name, one.first_line, one.last_line) for _, one in best)
    return tuple(sorted(places, key=lambda one: one.first_line))

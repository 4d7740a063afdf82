"""Find the artifacts that several requirements need and that nothing provides yet.

An artifact is a type, a helper, a setting, a route, a table or a file that a requirement names in a
code span. The requirement whose name is that of the artifact defines it.
"""

# Governing: SPEC-0025 REQ "Foundation stories", ADR-0003 (one module talks to git)

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from sdd_hooks.code.paths import has_sections
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.marker import key_of
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import SharedArtifact
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_CANDIDATES = 100
"""Names that are looked for in the code."""

_KINDS = (
    ("route", re.compile(r"(?:(?:GET|POST|PUT|PATCH|DELETE) )?(/[a-z][\w/{}*-]*)")),
    ("file", re.compile(r"((?:[\w.-]+/)+[\w-][\w.-]*\.[a-z]{1,5})", re.IGNORECASE)),
    ("setting", re.compile(r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)")),
    ("type", re.compile(r"([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)")),
    ("helper", re.compile(r"([A-Za-z_][\w.]*)\(\)")),
)
_NAMED_BY_NOUN = lazy_regex(
    r"`([A-Za-z_]\w*)`[ ]"
    r"(table|interface|struct|class|middleware|service|helper|module|column|setting)s?\b"
)
_MIN_SHARE = 0.5
"""The share of an artifact's words that the name of a requirement has that defines it."""

_NOT_CODE = (":(exclude,icase)*.md", ":(exclude,icase)*.mdx", ":(exclude)docs/")


class NamedArtifact(NamedTuple):
    """An artifact, the requirements that name it by their places, and the place of the one that
    defines it, None for none."""

    artifact: SharedArtifact
    named_in: tuple[int, ...]
    defined_in: int | None


def find_shared(
    requirements: Sequence[PlannedRequirement], exists: Callable[[str, str], bool]
) -> tuple[NamedArtifact, ...]:
    """Find the missing artifacts that two or more requirements name, in their order.

    `exists` tells by name and kind whether the work tree has an artifact.
    """
    named: dict[tuple[str, str], list[int]] = {}
    for place, requirement in enumerate(requirements):
        for found in dict.fromkeys(_artifacts(requirement)):
            named.setdefault(found, []).append(place)
    shared = [(found, places) for found, places in named.items() if len(places) > 1]
    result = []
    for (name, kind), places in shared[:MAX_CANDIDATES]:
        if not exists(name, kind):
            keys = tuple(requirements[place].key for place in places)
            artifact = SharedArtifact(name, kind, keys)
            definer = _definer(name, places, requirements)
            result.append(NamedArtifact(artifact, tuple(places), definer))
    return tuple(result)


def _artifacts(requirement: PlannedRequirement) -> list[tuple[str, str]]:
    """The artifacts that a requirement names, with their kinds."""
    by_noun = dict(_NAMED_BY_NOUN.findall(requirement.statement))
    found = []
    for span in requirement.spans:
        for kind, pattern in _KINDS:
            if match := pattern.fullmatch(span):
                found.append((match[1], kind))
                break
        else:
            if span in by_noun:
                found.append((span, by_noun[span]))
    return found


def _definer(
    name: str, places: Sequence[int], requirements: Sequence[PlannedRequirement]
) -> int | None:
    """The place of the requirement that defines an artifact; None if no name fits."""
    last = name.rstrip("/").rpartition("/")[2]
    words = set(split_words(last.rpartition(".")[0] or last))
    best, best_share = None, 0.0
    for place in places:
        common = words & set(split_words(requirements[place].name))
        share = len(common) / len(words) if words else 0.0
        if share >= _MIN_SHARE and share > best_share:
            best, best_share = place, share
    return best


def artifact_keys(
    requirements: Sequence[PlannedRequirement], names: Sequence[str] = ()
) -> set[str]:
    """The keys of artifacts in markers: of `names`, and of what the requirements name."""
    named = (name for one in requirements for name, _ in _artifacts(one))
    return {key_of(f"artifact {name}") for name in (*named, *names)}


def find_names(git: Git, files: Collection[str]) -> Callable[[str, str], bool]:
    """A function that tells whether the work tree has an artifact of a name and a kind.

    A file exists if a path ends with its name, anything else if code contains the name.
    """

    def exists(name: str, kind: str) -> bool:
        if kind == "file":
            return any(path == name or path.endswith(f"/{name}") for path in files)
        options = ("-F",) if kind == "route" else ("-F", "-w")
        found = git.run(
            "grep", "--untracked", "-l", "-z", "-I", *options, "-e", name, "--", ".", *_NOT_CODE
        )
        return any(not has_sections(path) for path in nul_split(found.stdout))

    return exists

"""Validate all artifacts together: ids, edges, cycles and statuses."""

# Governing: SPEC-0002 REQ "Validation"

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, IdCollision, numbering_directory
from sdd_hooks.artifacts.edges import Edge, find_cycles
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.text.display import shortened
from sdd_hooks.text.lazy_regex import lazy_regex

NO_ARTIFACTS = Corpus()

MAX_STEPS = 40
"""Edges of a cycle that a message names."""

# What follows the name of a record in the names of its versions and translations.
_VERSION = lazy_regex(r"(?:[.-]v[0-9]{1,3})?(?:[._][a-z]{2}(?:[-_][a-z]{2,4})?)?\.\w+$")
_SUPERSEDED = {"ADR": ("superseded", "deprecated"), "SPEC": ("deprecated", "superseded")}


def validate_artifacts(
    corpus: Corpus, only: Collection[str] | None = None, external: Corpus = NO_ARTIFACTS
) -> tuple[Finding, ...]:
    """Return the findings about the artifacts, ordered by path and line.

    Critical: a duplicate id in one directory, an edge to an unknown id, a cycle, and invalid
    frontmatter. The other findings are warnings. With `only`, findings that involve none of these
    paths are left out. `external` are the artifacts of other repositories, to which edges may lead;
    an edge to a repository without any is not checked.
    """
    selected = {
        finding
        for finding, paths in _all(corpus, external)
        if only is None or any(path in only for path in paths)
    }
    return tuple(sorted(selected))


def _all(corpus: Corpus, external: Corpus) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """Yield each finding with the paths of the files that it involves."""
    for artifact in corpus.artifacts:
        for finding in artifact.findings:
            yield finding, artifact.paths
        yield from _edge_findings(corpus, artifact)
        yield from _external_findings(external, artifact)
    for collision in corpus.collisions:
        for path in collision.paths:
            others = [
                one
                for one in collision.paths
                if not _are_parts(path, one) and not corpus.count_separately(path, one)
            ]
            if others:
                yield _duplicate(collision, path, others), collision.paths
    written = (edge for artifact in corpus.artifacts for edge in artifact.edges)
    for cycle in find_cycles(edge for edge in written if edge.origin == "frontmatter"):
        yield _cycle(cycle), tuple(edge.path for edge in cycle)


def _are_parts(path: str, other: str) -> bool:
    """Whether two files are one record, its translation, its version, or an appendix of it.

    `0006-split.md`, `0006-split.v2.md`, `0006-split.ja.md` and `0006-split-research.md`.
    """
    short, long = sorted((_name(path), _name(other)), key=len)
    return long == short or (long.startswith(short) and long[len(short)] in "-_.")


def _name(path: str) -> str:
    return _VERSION.sub("", path.lower())


def _duplicate(collision: IdCollision, path: str, others: Sequence[str]) -> Finding:
    """The finding for one artifact. Directories may count separately, so that is no error."""
    directory = numbering_directory(path)
    same = [other for other in others if numbering_directory(other) == directory]
    message = f"{collision.id} is also {', '.join(same or others)}: give one of them another number"
    if collision.id.kind == "ADR":
        message += ", as by `sdd adr renumber PATH`"
    severity: Severity = "critical" if same else "warning"
    return Finding(path, 0, "duplicate-id", severity, message, str(collision.id))


def _edge_findings(corpus: Corpus, artifact: Artifact) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    for edge in artifact.edges:
        if edge.origin != "frontmatter" or edge.target.origin:
            continue
        targets = corpus.resolve(edge.target)
        if not targets:
            yield _unknown(corpus, artifact, edge), artifact.paths
        elif len(targets) > 1:
            message = f"`{edge.kind}` leads to {edge.target}, which {len(targets)} artifacts have"
            finding = Finding(
                edge.path, edge.line, "ambiguous-id", "warning", message, str(edge.target)
            )
            yield finding, (*artifact.paths, *(target.path for target in targets))
        elif edge.kind == "supersedes":
            target = targets[0]
            if target.status.value not in _SUPERSEDED[target.kind]:
                wanted = _SUPERSEDED[target.kind][0]
                status = target.status.value or "missing"
                message = (
                    f"{artifact.name} supersedes {target.name}, whose status is {status}:"
                    f" set it to {wanted} in {target.path}"
                )
                finding = Finding(
                    edge.path, edge.line, "superseded-status", "warning", message, target.name
                )
                yield finding, (*artifact.paths, *target.paths)


def _external_findings(
    external: Corpus, artifact: Artifact
) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """The edges to an id that another repository does not have."""
    for edge in artifact.edges:
        is_checked = edge.origin == "frontmatter" and edge.target.origin in external.origins
        if is_checked and not external.resolve(edge.target):
            yield _unknown(external, artifact, edge), artifact.paths


def _unknown(corpus: Corpus, artifact: Artifact, edge: Edge) -> Finding:
    close = ", ".join(str(identifier) for identifier in corpus.close_matches(edge.target))
    if edge.target.name:
        severity: Severity = "warning" if edge.kind == "related" else "critical"
        advice = f"did you mean {close}?" if close else f"it is not like {edge.source.kind}-0001"
        message = f"`{edge.kind}` names no artifact: `{shortened(edge.target.name, 60)}`: {advice}"
        return Finding(edge.path, edge.line, "unreadable-id", severity, message, str(edge.target))
    advice = f"did you mean {close}?" if close else "write an id that exists, or remove it"
    message = f"{artifact.name} {edge.kind} {edge.target}, which does not exist: {advice}"
    return Finding(edge.path, edge.line, "unknown-id", "critical", message, str(edge.target))


def describe_path(edges: Sequence[Edge]) -> str:
    """The edges along a path in words, without its source; of a long path, the two ends."""
    steps = [f"{edge.kind} {edge.target}" for edge in edges]
    if len(steps) > MAX_STEPS:
        half = MAX_STEPS // 2
        steps[half:-half] = [f"… {len(steps) - 2 * half:,} more …"]
    return " ".join(steps)


def _cycle(cycle: tuple[Edge, ...]) -> Finding:
    first = cycle[0]
    steps = describe_path(cycle)
    message = f"artifacts form a cycle: {first.source} {steps}: remove one of these edges"
    return Finding(first.path, first.line, "cycle", "critical", message, str(first.source))

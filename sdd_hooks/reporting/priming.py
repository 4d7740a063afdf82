"""What `sdd prime` reports, as data and as an object for other programs."""

# Governing: SPEC-0016 (context of a session), SPEC-0005 REQ "Output"

from __future__ import annotations

import json
from collections.abc import Sequence

from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.budget import BudgetSection, Choice, choose_entries, count_tokens

_INDENT = 2
_LEFT_OUT_TOKENS = 100


class ArtifactName(NamedTuple):
    """An artifact by name. `id` is without its module and "" where it has no number."""

    kind: ArtifactKind
    id: str
    title: str
    path: str
    module: str = ""


class Relevance(NamedTuple):
    """Why an artifact matches a topic: its best section, an excerpt of it, its score (0..1), and
    which words of the topic are where."""

    score: float
    section: str
    excerpt: str
    matched: str = ""


class PrimedArtifact(NamedTuple):
    """An artifact of the report.

    `status` is "" where it has none. `replaced_by` are ids. `summary` are sentences. With a topic,
    `relevance` is set, and `text` is the text of its files.
    """

    name: ArtifactName
    status: str
    authoritative: bool
    replaced_by: tuple[str, ...]
    requirements: int
    scenarios: int
    summary: tuple[str, ...]
    relevance: Relevance | None = None
    text: str = ""


class PrimedKnowledge(NamedTuple):
    """A pattern or a lesson in one line. `trigger` is "" for a pattern."""

    kind: str
    id: str
    tags: tuple[str, ...]
    trigger: str
    summary: str
    path: str


class PrimeReport(NamedTuple):
    """The context of a session.

    Without a topic (None), `artifacts` are authoritative and `excluded` the others. With one, the
    artifacts that match are `artifacts`, the best first, and the others `skipped`. `modules` are
    the modules of a workspace whose artifacts are aggregated. `notes` belong to the header.
    `knowledge` are committed patterns and lessons, the best first.
    """

    topic: str | None
    artifacts: tuple[PrimedArtifact, ...]
    excluded: tuple[PrimedArtifact, ...] = ()
    skipped: tuple[ArtifactName, ...] = ()
    modules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    knowledge: tuple[PrimedKnowledge, ...] = ()

    def of_kind(self, kind: ArtifactKind) -> tuple[PrimedArtifact, ...]:
        """The artifacts of one kind."""
        return tuple(artifact for artifact in self.artifacts if artifact.name.kind == kind)


def report_data(report: PrimeReport, budget: int | None = None) -> dict[str, object]:
    """Return the report as JSON values whose document has at most `budget` tokens (None: any).

    The document has two spaces of indentation. What does not fit is null or missing, and counted
    in `left_out`.
    """
    sections = _sections(report)
    room = None
    if budget is not None:
        empty = _data(report, choose_entries(sections, 0), ())
        room = budget - count_tokens(json.dumps(empty, indent=_INDENT)) - _LEFT_OUT_TOKENS
    choice = choose_entries(sections, room)
    return _data(report, choice, choice.left_out(sections))


def _sections(report: PrimeReport) -> list[BudgetSection]:
    """What each part adds to the document. Its place in it is the level of indentation."""
    artifacts = report.artifacts
    listed = [_fragment(_artifact(one), 2) for one in artifacts]
    sections = [
        BudgetSection("artifacts", "", listed, 0),
        BudgetSection(
            "summaries", "", [_fragment(" ".join(one.summary), 3) for one in artifacts], 1
        ),
        BudgetSection(
            "patterns and lessons",
            "",
            [_fragment(_knowledge(one), 2) for one in report.knowledge],
            1,
        ),
    ]
    if report.topic is None:
        excluded = [_fragment(_artifact(one), 2) for one in report.excluded]
        return [*sections, BudgetSection("non-authoritative artifacts", "", excluded, 2)]
    return [
        *sections,
        BudgetSection(
            "full texts", "", [_fragment(one.text, 3) for one in artifacts], 2, gaps=True
        ),
        BudgetSection("skipped artifacts", "", [_fragment(_name(n), 2) for n in report.skipped], 3),
    ]


def _fragment(value: object, level: int) -> str:
    text = json.dumps(value, indent=_INDENT)
    return text.replace("\n", "\n" + " " * _INDENT * level) + " " * _INDENT * level + ","


def _data(report: PrimeReport, choice: Choice, left_out: Sequence[str]) -> dict[str, object]:
    listed, summaries, learned, *rest = choice.kept
    artifacts = []
    for at, one in enumerate(report.artifacts):
        if not listed[at]:
            continue
        entry = _artifact(one)
        if summaries[at]:
            entry["summary"] = " ".join(one.summary)
        if report.topic is not None and rest[0][at]:
            entry["text"] = one.text
        artifacts.append(entry)
    data: dict[str, object] = {
        "topic": report.topic,
        "adrs": len(report.of_kind("ADR")),
        "specs": len(report.of_kind("SPEC")),
        "artifacts": artifacts,
    }
    if report.topic is None:
        kept = zip(report.excluded, rest[0], strict=True)
        data["excluded"] = [_artifact(one) for one, keep in kept if keep]
    else:
        names = zip(report.skipped, rest[1], strict=True)
        data["skipped"] = [_name(name) for name, keep in names if keep]
    if report.knowledge:
        known = zip(report.knowledge, learned, strict=True)
        data["knowledge"] = [_knowledge(one) for one, keep in known if keep]
    return {**data, "left_out": list(left_out)}


def _knowledge(one: PrimedKnowledge) -> dict[str, object]:
    return {**one._asdict(), "tags": list(one.tags)}


def _artifact(one: PrimedArtifact) -> dict[str, object]:
    data: dict[str, object] = {
        **_name(one.name),
        "status": one.status or None,
        "authoritative": one.authoritative,
        "replaced_by": list(one.replaced_by),
        "requirements": one.requirements,
        "scenarios": one.scenarios,
        "summary": None,
    }
    if one.relevance is not None:
        data["relevance"] = one.relevance._asdict()
        data["text"] = None
    return data


def _name(name: ArtifactName) -> dict[str, object]:
    data = name._asdict()
    return {"id": data.pop("id") or None, **data}

"""The decisions and specifications of this repository are valid and complete."""

from __future__ import annotations

import re
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.artifacts.validation import validate_artifacts
from tests.docs.pages import TOP

DECISIONS = TOP / "docs" / "adrs"
SPECIFICATIONS = TOP / "docs" / "openspec" / "specs"

_COMMENT = re.compile(
    r"^# (?:Governing|Implements): (?P<text>(?:.|\n#(?! Governing))*)", re.MULTILINE
)
_ID = re.compile(r"\b(?:ADR|SPEC)-\d{4}\b")
_REQUIREMENT = re.compile(r'\b(SPEC-\d{4}) REQ "([^"]+)"')


def read() -> Corpus:
    kinds: dict[ArtifactKind, Path] = {"ADR": DECISIONS, "SPEC": SPECIFICATIONS}
    return load_corpus(
        ArtifactFile(path.relative_to(TOP).as_posix(), path.read_bytes(), kind)
        for kind, folder in kinds.items()
        for path in sorted(folder.rglob("*.md"))
    )


CORPUS = read()
ADRS = [artifact for artifact in CORPUS.artifacts if artifact.kind == "ADR"]
SPECS = [artifact for artifact in CORPUS.artifacts if artifact.kind == "SPEC"]


def titles(artifact: Artifact) -> list[str]:
    return [section.title for section in artifact.sections]


def test_the_artifacts_are_valid() -> None:
    assert validate_artifacts(CORPUS) == ()


def test_every_file_is_an_artifact() -> None:
    assert len(ADRS) == len(list(DECISIONS.glob("*.md"))) >= 13
    assert len(SPECS) == len(list(SPECIFICATIONS.iterdir())) >= 5


def test_every_decision_is_complete() -> None:
    required = [
        "Context and Problem Statement",
        "Decision Drivers",
        "Considered Options",
        "Decision Outcome",
        "Consequences",
        "Confirmation",
    ]
    for decision in ADRS:
        assert decision.status.value in {"accepted", "superseded"}, decision.name
        assert decision.date, decision.name
        assert Path(decision.path).name.startswith(f"{decision.id}-")
        assert [title for title in titles(decision) if title in required] == required, decision.name
        text = (TOP / decision.path).read_text(encoding="utf-8")
        consequences = text.partition("## Consequences\n")[2].partition("\n## ")[0]
        assert "- Good, because" in consequences, decision.name
        assert "- Bad, because" in consequences, decision.name
        assert len(text.splitlines()) <= 120, decision.name


def test_every_specification_is_complete() -> None:
    for spec in SPECS:
        assert spec.status.value == "approved", spec.name
        assert spec.design, spec.name
        assert spec.requirements, spec.name
        for requirement in spec.requirements:
            assert requirement.level == "must", requirement.name
            assert requirement.scenarios, requirement.name
            for scenario in requirement.scenarios:
                words = [step.word for step in scenario.steps]
                assert words[0] == "WHEN", scenario.name
                assert "THEN" in words, scenario.name


def test_governing_comments_name_existing_artifacts() -> None:
    requirements = {
        (str(spec.id), requirement.name) for spec in SPECS for requirement in spec.requirements
    }
    files = [*(TOP / "sdd_hooks").rglob("*.py"), *(TOP / "hooks").iterdir()]
    unresolved, comments = [], 0
    for path in sorted(files):
        for comment in _COMMENT.finditer(path.read_text(encoding="utf-8")):
            comments += 1
            text = comment["text"].partition('"""')[0].replace("\n#", "")
            unknown = [id_ for id_ in _ID.findall(text) if not CORPUS.resolve(id_)]
            unknown += [
                f"{a} {b}" for a, b in _REQUIREMENT.findall(text) if (a, b) not in requirements
            ]
            unresolved += [f"{path.relative_to(TOP)}: {name}" for name in unknown]
    assert unresolved == []
    assert comments > 50

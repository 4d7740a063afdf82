"""A spec without its design, or a design without its spec."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Specs"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sdd_hooks.artifacts.spec import DESIGN_FILE, INCOMPLETE_SPEC, SPEC_FILE
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

MIN_SPECS = 3
"""Specifications of a directory or of a repository from which the style can be told."""


def check(subject: Subject) -> Iterator[Finding]:
    """Find each folder of a spec with a changed file and only one of the two files."""
    folders = {
        path.rpartition("/")[0]
        for file in subject.change.files
        for path in (file.path, file.before)
        if path.rpartition("/")[2] in (SPEC_FILE, DESIGN_FILE) and subject.is_artifact(path)
    }
    if not folders:
        return
    style = _without_design(subject) if subject.whole_tree else frozenset()
    for artifact in subject.corpus.artifacts:
        folder = artifact.path.rpartition("/")[0]
        if folder in folders and folder.rpartition("/")[0] not in style:
            for finding in artifact.findings:
                if finding.rule == INCOMPLETE_SPEC:
                    yield replace(finding, rule=RULE.id)


def _without_design(subject: Subject) -> frozenset[str]:
    """The directories with several specifications and no design: some tools write none.

    All directories, where the repository has no design at all.
    """
    counts: dict[str, list[bool]] = {}
    for artifact in subject.corpus.artifacts:
        if artifact.kind == "SPEC":
            folder = artifact.path.rpartition("/")[0]
            # A check does not read every specification.
            has_design = (subject.after.root / folder / DESIGN_FILE).is_file()
            counts.setdefault(folder.rpartition("/")[0], []).append(has_design)
    every = [has_design for designs in counts.values() for has_design in designs]
    if len(every) >= MIN_SPECS and not any(every):
        return frozenset(counts)
    return frozenset(
        directory
        for directory, designs in counts.items()
        if len(designs) >= MIN_SPECS and not any(designs)
    )


RULE = Rule(
    "spec-pair",
    "warning",
    "A spec without its design, or the reverse.",
    "A spec is a folder with spec.md, which says what must hold, and design.md, which says how. Add"
    " the file that is missing.",
    check,
    whole_tree=True,
)

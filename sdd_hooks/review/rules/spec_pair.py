"""A spec without its design, or a design without its spec."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Specs"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sdd_hooks.artifacts.spec import DESIGN_FILE, SPEC_FILE
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

INCOMPLETE = "spec-incomplete"
"""The rule of the validation that reports a missing file of a spec."""


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
    for artifact in subject.corpus.artifacts:
        if artifact.path.rpartition("/")[0] in folders:
            for finding in artifact.findings:
                if finding.rule == INCOMPLETE:
                    yield replace(finding, rule=RULE.id)


RULE = Rule(
    "spec-pair",
    "warning",
    "A spec without its design, or the reverse.",
    "A spec is a folder with spec.md, which says what must hold, and design.md, which says how. Add"
    " the file that is missing.",
    check,
    whole_tree=True,
)

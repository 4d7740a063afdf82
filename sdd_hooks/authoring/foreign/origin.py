"""Which form a record has, for the report of an import."""

# Governing: SPEC-0024 REQ "Records of other tools"

from __future__ import annotations

import re
from pathlib import PurePosixPath

from sdd_hooks.artifacts.document import ArtifactDocument
from sdd_hooks.artifacts.fields import normalize_field_name


def find_form(path: str, document: ArtifactDocument) -> str:
    """The form of a record, "" for no known one.

    MADR 3 moved the fields into the frontmatter, MADR 4 renamed `deciders` to `decision-makers`.
    """
    titles = {normalize_field_name(one.title) for one in document.sections if one.level == 2}
    fields = {one.name for one in document.fields}
    is_madr = "context-and-problem-statement" in titles or "considered-options" in titles
    if re.match(r"[0-9]{8}[-_]", PurePosixPath(path).name):
        return "log4brains"
    if is_madr:
        if document.matter.fields.keys() & {"decision-makers", "decisionmakers"}:
            return "MADR 4"
        if document.matter.fields.keys() & {"status", "deciders", "date"}:
            return "MADR 3"
        return "MADR 2" if fields & {"status", "deciders", "date"} else "MADR"
    if {"status", "context", "decision"} <= titles or ("date" in fields and "status" in titles):
        return "adr-tools"
    return ""

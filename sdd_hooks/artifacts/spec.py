"""Read specs: folders with `spec.md`, the requirements, and `design.md`, how to meet them.

Other tools write other files: OpenSpec and spec-kit no `design.md`, Kiro `requirements.md`.
"""

# Governing: SPEC-0002 REQ "Specs"

from __future__ import annotations

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.document import (
    check_document,
    find_date,
    find_edges,
    find_successors,
    is_placeholder_title,
    read_document,
    title_from_name,
)
from sdd_hooks.artifacts.edges import EdgeOwner
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, Origins, id_from_name, named_id
from sdd_hooks.artifacts.requirements import read_requirements

SPEC_FILE = "spec.md"
DESIGN_FILE = "design.md"
SPEC_FILES = (SPEC_FILE, "requirements.md", DESIGN_FILE)
"""The files of a spec, of which the first one that is there has the requirements."""
INCOMPLETE_SPEC = "spec-incomplete"
"""The finding about a spec without one of its files."""


def spec_paths(path: str) -> tuple[str, ...]:
    """The files that the spec of a file may have, in the order of SPEC_FILES."""
    prefix = path[: path.rfind("/") + 1]
    return tuple(prefix + name for name in SPEC_FILES)


def read_spec(
    path: str,
    spec: str | None,
    design: str | None,
    module: str = "",
    origins: Origins = NO_ORIGINS,
) -> Artifact | None:
    """Read the spec with the requirements at `path` from the texts of its two files.

    A text is None for a missing file. Returns None when both are missing, and for the folder of a
    template. The id comes from the heading (`# SPEC-0007: Title`), else from the folder's name.
    `origins` are as in `identifiers.find_id_references`. Never raises.
    """
    text = design if spec is None else spec
    if text is None:
        return None
    directory, _, page = path.rpartition("/")
    design_path = spec_paths(path)[-1]
    path = design_path if spec is None else path
    name = directory.rsplit("/", 1)[-1]
    document = read_document(text, "SPEC", module)
    if is_placeholder_title(document.title):
        return None
    numbered = document.heading_id or id_from_name(name, "SPEC", module) or document.own_id
    identifier = numbered or document.own_name or named_id("SPEC", name or "spec", module)
    owner = EdgeOwner("SPEC", identifier, path, module, origins)
    edges, edge_findings = find_edges(document, owner)
    findings = [*check_document(document, path), *edge_findings]
    if spec is None or (design is None and page == SPEC_FILE):
        missing = SPEC_FILE if spec is None else DESIGN_FILE
        from sdd_hooks.findings import Finding

        message = f"{directory or 'the folder'} has no {missing}: a spec is always both files"
        findings.append(Finding(path, 0, INCOMPLETE_SPEC, "warning", message))
    elif design is not None:
        titled = read_document(design, "SPEC", module)
        if titled.heading_id and titled.heading_id != identifier:
            from sdd_hooks.findings import Finding

            given = numbered or "has none"
            message = f"the design says {titled.heading_id}, the spec {given}: make them agree"
            line, evidence = titled.heading_line, titled.title
            findings.append(Finding(design_path, line, "id-conflict", "warning", message, evidence))
    return Artifact(
        kind="SPEC",
        id=identifier,
        path=path,
        title=document.title or title_from_name(name) or name,
        module=module,
        status=document.status,
        statuses=document.statuses,
        date=find_date(document),
        sections=document.sections,
        edges=edges,
        successors=find_successors(document, "SPEC", module, origins),
        requirements=read_requirements(document.prose, document.sections),
        design="" if design is None else design_path,
        frontmatter=document.matter.fields,
        findings=tuple(findings),
    )

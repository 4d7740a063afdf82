"""Read architecture decision records: MADR, Nygard's form, Y-statements, and mixtures of them."""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.document import (
    ArtifactDocument,
    check_document,
    find_date,
    find_edges,
    find_successors,
    is_placeholder_title,
    read_document,
    title_from_name,
    without_label,
)
from sdd_hooks.artifacts.edges import EdgeOwner
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    Origins,
    find_id_references,
    id_from_name,
    named_id,
)
from sdd_hooks.artifacts.statement import UNKNOWN
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.project.record_contents import Traits, find_traits, is_index, is_unfilled
from sdd_hooks.project.record_names import (
    find_place,
    form_of,
    has_number,
    is_beside_records,
    is_dated,
    is_folder_page,
    is_page_name,
    is_page_title,
    is_template_name,
    looks_like_record,
    record_stem,
)
from sdd_hooks.text.lazy_regex import lazy_regex

# The plan that follows a decision has its number, as have the requirements of a product before it.
_PLAN_NAME = lazy_regex(r"[-_ ](?:roadmap|plan|prd)$", re.IGNORECASE)
# `ADR-003-ADDENDUM-x`
_ADDED = lazy_regex(
    r"(?:[a-z]{2,8}[-_ ])?(?:[0-9]{1,5}[a-z]?[-_ .])?(?:addendum|appendix|annex)\b", re.IGNORECASE
)
_DECISIONS = frozenset(
    {
        "decision",
        "decision-outcome",
        "the-decision",
        "decisions",
        "resolution",
        "outcome",
        "what-we-decided",
        "proposed-decision",
        "our-decision",
        "decision-made",
    }
)
_UNNUMBERED = lazy_regex(r"adr[-_ .]?(?:x{2,}|n{2,}|[0-9])", re.IGNORECASE)
_BRACKETS = ("[", "{", "<")
_PARENTS = frozenset({"parent", "parent-adr", "part-of", "addendum-to", "appendix-of"})
MAX_PARENT = 200
"""Characters of a field that are read."""
_Y_STATEMENT = lazy_regex(r"\bin\s+the\s+context\s+of\b", re.IGNORECASE)
_Y_DECIDED = lazy_regex(r"\bwe\s+(?:have\s+)?(?:decided?|chose|choose)\b", re.IGNORECASE)


def read_adr(
    path: str, text: str, module: str = "", origins: Origins = NO_ORIGINS
) -> Artifact | None:
    """Read the ADR in the file at `path`. None: the file is not a record. Never raises.

    `origins` are as in `identifiers.find_id_references`.

    These files are not records: the index of a folder, a template, a plan or roadmap without a
    decision, what is attached to a record, an appendix, which names the record with its own number
    as its parent, and a page without the sections and fields of a record. A number is enough in a
    directory named after decisions, and after `adr`.
    """
    name = record_stem(path) if path.lower().endswith(DOCUMENT_SUFFIXES) else ""
    if not name or is_template_name(name) or _ADDED.match(name) or is_beside_records(path):
        return None
    document = read_document(text, "ADR", module)
    decision = _decision(document)
    is_said = decision is not None or document.status.value not in ("", UNKNOWN)
    if not is_said and _PLAN_NAME.search(name) and _traits(document).proposing < 2:
        return None
    in_name = id_from_name(name, "ADR", module)
    if in_name and document.heading_id and _adds_suffix(document.heading_id, in_name):
        # `020-x.md` and `020-y.md` may say ADR-020a and ADR-020b.
        in_name = document.heading_id
    identifier = in_name or document.heading_id or document.own_id
    if identifier and _is_appendix(document, identifier):
        return None
    if not _is_record(path, name, document, bool(identifier), decision is not None):
        return None
    identifier = identifier or document.own_name or named_id("ADR", name, module)
    owner = EdgeOwner("ADR", identifier, path, module, origins)
    edges, edge_findings = find_edges(document, owner)
    findings = [*check_document(document, path), *edge_findings]
    if in_name and document.heading_id and document.heading_id != in_name:
        message = f"the title says {document.heading_id} and the file name {in_name}: rename one"
        from sdd_hooks.findings import Finding

        findings.append(
            Finding(path, document.heading_line, "id-conflict", "warning", message, document.title)
        )
    return Artifact(
        kind="ADR",
        id=identifier,
        path=path,
        title=without_label(document.title, _numbered_name(path, name))
        or title_from_name(name)
        or name,
        module=module,
        status=document.status,
        statuses=document.statuses,
        date=find_date(document, name),
        sections=document.sections,
        edges=edges,
        decision=decision,
        successors=find_successors(document, "ADR", module, origins),
        frontmatter=document.matter.fields,
        findings=tuple(findings),
    )


def _numbered_name(path: str, name: str) -> str:
    """The name of a record or, where that has no number, of its folder: `115-pcie/vep.md`."""
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return name if re.search("[0-9]", name) else folder


def _is_appendix(document: ArtifactDocument, identifier: ArtifactId) -> bool:
    """Whether a field says that the page is a part of the record with the same number."""
    return any(
        field.name in _PARENTS
        and identifier in (one.id for one in find_id_references(field.value[:MAX_PARENT]))
        for field in document.fields
    )


def _is_record(
    path: str, name: str, document: ArtifactDocument, has_id: bool, decides: bool
) -> bool:
    """Whether the name or the content of a file makes it a record."""
    is_numbered = has_number(f"{name}.md")
    is_begun = bool(document.title) and (is_numbered or is_dated(name))
    if is_unfilled(document.prose) and not is_begun:
        return False
    if not decides and is_index(document.prose):
        return False
    title = document.title
    # A filled record may keep the brackets around its title, and a proposal that of the form.
    is_filled = is_numbered and title[:1] in _BRACKETS and "title" not in title.lower()
    is_first = not re.search("[1-9]", name)
    if is_placeholder_title(title):
        traits = _traits(document)
        is_proposed = traits.proposing >= 3 or traits.is_signed
        if "template" in title.lower() or not (is_filled or (is_proposed and not is_first)):
            return False
    is_page = is_page_name(name) or not (has_id or is_numbered or not is_page_title(title))
    if is_page:
        return decides and bool(document.statuses) and not is_page_title(title)
    place = find_place(path.rpartition("/")[0])
    among_decisions = place == "decisions"
    is_marked = has_id or is_dated(name) or bool(_UNNUMBERED.match(name))
    is_folder = has_id and is_folder_page(path)
    is_proposal = place == "proposals" or name.lower().startswith("proposal")
    is_called = is_proposal and (looks_like_record("", f"{name}.md") or is_dated(name))
    is_named = is_numbered or is_folder or is_called or (among_decisions and is_marked)
    if is_named or (decides and (among_decisions or name.lower().startswith("adr"))):
        return True
    traits = _traits(document)
    # Where names say nothing, what lies beside it has shown that it may be one.
    if place == "anywhere":
        place = "numbered" if form_of(name) else "decisions"
    is_stated = traits.has_status and (decides or traits.clear + traits.proposing >= 2)
    return traits.suffice(place) or is_stated


def _traits(document: ArtifactDocument) -> Traits:
    titles = (section.title for section in document.sections if section.level)
    return find_traits(document.prose, titles)._replace(has_status=bool(document.statuses))


def is_template(path: str) -> bool:
    """Whether a file is called a template for records."""
    file = PurePosixPath(path)
    return file.suffix.lower() in DOCUMENT_SUFFIXES and is_template_name(file.stem)


def _adds_suffix(heading: ArtifactId, name: ArtifactId) -> bool:
    """Whether the id of the heading is that of the name with a letter."""
    return bool(heading.suffix) and heading._replace(suffix="") == name


def _decision(document: ArtifactDocument) -> tuple[int, int] | None:
    """Return the first and last line of the decision: its section, else a Y-statement."""
    for at, section in enumerate(document.sections):
        if normalize_field_name(section.title) in _DECISIONS:
            last = section.last_line
            for below in document.sections[at + 1 :]:
                if below.level <= section.level:
                    break
                last = below.last_line
            return section.first_line, last
    return _y_statement(document.prose)


def _y_statement(prose: str) -> tuple[int, int] | None:
    """Find the paragraph `In the context of …, facing …, we decided for … to achieve …`."""
    for match in islice(_Y_STATEMENT.finditer(prose), 20):
        end = prose.find("\n\n", match.start())
        end = len(prose.rstrip()) if end < 0 else end
        if _Y_DECIDED.search(prose, match.end(), min(end, match.end() + 2_000)):
            blank = prose.rfind("\n\n", 0, match.start())
            start = 0 if blank < 0 else blank + 2
            first = prose.count("\n", 0, start) + 1
            return first, first + prose.count("\n", start, end)
    return None

"""Create the second corpus: requirement texts cut into one document for each section.

    python -m benchmarks.quality.cut_seeds SEEDS [DESTINATION]

The texts were copied from rendered pages and have lost their Markdown headings. CUTS names, for
each text, the lines at which a section starts, in their order; a section ends where the next one
starts. It becomes `<prefix>-<slug>.md` with the title `# <prefix>: <name>`. Requirements and
scenarios, which the specification marks by words, become headings. Bullets become `-`, and the
indentation all lines share is taken away; every other character stays as it was found. The result
is committed, so that a measurement does not need the texts.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DESTINATION = Path(__file__).parent / "seeds"


@dataclass(frozen=True)
class Cuts:
    """Where one text is cut: `starts` are (beginning of a line, name of the section).

    No name leaves that part out; no starts means at every line of `Requirement: NAME`.
    """

    source: str
    directory: str
    prefix: str
    starts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Document:
    """One document of the corpus: where it stands, and its Markdown."""

    path: str
    text: str


CUTS = (
    Cuts(
        "ADR-0026-tiered-index-freshness.md",
        "docs/adrs",
        "ADR-0026",
        (
            ("Context and Problem Statement", "Context and problem statement"),
            ("Decision Drivers", "Decision drivers"),
            ("Considered Options", "Considered options"),
            ("Decision Outcome", "Decision outcome"),
            ("Tier 1 —", "Mutation-aware updates"),
            ("Tier 2 —", "Session-start update via prime"),
            ("Tier 3 —", "Staleness-threshold updates inside consumer skills"),
            ("Tier 4 —", "Issues collection always syncs at consumer entry"),
            ("Embed Policy:", "Embed policy"),
            ("Consequences", "Consequences"),
            ("Confirmation", "Confirmation"),
            ("Pros and Cons of the Options", ""),
            ("Option 1: Manual only", "Option 1, manual only"),
            ("Option 2: Single trigger", "Option 2, single trigger via prime"),
            ("Option 3: Update on every", "Option 3, update on every consumer skill call"),
            ("Option 4: Time-based", "Option 4, time-based staleness threshold alone"),
            ("Option 5: File-watching", "Option 5, file-watching daemon"),
            ("Option 6: Tiered hybrid", "Option 6, tiered hybrid"),
            ("Architecture Diagram", ""),
            ("More Information", "More information"),
        ),
    ),
    Cuts(
        "ADR-XXX-replace-qmd-with-llm-search.md",
        "docs/adrs",
        "ADR-XXX",
        (
            ("Context", "Replace qmd, context"),
            ("The evaluated options were:", "Replace qmd, evaluated options"),
            ("Decision", "Replace qmd with an llm-backed search interface"),
            ("Derived search state", "Derived state and stable record ids"),
            ("Consequences", ""),
            ("Positive:", "Replace qmd, positive consequences"),
            ("Negative:", "Replace qmd, negative consequences"),
            ("Implementation Notes", "Replace qmd, implementation notes"),
            ("Open Questions", "Replace qmd, open questions"),
            ("References", ""),
        ),
    ),
    Cuts("SPEC-0019-qmd-native-skills.md", "docs/openspec/specs", "SPEC-0019", ()),
    Cuts(
        "skill-sdd-knowledge-base.md",
        "docs/skills",
        "knowledge-base",
        (
            ("Core Responsibilities", "Core responsibilities"),
            ("Commands", "Commands"),
            ("Data Structures", ""),
            ("0. Knowledge Index", "Knowledge index"),
            ("1. Patterns", "Patterns"),
            ("2. Lessons", "Lessons"),
            ("3. State", "State"),
            ("Lesson Recording:", ""),
            ("Core Principle", "When to record a lesson"),
            ("Triggers by Phase", ""),
            ("Design Phase", "Lessons of the design phase"),
            ("Plan Phase", "Lessons of the plan phase"),
            ("Implementation Phase", "Lessons of the implementation phase"),
            ("Guardrail Phase", "Lessons of the guardrail phase"),
            ("Recording Principles", "Recording principles"),
            ("Knowledge Triage", "Triage step 1, dedup"),
            ("Step 2:", "Triage step 2, specificity check"),
            ("Step 3:", "Triage step 3, present results to user"),
            ("Step 4:", "Triage step 4, execute and update index"),
            ("Session Log as", "Session log as cross-session memory"),
            ("Event-Driven,", "Event-driven, not phase-driven"),
            ("Auto-Evolution Logic", "Auto-evolution logic"),
            ("Integration", "Integration with other skills"),
            ("Source", ""),
        ),
    ),
    Cuts(
        "skill-search.md",
        "docs/skills",
        "search",
        (
            ("Unified semantic exploration", "Purpose and usage"),
            ("1. Handle no-args", "Step 1, handle no arguments and help"),
            ("2. Parse arguments", "Step 2, parse arguments"),
            ("3. Compute the repo slug", "Step 3, compute slug and collection names"),
            ("4. Validate qmd collections", "Step 4, validate collections exist"),
            ("5. Run qmd hybrid", "Step 5, run hybrid retrieval"),
            ("6. Derive cgg filter", "Step 6, derive call graph filter"),
            ("7. Generate call graph", "Step 7, generate call graph"),
            ("8. Produce output", "Step 8, produce Markdown output"),
            ("**JSON output**", "Step 8, produce JSON output"),
            ("Rules", "Rules"),
        ),
    ),
)

_MARK = re.compile(r"(Requirement|Scenario): (.+)")


def cut(text: str, cuts: Cuts) -> list[Document]:
    """The documents of one text. Raises ValueError if a section does not start as declared."""
    lines = text.splitlines()
    found = _requirements(lines) if not cuts.starts else _starts(lines, cuts)
    ends = [start for start, *_ in found[1:]] + [len(lines)]
    return [
        _document(cuts, name, lines[start:end], beginning)
        for (start, name, beginning), end in zip(found, ends, strict=True)
        if name
    ]


def _starts(lines: Sequence[str], cuts: Cuts) -> list[tuple[int, str, str]]:
    found, after = [], 0
    for beginning, name in cuts.starts:
        for number in range(after, len(lines)):
            if lines[number].strip().startswith(beginning):
                break
        else:
            raise ValueError(f"{cuts.source}: no section starts with {beginning!r}")
        found.append((number, name, beginning))
        after = number + 1
    return found


def _requirements(lines: Sequence[str]) -> list[tuple[int, str, str]]:
    marks = {"Overview": "Overview", "Out of Scope": "Out of scope", "Related Artifacts": ""}
    found = []
    for number, line in enumerate(lines):
        mark = _MARK.fullmatch(line.strip())
        if mark is not None and mark[1] == "Requirement":
            found.append((number, mark[2], line.strip()))
        for beginning, name in marks.items():
            if line.startswith(beginning):
                found.append((number, name, line.strip()))
    return found


def _document(cuts: Cuts, name: str, lines: Sequence[str], beginning: str) -> Document:
    # A short first line is the heading, which the title replaces.
    first, *following = lines
    body_lines = following if first.strip() == beginning or len(first) < 90 else lines
    body = textwrap.dedent("\n".join(body_lines)).strip("\n")
    body = re.sub(r"^([ \t]*)• ", r"\1- ", body, flags=re.MULTILINE)
    body = re.sub(r"^Scenario: (.*)$", r"\n#### Scenario: \1\n", body, flags=re.MULTILINE)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    title = f"# {cuts.prefix}: {name}"
    return Document(f"{cuts.directory}/{cuts.prefix}-{slug}.md", f"{title}\n\n{body}\n")


def main(arguments: Sequence[str]) -> int:
    """Cut the texts of a directory, and write the documents. Returns 0."""
    seeds = Path(arguments[0])
    destination = Path(arguments[1]) if len(arguments) > 1 else DESTINATION
    for cuts in CUTS:
        for document in cut((seeds / cuts.source).read_text(encoding="utf-8"), cuts):
            path = destination / document.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(document.text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

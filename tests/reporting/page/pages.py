"""Pages for tests, from texts of decisions and specs."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.findings import Finding, identify_findings
from sdd_hooks.reporting.page.links import find_relations, graph_edges
from sdd_hooks.reporting.page.model import (
    AuditPage,
    PageCitation,
    PageCollection,
    PageFreshness,
    PageRequirement,
)

MADE = 1_790_000_000.0
"""2026-09-21 14:13:20 UTC."""

HOSTILE = """<script>document.title = "hacked"</script>"""

QUEUES = """\
---
status: accepted
date: 2026-01-05
applies-to: [src/queue/]
---

# ADR-0001: Use queues

## Context

Requests come in bursts. See [the next one](ADR-0002-use-streams.md#decision).

## Decision

A queue stands between the two services.
"""
STREAMS = """\
---
status: superseded
date: 2026-02-05
extends: [ADR-0001]
---

# ADR-0002: Use streams

## Status

Superseded by ADR-0003

## Decision

A stream replaces each queue, as ADR-0001 allows.
"""
LOGS = """\
---
status: accepted
date: 2026-03-05
supersedes: [ADR-0002]
---

# ADR-0003: Use logs

## Decision

A log replaces each stream.
"""
SPEC = """\
---
status: approved
date: 2026-03-06
implements: [ADR-0003]
---

# SPEC-0001: Reading logs

## Requirements

### Requirement: Order

Readers MUST see the entries in order.

#### Scenario: Two entries

- WHEN two entries are written
- THEN a reader sees the first one first

### Requirement: Age

An entry SHOULD be removed after a week.
"""
FILES = {
    "docs/adrs/ADR-0001-use-queues.md": QUEUES,
    "docs/adrs/ADR-0002-use-streams.md": STREAMS,
    "docs/adrs/ADR-0003-use-logs.md": LOGS,
    "docs/openspec/specs/logs/spec.md": SPEC,
    "docs/openspec/specs/logs/design.md": "# Design of SPEC-0001\n\n## Modules\n\nOne reads.\n",
}
QUEUES_PATH, STREAMS_PATH, LOGS_PATH, SPEC_PATH, DESIGN_PATH = FILES


def corpus_of(files: Mapping[str, str]) -> Corpus:
    """The artifacts of these files; those in a folder `specs` are specs."""
    return load_corpus(
        ArtifactFile(path, text.encode(), "SPEC" if "/specs/" in path else "ADR")
        for path, text in files.items()
    )


def page_of(
    files: Mapping[str, str],
    findings: Iterable[Finding] = (),
    citations: Mapping[str, tuple[PageCitation, ...]] | None = None,
    **fields: Any,
) -> AuditPage:
    """A page of these files."""
    corpus = corpus_of(files)
    return AuditPage(
        "shop",
        MADE,
        corpus,
        files,
        graph_edges(corpus, find_relations(corpus)),
        findings=identify_findings(findings, {}),
        citations=citations or {},
        **fields,
    )


def named_requirements() -> tuple[PageRequirement, ...]:
    """The requirements of SPEC; code and a test name the first one."""
    order, age = corpus_of(FILES).by_path[SPEC_PATH].requirements
    code, test = PageCitation("src/read.py", 2, "Order"), PageCitation("tests/test_read.py", 3)
    return PageRequirement(order, (code,), (test,), 1), PageRequirement(age)


def small_page() -> AuditPage:
    """A page with something in every view."""
    return page_of(
        FILES,
        [
            Finding(STREAMS_PATH, 3, "superseded-cited", "warning", "`src/a.py` still names it"),
            Finding(
                "src/a.py", 7, "dangling-reference", "critical", "names ADR-0009", "# ADR-0009"
            ),
        ],
        {
            QUEUES_PATH: (PageCitation("src/queue/a.py", 1, "", "bursts"),),
            SPEC_PATH: (
                PageCitation("src/read.py", 2, "Order"),
                PageCitation("tests/test_read.py", 3, "order"),
                PageCitation(".sdd/issues/7.md", 1, "", "Read faster", "#7", "open"),
            ),
        },
        commit="0123456789abcdef0123456789abcdef01234567",
        requirements={SPEC_PATH: named_requirements()},
        applies_to={QUEUES_PATH: ("src/queue/",)},
        folders=(("", 3, 1, [QUEUES_PATH]), ("src/free", 2, 0, [])),
        rules={"dangling-reference": "A reference to no artifact"},
        freshness=PageFreshness(
            "embedded", MADE - 180, 7200, (PageCollection("shop-adrs", "adrs", 3),), ("a note",)
        ),
    )


def many_files(count: int, paragraphs: int = 4) -> dict[str, str]:
    """Decisions with a text of some length, each of which extends an earlier one."""
    words = [
        "queue",
        "stream",
        "latency",
        "module",
        "reader",
        "index",
        "boundary",
        "retry",
        "schema",
        "owner",
    ]
    files = {}
    for number in range(1, count + 1):
        text = "\n\n".join(
            " ".join(
                words[(number * step * 7 + at) % 10] + str(number * at % 97) for at in range(60)
            )
            for step in range(1, paragraphs + 1)
        )
        edge = f"extends: [ADR-{number // 2:04d}]\n" if number > 1 else ""
        files[f"docs/adrs/ADR-{number:04d}-record.md"] = (
            f"---\nstatus: accepted\ndate: 2026-01-05\n{edge}---\n\n"
            f"# ADR-{number:04d}: Decide about {words[number % 10]} {number}\n\n"
            f"## Decision\n\n{text}\n"
        )
    return files


def opened(html: str, part: str = "data") -> Any:
    """The value of a part of a page."""
    match = re.search(rf'<script type="application/octet-stream" id="{part}">([^<]*)<', html)
    assert match, part
    return json.loads(zlib.decompress(base64.b64decode(match[1])))

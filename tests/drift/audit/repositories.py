"""Work trees to audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import partial

from sdd_hooks.drift.audit.audited import (
    Audited,
    find_ids_in_commits,
    find_lost_files,
    find_naming_files,
    find_words_in_code,
)
from sdd_hooks.drift.citations import read_citations
from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.findings import Finding
from tests.review.repositories import MEMORY_TEXT
from tests.support.repos import Repo

TODAY = date(2026, 6, 1)


def adr(number: int, status: str = "accepted", written: str = "2026-01-02", text: str = "") -> str:
    """An ADR; `text` is that of its decision."""
    day = f"date: {written}\n" if written else ""
    decision = text or f"We take path {number}."
    return (
        f"---\nstatus: {status}\n{day}---\n\n# ADR-{number:04d}: Path {number}\n\n"
        f"## Decision Outcome\n\n{decision}\n"
    )


def named_files(numbers: Iterable[int]) -> dict[str, str]:
    """A source file for each accepted ADR, which names it."""
    return {
        path: text
        for number in numbers
        for path, text in (
            (f"docs/adrs/ADR-{number:04d}-path.md", adr(number)),
            (f"src/path{number}/path.py", f"# Governing: ADR-{number:04d} (why)\n"),
        )
    }


def audited(
    repo: Repo, files: Mapping[str, str], *, scope: str = "", today: date = TODAY
) -> Audited:
    """What an audit of the files looks at. They are not committed."""
    repo.write("CLAUDE.md", MEMORY_TEXT)
    for path, text in files.items():
        repo.write(path, text)
    project = repo.project()
    subject = whole_tree_subject(project, Scope((scope,)))
    return Audited(
        subject,
        Scope((scope,)),
        read_citations(project),
        today,
        tuple(blob.path for blob in subject.after.blobs()),
        find_naming_files(project, subject.corpus),
        partial(find_words_in_code, project, subject.corpus),
        partial(find_ids_in_commits, project.repository.git),
        partial(find_lost_files, project.repository.git),
    )


def places(findings: Iterable[Finding]) -> list[str]:
    """`path:line rule` of each finding."""
    return [f"{one.path}:{one.line} {one.rule}" for one in findings]

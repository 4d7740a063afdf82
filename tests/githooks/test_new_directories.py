"""Records that are written in a directory where none has been are found by the next hook."""

from __future__ import annotations

import pytest

from sdd_hooks.freshness.refresh import refresh
from tests.githooks.conftest import after
from tests.githooks.recorder import Hooked, Recorder
from tests.support.oracle import assert_index_matches_scratch, documents

RECORD = "# Use queues\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use queues.\n"
SPEC = "# SPEC-0009: Pay\n\n### Requirement: Total\n\nThe total MUST be paid.\n"


PATHS = (
    "services/pay/docs/adr/7-queues.md",
    "docs/references/architecture/adr-101-queues.md",
    "docs/rationale/0012-queues.md",
    "docs/adr-008-queues.md",
    "ADR-0009.md",
    "docs/decisions/use-queues.md",
    "docs/decision-records/queues/README.md",
    "docs/arch/PAY-0001-queues.md",
    "packages/pay/specs/pay/spec.md",
)


def test_a_commit_in_a_new_directory(fresh: Hooked) -> None:
    for path in PATHS:
        fresh.write(path, SPEC if path.endswith("spec.md") else RECORD)
        fresh.git("add", "--all")
        after(fresh, "commit", "-m", "x")
        assert path in documents(fresh)
    for path in PATHS:
        fresh.write(path, fresh.root.joinpath(path).read_text() + "More.\n")
    after(fresh, "commit", "--all", "-m", "y")
    for path in PATHS:
        fresh.remove(path)
    after(fresh, "commit", "--all", "-m", "z")
    assert not set(PATHS) & set(documents(fresh))


def test_other_documents_beside_them_are_left_out(fresh: Hooked) -> None:
    fresh.write("docs/adr-007-queues.md", RECORD)
    fresh.write("docs/guide.md", RECORD)
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    assert "docs/adr-007-queues.md" in documents(fresh)
    assert "docs/guide.md" not in documents(fresh)


@pytest.mark.parametrize("path", ["examples/adr/0001-x.md", "docs/chapters/0001-x.md"])
def test_other_numbered_documents_change_nothing(fresh: Hooked, path: str) -> None:
    before = documents(fresh)
    fresh.write(path, "# Chapter\n")
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    assert documents(fresh) == before


def test_branches_with_different_directories(fresh: Hooked) -> None:
    fresh.git("switch", "--quiet", "-c", "topic")
    fresh.write("lib/adr/0007-queues.md", RECORD)
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    after(fresh, "switch", "main")
    assert "lib/adr/0007-queues.md" not in documents(fresh)
    after(fresh, "switch", "topic")
    assert "lib/adr/0007-queues.md" in documents(fresh)


def test_a_hook_with_a_damaged_cache(fresh: Hooked) -> None:
    (fresh.root / ".git/sdd/folders").write_bytes(b"\xff\0\0")
    fresh.write("lib/adr/0007-queues.md", RECORD)
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    assert "lib/adr/0007-queues.md" in documents(fresh)


def test_a_readme_starts_no_process(fresh: Hooked, tracer: Recorder) -> None:
    fresh.write("README.md", "# Other\n")
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    assert tracer.calls() == []
    assert_index_matches_scratch(fresh)


def test_patterns_of_info_exclude_are_followed(fresh: Hooked) -> None:
    exclude = fresh.root / ".git/info/exclude"
    exclude.write_text("ADR-0077*\n")
    fresh.write("docs/adrs/ADR-0077-queues.md", RECORD)
    refresh(fresh.project())
    assert "docs/adrs/ADR-0077-queues.md" not in documents(fresh)
    exclude.write_text("")
    fresh.write("NOTES.txt", "x\n")
    fresh.git("add", "NOTES.txt")
    after(fresh, "commit", "-m", "x")
    assert "docs/adrs/ADR-0077-queues.md" in documents(fresh)

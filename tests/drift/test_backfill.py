from pathlib import Path

import pytest

from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.drift.backfill import (
    REJECTIONS_FILE,
    Proposal,
    add_rejections,
    find_proposals,
    forget_rejections,
    read_rejections,
    write_proposals,
)
from sdd_hooks.errors import SddError, StorageError
from tests.drift.graphs import adr
from tests.support.repos import Repo

BODY = "## More Information\n\nIt extends ADR-0001.\n"
ONE, TWO = "docs/adrs/ADR-0001-x.md", "docs/adrs/ADR-0002-x.md"


def proposals(repo: Repo) -> tuple[Proposal, ...]:
    project = repo.project()
    corpus, _ = read_work_tree(project.repository.git, project.collections)
    return find_proposals(repo.root, corpus, read_rejections(repo.root))[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"---\nstatus: draft  # yes\ntags:\n  - a\n---\n# ADR-0002: T\n",
            b"---\nstatus: draft  # yes\ntags:\n  - a\nextends: [ADR-0001]\n---\n# ADR-0002: T\n",
        ),
        (
            b"\xef\xbb\xbf---\r\nextends:\r\n- ADR-0003\r\n---\r\n# ADR-0002: T\r\n",
            b"\xef\xbb\xbf---\r\nextends:\r\n- ADR-0003\r\n- ADR-0001\r\n---\r\n# ADR-0002: T\r\n",
        ),
        (
            b"# ADR-0002: T\n",
            b"---\nextends: [ADR-0001]\n---\n\n# ADR-0002: T\n",
        ),
    ],
)
def test_only_the_frontmatter_changes(repo: Repo, before: bytes, after: bytes) -> None:
    tail = b"\n" + BODY.encode() + "\u00a0 trailing \t\r\n\r\n".encode()
    repo.commit("Start", {ONE: adr(1), TWO: before + tail})
    (proposal,) = proposals(repo)
    assert proposal.edit.after == after + tail
    write_proposals(repo.root, [proposal])
    assert (repo.root / TWO).read_bytes() == after + tail
    assert proposals(repo) == ()


def test_a_diff_shows_what_is_added(repo: Repo) -> None:
    repo.commit("Start", {ONE: adr(1), TWO: adr(2, body=BODY)})
    (proposal,) = proposals(repo)
    assert [line for line in proposal.edit.diff().splitlines() if line[:1] in ("+", "-")] == [
        f"--- a/{TWO}",
        f"+++ b/{TWO}",
        "+extends: [ADR-0001]",
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (adr(2, body=f"{BODY} \xe9").encode("latin-1"), f"{TWO} is not UTF-8"),
        (adr(2, "a: [b", body=BODY).encode(), f"{TWO}:1: `extends` in the frontmatter"),
    ],
)
def test_a_file_that_cannot_be_edited_is_named(repo: Repo, data: bytes, problem: str) -> None:
    repo.commit("Start", {ONE: adr(1), TWO: data})
    (proposal,) = proposals(repo)
    assert proposal.problem.startswith(problem)
    assert proposal.edit.diff() == ""


def test_rejected_edges_are_remembered_until_they_are_forgotten(repo: Repo) -> None:
    repo.commit("Start", {ONE: adr(1), TWO: adr(2, body=BODY)})
    (proposal,) = proposals(repo)
    add_rejections(repo.root, proposal.edges)
    assert (repo.root / REJECTIONS_FILE).read_text() == "ADR-0002|extends|ADR-0001\n"
    assert proposals(repo) == ()
    assert forget_rejections(repo.root) == 1
    assert len(proposals(repo)) == 1
    assert forget_rejections(repo.root) == 0


def test_rejections_of_another_tool_stay(repo: Repo) -> None:
    repo.commit("Start", {ONE: adr(1), TWO: adr(2, body=BODY)})
    (proposal,) = proposals(repo)
    repo.write(REJECTIONS_FILE, "SPEC-0003|requires|SPEC-0001\r\n\n")
    add_rejections(repo.root, proposal.edges)
    assert (repo.root / REJECTIONS_FILE).read_text() == (
        "ADR-0002|extends|ADR-0001\nSPEC-0003|requires|SPEC-0001\n"
    )


def test_a_rejections_file_that_is_a_link(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("")
    repo.link(REJECTIONS_FILE, tmp_path / "outside")
    with pytest.raises(StorageError, match="remove it"):
        read_rejections(repo.root)


def test_a_file_that_changed_in_the_meantime_is_not_written(repo: Repo) -> None:
    repo.commit("Start", {ONE: adr(1), TWO: adr(2, body=BODY)})
    (proposal,) = proposals(repo)
    repo.write(TWO, "other")
    with pytest.raises(SddError, match="changed in the meantime"):
        write_proposals(repo.root, [proposal])
    assert (repo.root / TWO).read_text() == "other"


def test_an_artifact_in_the_same_module_is_named_without_it(repo: Repo) -> None:
    repo.commit(
        "Start",
        {
            "CLAUDE.md": "## Architecture Context\n\n### Workspace Modules\n\n"
            "| Module | Root |\n|---|---|\n| api | services/api |\n",
            "docs/adrs/ADR-0007-x.md": adr(7),
            "services/api/docs/adrs/ADR-0001-x.md": adr(1),
            "services/api/docs/adrs/ADR-0002-x.md": adr(
                2, body="## Related\n\nIt extends ADR-0001. See ADR-0007.\n"
            ),
        },
    )
    (proposal,) = proposals(repo)
    assert [
        line
        for line in proposal.edit.diff().splitlines()
        if line.startswith("+") and "b/" not in line
    ] == [
        "+extends: [ADR-0001]",
    ]

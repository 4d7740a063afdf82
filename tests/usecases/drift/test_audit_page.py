"""Test sdd_hooks.usecases.drift.audit_page."""

from __future__ import annotations

import stat
from html import unescape
from pathlib import Path

import pytest
from hypothesis import strategies as st

from sdd_hooks.reporting.page.model import PageCitation
from sdd_hooks.reporting.registry import Links
from sdd_hooks.usecases.drift.audit import audit
from sdd_hooks.usecases.drift.audit_page import (
    PageNotWritten,
    build_page,
    find_file_links,
    publish_audit,
    write_page,
)
from sdd_hooks.usecases.drift.check import DriftRequest
from tests.cli.commands import FILES, run
from tests.drift.audit.repositories import adr
from tests.reporting.page.pages import MADE, small_page
from tests.support.repos import Repo

REPOSITORY = {
    **FILES,
    "CLAUDE.md": "# Shop\n",
    "docs/adrs/ADR-0002-parse.md": adr(2, text="Parse user ids with `src/parse.py`."),
    "docs/openspec/specs/any/spec.md": "# SPEC-0003: Any\n\n### Requirement: A\n\nIt MUST.\n",
    "docs/openspec/specs/any/design.md": "# Design\n",
    "src/parse.py": '# Governing: ADR-0002 (ids), SPEC-0001 REQ "Typo tolerance"\n',
    "src/other.py": "# as ADR-0002 says\nimport json\n",
    "tests/test_search.py": "def test_one_letter_off() -> None: ...\n",
    ".gitignore": ".sdd/\n",
}

COUNT = 8
NUMBERS = st.integers(1, COUNT)
EDGES = st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from(["extends", "related"])), max_size=16)


@pytest.fixture
def audited(repo: Repo) -> Repo:
    repo.commit("Start", REPOSITORY)
    assert run(repo.root, "index", "add").code == 0
    return repo


def test_the_page_has_what_the_audit_read(audited: Repo) -> None:
    audited.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    audited.write("docs/adrs/ADR-0003-new.md", adr(3, "proposed"))
    project = audited.project()
    verdict = audit(project, DriftRequest(audited.root), MADE)
    page = build_page(project, verdict, None, MADE)
    names = [one.name for one in page.corpus.artifacts]
    assert names == ["ADR-0001", "ADR-0002", "ADR-0003", "SPEC-0001", "SPEC-0003"]
    assert page.citations["docs/adrs/ADR-0002-parse.md"] == (
        PageCitation("src/parse.py", 1, "", "ids"),
        PageCitation("src/other.py", 0),
    )
    (typos,) = page.requirements["docs/openspec/specs/search/spec.md"]
    assert [one.path for one in typos.code] == ["src/parse.py"]
    assert typos.tested == 1
    assert page.findings == verdict.outcome.findings
    assert {one.finding.rule.split("/")[0] for one in page.findings} <= set(page.rules)
    assert (page.edited, page.commit) == (False, audited.git("rev-parse", "HEAD").strip())
    assert page.links
    assert page.links.address("a", 1).startswith("https://github.com/acme/shop/blob/")
    assert page.texts["docs/adrs/ADR-0003-new.md"] == adr(3, "proposed")
    audited.write("src/parse.py", "")
    assert build_page(project, verdict, None, MADE).edited


def test_a_scope_and_the_state_of_the_index_are_on_the_page(audited: Repo, tmp_path: Path) -> None:
    project = audited.project()
    verdict = audit(project, DriftRequest(audited.root, "src"), MADE)
    path = publish_audit(project, verdict, tmp_path / "page.html", MADE)
    html = unescape(path.read_text(encoding="utf-8"))
    assert "the findings are those of src only" in html
    assert "embedded" in html
    assert 'href="#/record/ADR-0001"' in html


def test_a_page_in_the_work_tree_changes_no_later_audit(audited: Repo) -> None:
    project = audited.project()
    first = audit(project, DriftRequest(audited.root), MADE)
    publish_audit(project, first, audited.root / "decisions.html", MADE)
    second = audit(audited.project(), DriftRequest(audited.root), MADE)
    assert second.outcome.findings == first.outcome.findings
    assert second.outcome.audit == first.outcome.audit


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("page.html", "page.html"),
        ("page.HTM", "page.HTM"),
        ("site", "site/index.html"),
        ("a/b", "a/b/index.html"),
        ("a/b/page.html", "a/b/page.html"),
        ("dir.html", "dir.html/index.html"),
    ],
)
def test_a_target_is_a_file_or_a_directory(tmp_path: Path, target: str, written: str) -> None:
    (tmp_path / "dir.html").mkdir()
    assert write_page(small_page(), tmp_path / target) == tmp_path / written
    assert (tmp_path / written).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_written_page_is_replaced_and_can_be_served(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_page(small_page(), page)
    first = page.read_bytes()
    write_page(small_page(), page)
    assert page.read_bytes() == first
    assert stat.S_IMODE(page.stat().st_mode) & 0o444


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = "the page was not written to .*file/site/index.html: Not a directory"
    with pytest.raises(PageNotWritten, match=message):
        write_page(small_page(), tmp_path / "file/site")
    (tmp_path / "site/index.html").mkdir(parents=True)
    with pytest.raises(
        PageNotWritten, match=r"the page was not written: cannot write .*index.html"
    ):
        write_page(small_page(), tmp_path / "site")


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        ("git@github.com:acme/shop.git", "https://github.com/acme/shop/blob/abc/a.py?plain=1#L3"),
        (
            "https://token@gitlab.com/acme/pay/shop.git",
            "https://gitlab.com/acme/pay/shop/-/blob/abc/a.py?plain=1#L3",
        ),
        (
            "https://codeberg.org/acme/shop",
            "https://codeberg.org/acme/shop/src/commit/abc/a.py?display=source#L3",
        ),
    ],
)
def test_known_hosts_have_links(repo: Repo, origin: str, address: str) -> None:
    repo.git("remote", "add", "origin", origin)
    links = find_file_links(repo.project(), "abc")
    assert isinstance(links, Links)
    assert links.address("a.py", 3) == address


@pytest.mark.parametrize("origin", ["", "https://git.example.org/acme/shop.git", "/srv/shop.git"])
def test_other_hosts_have_none(repo: Repo, origin: str) -> None:
    if origin:
        repo.git("remote", "add", "origin", origin)
    assert find_file_links(repo.project(), "abc") is None


def test_without_a_commit_there_are_none(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    assert find_file_links(repo.project(), "") is None

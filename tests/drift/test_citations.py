import json
from binascii import crc32
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.drift.citations import (
    Citations,
    read_citations,
    read_comments,
)
from sdd_hooks.drift.governing_comments import MAX_CHANGED, MAX_UNTRACKED
from tests.support.repos import Repo

ADR = "# ADR-{0:04d}: Title {0}\n\n## Status\n\naccepted\n"
ISSUE = """---
id: 7
title: "Sessions expire"
status: open
labels: []
assignees: []
author: "ada"
created: 2026-01-01T00:00:00Z
updated: 2026-01-01T00:00:00Z
closed: null
url: "https://github.com/acme/shop/issues/7"
tracker: "github"
references:
  specs: []
  adrs: ["ADR-0001"]
  blocks: []
  blocked_by: []
---

# Sessions expire

Part of ADR-1, see there.
"""


def shown(repo: Repo) -> list[str]:
    return [
        " ".join(filter(None, (f"{one.path}:{one.line}", str(one.id), one.requirement, one.reason)))
        for one in read_citations(repo.project()).comments
    ]


def test_a_comment_has_its_place_its_requirement_and_its_reason(repo: Repo) -> None:
    code = 'package a\n\n// Governing: ADR-0001 (why),\n// SPEC-0003 REQ "Renew", ADR-0002\n'
    repo.commit("Start", {"a.go": code})
    assert shown(repo) == ["a.go:3 ADR-0001 why", "a.go:4 SPEC-0003 Renew", "a.go:4 ADR-0002"]
    verbs = [one.verb for one in read_citations(repo.project()).comments]
    assert verbs == ["governing"] * 3


def test_changed_and_untracked_files_count_and_ignored_and_deleted_ones_do_not(repo: Repo) -> None:
    comment = "# Governing: ADR-000{}\n"
    repo.commit("Start", {".gitignore": "*.log.py\n", "a.py": "", "b.py": comment.format(2)})
    repo.write("a.py", comment.format(1))
    repo.write("new/c.py", comment.format(3))
    repo.write("d.log.py", comment.format(4))
    repo.remove("b.py")
    assert shown(repo) == ["a.py:1 ADR-0001", "new/c.py:1 ADR-0003"]


def test_a_tracked_file_counts_that_git_would_ignore(repo: Repo) -> None:
    repo.write("a.py", "# Governing: ADR-0001\n")
    repo.commit("Start")
    repo.commit("Ignore", {".gitignore": "a.py\n"})
    assert shown(repo) == ["a.py:1 ADR-0001"]


def test_many_untracked_files(repo: Repo) -> None:
    repo.write("1.py", "# Governing: ADR-0001\n")
    repo.commit("Start")
    for number in range(MAX_UNTRACKED):
        repo.write(f"new/{number}.txt")
    repo.write("2.py", "# Governing: ADR-0002\n")
    assert shown(repo) == ["1.py:1 ADR-0001", "2.py:1 ADR-0002"]


def test_names_that_git_quotes_and_attributes_that_call_text_binary(repo: Repo) -> None:
    names = ["-e.py", "a b.py", 'q"uote.py', "new\nline.py", "ünï.py", ":(top)x.py"]
    files = dict.fromkeys(names, "# Governing: ADR-0001\n")
    repo.commit("Start", {**files, ".gitattributes": "*.py -diff binary\n"})
    assert [one.path for one in read_citations(repo.project()).comments] == sorted(names)


def test_files_that_no_person_wrote_here_do_not_count(repo: Repo) -> None:
    comment = "// Governing: ADR-0001\n"
    repo.commit(
        "Start",
        {
            "node_modules/x/a.js": comment,
            "dist/a.js": comment,
            "tests/fixtures/a.js": comment,
            "README.md": "Governing: ADR-0001\n",
            "docs/adrs/ADR-0002-two.md": ADR.format(2) + "\nGoverning: ADR-0001\n",
            "templates/page.html": "<!-- Governing: ADR-0001 -->\n",
            "templates/stub.js": comment,
        },
    )
    assert shown(repo) == ["templates/page.html:1 ADR-0001"]


def test_a_binary_file_a_link_and_a_large_file(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("# Governing: ADR-0001\n")
    repo.link("link.py", tmp_path / "outside.py")
    repo.write("data.bin", b"# Governing: ADR-0001\n\0\0")
    repo.write("large.py", "# Governing: ADR-0001\n" + "x = 1\n" * 1_500_000)
    repo.commit("Start")
    repo.write("also-large.py", "# Governing: ADR-0001\n" + "x = 1\n" * 1_500_000)
    found = read_citations(repo.project())
    assert found.comments == ()
    assert [note.partition(": ")[0] for note in found.left_out] == [
        "left out also-large.py",
        "left out large.py",
    ]


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", '"""Doc.\n\nGoverning: ADR-0001\n"""\n', [3]),
        ("a.py", '"""Doc. An example:\n\n    # Governing: ADR-0001\n"""\n', []),
        ("a.py", 'SOURCE = """\nGoverning: ADR-0001\n"""\n# Governing: ADR-0002\n', [4]),
        ("test_a.py", 'def test_b():\n    """Implements: SPEC-0001 REQ "B"."""\n', [2]),
        ("a_test.go", "var x = `\n// Governing: ADR-0001\n`\n// Governing: ADR-0002\n", [4]),
        ("a.js", "const a = 1 // Governing: ADR-0001\r\n", [1]),
        ("a.sql", "-- Governing: ADR-0001\n--   (why), ADR-0002\n", [1, 2]),
    ],
)
def test_a_quoted_comment_does_not_count(path: str, text: str, lines: list[int]) -> None:
    assert [one.line for one in read_comments(path, text)] == lines


@given(st.sampled_from(["a.py", "a.go", "a.html", "x"]), st.text())
def test_any_text_can_be_read(path: str, text: str) -> None:
    read_comments(path, text)
    read_comments(path, f"{text}\n# Governing: ADR-0001\r{text}")


def test_issues_refer_to_artifacts(repo: Repo) -> None:
    repo.write(".sdd/issues/7.md", ISSUE)
    repo.write(".sdd/issues/notes.md", "ADR-0009\n")
    (one,) = read_citations(repo.project()).issues
    assert (one.path, one.line, str(one.id)) == (".sdd/issues/7.md", 22, "ADR-0001")
    assert (one.verb, one.reason, one.issue, one.status) == (
        "references",
        "Sessions expire",
        "7",
        "open",
    )


def test_a_folder_of_issues_that_is_a_link_is_noted(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo.link(".sdd/issues", tmp_path / "elsewhere")
    (note,) = read_citations(repo.project()).left_out
    assert "is a symbolic link" in note


def test_citations_of_an_artifact_across_modules(repo: Repo, tmp_path: Path) -> None:
    api = Repo.init(tmp_path / "api")
    code = "# Governing: ADR-0001\n# Governing: ADR-0002\n"
    api.commit("Start", {"docs/adrs/ADR-0001-one.md": ADR.format(1), "src/a.py": code})
    repo.submodule(api, "libs/api", "--name", "api")
    root = "# Governing: ADR-0001 (own), [api]/ADR-0001, ADR-0007\n"
    adrs = {f"docs/adrs/ADR-000{number}-x.md": ADR.format(number) for number in (1, 2)}
    repo.commit("Add it", {**adrs, "b.py": root})
    project = repo.project()
    corpus, _ = read_work_tree(project.repository.git, project.collections)
    cited = read_citations(project).by_artifact(corpus)
    assert {path: [f"{one.path}:{one.line}" for one in of] for path, of in cited.items()} == {
        "docs/adrs/ADR-0001-x.md": ["b.py:1"],
        "docs/adrs/ADR-0002-x.md": ["libs/api/src/a.py:2"],
        "libs/api/docs/adrs/ADR-0001-one.md": ["b.py:1", "libs/api/src/a.py:1"],
    }


def test_a_repository_without_citations(repo: Repo) -> None:
    assert read_citations(repo.project()) == Citations()


def keep_comments(repo: Repo, files: dict[str, str]) -> None:
    """Commit these files, and keep their comments in the git directory."""
    repo.commit("Start", {".gitignore": ".sdd/\n", **files})
    repo.write(".sdd/x")
    shown(repo)
    assert (repo.root / ".git/sdd/comments").is_file()


def test_only_what_changed_is_read_again(repo: Repo) -> None:
    comment = "# Governing: ADR-000{}\n"
    keep_comments(repo, {f"{number}.py": comment.format(number) for number in range(1, 6)})
    repo.write("1.py", comment.format(6))
    repo.remove("2.py")
    repo.write("3.py")
    repo.write("new.py", comment.format(7))
    expected = ["1.py:1 ADR-0006", "4.py:1 ADR-0004", "5.py:1 ADR-0005", "new.py:1 ADR-0007"]
    assert shown(repo) == expected
    repo.commit("Change")
    assert shown(repo) == expected
    repo.git("checkout", "--quiet", "HEAD~1")
    assert shown(repo) == [f"{number}.py:1 ADR-000{number}" for number in range(1, 6)]


def test_a_file_that_differed_when_the_comments_were_kept(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n", "a.py": "# Governing: ADR-0001\n"})
    repo.write("a.py", "# Governing: ADR-0002\n")
    repo.write("b.py", "# Governing: ADR-0003\n")
    repo.write(".sdd/x")
    assert shown(repo) == ["a.py:1 ADR-0002", "b.py:1 ADR-0003"]
    repo.git("checkout", "--quiet", "a.py")
    repo.remove("b.py")
    assert shown(repo) == ["a.py:1 ADR-0001"]


def test_a_note_about_a_file_is_repeated(repo: Repo) -> None:
    keep_comments(repo, {"large.py": "# Governing: ADR-0001\n" + "x = 1\n" * 1_500_000})
    (note,) = read_citations(repo.project()).left_out
    assert note.startswith("left out large.py")


def test_a_link_in_place_of_a_file(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("# Governing: ADR-0002\n")
    keep_comments(repo, {"a.py": "# Governing: ADR-0001\n"})
    repo.remove("a.py")
    repo.link("a.py", tmp_path / "outside.py")
    assert shown(repo) == []


def test_many_changed_files_are_searched_again(repo: Repo) -> None:
    keep_comments(repo, {f"{n}.py": f"# Governing: ADR-{n:04d}\n" for n in range(MAX_CHANGED + 1)})
    for number in range(MAX_CHANGED + 1):
        repo.write(f"{number}.py", "# Governing: ADR-0001\n")
    assert len({line.split()[1] for line in shown(repo)}) == 1


@pytest.mark.parametrize("damage", [b"", b"7\0[]", b"x", b"\0" * 99])
def test_damaged_kept_comments_are_read_again(repo: Repo, damage: bytes) -> None:
    keep_comments(repo, {"a.py": "# Governing: ADR-0001\n"})
    (repo.root / ".git/sdd/comments").write_bytes(damage)
    assert shown(repo) == ["a.py:1 ADR-0001"]


def test_kept_comments_that_another_program_wrote(repo: Repo) -> None:
    keep_comments(repo, {"a.py": "# Governing: ADR-0001\n"})
    path = repo.root / ".git/sdd/comments"
    version, tree, *_ = json.loads(path.read_bytes().partition(b"\0")[2])
    for rows in ({"a.py": [[1, 2]]}, {"a.py": 1}, [], {"a.py": [["governing", "ADR"]]}):
        content = json.dumps([version, tree, rows, []]).encode()
        path.write_bytes(b"%d\0%b" % (crc32(content), content))
        assert shown(repo) == ["a.py:1 ADR-0001"]


def test_a_sparse_checkout_is_always_searched(repo: Repo) -> None:
    keep_comments(repo, {"a/a.py": "# Governing: ADR-0001\n", "b/b.py": "# Governing: ADR-0002\n"})
    (repo.root / ".git/sdd/comments").unlink()
    repo.git("sparse-checkout", "set", "a")
    assert shown(repo) == ["a/a.py:1 ADR-0001"]
    repo.git("sparse-checkout", "disable")
    assert len(shown(repo)) == 2


def test_a_comment_of_html_in_a_document_counts_and_its_prose_does_not(repo: Repo) -> None:
    text = (
        "# Search\n\n<!-- Governing: ADR-0001 (why) -->\n\nGoverning: ADR-0002 is prose.\n\n"
        "```html\n<!-- Governing: ADR-0003 -->\n```\n\n`<!-- Governing: ADR-0004 -->`\n\n"
        '<!--\nGoverning: ADR-0005,\nSPEC-0001 REQ "Find"\n-->\n'
    )
    repo.commit("Start", {"skills/search.md": text})
    assert shown(repo) == [
        "skills/search.md:3 ADR-0001 why",
        "skills/search.md:14 ADR-0005",
        "skills/search.md:15 SPEC-0001 Find",
    ]

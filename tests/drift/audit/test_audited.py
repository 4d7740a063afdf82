"""Traces of records in files, words and commits."""

from __future__ import annotations

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.drift.audit.audited import (
    find_ids_in_commits,
    find_naming_files,
    find_words_in_code,
)
from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from tests.drift.audit.repositories import adr
from tests.review.repositories import MEMORY_TEXT
from tests.support.repos import Repo

RECORDS = {
    "CLAUDE.md": MEMORY_TEXT,
    "docs/adrs/ADR-0001-one.md": adr(1, text="It builds on ADR-0002. `MailQueue` keeps it."),
    "docs/adrs/ADR-0002-two.md": adr(2),
}


def named(repo: Repo) -> dict[str, list[str]]:
    project = repo.project()
    corpus = whole_tree_subject(project, Scope()).corpus
    found = find_naming_files(project, corpus)
    return {path.rpartition("/")[2][:8]: list(files) for path, files in found.items()}


def test_every_spelling_in_any_file_that_is_no_record_index_or_changelog(repo: Repo) -> None:
    repo.commit("Start", RECORDS)
    repo.write("src/a.py", "# adr-1, and ADR 0002\n")
    repo.write("src/größe.py", "# docs/adrs/ADR-0001-one.md\n")
    repo.write("docs/guide.md", "As ADR-0002 says.\n")
    repo.write("README.md", "- ADR-0001\n")
    repo.write("CHANGELOG.md", "- ADR-0002\n")
    repo.write("src/other.py", "# ADR-0009, quadr-1\n")
    assert named(repo) == {
        "ADR-0001": ["src/a.py", "src/größe.py"],
        "ADR-0002": ["docs/guide.md", "src/a.py"],
    }


def test_nothing_is_named_in_an_empty_repository(repo: Repo) -> None:
    repo.commit("Start", RECORDS)
    assert named(repo) == {}


def test_words_of_code_are_whole_words_outside_of_documents(repo: Repo) -> None:
    repo.commit("Start", {**RECORDS, "src/a.go": "type MailQueue struct{}\nfunc send_all() {}\n"})
    repo.write("docs/guide.md", "OutboxSweeper\n")
    project = repo.project()
    corpus = whole_tree_subject(project, Scope()).corpus
    words = ["MailQueue", "send_all", "Mail", "OutboxSweeper", "-e", "Mail.*"]
    assert find_words_in_code(project, corpus, words) == {"MailQueue", "send_all"}
    assert find_words_in_code(project, corpus, []) == frozenset()


def test_commits_with_code_that_name_an_id(repo: Repo) -> None:
    repo.commit("Record ADR-0001 and ADR-0002", RECORDS)
    repo.commit("Begin\n\nRefs: adr-1", {"src/a.py": "a = 1\n"})
    repo.commit("Number ADR-00021", {"src/a.py": "a = 2\n"})
    ids = [ArtifactId("ADR", 1), ArtifactId("ADR", 2), ArtifactId("ADR", 3)]
    git = repo.project().repository.git
    assert find_ids_in_commits(git, ids) == {ArtifactId("ADR", 1)}
    assert find_ids_in_commits(git, [ArtifactId("ADR", 1, module="api")]) == {
        ArtifactId("ADR", 1, module="api")
    }
    assert find_ids_in_commits(git, []) == frozenset()

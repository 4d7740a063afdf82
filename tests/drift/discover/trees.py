"""Discoveries in small work trees."""

from __future__ import annotations

from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.drift.discover.candidates import ImplicitDecision, find_candidates
from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.drift.discover.survey import Findings, survey
from sdd_hooks.drift.discover.tree import SourceTree
from tests.support.repos import Repo


def tree_of(repo: Repo, files: dict[str, str], scope: str = "") -> SourceTree:
    """The tree of a repository with these uncommitted files, or of what is below `scope`."""
    for path, content in files.items():
        repo.write(path, content)
    return SourceTree(WorkFiles(repo.handle), lambda path: path.startswith(scope))


def survey_of(repo: Repo, files: dict[str, str], scope: str = "") -> Findings:
    return survey(tree_of(repo, files, scope), load_catalogue())


def candidates_of(repo: Repo, files: dict[str, str], scope: str = "") -> list[ImplicitDecision]:
    return list(find_candidates(survey_of(repo, files, scope)))


def titles_of(repo: Repo, files: dict[str, str], scope: str = "") -> list[str]:
    return [one.title for one in candidates_of(repo, files, scope)]

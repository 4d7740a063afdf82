"""What a repository itself shows of the state of its project: technologies, folders, its style."""

# Governing: SPEC-0028 REQ "State", ADR-0044 (implicit decisions from evidence)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.code.languages import describe_language
from sdd_hooks.drift.discover.candidates import find_candidates
from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.drift.discover.survey import survey
from sdd_hooks.drift.discover.tree import SourceTree, TreeFile
from sdd_hooks.project.project import read_project
from sdd_hooks.project.repository import Repository
from sdd_hooks.text.display import join_names
from sdd_hooks.text.lazy_regex import lazy_regex

MIN_SHARE = 0.1
"""The share of the files that a language or a folder that is named has."""

_WRITTEN = {"csharp": "C#", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP"}
_STYLE = lazy_regex(
    r"\b(?:hexagonal|onion|clean architecture|layer(?:s|ed)|ports and adapters|event[- ](?:driven|"
    r"sourc\w+)|micro-?services?|monolith\w*|CQRS|serverless)\b",
    re.IGNORECASE,
)


def shown_state(repository: Repository) -> dict[str, object]:
    """The fields of the state that the work tree shows, and no other: technologies by category as
    `sdd discover` finds them, what titles of decisions in force say. Raises GitError."""
    tree = SourceTree(WorkFiles(repository.git, ()), lambda _: True)
    described = ((one, describe_language(one.path)) for one in tree.files)
    code = {one: found.name for one, found in described if found and found.imports}
    languages = (_WRITTEN.get(one, one.capitalize()) for one in _frequent(code.values()))
    stack = {"language": ", ".join(languages)} if code else {}
    for one in find_candidates(survey(tree, load_catalogue())):
        names = (stack.get(one.category), *one.technologies)
        stack[one.category] = ", ".join(filter(None, names))
    records = read_work_tree(repository.git, read_project(repository).select(("adrs",)))[0]
    decided = (one for one in records.artifacts if one.status.authoritative)
    styles = (f"{one.title} ({one.name})" for one in decided if _STYLE.search(one.title))
    fields: dict[str, object] = {
        "tech_stack": stack,
        "architecture_style": "; ".join(styles),
        "project_structure_convention": _convention(code),
    }
    return {name: value for name, value in fields.items() if value}


def _convention(code: Iterable[TreeFile]) -> str:
    """Where the code and its tests are, "" without code."""
    own, tests = ([one for one in code if one.is_test is kind] for kind in (False, True))
    folders = {one.folder for one in own}
    where = f", tests in {_folders(tests)}" if tests else ""
    if 2 * sum(one.folder in folders for one in tests) > len(tests):
        where = ", tests beside it"
    return f"code in {_folders(own)}{where}" if own else ""


def _folders(files: Iterable[TreeFile]) -> str:
    parts = (one.path.partition("/") for one in files)
    return join_names(_frequent("".join(one[:2]) if one[1] else "the root" for one in parts))


def _frequent(values: Iterable[str]) -> list[str]:
    counts = Counter(values)
    return [one for one, n in counts.most_common() if n >= MIN_SHARE * counts.total()]

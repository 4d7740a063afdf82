"""What a repository itself shows of the state of its project: technologies, folders, its style."""

# Governing: SPEC-0028 REQ "State", ADR-0044 (implicit decisions from evidence)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

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

_WRITTEN = {"csharp": "C#", "cpp": "C++", "fsharp": "F#", "objective-c": "Objective-C"}
_WRITTEN |= {"javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP", "sql": "SQL"}
_STYLE = lazy_regex(
    r"\b(?:hexagonal|onion|clean architecture|layer(?:s|ed)|ports and adapters|event[- ](?:driven|"
    r"sourc\w+)|micro-?services?|monolith\w*|modular|CQRS|serverless|client[- ]server|monorepo)\b",
    2,
)


def shown_state(repository: Repository) -> dict[str, object]:
    """The fields of the state that the work tree shows, none that it does not.

    Technologies are those of `sdd discover` by category, the style is what titles of decisions in
    force say. Raises GitError.
    """
    project = read_project(repository)
    tree = SourceTree(WorkFiles(repository.git, ()), lambda _: True)
    code = [one for one in tree.files if (found := describe_language(one.path)) and found.imports]
    languages = _frequent(_language(one.path) for one in code)
    stack = {"language": ", ".join(languages)} if languages else {}
    for one in find_candidates(survey(tree, load_catalogue())):
        known = stack.get(one.category, "")
        stack[one.category] = ", ".join(filter(None, (known, *one.technologies)))
    collections = [one for one in project.select(("adrs",)) if not one.module]
    records = read_work_tree(repository.git, collections)[0].artifacts
    styles = [
        f"{one.title} ({one.name})"
        for one in records
        if one.status.authoritative and _STYLE.search(one.title)
    ]
    fields: dict[str, object] = {
        "tech_stack": stack,
        "architecture_style": "; ".join(styles),
        "project_structure_convention": _convention(code),
    }
    return {name: value for name, value in fields.items() if value}


def _language(path: str) -> str:
    found = describe_language(path)
    name = found.name if found else ""
    return _WRITTEN.get(name) or name.capitalize()


def _convention(code: Sequence[TreeFile]) -> str:
    """Where the code and its tests are, "" without code."""
    own = {one.folder for one in code if not one.is_test}
    tests = [one for one in code if one.is_test]
    if not own:
        return ""
    said = f"code in {join_names(_frequent(_top(one) for one in code if not one.is_test))}"
    if not tests:
        return said
    if 2 * sum(one.folder in own for one in tests) > len(tests):
        return f"{said}, tests beside it"
    return f"{said}, tests in {join_names(_frequent(map(_top, tests)))}"


def _top(file: TreeFile) -> str:
    first, slash, _ = file.path.partition("/")
    return f"{first}/" if slash else "the root"


def _frequent(values: Iterable[str]) -> list[str]:
    counts = Counter(values)
    least = MIN_SHARE * counts.total()
    return [value for value, count in counts.most_common() if count >= least]

"""What a repository itself shows of the state of its project: technologies, folders."""

# Governing: SPEC-0028 REQ "State", ADR-0044 (implicit decisions from evidence)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.code.languages import describe_language
from sdd_hooks.drift.discover.candidates import find_candidates
from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.drift.discover.survey import survey
from sdd_hooks.drift.discover.tree import SourceTree
from sdd_hooks.project.repository import Repository
from sdd_hooks.text.display import join_names

_LEAST = 0.1
_WRITTEN = {"csharp": "C#", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP"}


def shown_state(repository: Repository) -> dict[str, object]:
    """The fields of the state that the work tree shows, and no other. Raises GitError."""
    tree = SourceTree(WorkFiles(repository.git, ()), lambda _: True)
    described = ((one, describe_language(one.path)) for one in tree.files)
    code = {one: found.name for one, found in described if found and found.imports}
    languages = (_WRITTEN.get(one, one.capitalize()) for one in _frequent(code.values()))
    stack = {"language": ", ".join(languages)} if code else {}
    for one in find_candidates(survey(tree, load_catalogue())):
        stack[one.category] = ", ".join(filter(None, (stack.get(one.category), *one.technologies)))
    tops = [(one.folder.partition("/")[0] or "the root", one.is_test) for one in code]
    folders = [_frequent(top for top, test in tops if test is own) for own in (False, True)]
    named = zip(("code in ", "tests in "), folders, strict=True)
    where = (kind + join_names(one) for kind, one in named if one)
    return {"tech_stack": stack, "project_structure_convention": ", ".join(where)}


def _frequent(values: Iterable[str]) -> list[str]:
    counts = Counter(values)
    return [one for one, n in counts.most_common() if n >= _LEAST * counts.total()]

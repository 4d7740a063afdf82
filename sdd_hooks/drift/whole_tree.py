"""The work tree as the subject of rules: a change that adds every file in scope.

Rules on added lines work on it unchanged. What is out of scope is the tree before that change, so
that a record there still counts for the files in scope.
"""

# Governing: ADR-0040 (a whole tree is checked as a change that adds it)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES
from sdd_hooks.changes.change import Change, ChangedFile, UnreadPart
from sdd_hooks.changes.work_tree import FileLines, WorkFiles, WorkTree
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_document
from sdd_hooks.external.records import NO_RECORDS, read_external_records
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.committed import Entry
from sdd_hooks.project.project import Project
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

MAX_FILES = 100_000
"""Files in scope that are looked at."""


class Scope(NamedTuple):
    """The part of the work tree that is checked: files and directories, "" for all of it.

    Paths are relative to the root of the repository, with `/` and without one at their end.
    """

    paths: tuple[str, ...] = ("",)

    def contains(self, path: str) -> bool:
        """Whether a file is in scope."""
        return any(not one or path == one or path.startswith(f"{one}/") for one in self.paths)


def whole_tree_subject(project: Project, scope: Scope) -> Subject:
    """The subject of the rules for the files in scope, as the work tree has them.

    Its artifacts are read on first use; `Subject.with_corpus` replaces them. Raises GitError.
    """
    git = project.repository.git
    submodules = _submodules(project)
    files = WorkFiles(git, submodules)
    after = WorkTree(git, files=files)
    before = WorkTree(git, files=files, skips=scope.contains)
    listed = files.entries(_pathspecs(scope, submodules))
    entries = [one for one in listed if scope.contains(one[2])]
    unread: list[UnreadPart] = []
    changed = tuple(_added(files, after, entries[:MAX_FILES], unread))
    if len(entries) > MAX_FILES:
        unread.append(UnreadPart("", f"the files beyond {MAX_FILES:,}: check a directory of them"))
    artifacts = tuple(one for one in project.collections if one.kind in ARTIFACT_KINDS)
    declared = project.external
    external = (
        read_external_records(project.repository, declared) if declared.sources else NO_RECORDS
    )
    return Subject(
        Change("", "", "", "", (), changed, unread=tuple(unread)),
        before,
        after,
        artifacts,
        settings=project.configuration.review,
        external=external,
        whole_tree=True,
    )


def _pathspecs(scope: Scope, submodules: Sequence[str]) -> tuple[str, ...]:
    """Pathspecs for the files in scope; none, which match all, for files of a submodule."""
    inner = Scope(tuple(submodules))
    is_inside = submodules and any(
        inner.contains(path) or scope.contains(one) for path in scope.paths for one in submodules
    )
    if "" in scope.paths or is_inside:
        return ()
    return tuple(f":(literal){path}" for path in scope.paths)


def whole_tree_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Those of the rules that work on a whole tree."""
    return tuple(rule for rule in rules if rule.whole_tree)


def _submodules(project: Project) -> tuple[str, ...]:
    """The submodules with a collection, which are checked out."""
    return tuple(dict.fromkeys(one.repository for one in project.collections if one.repository))


def _added(
    files: WorkFiles, tree: WorkTree, entries: Iterable[Entry], unread: list[UnreadPart]
) -> Iterator[ChangedFile]:
    """The files as added ones. A text that is too large is added to `unread`."""
    for mode, blob, path in entries:
        is_file = mode.startswith("100")
        is_text = is_document(path) or find_language(path) is not None
        binary = is_file and not is_text and files.is_binary(path)
        lines = FileLines(tree, path) if is_file and not binary else ()
        if is_file and not binary and files.is_large(path):
            size = MAX_ARTIFACT_BYTES >> 20
            unread.append(UnreadPart(path, f"a file of more than {size} MB: divide it"))
        yield ChangedFile(path, "", "A", mode, blob, added=lines, binary=binary)

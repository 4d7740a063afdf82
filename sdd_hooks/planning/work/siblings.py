"""The manifest of sibling work: open pull requests and branches, their files and their types.

The names of the three sections are those that workers of this ecosystem look for.
"""

# Governing: SPEC-0026 REQ "Sibling manifest"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sdd_hooks.changes.diff import read_change
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.paths import is_test
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.definitions import (
    code_family,
    declares_type,
    find_added_symbols,
    is_shareable,
)
from sdd_hooks.system.git import Git

MAX_SIBLINGS = 20
"""Siblings whose definitions are read, those that were updated last."""
MAX_DEFINITIONS = 12
"""Definitions that are listed of a sibling: types first."""
MAX_CHANGED_FILES = 200
"""Files of a sibling's change. The definitions of a larger one are not read."""


class Sibling(NamedTuple):
    """Other work that is not finished: a pull request, or a branch without one.

    `number` is that of the pull request, "" for a branch. `issues` are the ids that it closes.
    `files` are the paths that it changes, None if they are not known. `head` is a commit id, "" if
    it is not known.
    """

    number: str
    title: str
    branch: str
    status: str
    issues: tuple[str, ...] = ()
    files: tuple[str, ...] | None = None
    head: str = ""

    @property
    def name(self) -> str:
        """How a text names it: `#12`, or its branch."""
        return f"#{self.number}" if self.number.isdecimal() else self.number or self.branch


class ModifiedFile(NamedTuple):
    """A file that siblings change, which this work had better leave to them."""

    path: str
    siblings: tuple[str, ...]


class SharedDefinition(NamedTuple):
    """A type or a helper that a sibling introduces.

    `status` is `merged` where the base has it already, so that it can be imported now.
    """

    symbol: str
    path: str
    signature: str
    sibling: str
    status: str
    is_type: bool


class SiblingManifest(NamedTuple):
    """Files to leave alone, definitions to import, and the siblings.

    `unread` names what could not be read, one line each.
    """

    files: tuple[ModifiedFile, ...] = ()
    definitions: tuple[SharedDefinition, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    unread: tuple[str, ...] = ()


def build_manifest(git: Git, base: str, siblings: Sequence[Sibling]) -> SiblingManifest:
    """Build the manifest. `base` is the commit that siblings are compared with.

    A sibling without files gets them from its head, if this clone has that commit.
    """
    known: list[Sibling] = []
    definitions: list[SharedDefinition] = []
    unread: list[str] = []
    for at, sibling in enumerate(siblings):
        if sibling.status == "merged":
            definitions += _merged_definitions(git, base, sibling)
            continue
        if at >= MAX_SIBLINGS or not sibling.head:
            known.append(sibling)
            if sibling.number and not sibling.head:
                unread.append(_not_fetched(sibling))
            continue
        try:
            files, symbols = _read_sibling(git, base, sibling)
        except SddError as error:
            unread.append(f"{sibling.name} cannot be compared: {error}")
            known.append(sibling)
            continue
        known.append(sibling._replace(files=sibling.files or files))
        definitions += [_definition(one, sibling, sibling.status) for one in _most_useful(symbols)]
    if len(siblings) > MAX_SIBLINGS:
        unread.append(f"the definitions of {len(siblings) - MAX_SIBLINGS} older ones were not read")
    return SiblingManifest(_files(known), tuple(definitions), tuple(known), tuple(unread))


def _read_sibling(git: Git, base: str, sibling: Sibling) -> tuple[tuple[str, ...], list[Symbol]]:
    change = read_change(git, base, sibling.head)
    paths = tuple(sorted({path for one in change.files for path in (one.path, one.before) if path}))
    if len(change.files) > MAX_CHANGED_FILES:
        return paths, []
    return paths, find_added_symbols(Tree(git, change.base), Tree(git, change.head), change)


def _merged_definitions(git: Git, base: str, sibling: Sibling) -> list[SharedDefinition]:
    """The definitions in the files of merged work, as the base has them."""
    wanted = {path for path in sibling.files or () if code_family(path) is not None}
    if not wanted:
        return []
    tree = Tree(git, base)
    blobs = [Blob(one.path, one.id) for one in tree.blobs() if one.path in wanted]
    symbols = [one for path, text in tree.texts(blobs).items() for one in find_symbols(path, text)]
    return [_definition(one, sibling, "merged") for one in _most_useful(symbols)]


def _most_useful(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Types and functions of files that others import, types first."""
    shared = [
        one
        for one in symbols
        if is_shareable(one)
        and not is_test(one.path)
        and (declares_type(one) or "." not in one.name)
    ]
    shared.sort(key=lambda one: (not declares_type(one), one.path, one.first_line))
    return shared[:MAX_DEFINITIONS]


def _definition(symbol: Symbol, sibling: Sibling, status: str) -> SharedDefinition:
    return SharedDefinition(
        symbol.name, symbol.path, symbol.signature, sibling.name, status, declares_type(symbol)
    )


def _files(siblings: Iterable[Sibling]) -> tuple[ModifiedFile, ...]:
    users: dict[str, list[str]] = defaultdict(list)
    for sibling in siblings:
        for path in sibling.files or ():
            users[path].append(sibling.name)
    return tuple(ModifiedFile(path, tuple(names)) for path, names in sorted(users.items()))


def _not_fetched(sibling: Sibling) -> str:
    return (
        f"the definitions of {sibling.name} are not known, since its head is not in this clone:"
        " `git fetch` its branch"
    )

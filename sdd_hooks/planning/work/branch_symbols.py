"""The definitions that a branch adds: those that its files have and the base has nowhere."""

# Governing: SPEC-0026 REQ "Check of a branch"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.source_files import is_hand_written
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.planning.work.likeness import compare, split_name, take_fingerprint
from sdd_hooks.planning.work.reuse import code_family

MOVED = 0.8
"""How alike the code of a definition and of a removed one of its name are, if it was moved."""


def find_added_symbols(base: Tree, head: Tree, change: Change) -> list[Symbol]:
    """The definitions that the change adds, in the order of its files.

    One that the change moves or renames is not new, and none in generated or vendored code is.
    """
    added: list[Symbol] = []
    removed: dict[tuple[str, ...], list[Symbol]] = defaultdict(list)
    files = [one for one in change.files if code_family(one.path) is not None]
    texts_before = base.texts(Blob(one.before, one.blob_before) for one in files if one.was_file)
    texts_after = head.texts(Blob(one.path, one.blob) for one in files if one.is_file)
    for file in files:
        before = _symbols(file.before, texts_before)
        after = _symbols(file.path, texts_after)
        known, kept = ({one.name for one in symbols} for symbols in (before, after))
        added += [one for one in after if one.name not in known]
        for one in before:
            if one.name not in kept:
                removed[split_name(one.simple_name)].append(one)
    return [one for one in added if not _is_moved(one, removed[split_name(one.simple_name)])]


def _symbols(path: str, texts: Mapping[str, str]) -> list[Symbol]:
    text = texts.get(path, "")
    return list(find_symbols(path, text)) if is_hand_written(text) else []


def _is_moved(symbol: Symbol, removed: Sequence[Symbol]) -> bool:
    if not removed:
        return False
    fingerprint = take_fingerprint(symbol)
    return any(compare(fingerprint, take_fingerprint(one)).code >= MOVED for one in removed)

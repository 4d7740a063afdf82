"""One `qmd update`: whether it is needed, what qmd is told before, and what it says afterwards."""

# Governing: ADR-0014 (the qmd engine), ADR-0004 (change detection from git),
# SPEC-0006 REQ "Updates"

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sdd_hooks.engines.protocol import CollectionChanges, Counts
from sdd_hooks.engines.qmd import contexts
from sdd_hooks.engines.qmd.declaration import (
    NOTHING,
    Declared,
    base_of,
    endings,
    exceptions,
    masks,
    read_contexts,
    render,
    untracked,
)
from sdd_hooks.engines.qmd.folder import make
from sdd_hooks.engines.qmd.output import parse_update
from sdd_hooks.engines.qmd.process import Place, ProgramResult
from sdd_hooks.engines.qmd.state import Held
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import write_atomically
from sdd_hooks.system.git import Git


def is_due(change: CollectionChanges, now: str, seen: str) -> bool:
    """Whether qmd has to look; `now` is the fingerprint of the change, `seen` that of the last one.

    A path may be named time and again because it is not committed, and the issues are always all
    named: when none differs from the last time, there is no need.
    """
    if change.complete and change.collection.kind != "issues":
        return True
    return bool(change.paths or change.complete) and now != seen


def fingerprint(root: Path, change: CollectionChanges) -> str:
    """A digest of the files that a change names: their paths, sizes and times."""
    from hashlib import sha256

    digest = sha256(change.collection.definition().encode())
    for path in change.paths:
        try:
            status = os.lstat(root / path)
            about = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\0"
        except (OSError, ValueError):
            about = f"{path}\0gone\0"
        digest.update(about.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def nothing(root: Path, change: CollectionChanges) -> Counts:
    """The counts of a change that changed nothing."""
    return Counts(unchanged=sum(os.path.lexists(root / path) for path in change.paths))


def declare(
    git: Git,
    place: Place,
    declared: Mapping[str, Collection],
    held: Mapping[str, Held],
    due: Sequence[CollectionChanges],
    model: str,
) -> dict[str, Held]:
    """Write qmd's configuration for the collections in `held`. Returns them as it knows them now.

    `due` are the changes it is about to be sent after, which may bring files of other endings.
    A text that a person gave a collection stays. Raises StorageError.
    """
    changes = {one.collection.name: one for one in due}
    texts = read_contexts(place.config)
    elsewhere: dict[str, list[str]] = {}
    found: dict[str, Declared] = {}
    known = dict(held)
    for name, one in held.items():
        collection = declared.get(name)
        if collection is None:
            found[name] = Declared(one.base, (NOTHING,), (), "")
            continue
        repository = collection.repository
        if repository not in elsewhere:
            elsewhere[repository] = untracked(git, repository)
        base, below = base_of(place.root, collection)
        change = changes.get(name)
        spelled = frozenset() if change and change.complete else frozenset(one.endings)
        spelled |= endings(collection, change.paths if change else ())
        text = texts.get(name, one.context)
        text = collection.context if text == one.context else text
        found[name] = Declared(
            base,
            masks(collection, below, spelled),
            exceptions(base, collection, elsewhere[repository]),
            text,
        )
        known[name] = replace(
            one, base=base, endings=tuple(sorted(spelled)), context=collection.context
        )
    make(place)
    write_atomically(place.config, render(place.root, found, model))
    return known


def told(done: ProgramResult, names: Sequence[str]) -> dict[str, Counts]:
    """What an update did to every collection. Raises EngineUnavailable when one of `names` is not
    spoken of."""
    counts = parse_update(done.out)
    for name in names:
        if name not in counts:
            raise EngineUnavailable(
                f"qmd update says nothing about {name}: sdd cannot read this qmd, run `sdd doctor`"
            )
    return counts


def counted(change: CollectionChanges, counts: Mapping[str, Counts]) -> Counts:
    """The counts of one change: qmd has looked at every document, and counts all of them."""
    found = counts[change.collection.name]
    if change.complete:
        return found
    return replace(found, unchanged=max(0, len(change.paths) - found.changed))


def filled(held: Mapping[str, Held], counts: Mapping[str, Counts]) -> dict[str, Held]:
    """The collections with as many documents as they have after an update."""
    return {
        name: replace(one, documents=done.added + done.updated + done.unchanged)
        if (done := counts.get(name))
        else one
        for name, one in held.items()
    }


def outdated_contexts(
    git: Git, place: Place, declared: Mapping[str, Collection], held: Mapping[str, Held]
) -> list[str]:
    """A line for each collection whose text says what is no longer so. Artifacts are read only when
    a text says anything about them."""
    texts = {
        name: text
        for name, text in read_contexts(place.config).items()
        if name in held and name in declared and contexts.claims(text)
    }
    if not texts:
        return []
    from sdd_hooks.artifacts.work_tree import read_work_tree

    corpus, _ = read_work_tree(git, declared.values())
    mine = {
        name: [one for one in corpus.artifacts if one.module == declared[name].module]
        for name in texts
    }
    directory = place.directory.relative_to(place.root).as_posix()
    return contexts.warnings(texts, mine, directory)

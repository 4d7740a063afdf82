"""Whether many documents of an update are new, and a second process that reads and cuts them."""

# Governing: ADR-0002 (embedded engine), ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sdd_hooks.engines.protocol import CollectionChanges
from sdd_hooks.engines.reading import Read, StoredDocument

_MANY = 500
"""New documents for which a second process, and other settings, save more than they cost."""


def is_bulk(changes: CollectionChanges, stored: Mapping[str, StoredDocument]) -> bool:
    """Whether at least 500 documents of files are new, or have to be cut again."""
    if changes.contents is not None or len(changes.paths) < _MANY:
        return False
    is_cut = {path for path, document in stored.items() if any(document.hash)}
    return sum(path not in is_cut for path in changes.paths) - len(changes.gone) >= _MANY


@contextmanager
def reading_ahead(
    root: Path, changes: CollectionChanges, environ: Mapping[str, str] | None
) -> Iterator[Read | None]:
    """Yield what reads documents in a second process; None without `environ`, or where that is
    slower or impossible."""
    with ExitStack() as stack:
        read = None
        if environ is not None:
            from sdd_hooks.engines.cutting_process import can_cut_beside, cutting_process

            if can_cut_beside():
                kind = changes.collection.kind
                paths = [path for path in changes.paths if path not in changes.gone]
                with suppress(OSError):
                    read = stack.enter_context(cutting_process(root, kind, paths, environ))
        yield read

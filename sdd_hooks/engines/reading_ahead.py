"""Read and cut the documents of a large update in a second process, while this one stores them.

The second process reads ahead: it sends the documents in the order in which they are asked for, and
waits while enough of them are unread. Without its answer, because it was killed or has no memory
left, this process reads and cuts the rest itself. Measured in turn, a first index of 1,000
documents takes 6.8 s with it and 8.2 s without it, on two cores that other programs keep busy.
"""

# Governing: ADR-0002 (embedded engine), ADR-0012 (untrusted input),
# ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sdd_hooks.engines.protocol import CollectionChanges
from sdd_hooks.engines.reading import (
    DocumentRows,
    FileContent,
    Read,
    StoredDocument,
    cut_document,
    read_document,
)
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.detached import read_frame, start_child, usable_cores, write_frame

if TYPE_CHECKING:
    import queue

_MANY = 500
"""New documents for which a second process, and other settings, save more than they cost."""

HEAD_START = 150
"""Documents that the first process cuts while the second one starts."""

_FRAME_BYTES = 250_000
"""Bytes of text after which the documents so far are sent."""

_UNREAD_FRAMES = 32


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
        if environ is not None and _can_help():
            kind = changes.collection.kind
            paths = [path for path in changes.paths if path not in changes.gone]
            with suppress(OSError):
                read = stack.enter_context(cutting_process(root, kind, paths, environ))
        yield read


def _can_help() -> bool:
    """Whether a second process saves time here: it needs a core, and the same bytes for a path."""
    return IS_POSIX and usable_cores() > 1 and sys.getfilesystemencoding() == "utf-8"


@contextmanager
def cutting_process(
    root: Path, kind: str, paths: Sequence[str], environ: Mapping[str, str]
) -> Iterator[Read]:
    """Start the second process, which reads and cuts `paths` below `root` for a collection of this
    kind. Yields what reads one of them; it is called for each path once, in their order.

    Raises OSError if the process cannot be started. It has ended at the end of the block.
    """
    import tempfile

    with tempfile.TemporaryFile() as request:
        marshal.dump((str(root), kind, list(paths[HEAD_START:])), request)
        request.seek(0)
        process = start_child(__name__, request, environ)
    assert process.stdout is not None
    ahead = received(process.stdout)
    position = 0

    def read(path: str, notes: list[str]) -> FileContent | None:
        nonlocal position
        position += 1
        answer = next(ahead, None) if position > HEAD_START else None
        if answer is None:
            return read_document(root, kind, None, path, notes)
        more, digest, *rows = answer
        notes += more
        return FileContent(path, b"", digest, DocumentRows(*rows)) if digest else None

    try:
        yield read
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def received(stream: IO[bytes]) -> Iterator[Any]:
    """Yield the documents in the frames of the second process, up to its end."""
    while (frame := read_frame(stream)) is not None:
        yield from marshal.loads(frame)  # noqa: S302 (written by `main`)


def main(_arguments: Sequence[str]) -> None:
    """Read the request on stdin, and write frames of documents to stdout."""
    import queue
    import threading

    root, kind, paths = marshal.load(sys.stdin.buffer)  # noqa: S302 (written by `cutting_process`)
    frames: queue.Queue[bytes] = queue.Queue(_UNREAD_FRAMES)
    writer = threading.Thread(target=_write_frames, args=(frames,), daemon=True)
    writer.start()
    documents: list[Any] = []
    size = 0
    for path in paths:
        notes: list[str] = []
        file = read_document(Path(root), kind, None, path, notes)
        if file is None:
            documents.append((notes, b""))
        else:
            documents.append((notes, file.hash, *cut_document(path, file.data)))
            size += len(file.data)
        if size > _FRAME_BYTES:
            frames.put(marshal.dumps(documents))
            documents, size = [], 0
    frames.put(marshal.dumps(documents))
    frames.put(b"")
    writer.join()


def _write_frames(frames: queue.Queue[bytes]) -> None:
    try:
        while frame := frames.get():
            write_frame(1, frame)
    except OSError:
        # The first process has ended.
        os._exit(1)

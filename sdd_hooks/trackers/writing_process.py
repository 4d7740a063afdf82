"""Write many files in a second process, while this one requests and renders others.

A process, because a thread waits for the interpreter's lock after each of the five calls of the
system for a file. It writes the files in the order in which they are sent. What it does not
confirm, because it was killed or the disk is full, this process writes itself.

A first sync of 5,000 issues that are answered at once, measured in turn with it and without, on two
cores with other work: 10.6 and 12.8 s (medians of 7), 3.7 and 3.9 s (medians of 11; the fastest of
them 1.8 and 2.6 s).
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import marshal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.detached import read_frame, write_frame
from sdd_hooks.system.open_directory import OpenDirectory
from sdd_hooks.trackers.files import FileMark, digest_of

if TYPE_CHECKING:
    import subprocess

HEAD_START = 100
"""Files that the first process writes. A sync of fewer starts no second one."""

PARTIAL = ".sdd-half-beside"
"""The name of a file while the second process writes it."""

_FRAME_BYTES = 1 << 16
_FRAME_FILES = 100
_UNCONFIRMED_FRAMES = 3
"""Frames that are sent before the first of them is confirmed. Their confirmations fit into a pipe,
so that the second process can always read the next one."""


class WritingProcess:
    """Writes files of `directory`, and starts the second process when there are many.

    `write` writes one in this process. The second process inherits `lock`, a descriptor, so that
    no other sync writes to the directory before it has ended.
    """

    def __init__(
        self,
        directory: OpenDirectory,
        write: Callable[[str, bytes], FileMark],
        lock: int,
        environ: Mapping[str, str],
    ) -> None:
        self._directory = directory
        self._write_here = write
        self._lock = lock
        self._environ = environ
        self._count = 0
        self._is_possible = IS_POSIX
        self._process: subprocess.Popen[bytes] | None = None
        # What is not confirmed, in order, and the last content of each name in it.
        self._queue: deque[tuple[str, bytes]] = deque()
        self._contents: dict[str, bytes] = {}
        # The end of the queue, which is not sent yet, and how many files each sent frame has.
        self._frame: list[tuple[str, bytes]] = []
        self._size = 0
        self._sent: deque[int] = deque()
        self._marks: dict[str, FileMark] = {}

    def write(self, name: str, data: bytes) -> FileMark | None:
        """Write a file, at the latest in `finish`. Returns its mark, None if that comes later.

        Raises what `write` of this process raises.
        """
        self._count += 1
        if self._count <= HEAD_START or not self._is_running():
            return self._write_here(name, data)
        self._queue.append((name, data))
        self._contents[name] = data
        self._frame.append((name, data))
        self._size += len(data)
        if self._size >= _FRAME_BYTES or len(self._frame) == _FRAME_FILES:
            self._send()
        return None

    def queued(self, name: str) -> bytes | None:
        """The content of a file that may not be written yet; None for any other file."""
        return self._contents.get(name)

    def finish(self) -> None:
        """Wait until all files are written. Raises what `write` of this process raises."""
        if self._frame:
            self._send()
        while self._process is not None and self._sent:
            self._receive()
        if self._process is None:
            self._take_over()

    def take_marks(self) -> dict[str, FileMark]:
        """The marks of the files that were written later, since the last call."""
        marks, self._marks = self._marks, {}
        return marks

    def forget(self, name: str) -> None:
        """Drop the mark of a file that was removed."""
        self._marks.pop(name, None)

    def end(self) -> None:
        """End the second process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.wait()
            with suppress(OSError):
                self._directory.remove(PARTIAL)

    def _is_running(self) -> bool:
        if self._process is None and self._is_possible:
            self._is_possible = self._start()
        return self._process is not None

    def _start(self) -> bool:
        # Imported for a long sync only.
        from subprocess import PIPE

        from sdd_hooks.system.detached import start_child, usable_cores

        descriptor = self._directory.descriptor
        if descriptor is None or usable_cores() < 2:
            return False
        keep = (descriptor, self._lock)
        with suppress(OSError):
            self._process = start_child(__name__, PIPE, self._environ, [str(descriptor)], keep)
        return self._process is not None

    def _send(self) -> None:
        """Send the files that were collected."""
        while self._process is not None and len(self._sent) == _UNCONFIRMED_FRAMES:
            self._receive()
        with self._exchange() as process:
            if process is not None and process.stdin is not None:
                write_frame(process.stdin.fileno(), marshal.dumps(self._frame))
                self._sent.append(len(self._frame))
                self._frame, self._size = [], 0
        if self._process is None:
            self._take_over()

    def _receive(self) -> None:
        """Wait for the confirmation of a frame. It is short if a file could not be written."""
        with self._exchange() as process:
            answer = read_frame(process.stdout) if process and process.stdout else None
            marks = marshal.loads(answer) if answer is not None else []  # noqa: S302 (of `main`)
            for modified, digest in marks:
                size = len(self._queue[0][1])
                self._confirm(FileMark(size, modified, digest))
            if len(marks) < self._sent.popleft():
                self.end()

    @contextmanager
    def _exchange(self) -> Iterator[subprocess.Popen[bytes] | None]:
        """Send or receive a frame. If only half of it came through, the second process ends."""
        try:
            yield self._process
        except OSError:
            self.end()
        except BaseException:
            self.end()
            raise

    def _confirm(self, mark: FileMark) -> None:
        name, data = self._queue.popleft()
        self._marks[name] = mark
        if self._contents[name] is data:
            del self._contents[name]

    def _take_over(self) -> None:
        """Write what the second process has not confirmed before it ended."""
        self._frame, self._size = [], 0
        self._sent.clear()
        while self._queue:
            self._is_possible = False
            self._confirm(self._write_here(*self._queue[0]))


def main(arguments: Sequence[str]) -> None:
    """Write the files in the frames on stdin, and confirm each frame on stdout.

    The argument is the descriptor of the directory. The first failure ends the process.
    """
    directory = OpenDirectory(Path(), int(arguments[0]))
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        files = marshal.loads(frame)  # noqa: S302 (written by `_send`)
        marks = []
        with suppress(OSError):
            for name, data in files:
                modified = directory.write_whole(name, data, PARTIAL)
                marks.append((modified, digest_of(data)))
        write_frame(1, marshal.dumps(marks))
        if len(marks) < len(files):
            return

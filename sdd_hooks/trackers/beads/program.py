"""bd, the program of Beads: where it is, what it is run in, and how texts are given to it.

What is below `.beads/` may come from anybody, so bd is run without its hooks, and a password or a
credential command from the environment reaches it only where the environment names the server, too.
"""

# Governing: ADR-0012 (untrusted input), ADR-0019 (a token belongs to one host)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import text
from sdd_hooks.system.git import LOCAL_VARIABLES, PATHSPEC_VARIABLES
from sdd_hooks.system.processes import Done, executable, finish
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.beads.payloads import payload

DEADLINE = 120.0
"""Seconds that a command may take: 10,000 issues are listed in two."""
LONGEST_ARGUMENT = 100_000
"""Bytes of a text that is an argument. Linux takes 128 KiB, and longer ones go through a file."""

INSTALL = "install it (https://github.com/steveyegge/beads)"

_SET = {
    "BD_JSON_ENVELOPE": "1",
    "BD_NO_HOOKS": "1",
    "BD_NO_PAGER": "1",
    "BD_NON_INTERACTIVE": "1",
    # Versions before 0.50 leave a server behind otherwise.
    "BEADS_NO_DAEMON": "1",
    "NO_COLOR": "1",
}
_SERVERS = ("BEADS_DOLT_SERVER_HOST", "BEADS_DOLT_SERVER_SOCKET")
_SECRETS = (
    "BEADS_DOLT_CREDENTIAL_COMMAND",
    "BEADS_DOLT_PASSWORD",
    "BEADS_PROXIED_SERVER_EXTERNAL_PASSWORD",
)


class Program:
    """The bd on PATH, run in `root` with what of `environ` it may see."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    @property
    def path(self) -> str | None:
        """Where it is; None for nowhere. One from inside of the repository is none."""
        # This may be a module.
        around = (self._root, *self._root.parents)
        top = next((each for each in around if (each / ".git").exists()), self._root)
        return executable("bd", self._environ, top)

    def __call__(self, *args: str) -> Done:
        """What `bd args` printed. Raises RemoteError when it failed."""
        return succeeded(args[0], self.run(*args))

    def run(self, *args: str) -> Done:
        """`bd args`, however it ends. Raises RemoteError where it cannot be run, or is too slow."""
        path = self.path
        if path is None:
            raise RemoteError(f"bd is not on PATH, and issues are changed through it: {INSTALL}")
        return finish(
            f"bd {args[0]}",
            [path, *args],
            self._root,
            environment(self._environ),
            DEADLINE,
            failed=RemoteError,
            advice="run it by hand to see why",
        )


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment to run bd in."""
    left_out = {*LOCAL_VARIABLES, *PATHSPEC_VARIABLES}
    if not any(environ.get(name) for name in _SERVERS):
        left_out.update(_SECRETS)
    return {name: value for name, value in environ.items() if name not in left_out} | _SET


def complaint(out: str, err: str) -> str:
    """What bd says is wrong, in one line: the `error` of its JSON, on either stream, else the first
    line."""
    for said in (out, err):
        found = text(payload(said), "error")
        if found:
            return one_line(found)
    lines = (line.strip() for line in err.splitlines())
    return one_line(next(filter(None, lines), "it does not say why").removeprefix("Error: "))


def succeeded(command: str, done: Done) -> Done:
    """How it ended. Raises RemoteError, with what bd says, where it failed."""
    if done.code:
        raise RemoteError(f"`bd {command}` failed: {complaint(done.out, done.err)}")
    return done


def comma_separated(labels: Sequence[str]) -> str:
    """Labels as one argument; bd reads it as a line of comma-separated values."""
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(labels)
    return line.getvalue()


def is_long(text: str) -> bool:
    """Whether a text is too long for an argument."""
    return len(text.encode("utf-8", "replace")) > LONGEST_ARGUMENT


@contextmanager
def described(description: str | None) -> Iterator[list[str]]:
    """The options that set a description; none for None."""
    if description is None:
        yield []
    # A dash alone would be standard input.
    elif description == "-" or is_long(description):
        with file_of(description) as path:
            yield [f"--body-file={path}"]
    else:
        yield [f"--description={description}"]


@contextmanager
def file_of(text: str) -> Iterator[str]:
    """The path of a file that holds `text`, readable for its owner alone, for the block."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="sdd-") as file:
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        yield file.name

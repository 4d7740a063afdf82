"""Run bd, the command-line program of Beads: its path, environment, and arguments.

The content of `.beads/` is untrusted, so bd runs without its hooks, and a password or a credential
command from the environment is passed to it only if the environment names the server, too.
"""

# Governing: ADR-0012 (untrusted input), ADR-0019 (a token belongs to one host)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import text
from sdd_hooks.system.git import LOCAL_VARIABLES, PATHSPEC_VARIABLES
from sdd_hooks.system.processes import Program, ProgramResult, find_executable, run_program
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.beads.payloads import parse_output

BD_TIMEOUT = 120.0
"""Seconds that a command may take; a list of 10,000 issues takes two."""
MAX_ARGUMENT_BYTES = 100_000
"""Bytes of a text that is passed as an argument; a longer text is passed in a file.

Linux allows 128 KiB.
"""

INSTALL = "install it (https://github.com/steveyegge/beads)"

_SET = {
    "BD_JSON_ENVELOPE": "1",
    "BD_NO_HOOKS": "1",
    "BD_NO_PAGER": "1",
    "BD_NON_INTERACTIVE": "1",
    # Versions before 0.50 start a background server.
    "BEADS_NO_DAEMON": "1",
    "NO_COLOR": "1",
}
_SERVERS = ("BEADS_DOLT_SERVER_HOST", "BEADS_DOLT_SERVER_SOCKET")
_SECRETS = (
    "BEADS_DOLT_CREDENTIAL_COMMAND",
    "BEADS_DOLT_PASSWORD",
    "BEADS_PROXIED_SERVER_EXTERNAL_PASSWORD",
)


class BdProgram:
    """The bd on PATH, run in `root` with the allowed variables of `environ`."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    @property
    def path(self) -> str | None:
        """The path of the program; None if it is missing, or inside the repository."""
        # The root may be a module of a repository.
        directories = (self._root, *self._root.parents)
        top = next((path for path in directories if (path / ".git").exists()), self._root)
        return find_executable("bd", self._environ, top)

    def __call__(self, *args: str) -> ProgramResult:
        """The output of `bd args`. Raises RemoteError if it fails."""
        return require_success(args[0], self.run(*args))

    def run(self, *args: str) -> ProgramResult:
        """Run `bd args`, with any exit status. Raises RemoteError if it cannot run or times out."""
        path = self.path
        if path is None:
            raise RemoteError(f"bd is not on PATH, and issues are changed through it: {INSTALL}")
        program = Program(
            f"bd {args[0]}", [path, *args], self._root, environment(self._environ), RemoteError
        )
        return run_program(program, BD_TIMEOUT, advice="run it by hand to see why")


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment to run bd in."""
    left_out = {*LOCAL_VARIABLES, *PATHSPEC_VARIABLES}
    if not any(environ.get(name) for name in _SERVERS):
        left_out.update(_SECRETS)
    return {name: value for name, value in environ.items() if name not in left_out} | _SET


def error_message(out: str, err: str) -> str:
    """bd's error in one line: the `error` of its JSON on either stream, else the first line."""
    for stream in (out, err):
        error = text(parse_output(stream), "error")
        if error:
            return one_line(error)
    lines = (line.strip() for line in err.splitlines())
    return one_line(next(filter(None, lines), "it does not say why").removeprefix("Error: "))


def require_success(command: str, done: ProgramResult) -> ProgramResult:
    """Return the result of a command. Raises RemoteError with bd's error if it failed."""
    if done.code:
        raise RemoteError(f"`bd {command}` failed: {error_message(done.out, done.err)}")
    return done


def comma_separated(labels: Sequence[str]) -> str:
    """Labels as one argument, which bd parses as a line of CSV."""
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(labels)
    return line.getvalue()


def _exceeds_argument(text: str) -> bool:
    """Whether a text is too long for an argument."""
    return len(text.encode("utf-8", "replace")) > MAX_ARGUMENT_BYTES


@contextmanager
def description_options(description: str) -> Iterator[list[str]]:
    """The options that set a description, valid within the block."""
    # bd reads standard input for a single dash.
    if description == "-" or _exceeds_argument(description):
        with _text_file(description) as path:
            yield [f"--body-file={path}"]
    else:
        yield [f"--description={description}"]


@contextmanager
def _text_file(text: str) -> Iterator[str]:
    """The path of a temporary file with `text`, readable by its owner alone, within the block."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="sdd-") as file:
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        yield file.name

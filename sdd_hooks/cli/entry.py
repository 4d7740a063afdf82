"""The start of every command, and the one place where errors become messages and exit codes.

`sdd hook` runs before any other module is imported, because git waits for it.
"""

# Governing: ADR-0010 (one error tree and documented exit codes), SPEC-0005 REQ "Errors",
# SPEC-0005 REQ "Help"

from __future__ import annotations

import errno
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks import tracing
from sdd_hooks.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, SddError

if TYPE_CHECKING:
    import click


_GC_THRESHOLD = 50_000
"""New objects until the garbage collector looks for cycles. Most of a short command's live on."""


EXIT_UNSTORED = 74
"""The exit code of a hook that cannot write its messages, for `hooks/sdd-hook.sh`."""

_UNSTORED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> int:
    """Run `sdd` with the arguments of this process. Returns the exit code."""
    gc.set_threshold(_GC_THRESHOLD)
    code = _run_arguments(sys.argv[1:])
    # Python would look for cycles among all objects once more before it exits.
    gc.freeze()
    return code


def _run_arguments(arguments: list[str]) -> int:
    _replace_closed_streams()
    if arguments[:1] == ["hook"] and arguments[1:] and not arguments[1].startswith("-"):
        return _run_hook(arguments)
    if arguments[:2] == ["agent", "hook"] and not {"-h", "--help"} & {*arguments}:
        return _run_agent_hook(arguments)
    if instruction := os.environ.get("_SDD_COMPLETE"):
        from sdd_hooks.cli.completion import complete

        return complete(_sdd(), instruction)
    return run(_sdd, arguments, "sdd")


def _run_hook(arguments: list[str]) -> int:
    """Run a hook of git. Any module may be missing or broken: that must not refuse a commit."""
    try:
        tracing.enable_if_requested(os.environ, sys.stderr)
        arguments = tracing.take_option(arguments, sys.stderr)
        from sdd_hooks.githooks.context import HookContext
        from sdd_hooks.githooks.events import run_hook

        with tracing.span("sdd", *arguments) as span:
            stdin = sys.stdin.buffer if sys.stdin else None
            context = HookContext(Path(), os.environ, sys.stderr, stdin)
            code = run_hook(arguments[1], arguments[2:], context)
            span.outcome = f"exit {code}"
        sys.stderr.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > 1:
            raise
        if isinstance(error, OSError) and error.errno in _UNSTORED:
            # stderr is a file of the hook in sh, which then starts the command with another one.
            return EXIT_UNSTORED
        # Status 1 would mean findings.
        reason = " ".join(f"{type(error).__name__}: {error}".split()).encode("ascii", "replace")
        with suppress(OSError):
            sys.stderr.write(f"sdd: the hook failed: run `sdd doctor` ({reason.decode()})\n")
        return EXIT_OK
    return code


def _run_agent_hook(arguments: list[str]) -> int:
    """Run a hook of a coding agent, which waits for it. A failure is none for the agent."""
    try:
        tracing.enable_if_requested(os.environ, sys.stderr)
        arguments = tracing.take_option(arguments, sys.stderr)
        from sdd_hooks.agents.hook import HookStreams, run_agent_hook

        stdin = sys.stdin.buffer if sys.stdin else None
        streams = HookStreams(os.environ, stdin, sys.stdout, sys.stderr)
        with tracing.span("sdd", *arguments) as span:
            code = run_agent_hook(arguments[2:], streams)
            span.outcome = f"exit {code}"
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        tracing.log("agent hook", outcome=f"{type(error).__name__}: {error}")
        return EXIT_OK
    return code


def _replace_closed_streams() -> None:
    """Open the null device in place of standard streams that the caller closed.

    A file that is opened later would otherwise get the descriptor, and messages would be its text.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def run(load: Callable[[], click.Command], arguments: Sequence[str], name: str) -> int:
    """Run the command that `load` gives. Returns its exit code; raises nothing.

    A failure is one line on stderr, or with `--json` one object on stdout.
    """
    started = time.monotonic()
    tracing.enable_if_requested(os.environ, sys.stderr)
    code = _run(load, arguments, name)
    tracing.log(name, *arguments, outcome=f"exit {code}", started=started)
    return code


def _run(load: Callable[[], click.Command], arguments: Sequence[str], name: str) -> int:
    try:
        # A file name need not be text: one that cannot be encoded is escaped.
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        if sys.platform == "win32":
            # A pipe has the encoding of the region there, in which JSON is not valid.
            sys.stdout.reconfigure(encoding="utf-8")
            sys.stderr.reconfigure(encoding="utf-8")
        plain = _run_plain(arguments) if name == "sdd" else None
        code = _invoke(load(), arguments, name) if plain is None else plain
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _report_error("interrupted", "interrupted", EXIT_INTERRUPTED, arguments)
    except BrokenPipeError:
        _discard_output()
        return EXIT_OK
    except SddError as error:
        return _report_error(error.code, str(error), error.exit_code, arguments)
    except Exception as error:
        return _report_unexpected(error, arguments)
    return code


def _run_plain(arguments: Sequence[str]) -> int | None:
    """Run `search`, `prime`, `show` or `issues sync` without click if the arguments are plain.

    None if they are not, and for any other command.
    """
    match list(arguments):
        case ["search", *rest]:
            from sdd_hooks.cli.plain.search import parse_search, run_search

            search = parse_search(rest)
            return None if search is None else run_search(None, search)
        case ["prime", *rest]:
            from sdd_hooks.cli.plain.prime import parse_prime, run_prime

            prime = parse_prime(rest)
            return None if prime is None else run_prime(None, prime)
        case ["show", *rest]:
            from sdd_hooks.cli.plain.show import parse_show, run_show

            show = parse_show(rest)
            return None if show is None else run_show(None, show)
        case ["issues", "sync", *rest]:
            from sdd_hooks.cli.plain.sync import parse_sync, run_sync

            sync = parse_sync(rest)
            return None if sync is None else run_sync(None, sync)
    return None


def _sdd() -> click.Command:
    from sdd_hooks.cli.group import sdd

    return sdd


def _invoke(command: click.Command, arguments: Sequence[str], name: str) -> int:
    import click

    from sdd_hooks.cli.shared.lazy import accept_verbose

    try:
        accept_verbose(command).context_settings["help_option_names"] = ["-h", "--help"]
        with command.make_context(name, list(arguments)) as context:
            result = command.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        if sys.stderr.isatty():
            # The cursor is still behind the prompt.
            sys.stderr.write("\n")
        raise KeyboardInterrupt from None
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else name
        message = _usage_message(error)
        see = " See" if message.endswith("?") else ": see"
        message = f"{message}{see} `{where} --help`"
        return _report_error("usage", message, EXIT_USAGE, arguments)
    return result if isinstance(result, int) else EXIT_OK


def _usage_message(error: click.UsageError) -> str:
    import click

    if isinstance(error, click.NoSuchOption):
        from sdd_hooks.cli.shared.lazy import suggest

        # The releases of click word this in different ways.
        return f"No such option '{error.option_name}'{suggest(error.possibilities or ())}"
    return error.format_message().rstrip(".")


def _report_unexpected(error: Exception, arguments: Sequence[str]) -> int:
    """Report an error that no layer below expected: a refusal of the system, or a bug."""
    from sdd_hooks.cli.shared.crash_log import explain_error

    code, message, exit_code = explain_error(error, arguments, os.environ)
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return _report_error(code, message, exit_code, arguments)


def _report_error(code: str, message: str, exit_code: int, arguments: Sequence[str]) -> int:
    from sdd_hooks.cli.shared.output import error_document, printable_line
    from sdd_hooks.text.display import shorten_words

    message = printable_line(shorten_words(message))
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    try:
        if _wants_json(options):
            sys.stdout.write(error_document(code, message, exit_code))
            sys.stdout.flush()
        else:
            sys.stderr.write(f"sdd: {message}\n")
    except OSError:
        _discard_output()
    return exit_code


def _wants_json(options: Sequence[str]) -> bool:
    """Whether the arguments ask for JSON: `--json`, or `--format json` of the review."""
    spaced = "--format" in options and options[options.index("--format") + 1 :][:1] == ["json"]
    return spaced or bool({"--json", "--format=json"} & set(options))


def _discard_output() -> None:
    """Discard buffered output after its reader has closed it, so that Python can exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)

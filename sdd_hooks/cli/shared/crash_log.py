"""Unexpected errors: a refusal of the system becomes a message, a bug a log to report."""

# Governing: ADR-0010 (one error tree and documented exit codes)

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks import __version__
from sdd_hooks.errors import EXIT_BUG
from sdd_hooks.system.files import refusal
from sdd_hooks.system.user_cache import make_user_cache


def explain_error(
    error: Exception, arguments: Sequence[str], environ: Mapping[str, str]
) -> tuple[str, str, int]:
    """The code, the message and the exit code for an error that is no SddError."""
    refused = refusal(error)
    if refused is not None:
        return refused.code, str(refused), refused.exit_code
    log = write_log(error, arguments, environ)
    where = f"please report it with {log}" if log else "and its log could not be written"
    return "bug", f"a bug in sdd ({type(error).__name__}): {where}", EXIT_BUG


def write_log(
    error: Exception, arguments: Sequence[str], environ: Mapping[str, str]
) -> Path | None:
    """Write the traceback to a log that only the user can read. None when that is impossible."""
    import platform
    import traceback

    lines = [
        f"sdd {__version__}, Python {sys.version.split()[0]}, {platform.platform()}",
        f"arguments: {list(arguments)!r}",
        "",
        *traceback.format_exception(type(error), error, error.__traceback__),
    ]
    text = "\n".join(line.rstrip("\n") for line in lines) + "\n"
    try:
        path = make_user_cache(environ) / f"bug-{os.getpid()}-{os.urandom(4).hex()}.log"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
            file.write(text.encode("utf-8", "backslashreplace"))
    except (OSError, RuntimeError):
        return None
    return path

"""A debug log of a command: git calls, programs, requests, locks, collections and decisions.

The option `--verbose`, or `SDD_DEBUG=1` in the environment, enables it. It is off by default, and
then an event costs one comparison and `logging` is not imported: a git hook pays nothing for it.
Lines contain no credentials, no query strings and no standard input of a program.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import logging

OPTION = "--verbose"
VARIABLE = "SDD_DEBUG"

MAX_SUBJECT = 300
"""Longer subjects, in characters, are cut: a git call may have hundreds of paths."""

_FORMAT = "%(asctime)s.%(msecs)03d sdd[%(process)d] %(message)s"

_USERINFO = r"(://)[^/\s]*@"
_QUERY = r"(://[^\s?#]*)[?#]\S*"

_logger: logging.Logger | None = None


class Span:
    """An operation with a duration, used in a `with` statement. Assign its `outcome` inside.

    This class is the span of a disabled log, which does nothing.
    """

    __slots__ = ("outcome",)

    outcome: str

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None


class _LoggedSpan(Span):
    __slots__ = ("_category", "_started", "_words")

    def __init__(self, category: str, words: tuple[str, ...]) -> None:
        self.outcome = "done"
        self._category = category
        self._words = words

    def __enter__(self) -> Span:
        self._started = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # The message of an error may quote a secret; its class cannot.
        outcome = self.outcome if kind is None else kind.__name__
        log(self._category, *self._words, outcome=outcome, started=self._started)


_DISABLED = Span()


def is_requested(environ: Mapping[str, str]) -> bool:
    """Whether the environment enables the log. "", "0", "false", "no" and "off" do not."""
    return environ.get(VARIABLE, "").lower() not in {"", "0", "false", "no", "off"}


def is_enabled() -> bool:
    """Whether this process writes the log."""
    return _logger is not None


def enable(stream: TextIO | None) -> None:
    """Write the log of this process to `stream`. None is a closed stream: nothing is written."""
    global _logger  # noqa: PLW0603 (like `logging`, the log belongs to the process)
    if _logger is not None or stream is None:
        return
    import logging

    handler = logging.StreamHandler(stream)
    # By default `logging` prints a traceback for a stream that cannot be written.
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # noqa: ARG005
    handler.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
    # Not in the tree of `logging.getLogger`: libraries log whole URLs and headers there.
    logger = logging.Logger("sdd_hooks", logging.DEBUG)
    logger.addHandler(handler)
    _logger = logger


def enable_if_requested(environ: Mapping[str, str], stream: TextIO | None) -> None:
    """Write the log to `stream` if the environment enables it."""
    if is_requested(environ):
        enable(stream)


def take_option(arguments: Sequence[str], stream: TextIO | None) -> list[str]:
    """Return the arguments without OPTION. If it is there, write the log to `stream`."""
    if OPTION in arguments:
        enable(stream)
    return [argument for argument in arguments if argument != OPTION]


def disable() -> None:
    """Stop writing the log."""
    global _logger  # noqa: PLW0603
    _logger = None


def span(category: str, *words: str) -> Span:
    """Return a span that logs `category words: outcome (… ms)` when its block ends.

    When an exception ends the block, the outcome is the name of its class.
    """
    return _DISABLED if _logger is None else _LoggedSpan(category, words)


def log(category: str, *words: str, outcome: str, started: float | None = None) -> None:
    """Log `category words: outcome`, with the milliseconds since `started` (`time.monotonic`)."""
    logger = _logger
    if logger is None:
        return
    if started is not None:
        outcome += f" ({(time.monotonic() - started) * 1000:.1f} ms)"
    subject = " ".join(words)
    subject = re.sub(_USERINFO, r"\1***@", subject)
    subject = re.sub(_QUERY, r"\1?***", subject)
    if len(subject) > MAX_SUBJECT:
        subject = f"{subject[:MAX_SUBJECT]}…"
    line = f"{category} {subject}: {outcome}" if subject else f"{category}: {outcome}"
    # The runner of a CI job would execute `##[command]` anywhere in a line.
    line = line.replace("##[", "# #[")
    if not line.isprintable():
        line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    logger.debug("%s", line)

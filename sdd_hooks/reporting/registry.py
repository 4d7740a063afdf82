"""The report formats of a review, by name: those of this package and of other distributions.

A format is one module with a `REPORTER`. Another distribution registers its `Reporter` as an entry
point of the group `sdd_hooks.reporters`.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.plugins import PluginKind, find_plugin, load_plugin, registered_plugins

if TYPE_CHECKING:
    from sdd_hooks.findings import RuleDescription
    from sdd_hooks.reporting.outcome import ReviewOutcome

FORMATS = (
    "terminal",
    "markdown",
    "json",
    "sarif",
    "codequality",
    "annotations",
    "summary",
    "comment",
)
"""The formats of this package."""

REPORTERS = PluginKind(
    "reporter",
    "sdd_hooks.reporters",
    {name: f"sdd_hooks.reporting.{name}:REPORTER" for name in FORMATS},
)


class Links(NamedTuple):
    """Addresses of files on a forge: `base` precedes the commit, without a slash at its end.

    That is `https://HOST/OWNER/REPO/blob` on GitHub, `…/src/commit` on Gitea and `…/-/blob` on
    GitLab. `query` makes the forge show the source of a Markdown file, whose lines can be linked
    to: `plain=1`, and on Gitea `display=source`.
    """

    base: str
    head: str
    query: str = "plain=1"

    def address(self, path: str, line: int) -> str:
        """The address of a line of a file, 1-based; 0 is the file as a whole."""
        from urllib.parse import quote

        anchor = f"?{self.query}#L{line}" if line else ""
        return f"{self.base}/{self.head}/{quote(path, errors='surrogateescape')}{anchor}"


class ReportContext(NamedTuple):
    """What a format may use besides the outcome of the review.

    `width` is how many columns the output has, 0 for no limit; `colour` is whether it may have
    escape sequences. `links` are the addresses of files on the forge. `warnings` are about the
    project's settings. `rules` returns the descriptions of the rules that ran.
    """

    width: int = 0
    colour: bool = False
    links: Links | None = None
    warnings: Sequence[str] = ()
    rules: Callable[[], Sequence[RuleDescription]] = tuple


class Reporter(NamedTuple):
    """A report format. `render` is a pure function that returns the whole report as text."""

    name: str
    render: Callable[[ReviewOutcome, ReportContext], str]


class UnknownFormat(SddError):
    """No report format is registered under the given name."""

    exit_code = EXIT_USAGE
    code = "usage"


def format_names() -> list[str]:
    """The name of every installed format, those of this package first."""
    return list(registered_plugins(REPORTERS))


def load_reporter(name: str) -> Reporter:
    """Import the format registered as `name`. Raises UnknownFormat and PluginError."""
    plugin = find_plugin(REPORTERS, name)
    if plugin is None:
        names = ", ".join(format_names())
        raise UnknownFormat(f"no report format is called {name[:60]!r}: choose one of {names}")
    return load_plugin(plugin, Reporter)

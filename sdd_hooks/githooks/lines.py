"""What hooks say when a refresh failed: one line, whatever is in it."""

# Governing: ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.text.display import describe_error, one_line


def failure_line(error: Exception, where: Path, environ: Mapping[str, str]) -> str:
    """The line about a refresh that failed in a work tree, or below it. Raises nothing."""
    from sdd_hooks.freshness.tiers import failed_refresh_warning

    try:
        from sdd_hooks.freshness.hook_state import indexed_names
        from sdd_hooks.project.repository import discover

        names = indexed_names(discover(where, environ))
    except Exception:
        # Whatever it was that failed may fail here, too.
        names = ["the current directory"]
    return f"sdd: {one_line(failed_refresh_warning(names))} ({describe_error(error)})\n"

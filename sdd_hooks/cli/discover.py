"""`sdd discover`: print the decisions that the code shows and no record has."""

# Governing: SPEC-0022 (discover)

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.options import everywhere_option, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.cli.shared.progress import waiting_for_organisation
from sdd_hooks.drift.discover.report import MAX_SHOWN, draft_record, render_markdown, report_data
from sdd_hooks.usecases.drift.discover import DiscoverRequest, choose_candidate
from sdd_hooks.usecases.drift.discover import discover as run_discover


@click.command()
@click.argument("scope", required=False, default="", metavar="[SCOPE]")
@module_option
@click.option(
    "--draft",
    "draft",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[ID]",
    help="Print a record of the decision with this id in the form of MADR; without one, of the"
    " first. Writes nothing.",
)
@click.option("--all", "show_all", is_flag=True, help=f"Show more than {MAX_SHOWN} decisions.")
@everywhere_option
@json_option
@click.pass_obj
def discover(
    directory: Path | None, /, scope: str, module: str | None, as_json: bool, **choice: Any
) -> int:
    """Find decisions that the code shows and no record has.

    Reads manifests, imports and configuration in the work tree, or in SCOPE, a file or
    directory. Each decision is searched for among the decision records: one with a cosine of 0.7 or
    more, or that names it, puts it under "Skipped". A stale index (Staleness Threshold) is
    refreshed first.

    \b
    Example:
      sdd discover
      sdd discover services/billing --all
      sdd discover --draft persistence >docs/adrs/ADR-0042-persistence.md
    """
    draft: str | None = choice["draft"]
    now = time.time()
    request = DiscoverRequest(start_directory(directory), scope, module, choice["everywhere"])
    with waiting_for_organisation() if request.everywhere else nullcontext():
        found = run_discover(open_project(directory), request, now)
    report = found.report
    notes = report.notes
    if draft is not None:
        candidate = choose_candidate(report, draft)
        date = time.strftime("%Y-%m-%d", time.localtime(now))
        lines = draft_record(candidate, date)
        data: dict[str, object] = {
            "schema_version": 1,
            "id": candidate.id,
            "draft": "\n".join((*lines, "")),
        }
        return show(CommandOutput(data, lines, notes, found.warnings), as_json)
    shown = report.shown(None if choice["show_all"] else MAX_SHOWN)
    data = report_data(shown) if as_json else {}
    lines = [] if as_json else render_markdown(shown)
    return show(CommandOutput(data, lines, notes, found.warnings), as_json)

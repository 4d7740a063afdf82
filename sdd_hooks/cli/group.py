"""The `sdd` command, the table of its commands, and its version."""

# Governing: SPEC-0005 REQ "Lazy commands", SPEC-0005 REQ "Version"

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import click

import sdd_hooks
from sdd_hooks import __version__
from sdd_hooks.cli.shared.lazy import LazyCommand, LazyGroup
from sdd_hooks.errors import EXIT_OK, SddError

RECORD = "commit"
"""The file in the package to which `hatch_build.py` writes the commit of a build."""

_COMMIT = re.compile(r"[0-9a-f]{7,64}")

COMMANDS = {
    "init": LazyCommand("init:init", "Set this repository up for sdd."),
    "index": LazyCommand(
        "index.group:index", "Index the repository, and keep the index up to date."
    ),
    "search": LazyCommand("search:search", "Find the ADRs, specs and code that answer a query."),
    "prime": LazyCommand("prime:prime", "Load decisions and specifications into a session."),
    "show": LazyCommand(
        "show:show", "Show a record, a section or a definition as text, and what references it."
    ),
    "list": LazyCommand(
        "list:list_artifacts", "List decisions and specifications with their status."
    ),
    "adr": LazyCommand(
        "adr.group:adr", "Create a decision record, in the form of those that are there."
    ),
    "spec": LazyCommand(
        "spec:spec",
        "Create a specification: spec.md with a requirement and a scenario, and design.md.",
    ),
    "status": LazyCommand(
        "status:status",
        "Change the status of a decision or a specification, or list those that wait.",
    ),
    "check": LazyCommand(
        "check:check", "Report where the work tree departs from its decisions and specifications."
    ),
    "graph": LazyCommand(
        "graph.group:graph", "Ask what depends on a decision, and what is connected to nothing."
    ),
    "review": LazyCommand(
        "review.command:review",
        "Report which decision a change should reference, and what it breaks.",
    ),
    "respond": LazyCommand(
        "review.respond:respond",
        "Answer the findings of a review: an edit for each, made if you accept it.",
    ),
    "plan": LazyCommand("plan:plan", "Plan a specification as stories, and create their issues."),
    "audit": LazyCommand(
        "audit:audit",
        "Audit decisions and specifications against the code, each other, and today's date.",
    ),
    "discover": LazyCommand(
        "discover:discover", "Find decisions that the code shows and no record has."
    ),
    "work": LazyCommand(
        "work:work", "Write the brief of an issue, and check its branch against existing code."
    ),
    "enrich": LazyCommand(
        "enrich:enrich", "Add the sections about branch and pull request to issues that lack them."
    ),
    "organize": LazyCommand(
        "organize:organize", "Group the open stories of specifications by their epic."
    ),
    "ci": LazyCommand("ci:ci", "Sync, update, embed or review in a job of CI."),
    "knowledge": LazyCommand(
        "knowledge.group:knowledge", "Record patterns and lessons, and find those that matter."
    ),
    "issues": LazyCommand("issues.group:issues", "Sync, list and show the issues of the tracker."),
    "hooks": LazyCommand("hooks:hooks", "Install the git hooks that keep the index fresh."),
    "hook": LazyCommand("hooks:hook", "Act on a git event; the hooks call this."),
    "org": LazyCommand(
        "org:org", "Prepare the index of an organisation, grant it to roles, and show its state."
    ),
    "mcp": LazyCommand("mcp:mcp", "Serve decisions, specifications and code to agents (MCP)."),
    "agent": LazyCommand(
        "agent:agent", "Hand the deciding sentence to a coding agent before it edits a file."
    ),
    "completion": LazyCommand(
        "completion:completion", "Print the script that completes commands and options in a shell."
    ),
    "doctor": LazyCommand("doctor:doctor", "Check that everything sdd needs is in place."),
}


def _print_version(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"sdd {describe_version(Path(sdd_hooks.__file__).parent, os.environ)}")
        context.exit()


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",
)
@click.option(
    "-C",
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Run as if started in this directory.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit. Other commits than a release's are named.",
)
@click.pass_context
def sdd(ctx: click.Context, directory: Path | None) -> int:
    """Keep a repository's decisions, specifications, code and issues searchable and fresh.

    \b
    Example:
      sdd init && sdd index
      sdd search "which database do we use"
    """
    ctx.obj = directory
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    return EXIT_OK


def describe_version(package: Path, environ: Mapping[str, str]) -> str:
    """Return `0.1.0` for a release, else `0.1.0 (commit 1a2b3c4d5e6f)`.

    `package` is the folder of the package. A commit that cannot be read is left out: the shims of
    git hooks ask for the version to see whether an installation works.
    """
    commit = _recorded(package / RECORD) or _checked_out(package.parent, environ)
    return f"{__version__} (commit {commit})" if commit else __version__


def _recorded(record: Path) -> str:
    try:
        text = record.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return text if _COMMIT.fullmatch(text) else ""


def _checked_out(folder: Path, environ: Mapping[str, str]) -> str:
    """The commit of the checkout that an editable installation imports; "" at the release's tag."""
    if not (folder / "hatch_build.py").is_file() or not (folder / ".git").exists():
        return ""
    from sdd_hooks.system.git import Git

    tag = f"v{__version__}"
    options = ("-1", "--abbrev=12", "--format=%h %D", f"--decorate-refs=refs/tags/{tag}")
    try:
        output = Git(folder, environ).try_output("log", *options)
    except (OSError, SddError):
        return ""
    commit, _, names = (output or b"").decode("utf-8", "replace").strip().partition(" ")
    is_release = f"tag: {tag}" in names.split(", ")
    return commit if _COMMIT.fullmatch(commit) and not is_release else ""

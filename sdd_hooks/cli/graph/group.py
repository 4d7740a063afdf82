"""`sdd graph`: what depends on a decision, what it depends on, and what is connected to nothing."""

# Governing: SPEC-0021 (artifact-graph), SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdd_hooks.cli.graph.lists import (
    cycle_data,
    cycle_lines,
    orphan_data,
    orphan_lines,
    proposal_data,
    proposal_lines,
    validation_data,
    validation_lines,
)
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.lazy import CommandGroup
from sdd_hooks.cli.shared.options import Command, json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.usecases.drift import graph as usecase
from sdd_hooks.usecases.drift.graph_loading import GraphFilter

if TYPE_CHECKING:
    from sdd_hooks.drift.graph_queries import GraphView, Verb

DRAWINGS = ("text", "markdown", "mermaid", "json")
TABLES = ("text", "markdown", "json")
NO_EDGES = (
    "no artifact has an edge in its frontmatter: `sdd graph backfill` proposes those that the"
    " texts state"
)
NO_CITATIONS = (
    "no source file has a governing comment yet, so that every specification is listed:"
    " sdd sees code only by such comments"
)


def _complete_id(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    root = context.find_root()
    try:
        names = usecase.list_names(open_project(root.obj or root.params.get("directory")))
    except Exception:
        return []
    return [name for name in names if name.lower().startswith(incomplete.lower())]


def _is_json(form: str, as_json: bool) -> bool:
    """Whether the output is an object. Raises UsageError for two formats."""
    if as_json and form not in {"text", "json"}:
        raise click.UsageError(f"--json is --format json, not {form}")
    return as_json or form == "json"


def _format_option(*formats: str) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        command = click.option(
            "--format",
            "form",
            type=click.Choice(formats),
            default="text",
            show_default=True,
            help="The format of the output.",
        )(command)
        return json_option(command)

    return decorate


def _scope_options(command: Command) -> Command:
    command = click.option(
        "--scope",
        metavar="PATH",
        default="",
        type=click.Path(),
        help="Only source files below this directory, and findings about files there.",
    )(command)
    return module_option(command)


def _question(command: Callable[..., int]) -> Callable[..., int]:
    """The id, the options and the directory of a question about an artifact."""
    argument = click.argument("name", metavar="ID", shell_complete=_complete_id)
    return argument(_scope_options(_format_option(*DRAWINGS)(click.pass_obj(command))))


def _scope(directory: Path | None, module: str | None, path: str) -> GraphFilter:
    return GraphFilter(module, path, start_directory(directory))


@click.group(cls=CommandGroup, subcommand_metavar="COMMAND [ARGS]...")
def graph() -> None:
    """Ask what depends on a decision, and what is connected to nothing.

    The edges are those in the frontmatter of decisions and specifications, the governing comments
    of source files, and the references of issues. Reads the files of the work tree: no index is
    needed, and uncommitted changes are included.

    \b
    Example:
      sdd graph impact ADR-0008
      sdd graph chain SPEC-0003 --format mermaid
      sdd graph orphans --scope src/auth
    """


@graph.command()
@_scope_options
@_format_option(*TABLES)
@click.pass_obj
def validate(
    directory: Path | None, /, module: str | None, scope: str, form: str, as_json: bool
) -> int:
    """Check the edges: unknown ids and cycles are errors.

    Exits with 1 when there is an error. Warnings are replaced artifacts with another status,
    written inverses, and governing comments and issues that name unknown artifacts.

    \b
    Example:
      sdd graph validate
    """
    project = open_project(directory)
    report = usecase.validate_graph(project, _scope(directory, module, scope))
    data = {"query": {"verb": "validate"}, "results": validation_data(report)}
    lines = list(validation_lines(report, is_markdown=form == "markdown"))
    code = EXIT_FINDINGS if report.errors else EXIT_OK
    notes = report.notes if report.has_edges else (*report.notes, NO_EDGES)
    output = CommandOutput(data, lines, notes, project.warnings, code)
    return show(output, _is_json(form, as_json))


@graph.command()
@_question
def impact(directory: Path | None, /, name: str, **options: Any) -> int:
    """Show all that depends on an artifact: artifacts, source files and issues.

    An arrow with a solid line is written by the artifact that it leaves, one with a dashed line is
    derived from what the other end writes.

    \b
    Example:
      sdd graph impact ADR-0008
      sdd graph impact ADR-0008 --format mermaid
    """
    return _answer(directory, "impact", name, options)


@graph.command()
@_question
def ancestors(directory: Path | None, /, name: str, **options: Any) -> int:
    """Show all that an artifact depends on.

    \b
    Example:
      sdd graph ancestors SPEC-0010
    """
    return _answer(directory, "ancestors", name, options)


@graph.command()
@_question
def chain(directory: Path | None, /, name: str, **options: Any) -> int:
    """Show both: what an artifact depends on above it, what depends on it below.

    The requirements of a specification are between it and the code that implements them.

    \b
    Example:
      sdd graph chain SPEC-0007
    """
    return _answer(directory, "chain", name, options)


@graph.command()
@_scope_options
@_format_option(*TABLES)
@click.pass_obj
def orphans(
    directory: Path | None, /, module: str | None, scope: str, form: str, as_json: bool
) -> int:
    """List code without a governing comment, specifications without code, decisions without both.

    Only artifacts in force are listed, and source code in use: no tests, no vendored files.

    \b
    Example:
      sdd graph orphans
      sdd graph orphans --scope src/auth
    """
    project = open_project(directory)
    report = usecase.list_orphans(project, _scope(directory, module, scope))
    data = {"query": {"verb": "orphans"}, "results": orphan_data(report)}
    lines = list(orphan_lines(report, is_markdown=form == "markdown"))
    notes = report.notes if report.has_citations else (*report.notes, NO_CITATIONS)
    return show(CommandOutput(data, lines, notes, project.warnings), _is_json(form, as_json))


@graph.command()
@_scope_options
@_format_option(*DRAWINGS)
@click.pass_obj
def cycles(
    directory: Path | None, /, module: str | None, scope: str, form: str, as_json: bool
) -> int:
    """List the cycles of edges, each with its path. Exits with 1 when there is one.

    \b
    Example:
      sdd graph cycles
    """
    project = open_project(directory)
    report = usecase.list_cycles(project, _scope(directory, module, scope))
    data = {
        "query": {"verb": "cycles"},
        "results": cycle_data(report),
        "left_out": report.left_out,
    }
    if form == "mermaid":
        lines = _draw(report.view, form)
    else:
        lines = cycle_lines(report, is_markdown=form == "markdown")
    code = EXIT_FINDINGS if report.cycles else EXIT_OK
    output = CommandOutput(data, lines, (), project.warnings, code)
    return show(output, _is_json(form, as_json))


def _split_edge(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> list[tuple[str, str]]:
    edges = [value.partition("=") for value in values]
    for value, (type, _equals, id) in zip(values, edges, strict=True):
        if not type or not id:
            raise click.BadParameter(f"'{value}' is not TYPE=ID, such as extends=ADR-0008")
    return [(type, id) for type, _equals, id in edges]


@graph.command()
@click.argument("names", metavar="[ID]...", nargs=-1, shell_complete=_complete_id)
@click.option("--apply", is_flag=True, help="Write the proposed edges into the files.")
@click.option("--reject", is_flag=True, help="Do not propose these edges again.")
@click.option("--reset", is_flag=True, help="Propose again what was rejected.")
@click.option(
    "--edge",
    "edges",
    multiple=True,
    metavar="TYPE=ID",
    callback=_split_edge,
    help="Only this edge, such as extends=ADR-0008. Repeatable.",
)
@_scope_options
@json_option
@click.pass_obj
def backfill(
    directory: Path | None,
    /,
    names: tuple[str, ...],
    edges: list[tuple[str, str]],
    as_json: bool,
    **options: Any,
) -> int:
    """Propose edges that the prose of artifacts states, as a diff for each file.

    Without ID, for all artifacts. Writes nothing without --apply. Rejected edges are kept in
    .sdd-graph-backfill-skip, which can be committed.

    \b
    Example:
      sdd graph backfill
      sdd graph backfill ADR-0009 --edge related=ADR-0008 --apply
      sdd graph backfill ADR-0011 --reject
    """
    actions = {name: options.pop(name) for name in ("apply", "reject", "reset")}
    if sum(actions.values()) > 1:
        raise click.UsageError("choose one of --apply, --reject and --reset")
    project = open_project(directory)
    if actions["reset"]:
        count = usecase.reset_rejections(project)
        lines = [f"{format_count(count, 'rejected edge')} will be proposed again"]
        return show(CommandOutput({"reset": count}, lines, (), project.warnings), as_json)
    where = _scope(directory, options["module"], options["scope"])
    report = usecase.propose_edges(project, where, names, edges)
    data: dict[str, object] = {
        "query": {"verb": "backfill"},
        "results": [proposal_data(one) for one in report.proposals],
        "rejected": report.rejected,
    }
    if actions["apply"]:
        paths = usecase.apply_edges(project, report)
        problems = [one.problem for one in report.proposals if one.problem]
        lines = [f"wrote {printable_line(path)}" for path in paths] or ["nothing to write"]
        code = EXIT_FINDINGS if problems else EXIT_OK
        output = CommandOutput(
            {**data, "written": list(paths)},
            lines,
            report.notes,
            (*problems, *project.warnings),
            code,
        )
        return show(output, as_json)
    if actions["reject"]:
        count = usecase.reject_edges(project, report)
        lines = [f"{format_count(count, 'edge')} will not be proposed again"]
        output = CommandOutput(
            {**data, "newly_rejected": count}, lines, report.notes, project.warnings
        )
        return show(output, as_json)
    lines = list(proposal_lines(report))
    return show(CommandOutput(data, lines, report.notes, project.warnings), as_json)


def _answer(directory: Path | None, verb: Verb, name: str, options: Mapping[str, Any]) -> int:
    project = open_project(directory)
    scope = _scope(directory, options["module"], options["scope"])
    answer = usecase.ask_graph(project, scope, verb, name)
    if _is_json(options["form"], options["as_json"]):
        from sdd_hooks.drift.graph_formats.json import view_data

        data = view_data(answer.view)
        return show(CommandOutput(data, (), answer.notes, project.warnings), as_json=True)
    lines = _draw(answer.view, options["form"])
    return show(CommandOutput({}, lines, answer.notes, project.warnings), as_json=False)


def _draw(view: GraphView, form: str) -> list[str]:
    from sdd_hooks.drift.graph_queries import fold_files

    if form == "markdown":
        from sdd_hooks.drift.graph_formats.markdown import draw_markdown

        return draw_markdown(view)
    folded = fold_files(view)
    if form == "text":
        from sdd_hooks.drift.graph_formats.text import draw_text

        return draw_text(folded)
    from sdd_hooks.drift.graph_formats.markdown import draw_mermaid

    return draw_mermaid(folded)

"""Convert public sets of questions, and measure sdd on them.

python -m benchmarks.quality.public lissa PACKAGE SETS
python -m benchmarks.quality.public semble COPY CLONES SETS
python -m benchmarks.quality.public measure SETS [PROJECT…] [--model FOLDER] [--write]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality.public import lissa, semble
from benchmarks.quality.public.asking import ask
from benchmarks.quality.public.questions import CODE, PublicProject, read_projects
from benchmarks.quality.public.report import AT, SEMBLE, Measured, links_table, ndcg_table
from benchmarks.quality.public.scoring import CUT
from benchmarks.report import replace_section

_PAGE = Path(__file__).parents[3] / "docs/benchmarks.md"


def main(arguments: Sequence[str]) -> int:
    """Run one command. Returns 0, or 1 for a set that cannot be read."""
    options = _parse(arguments)
    try:
        if options.command == "lissa":
            print("converted:", *lissa.convert(options.package, options.sets, os.environ))
        elif options.command == "semble":
            done, missing = semble.convert(options.copy, options.clones, options.sets, os.environ)
            print("converted:", *done)
            print("without a clone of their revision:", *missing)
        else:
            _measure(options)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _measure(options: argparse.Namespace) -> None:
    projects = list(read_projects(options.sets, options.projects))
    is_semble = bool(projects) and projects[0].group in SEMBLE
    measured = [_measure_one(options, project, CUT if is_semble else AT) for project in projects]
    table = ndcg_table(measured) if is_semble else links_table(measured)
    print(table)
    if options.write:
        name = "semble" if is_semble else "lissa"
        page = _PAGE.read_text(encoding="utf-8")
        _PAGE.write_text(replace_section(page, table, name), encoding="utf-8")


def _measure_one(options: argparse.Namespace, project: PublicProject, limit: int) -> Measured:
    code = options.sets / project.name / CODE
    found = ask(code, project.questions, limit, options.model, os.environ)
    print(f"{project.name}: asked", file=sys.stderr, flush=True)
    return Measured(project, found)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.public")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("lissa", help="convert a copy of LiSSA's replication package")
    one.add_argument("package", type=Path)
    one.add_argument("sets", type=Path)
    other = commands.add_parser("semble", help="convert a copy of semble, with clones")
    other.add_argument("copy", type=Path)
    other.add_argument("clones", type=Path)
    other.add_argument("sets", type=Path)
    measure = commands.add_parser("measure", help="index, ask, and print the scores")
    measure.add_argument("sets", type=Path)
    measure.add_argument("projects", nargs="*")
    measure.add_argument(
        "--model", default="", type=_absolute, help="a folder with a model: ask by meaning, too"
    )
    measure.add_argument("--write", action="store_true", help="write the table into the page")
    return parser.parse_args(arguments)


def _absolute(folder: str) -> str:
    """The folder of a model: sdd would look for a relative one in the measured repository."""
    return str(Path(folder).resolve()) if folder else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

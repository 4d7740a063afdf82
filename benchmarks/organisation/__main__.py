"""`python -m benchmarks.organisation`: the organisation's index on a server of its own.

`measure` fills a generated organisation and prints a table; `agreement` compares the order of hits
with the embedded engine's on a real repository.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.organisation.agreement import compare
from benchmarks.organisation.content import Size
from benchmarks.organisation.measure import Figures, measure
from benchmarks.organisation.server import running_server


def main(arguments: Sequence[str]) -> int:
    """Run one of the two. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.organisation", description=__doc__)
    parser.add_argument("what", choices=["measure", "agreement"])
    parser.add_argument(
        "--programs", type=Path, required=True, help="the folder of initdb, with pgvector installed"
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--repositories", type=int, default=50)
    parser.add_argument("--documents", type=int, default=10_000, help="of all repositories")
    parser.add_argument("--chunks", type=int, default=100_000, help="of all repositories")
    parser.add_argument("--rounds", type=int, default=100, help="queries for each line")
    parser.add_argument("--no-growth", action="store_true", help="not a tenth of the size first")
    parser.add_argument("--repository", type=Path, default=Path(), help="for agreement")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sdd-org-", dir=options.folder) as name:
        folder = Path(name)
        folder.chmod(0o755)
        with running_server(options.programs.resolve(), folder / "server") as server:
            if options.what == "agreement":
                print(compare(server, options.repository.resolve(), folder))
                return 0
            whole = Size(options.repositories, options.documents, options.chunks)
            tenth = Size(*(number // 10 for number in whole))
            sizes = [whole] if options.no_growth else [tenth, whole]
            found: list[Figures] = []
            for number, size in enumerate(sizes):
                database = f"organisation_{number}"
                found.append(measure(server, database, size, options.rounds, folder / database))
                if number + 1 < len(sizes):
                    print(_table(found), file=sys.stderr, flush=True)
    print(_table(found))
    return 0


def _table(found: Sequence[Figures]) -> str:
    """Return the figures as Markdown, a column for each size."""
    heads = [f"{one.size.repositories} repositories, {one.size.chunks:,} chunks" for one in found]
    rows = [("built in", *(f"{one.load_seconds:.0f} s" for one in found))]
    for clients in found[0].queries:
        who = f"{clients} client{'s' if clients > 1 else ''}"
        for part in ("p50", "p95"):
            times = (f"{getattr(one.queries[clients], part):.0f} ms" for one in found)
            rows.append((f"hybrid query of all, {who}, {part}", *times))
    rows.append(
        ("CPU time of a query in its client", *(f"{one.queries[1].own:.0f} ms" for one in found))
    )
    for part in ("p50", "p95"):
        times = (f"{getattr(one.one_repository, part):.0f} ms" for one in found)
        rows.append((f"hybrid query of one repository, {part}", *times))
        times = (f"{getattr(one.refresh, part):.0f} ms" for one in found)
        rows.append((f"refresh of one changed document, {part}", *times))
    rows.append(("recall@10 of the index of vectors", *(f"{one.recall:.3f}" for one in found)))
    for name in found[-1].megabytes:
        rows.append(
            (f"on disk: {name}", *(f"{one.megabytes.get(name, 0):,.0f} MB" for one in found))
        )
    lines = [("measure", *heads), ("---", *("---:" for _ in heads)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How sdd spends its time: imports, functions, and for the shim its git process."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator

from benchmarks import embedding
from benchmarks.corpus import questions
from benchmarks.graph import AUDIT, QUESTION, audited, graphed
from benchmarks.process import run
from benchmarks.review import BEFORE_EDIT, reviewed
from benchmarks.sdd import COMMAND, KINDS, Sdd
from benchmarks.share import PULL, shared
from benchmarks.tracker import SYNC, tracked
from benchmarks.workbench import Repository, Workbench

_LINES = 25


def commit(bench: Workbench) -> str:
    """The trace of the shim's git process."""
    repository = bench.repository(bench.sizes.middle)
    trace = bench.directory / "trace"
    environ = {**repository.sdd.environ, "GIT_TRACE2_PERF": str(trace)}
    shim = run([".git/hooks/post-commit"], repository.sdd.root, environ)
    return f"## The shim, {shim.seconds * 1000:.1f} ms, and the git it runs\n\n{trace.read_text()}"


def refresh(bench: Workbench) -> str:
    """The refresh in a repository of medium size."""
    return _refresh(bench.repository(bench.sizes.middle))


def scale(bench: Workbench) -> str:
    """The refresh in the small and in the large repository."""
    sizes = (bench.sizes.small, bench.sizes.large)
    return "\n".join(_refresh(bench.repository(count)) for count in sizes)


def first_index(bench: Workbench) -> str:
    """The first index."""
    repository = bench.repository(bench.sizes.middle)
    return _sdd(repository, repository.sdd.forget, "index", "add", *KINDS)


def search(bench: Workbench) -> str:
    """A search by words."""
    repository = bench.repository(bench.sizes.middle)
    return _sdd(repository, lambda: None, "search", questions(1)[0], "--json")


def hybrid(bench: Workbench) -> str:
    """A search by words and by meaning."""
    sides, _ = embedding.prepare_vectors(bench, bench.sizes.hybrid)
    asked = embedding.questions(1)[0]
    return _sdd(sides.repository, lambda: None, "search", asked, "--json")


def prime(bench: Workbench) -> str:
    """The context of a session without a topic."""
    return _sdd(bench.repository(bench.sizes.records), lambda: None, "prime")


def embed(bench: Workbench) -> str:
    """An embed on one core, where all of it runs in the profiled thread."""
    repository = embedding.prepare(bench, bench.sizes.embedded).repository
    with _on_one_core():
        return _sdd(repository, repository.sdd.forget_vectors, "index", "embed", "--foreground")


def sync(bench: Workbench) -> str:
    """The first sync, profiled in the main thread, which renders; another thread fetches, and a
    second process writes."""
    with tracked(bench, bench.sizes.issues) as shop:
        return _profile(shop.sdd, shop.sdd.forget, f"{shop.count:,} issues", *SYNC)


def review(bench: Workbench) -> str:
    """The first review of a change of the usual size, and the rules on what is staged."""
    found = reviewed(bench)
    of = f"{found.usual:,} changed files"
    command = ("review", "--base", "main", "--head", "usual", "--json")
    whole = _profile(found.sdd, found.sdd.forget, of, *command)
    return whole + _profile(found.sdd, lambda: None, "staged files", "hook", "check")


def check(bench: Workbench) -> str:
    """A check of one file, with a fresh index."""
    found = reviewed(bench, "check")
    found.sdd.first_index()
    of = f"{bench.sizes.records:,} records"
    return _profile(found.sdd, lambda: None, of, "check", found.sources[0], "--json")


def agent(bench: Workbench) -> str:
    """The hook of an agent before an edit that no decision governs."""
    found = reviewed(bench, "agent")
    found.prepare_agents()
    of = f"{bench.sizes.records:,} records"
    return _profile(found.sdd, lambda: None, of, *BEFORE_EDIT, given=found.edit(1))


def audit(bench: Workbench) -> str:
    """An audit of everything, with a fresh index."""
    of = f"{bench.sizes.audited:,} files"
    return _profile(audited(bench).sdd, lambda: None, of, *AUDIT)


def share(bench: Workbench) -> str:
    """A pull of all vectors."""
    count = bench.sizes.shared
    sides = shared(bench, count)
    sides.embed(0, count)
    sides.push()
    return _profile(sides.laptop, sides.laptop.forget_vectors, f"{count:,} vectors", *PULL)


def graph(bench: Workbench) -> str:
    """What depends on a decision, with what an earlier answer kept."""
    found = graphed(bench)
    found.first_answer()
    return _profile(found.sdd, lambda: None, f"{found.sources:,} source files", *QUESTION)


PROFILES: dict[str, Callable[[Workbench], str]] = {
    "pace": commit,
    "commit": commit,
    "rebase": refresh,
    "switch": refresh,
    "refresh": refresh,
    "scale": scale,
    "first-index": first_index,
    "sources": first_index,
    "search": search,
    "hybrid": hybrid,
    "prime": prime,
    "embed": embed,
    "sync": sync,
    "review": review,
    "check": check,
    "agent": agent,
    "audit": audit,
    "share": share,
    "graph": graph,
}
"""By the names of the measures."""


def _refresh(repository: Repository) -> str:
    numbers = itertools.count()
    return _sdd(repository, lambda: repository.change(next(numbers)), "hook", "post-commit")


def _sdd(repository: Repository, prepare: Callable[[], None], *arguments: str) -> str:
    return _profile(repository.sdd, prepare, f"{len(repository.paths):,} documents", *arguments)


def _profile(
    sdd: Sdd, prepare: Callable[[], None], of: str, *arguments: str, given: bytes = b""
) -> str:
    """Run `sdd ARGUMENTS` twice, prepared anew: once for its imports, once for its functions.

    `of` names the measured quantity, `given` is on stdin.
    """
    root, environ = sdd.root, sdd.environ
    prepare()
    importing = [sys.executable, "-X", "importtime", COMMAND, *arguments]
    imports = run(importing, root, environ, given)
    prepare()
    calling = [sys.executable, "-m", "cProfile", "-s", "tottime", COMMAND, *arguments]
    functions = run(calling, root, environ, given)
    lines = [line for line in imports.output.splitlines() if line.startswith("import time:")]
    called = functions.output.partition("function calls")[2].splitlines()
    return "\n".join(
        [
            f"## sdd {' '.join(arguments)}, {of}",
            "",
            "Imports, microseconds of their own | with what they import:",
            *sorted(lines[1:], key=_own_microseconds, reverse=True)[:_LINES],
            "",
            "Functions, seconds of their own:",
            *called[:_LINES],
            "",
        ]
    )


@contextlib.contextmanager
def _on_one_core() -> Iterator[None]:
    """Processes started in the block have one core, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


def _own_microseconds(line: str) -> int:
    return int(line.removeprefix("import time:").split("|")[0])

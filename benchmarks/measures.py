"""The measures, each with its target. Each returns its lines of the table."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from benchmarks import beside, embedding
from benchmarks.corpus import questions
from benchmarks.graph import audited, graphed
from benchmarks.process import ProcessFailed, Run, alternate, cores
from benchmarks.report import Figure, human_seconds, median, median_seconds, ratio
from benchmarks.review import STAGED, reviewed
from benchmarks.share import DIMENSIONS, shared
from benchmarks.tracker import tracked
from benchmarks.workbench import Repository, Skipped, Workbench


class WrongAnswer(Exception):
    """A side did not find the expected result, so that its time is invalid."""


def commit(bench: Workbench) -> list[Figure]:
    """What the native shims add to a commit that touches nothing indexed, against other hooks."""
    counts = (bench.sizes.small, bench.sizes.middle)
    rounds = bench.sizes.commits
    return [one for count in counts for one in _commit(bench.repository(count), rounds)]


def pace(bench: Workbench) -> list[Figure]:
    """The machine's own pace."""
    sdd = bench.repository(bench.sizes.middle).sdd
    sides = (beside.timed(sdd, *command) for command in beside.PACE.values())
    medians = map(median_seconds, alternate(bench.sizes.primes, *sides))
    return [
        Figure(f"pace of the machine: {name}", "", human_seconds(one), one * 1000, None, "ms")
        for name, one in zip(beside.PACE, medians, strict=True)
    ]


def rebase(bench: Workbench) -> list[Figure]:
    """Rebases onto a commit that changes a record, with the hooks and without."""
    return [_rebase(bench, what) for what in ("nothing indexed", "a record each")]


def _rebase(bench: Workbench, what: str) -> Figure:
    count = bench.sizes.rebased
    ours = bench.repository(bench.sizes.small).copied(f"rebased-{what[0]}")
    ours.prepare_rebase(count, records=what != "nothing indexed")
    bare = ours.copied("bare")
    rounds = bench.sizes.rebases
    mine, theirs = alternate(
        rounds,
        lambda number: ours.rebase(number, count, hooks=True),
        lambda number: bare.rebase(number, count, hooks=False),
    )
    if ours.is_elsewhere() != (rounds % 2 == 0):
        raise WrongAnswer("the rebase left an index of the other side")
    return _against(f"rebase of {count} commits that touch {what}", mine, "no hook", theirs, 1.3)


def switch(bench: Workbench) -> list[Figure]:
    """A switch to a branch with other records, with the hooks and without."""
    changed = bench.sizes.middle // 2
    ours = bench.repository(bench.sizes.middle).copied("switched")
    ours.prepare_switch(changed)
    bare = ours.copied("bare")

    def switched(number: int) -> Run:
        taken = ours.switch(number, hooks=True)
        # A search waits five seconds for the refresh, which takes longer on a busy machine.
        if not any(ours.is_elsewhere() == (number % 2 == 0) for _ in range(6)):
            raise WrongAnswer("the searches after a switch found what is on the other branch")
        return taken

    mine, theirs = alternate(
        bench.sizes.switches, switched, lambda number: bare.switch(number, hooks=False)
    )
    name = f"branch switch of {changed:,} records, until the prompt"
    return [_against(name, mine, "no hook", theirs, 1.1)]


def refresh(bench: Workbench) -> list[Figure]:
    """The refresh after a commit that changes one document, against `qmd update`."""
    count = bench.sizes.middle
    qmd, repository = bench.qmd(count), bench.repository(count)
    ours, theirs = alternate(
        bench.sizes.refreshes, lambda number: _refreshed(repository, number), lambda _: qmd.update()
    )
    word = repository.word(bench.sizes.refreshes)
    _expect(word, repository.sdd.search(word), "sdd")
    _expect(word, qmd.search(word), "qmd")
    name = f"refresh, one of {count:,} documents changed"
    return [
        _against(name, ours, "qmd update", theirs, 0.06),
        _seconds("that refresh, whole", ours, [], 0.12),
    ]


def scale(bench: Workbench) -> list[Figure]:
    """The same refresh in a large repository, against a small one."""
    small, large = bench.sizes.small, bench.sizes.large
    at_small, at_large = bench.repository(small), bench.repository(large)
    theirs, ours = alternate(
        bench.sizes.refreshes,
        lambda number: _refreshed(at_small, number),
        lambda number: _refreshed(at_large, number),
    )
    word = at_large.word(bench.sizes.refreshes)
    _expect(word, at_large.sdd.search(word), "sdd")
    name = f"refresh, one of {large:,} documents changed"
    return [_against(name, ours, f"{small:,} documents", theirs, 1.5)]


def first_index(bench: Workbench) -> list[Figure]:
    """The first index of a repository, against `qmd collection add` and `git grep`."""
    count = bench.sizes.middle
    qmd, repository = _present(lambda: bench.qmd(count)), bench.repository(count)
    ours, theirs, grepped = _taken(
        bench.sizes.first_indexes,
        lambda _: repository.sdd.first_index(),
        (lambda _: qmd.first_index()) if qmd else None,
        beside.timed(repository.sdd, *beside.GIT_GREP),
    )
    name = f"first index of {count:,} documents"
    return [
        _against(name, ours, "qmd collection add", theirs, 0.12),
        _against(name, ours, "git grep", grepped, None),
    ]


def sources(bench: Workbench) -> list[Figure]:
    """The first index of the sources of a real repository, against `git grep`."""
    sdd = bench.cloned_sources()
    ours, grepped = alternate(
        bench.sizes.cloned,
        lambda _: sdd.first_index("--kind", "code"),
        beside.timed(sdd, *beside.GIT_GREP),
    )
    name = f"first index of {len(grepped[-1].output.splitlines()):,} files of a repository of code"
    return [_against(name, ours, "git grep", grepped, 12)]


def search(bench: Workbench) -> list[Figure]:
    """A search by words, as a process and as a call, against those of others."""
    count = bench.sizes.middle
    qmd, sdd = _present(lambda: bench.qmd(count)), bench.repository(count).sdd
    asked = questions(bench.sizes.searches + 1)
    has_grep = _present(lambda: beside.grep(sdd, asked[0]))
    with beside.served(sdd) as call:
        ours, called, theirs, grepped = _taken(
            bench.sizes.searches,
            lambda number: sdd.search(asked[number]),
            lambda number: call(asked[number]),
            (lambda number: qmd.search(asked[number])) if qmd else None,
            (lambda number: beside.grep(sdd, asked[number])) if has_grep else None,
        )
    for runs, side in ((ours, "sdd"), (called, "sdd mcp"), (theirs, "qmd"), (grepped, "ripgrep")):
        if runs:
            _expect("ADR-", runs[-1], side)
    name = f"search by words, {count:,} documents"
    return [
        _against(name, ours, "qmd search", theirs, 0.4),
        _against(name, ours, "rg with the words", grepped, None),
        _seconds(f"{name}, a call to `sdd mcp`", called, [], 0.015),
    ]


def hybrid(bench: Workbench) -> list[Figure]:
    """A search by words and by meaning of a new process, against `qmd query --no-rerank`.

    Both load the same model, embed one sentence, and compare it with every chunk.
    """
    sides, chunks = embedding.prepare_vectors(bench, bench.sizes.hybrid)
    asked = embedding.questions(bench.sizes.searches + 1)
    ours, theirs = alternate(
        bench.sizes.searches,
        lambda number: sides.repository.sdd.search(asked[number]),
        lambda number: sides.qmd.hybrid_search(asked[number]),
    )
    _expect('"cosine": 0.', ours[-1], "sdd")
    _expect(".md", theirs[-1], "qmd")
    name = f"hybrid search, {chunks:,} chunks"
    return [
        _against(name, ours, "qmd query", theirs, 0.6),
        _seconds("that search, whole", ours, [], 0.7),
    ]


def prime(bench: Workbench) -> list[Figure]:
    """The context of a session without a topic."""
    count = bench.sizes.records
    repository = bench.repository(count)
    (runs,) = alternate(bench.sizes.primes, lambda _: repository.sdd.prime())
    _expect(f"Primed session with {count:,} ADRs", runs[-1], "sdd")
    return [_seconds(f"context of a session, {count:,} records", runs, [], 0.3)]


def embed(bench: Workbench) -> list[Figure]:
    """An embed without existing vectors, against `qmd embed` with the same model.

    The seconds are compared, of the same documents; the tokens a second say how fast the model
    itself was, because qmd leaves out the part of each chunk that exceeds the context of the model.
    """
    sides = embedding.prepare(bench, bench.sizes.embedded)
    ours, theirs = alternate(
        bench.sizes.embeds, lambda _: sides.repository.sdd.embed(), lambda _: sides.qmd.embed()
    )
    for run, side in ((ours[-1], "sdd"), (theirs[-1], "qmd")):
        if embedding.embedded(run) < len(sides.repository.paths):
            raise WrongAnswer(f"{side} did not embed every document: {run.output[-300:]}")
    rates = [
        f"{count / median_seconds(runs):,.0f} tokens/s"
        for count, runs in zip(embedding.tokens_read(sides), (ours, theirs), strict=True)
    ]
    name = f"embedding {len(sides.repository.paths):,} documents on {cores()} cores"
    found = _against(name, ours, "qmd embed", theirs, 0.22)
    return [replace(found, ours=f"{found.ours}, {rates[0]}", theirs=f"{found.theirs}, {rates[1]}")]


def sync(bench: Workbench) -> list[Figure]:
    """The first sync of a tracker's issues, against a bare loop over its pages; and the second."""
    count = bench.sizes.issues
    with tracked(bench, count) as shop:
        ours, theirs = alternate(
            bench.sizes.syncs, lambda _: shop.first_sync(), lambda _: shop.bare_loop()
        )
        _expect(str(count), theirs[-1], "the loop")
        shop.count_new_requests()
        shop.first_sync()
        if shop.files() != count:
            raise WrongAnswer(f"{shop.files():,} of {count:,} issues are files")
        first = shop.count_new_requests()
        shop.sync()
        again = [sum(shop.count_new_requests())]
        shop.sync()
        again.append(sum(shop.count_new_requests()))
    most = -(-count * 51 // 5_000)
    name = f"first sync of {count:,} issues"
    return [
        _against(name, ours, "bare loop over the pages", theirs, 1.5),
        _count(f"pages asked for by a {name}", first.listings, f"and {first.others} other", most),
        _count("requests of a sync when nothing changed", max(again), "", 1),
        _flat(bench, max(run.peak for run in ours)),
        _sync_at_once(bench),
    ]


def agent(bench: Workbench) -> list[Figure]:
    """The hook of a coding agent before an edit that no decision governs."""
    found = reviewed(bench, "agent")
    found.prepare_agents()
    runs, python = alternate(
        bench.sizes.primes,
        found.before_edit,
        beside.timed(found.sdd, *beside.PYTHON_EXITS),
    )
    if said := "".join(run.output for run in runs):
        raise WrongAnswer(f"the hook said something: {said[:300]}")
    name = f"hook of an agent before an edit, {bench.sizes.records:,} records"
    return [_against(f"{name}, nothing governs", runs, "a Python that exits", python, 2.2)]


def review(bench: Workbench) -> list[Figure]:
    """Reviews of changes of three sizes, and the rules on staged changes."""
    found = reviewed(bench)
    rounds = bench.sizes.reviews
    first, again, staged, shown = alternate(
        rounds,
        lambda _: found.first_review("usual"),
        lambda _: found.review("usual"),
        lambda _: found.check(),
        lambda _: found.diff("main...usual"),
    )
    _expect(f'"files": {found.usual},', first[-1], "the review")
    wide, wide_shown, large, large_shown = alternate(
        bench.sizes.large_reviews,
        lambda _: found.first_review("wide"),
        lambda _: found.diff("main...wide"),
        lambda _: found.first_review("large"),
        lambda _: found.diff("main...large"),
    )
    _expect(f'"files": {found.wide},', wide[-1], "the review")
    _expect(f'"files": {found.large},', large[-1], "the review")
    usual = f"review of {found.usual:,} changed files, {bench.sizes.records:,} records"
    size = f"{bench.sizes.large_change // 1_000_000} MB"
    return [
        _seconds(f"{usual}, the first time", first, shown, 0.8),
        _seconds(f"{usual}, again", again, shown, 0.45),
        _against(f"{usual}, again", again, "the first time", first, None),
        _seconds(f"rules on {STAGED} staged files", staged, [], 0.3),
        _seconds(f"review of {found.wide:,} changed files, the first time", wide, wide_shown, 15),
        _seconds(f"review of a change of {size}, the first time", large, large_shown, 15),
    ]


def check(bench: Workbench) -> list[Figure]:
    """A check of one file in a repository of records, with a fresh index."""
    found = reviewed(bench, "check")
    found.sdd.first_index()
    (checked,) = alternate(bench.sizes.reviews, found.check_file)
    _expect('"files": 1,', checked[-1], "the check")
    return [_seconds(f"check of a file, {bench.sizes.records:,} records", checked, [], 0.4)]


def share(bench: Workbench) -> list[Figure]:
    """The size of a push of vectors, against the vectors alone, and the time of a pull."""
    count, more = bench.sizes.shared, bench.sizes.shared // 100
    sides = shared(bench, count)
    sides.embed(0, count)
    pushed = sides.push()
    _expect(f"pushed {count:,} vectors", pushed, "the push")
    first = sides.packed()
    sides.embed(count, more)
    _expect(f"pushed {more:,} vectors", sides.push(), "the push")
    second = sides.packed() - first
    (pulls,) = alternate(bench.sizes.pulls, lambda _: sides.pull())
    _expect(f"pulled {count + more:,} vectors", pulls[-1], "the pull")
    return [
        _pack(f"first push of {count:,} vectors", first, count),
        _pack(f"second push, of {more:,} vectors", second, more),
        _seconds(f"pull of {count + more:,} vectors", pulls, [], 3),
    ]


def graph(bench: Workbench) -> list[Figure]:
    """What depends on a decision, in a repository of many artifacts and source files."""
    found = graphed(bench)
    first, again = alternate(
        bench.sizes.questions, lambda _: found.first_answer(), lambda _: found.ask()
    )
    _expect("ADR-0001", again[-1], "the graph")
    name = f"impact of one of {found.artifacts:,} artifacts, {found.sources:,} source files"
    return [
        _seconds(f"{name}, the first time", first, [], 5),
        _seconds(f"{name}, again", again, [], 2),
    ]


def audit(bench: Workbench) -> list[Figure]:
    """An audit of records and source files, with a fresh index."""
    found = audited(bench)
    (runs,) = alternate(bench.sizes.audits, lambda _: found.audit())
    _expect('"audit": {', runs[-1], "the audit")
    name = f"of an audit of {bench.sizes.audited:,} files, {found.artifacts:,} of them records"
    return [_seconds(f"time {name}", runs, [], 10)]


MEASURES: dict[str, Callable[[Workbench], list[Figure]]] = {
    "pace": pace,
    "commit": commit,
    "rebase": rebase,
    "switch": switch,
    "refresh": refresh,
    "scale": scale,
    "first-index": first_index,
    "sources": sources,
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
"""By the name that `--only` takes, in the order of the table."""


def _commit(repository: Repository, rounds: int) -> list[Figure]:
    # The shims see each commit of their repository, as they do with users.
    sides = [repository, *(repository.copied(name) for name in ("bare", "empty", "prek"))]
    beside.set_empty_hooks(sides[2].sdd)

    def set_prek() -> bool:
        beside.set_prek(sides[3].sdd)
        return True

    def side(number: int) -> Callable[[int], Run]:
        return lambda at: sides[number].take_note(f"{at}", hooks=number != 1)

    last = side(3) if _present(set_prek) else None
    shims, bare, empty, prek = _taken(rounds, *map(side, range(3)), last)
    name = f"hooks of a commit that touches nothing indexed, {len(repository.paths):,} documents"
    ours = _added(shims, bare)
    without = f"no hook: {human_seconds(median_seconds(bare))} in all, "
    return [
        _against(name, ours, f"{without}two hooks that exit", _added(empty, bare), 1.7),
        _against(name, ours, "prek with one that exits", _added(prek, bare), 0.8),
    ]


def _added(runs: list[Run], bare: list[Run]) -> list[Run]:
    """What hooks add: differences of medians, since those of two runs are mostly noise."""
    if not runs:
        return []
    mine, other = median(runs), median(bare)
    return [Run(mine.seconds - other.seconds, mine.peak, "", mine.cpu - other.cpu)]


_Present = TypeVar("_Present")


def _present(make: Callable[[], _Present]) -> _Present | None:
    """The other side of a measure; None, and a message on stderr, if it is missing."""
    try:
        return make()
    except (beside.Missing, ProcessFailed, Skipped, subprocess.CalledProcessError) as reason:
        print(f"missing: {reason}", file=sys.stderr)
        return None


def _taken(rounds: int, *sides: Callable[[int], Run] | None) -> list[list[Run]]:
    """As `alternate`, and no runs of a side that is missing."""
    runs = iter(alternate(rounds, *filter(None, sides)))
    return [next(runs) if side else [] for side in sides]


def _count(name: str, count: int, besides: str, most: int) -> Figure:
    return Figure(name, f"{count}", besides, count, most, "")


def _seconds(name: str, runs: list[Run], shown: list[Run], most: float) -> Figure:
    """The seconds of a review, compared with those that git takes to show the same change."""
    ours = median_seconds(runs)
    git = f"git diff: {human_seconds(median_seconds(shown))}" if shown else ""
    factor, unit = (1000, "ms") if most < 1 else (1, "s")
    memory = _memory(runs)
    return Figure(name, human_seconds(ours), git, ours * factor, most * factor, unit, "", memory)


def _pack(name: str, size: int, vectors: int) -> Figure:
    """The sent bytes, compared with those of the vectors in int8."""
    raw = vectors * DIMENSIONS
    return Figure(
        f"{name} of {DIMENSIONS} dimensions, sent",
        f"{size / 1000:,.0f} kB",
        f"int8 alone: {raw / 1000:,.0f} kB",
        size / raw,
        1.1,
        "",
    )


def _flat(bench: Workbench, peak: int) -> Figure:
    """The peak memory of the first sync above, compared with that of one of fewer issues."""
    count, fewer = bench.sizes.issues, bench.sizes.fewer_issues
    with tracked(bench, fewer) as shop:
        (runs,) = alternate(bench.sizes.syncs, lambda _: shop.first_sync())
    other = max(run.peak for run in runs)
    name = f"peak memory of a first sync of {count:,} issues"
    theirs = f"{fewer:,} issues: {other / 2**20:.1f} MB"
    return Figure(name, f"{peak / 2**20:.1f} MB", theirs, peak / other, 1.25, "")


def _sync_at_once(bench: Workbench) -> Figure:
    """The first sync from a tracker without latency, where nothing is hidden behind waiting."""
    count = bench.sizes.issues
    with tracked(bench, count, latency=0.0) as shop:
        ours, theirs = alternate(
            bench.sizes.syncs, lambda _: shop.first_sync(), lambda _: shop.bare_loop()
        )
    name = f"first sync of {count:,} issues, answered at once"
    return _against(name, ours, "bare loop over the pages", theirs, 1.3)


def _refreshed(repository: Repository, number: int) -> Run:
    repository.change(number)
    return repository.sdd.refresh()


def _against(
    name: str, ours: list[Run], what: str, theirs: list[Run], target: float | None
) -> Figure:
    mine, memory = human_seconds(median_seconds(ours)), _memory(ours)
    if not theirs:
        return Figure(name, mine, f"{what}: missing", None, target, "", "", memory)
    found = f"{what}: {human_seconds(median_seconds(theirs))}"
    cpu = f"{ratio(ours, theirs, 'cpu'):.2f}"
    return Figure(name, mine, found, ratio(ours, theirs), target, "", cpu, memory)


def _memory(runs: list[Run]) -> str:
    return f"{max(run.peak for run in runs) / 2**20:.0f} MB"


def _expect(text: str, run: Run, side: str) -> None:
    if text.lower() not in run.output.lower():
        raise WrongAnswer(f"{side} did not find {text}: {run.output[-300:]}")

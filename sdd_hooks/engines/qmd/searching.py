"""One search: over the daemon where one runs, else by the command; by words where that is all."""

# Governing: ADR-0014 (the qmd engine: how it is scored), ADR-0013 (hybrid search waits),
# SPEC-0006 REQ "Search"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdd_hooks.engines.fusion import fuse
from sdd_hooks.engines.protocol import Query, SearchResult
from sdd_hooks.engines.qmd import answers, asking, daemon
from sdd_hooks.engines.qmd.asking import Answer, Key
from sdd_hooks.engines.qmd.failures import failure
from sdd_hooks.engines.qmd.grammar import Line, lines
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.output import LEXICAL_ONLY, Result, complaint, parse_results
from sdd_hooks.engines.qmd.process import Place, run
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.collections import Collection

_PATIENCE = 30.0
"""Seconds for an answer: a model takes one or two to load, and longer on a busy machine."""

_SILENT = "qmd answered without vectors: run `sdd index embed`"


@dataclass(frozen=True)
class Scope:
    """What is searched: the collections by name, with the directory that qmd's paths are below.

    `whole` says that they are all the index has.
    """

    qmd: Installation
    place: Place
    environ: Mapping[str, str]
    bases: Mapping[str, str]
    collections: Mapping[str, Collection]
    whole: bool

    def key(self, result: Result) -> Key | None:
        """The document of a result; None for one that is none of these collections'."""
        collection = self.collections.get(result.collection)
        if collection is None:
            return None
        path = answers.inside(self.bases[result.collection], result.path, collection)
        return None if path is None else (result.collection, path)


def search(scope: Scope, query: Query, pending: int, reason: str = "") -> SearchResult:
    """Answer a typed query. `pending` documents have no vectors; `reason` is why no model can run.

    Raises:
        IndexDamaged, StorageError: the index cannot be read.
        EngineUnavailable: qmd fails, and not because of the model.
    """
    notes = []
    hybrid = not pending and not reason and any(one.type != "lex" for one in query.searches)
    if reason and not pending and any(one.type != "lex" for one in query.searches):
        notes.append(f"searched by words only: {reason}")
    asked = lines(query, by_words=not hybrid)
    answer, why = _answer(scope, query, asked)
    if why:
        # The model's fault, or so it seems: words need none.
        notes.append(f"searched by words only: {why}")
        if not answer.lists:
            answer, _ = _answer(scope, query, lines(query, by_words=True), last=True)
    ranked = [one for one in fuse(answer.lists) if one.score >= query.min_score]
    found = answers.hits(scope.place.root, ranked, answer.results, query.text, query.limit)
    return SearchResult(found, pending, tuple(notes))


def _answer(
    scope: Scope, query: Query, asked: Sequence[Line], *, last: bool = False
) -> tuple[Answer, str]:
    """The lists, and why none of them is by meaning where one should be ("" for all is well).

    Without any list, the question has to be put again by words; with `last`, it raises instead.
    """
    if not asked:
        return Answer(), ""
    meant = any(one.type != "lex" for one in asked)
    served = daemon.running(scope.place, scope.environ)
    if served is not None:
        try:
            return _checked(_over_http(scope, query, asked, served), meant, _SILENT)
        except EngineUnavailable:
            # It has just ended, or is overwhelmed: the command does not need it.
            pass
    try:
        done = run(
            scope.qmd,
            scope.place,
            *asking.command(asked, query, list(scope.bases)),
            deadline=_PATIENCE,
            environ=scope.environ,
        )
    except EngineUnavailable as error:
        if last or not meant:
            raise
        return Answer(), str(error)
    if done.code:
        failed = failure("query", done, scope.place)
        if last or not meant or not isinstance(failed, EngineUnavailable):
            raise failed
        return Answer(), str(failed)
    reason = next((line for line in done.err.splitlines() if LEXICAL_ONLY in line), "")
    answer = asking.explained(asked, parse_results(done.out), scope.key)
    return _checked(answer, meant, complaint("", reason) if reason else _SILENT)


def _checked(answer: Answer, meant: bool, reason: str) -> tuple[Answer, str]:
    """An answer by words to a question by meaning: the lists that are left, and the reason."""
    if not meant or answer.meant:
        return answer, ""
    answer.lists = [one for one in answer.lists if one[1]]
    return answer, reason


def _over_http(scope: Scope, query: Query, asked: Sequence[Line], served: daemon.Daemon) -> Answer:
    def ask(body: Mapping[str, object]) -> list[Result]:
        told = {**body, "intent": query.intent} if query.intent else body
        return daemon.ask(served, told, _PATIENCE)

    def share(key: Key, line: int) -> float:
        return answers.share(answers.passage_at(scope.place.root, key[1], line), query.text)

    # Of the whole index qmd tells one order; of some collections only that of each.
    scopes = [[]] if scope.whole else [[name] for name in scope.bases]
    return asking.ordered(asked, ask, scopes, scope.key, share)

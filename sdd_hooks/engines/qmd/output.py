"""What qmd says, as data. It is text for people, and may be anything: nothing here raises.

Each form is recorded from the real qmd in tests/engines/qmd/recorded.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Output"

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from sdd_hooks.engines.protocol import Counts

Version = tuple[int, int, int]

BUSY = "Another embed process is already running"

LEXICAL_ONLY = "Batch embedding error:"
"""On stderr of a query that could not use its embedding model, and answered by words alone."""

# A number of more digits is none: qmd counts documents, chunks and lines.
_NUMBER = r"(\d{1,15})"

_COLLECTION = re.compile(r"\[\d+/\d+\] (\S+)(?: \(.*\))?")
_INDEXED = re.compile(
    rf"Indexed: {_NUMBER} new, {_NUMBER} updated, {_NUMBER} unchanged, {_NUMBER} removed"
)
_PENDING = re.compile(rf"\s*Pending:\s+{_NUMBER} need embedding\b.*")
_TOTAL = re.compile(r"\s*Total:\s+\d+ files indexed")
_LISTED = re.compile(r"\s*[\d.]+ [KMG]?B  \w{3} [ \d]\d +\d[\d:]{3,4}  qmd://(.*)", re.DOTALL)
_EMBEDDED = re.compile(rf"Embedded {_NUMBER} chunks? from {_NUMBER} documents?")
_FAILED = re.compile(r"(?m)^\W*([\d,]{1,19}) chunks? still failed after retries")
_FAILURE = re.compile(r"(?m)^  (\S.*#\d+ \(\d+ attempts\): .*)$")
_EXPIRED = re.compile(rf"Session expired . skipping (?:{_NUMBER} remaining chunks|remaining)")
_PROBE = re.compile(
    r"device probe: (?:running on (CPU)\b|GPU (\w+)[^;]*; offloading (enabled|disabled))"
)
_VERSION = re.compile(rf"qmd {_NUMBER}\.{_NUMBER}\.{_NUMBER}\b")
_DOCUMENT = re.compile(r"(?m)^[\[{]")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")

_ON_CPU = "QMD Warning: no GPU acceleration, running on CPU"
_OWN_EXPIRY = "session expired"

_ACCELERATORS = frozenset({"cuda", "metal", "vulkan"})


@dataclass(frozen=True)
class Contribution:
    """One list that a result was found in: `fts` or `vec`, by which sub-query, at which rank.

    `score` is the cosine for `vec` (-1..1) and a normalised BM25 for `fts` (0..1).
    """

    source: str
    query_type: str
    query: str
    rank: int
    score: float


@dataclass(frozen=True)
class Result:
    """One document that answers: `path` is relative to the path of the collection, `line` 1-based.

    `score` is qmd's own (0..1, by rank unless reranked); `contributions` are there when asked for.
    """

    collection: str
    path: str
    line: int
    title: str
    score: float
    context: str
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class EmbedOutcome:
    """What one `qmd embed` did, in chunks.

    `failed` were tried, `failures` names the first of them; `skipped` were left by a session that
    ended (`expired`; it may leave documents too, which it does not count); `busy` says that another
    process was embedding. `device` is `cpu`, `gpu` or empty for not told.
    """

    embedded: int
    failed: int
    failures: tuple[str, ...]
    skipped: int
    expired: bool
    busy: bool
    device: str


def parse_update(out: str) -> dict[str, Counts]:
    """What `qmd update` did, by collection."""
    counts: dict[str, Counts] = {}
    name = None
    for line in out.splitlines():
        if header := _COLLECTION.fullmatch(line):
            name = header[1]
        elif name is not None and (said := _INDEXED.fullmatch(line)):
            added, updated, unchanged, removed = map(int, said.groups())
            counts[name] = Counts(added, updated, removed, unchanged)
    return counts


def parse_pending(out: str) -> int | None:
    """How many documents lack a vector of the configured model, by `qmd status`; None: not told.

    What `qmd update` says of this counts by qmd's default model, whatever is configured.
    """
    told = None
    for line in out.splitlines():
        if pending := _PENDING.fullmatch(line):
            return int(pending[1])
        if _TOTAL.fullmatch(line):
            told = 0
    return told


def parse_listing(out: str, collection: str) -> list[str]:
    """The paths that `qmd ls COLLECTION` lists, relative to the path of the collection."""
    prefix = f"{collection}/"
    paths: list[str] = []
    for line in out.removesuffix("\n").split("\n"):
        listed = _LISTED.fullmatch(line)
        if listed and listed[1].startswith(prefix):
            paths.append(listed[1].removeprefix(prefix))
        elif paths:
            # A name with a line break goes on.
            paths[-1] += f"\n{line}"
    return paths


def parse_results(text: str, *, encoded: bool = False) -> list[Result]:
    """The results of `qmd query … --format json`, best first; what is not one is left out.

    `encoded` is for the answers of the daemon: it escapes paths with `%`, the command does not.
    """
    # Native libraries may have said something before it.
    start = _DOCUMENT.search(text)
    try:
        found = json.loads(text[start.start() :]) if start else None
    except (ValueError, RecursionError):
        return []
    if isinstance(found, Mapping):
        found = found.get("results")
    if not isinstance(found, list):
        return []
    results = (_result(one, encoded) for one in found if isinstance(one, Mapping))
    return [one for one in results if one is not None]


def parse_embed(out: str, err: str) -> EmbedOutcome:
    """What `qmd embed` said on both streams."""
    said = plain(f"{out}\n{err}")
    embedded = _EMBEDDED.search(said)
    failed = _FAILED.search(said)
    expired = list(_EXPIRED.finditer(said))
    skipped = sum(int(one[1]) for one in expired if one[1])
    tried = max(0, int(failed[1].replace(",", "") or 0) - skipped) if failed else 0
    failures = [one[1].strip() for one in _FAILURE.finditer(said)]
    return EmbedOutcome(
        embedded=int(embedded[1]) if embedded else 0,
        failed=tried,
        failures=tuple(one for one in failures if _OWN_EXPIRY not in one) if tried else (),
        skipped=skipped,
        expired=bool(expired),
        busy=BUSY in said,
        device="cpu" if _ON_CPU in said else "gpu" if embedded and int(embedded[1]) else "",
    )


def parse_device(out: str) -> str | None:
    """Where models run by `qmd doctor`: `cpu`, `cuda`, `metal`, `vulkan`, `gpu`; None: not told."""
    probe = _PROBE.search(out)
    if probe is None:
        return None
    if probe[1] or probe[3] == "disabled":
        return "cpu"
    return probe[2] if probe[2] in _ACCELERATORS else "gpu"


def parse_version(out: str) -> Version | None:
    """The version in `qmd 2.8.3 (facd35e)`."""
    said = _VERSION.match(out.strip())
    return (int(said[1]), int(said[2]), int(said[3])) if said else None


def complaint(out: str, err: str) -> str:
    """The first thing a failed qmd said, as one line that may be shown."""
    for line in plain(f"{err}\n{out}").splitlines():
        shown = "".join(char for char in line if char.isprintable()).strip()
        if shown and not shown.startswith("QMD Warning:"):
            return shown[:300]
    return "it failed without a word"


def plain(text: str) -> str:
    """`text` without the sequences that steer a terminal."""
    return _ESCAPES.sub("", text)


def _result(one: Mapping[str, object], encoded: bool) -> Result | None:
    file = _text(one.get("file"))
    collection, slash, path = file.removeprefix("qmd://").partition("/")
    if not (file.startswith("qmd://") and collection and slash and path):
        return None
    explain = one.get("explain")
    return Result(
        collection=unquote(collection) if encoded else collection,
        path=unquote(path) if encoded else path,
        line=max(1, _whole(one.get("line"))),
        title=_text(one.get("title")),
        score=min(1.0, max(0.0, _number(one.get("score")))),
        context=_text(one.get("context")),
        contributions=_contributions(explain) if isinstance(explain, Mapping) else (),
    )


def _contributions(explain: Mapping[str, object]) -> tuple[Contribution, ...]:
    rrf = explain.get("rrf")
    found = rrf.get("contributions") if isinstance(rrf, Mapping) else None
    return tuple(
        Contribution(
            source=_text(one.get("source")),
            query_type=_text(one.get("queryType")),
            query=_text(one.get("query")),
            rank=max(1, _whole(one.get("rank"))),
            score=min(1.0, max(-1.0, _number(one.get("backendScore")))),
        )
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, Mapping)
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            return 0.0
        return number if math.isfinite(number) else 0.0
    return 0.0


def _whole(value: object) -> int:
    return int(_number(value))

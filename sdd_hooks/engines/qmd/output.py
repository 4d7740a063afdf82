"""Parse qmd's output. It is text for users and untrusted: no parser raises.

tests/engines/qmd/recorded has an example of each format from the real qmd.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Output"

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.text.lazy_regex import lazy_regex

Version = tuple[int, int, int]

EMBED_RUNNING = "Another embed process is already running"
"""Printed by an embed while another one runs."""

QUERY_NOT_EMBEDDED = "Batch embedding error:"
"""On stderr of a query that could not use its embedding model and searched by words alone."""

# Bounded: qmd counts documents, chunks and lines.
_NUMBER = r"(\d{1,15})"

_COLLECTION = lazy_regex(r"\[\d+/\d+\] (\S+)(?: \(.*\))?")
_INDEXED = lazy_regex(
    rf"Indexed: {_NUMBER} new, {_NUMBER} updated, {_NUMBER} unchanged, {_NUMBER} removed"
)
_PENDING = lazy_regex(rf"\s*Pending:\s+{_NUMBER} need embedding\b.*")
_TOTAL = lazy_regex(r"\s*Total:\s+\d+ files indexed")
_LISTED = lazy_regex(r"\s*[\d.]+ [KMG]?B  \w{3} [ \d]\d +\d[\d:]{3,4}  qmd://(.*)", re.DOTALL)
_EMBEDDED = lazy_regex(rf"Embedded {_NUMBER} chunks? from {_NUMBER} documents?")
_FAILED = lazy_regex(r"(?m)^\W*([\d,]{1,19}) chunks? still failed after retries")
_FAILURE = lazy_regex(r"(?m)^  (\S.*#\d+ \(\d+ attempts\): .*)$")
_EXPIRED = lazy_regex(rf"Session expired . skipping (?:{_NUMBER} remaining chunks|remaining)")
_PROBE = lazy_regex(
    r"device probe: (?:running on (CPU)\b|GPU (\w+)[^;]*; offloading (enabled|disabled))"
)
_VERSION = lazy_regex(rf"qmd {_NUMBER}\.{_NUMBER}\.{_NUMBER}\b")
_DOCUMENT = lazy_regex(r"(?m)^[\[{]")
_ESCAPES = lazy_regex(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")

_ON_CPU = "QMD Warning: no GPU acceleration, running on CPU"
_SESSION_EXPIRED = "session expired"

_ACCELERATORS = frozenset({"cuda", "metal", "vulkan"})


@dataclass(frozen=True)
class Contribution:
    """A list that contains a result: its `source` (`fts` or `vec`) and its sub-query.

    `score` is the cosine for `vec` (-1..1) and a normalised BM25 for `fts` (0..1).
    """

    source: str
    query_type: str
    query: str
    score: float


@dataclass(frozen=True)
class QmdResult:
    """One document of a query's results.

    `path` is relative to the directory of the collection, `line` is 1-based. `contributions` are
    empty without `--explain`.
    """

    collection: str
    path: str
    line: int
    context: str
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class EmbedOutput:
    """What one `qmd embed` did, in chunks.

    `failed` chunks were tried, and `failures` has messages about the first of them. A session that
    `expired` left chunks, and may have left whole documents. With `busy`, another process was
    embedding. `device` is `cpu`, `gpu`, or "" if unknown.
    """

    embedded: int
    failed: int
    failures: tuple[str, ...]
    expired: bool
    busy: bool
    device: str


def parse_update(out: str) -> dict[str, Counts]:
    """Parse `qmd update`: what it did to each collection."""
    counts: dict[str, Counts] = {}
    name = None
    for line in out.splitlines():
        if header := _COLLECTION.fullmatch(line):
            name = header[1]
        elif name is not None and (numbers := _INDEXED.fullmatch(line)):
            added, updated, unchanged, removed = map(int, numbers.groups())
            counts[name] = Counts(added, updated, removed, unchanged)
    return counts


def parse_pending(out: str) -> int | None:
    """Parse `qmd status`: how many documents have no vector of the configured model.

    Returns None if the number is missing. `qmd update` counts by qmd's default model instead.
    """
    count = None
    for line in out.splitlines():
        if pending := _PENDING.fullmatch(line):
            return int(pending[1])
        if _TOTAL.fullmatch(line):
            count = 0
    return count


def parse_listing(out: str, collection: str) -> list[str]:
    """Parse `qmd ls COLLECTION`: paths relative to the directory of the collection."""
    prefix = f"{collection}/"
    paths: list[str] = []
    for line in out.removesuffix("\n").split("\n"):
        listed = _LISTED.fullmatch(line)
        if listed and listed[1].startswith(prefix):
            paths.append(listed[1].removeprefix(prefix))
        elif paths:
            # The rest of a name with a line break.
            paths[-1] += f"\n{line}"
    return paths


def parse_results(text: str) -> list[QmdResult]:
    """Parse `qmd query … --format json`: the results, best first. Invalid ones are skipped."""
    results = map(_parse_result, _parse_list(text))
    return [result for result in results if result is not None]


def parse_titles(text: str) -> list[tuple[str, str]]:
    """Parse `qmd multi-get … --format json`: the path of each document relative to the directory
    of the collection, and its title. Invalid ones are skipped."""
    found = ((entry.get("file"), entry.get("title")) for entry in _parse_list(text))
    return [(p, t) for p, t in found if isinstance(p, str) and isinstance(t, str)]


def _parse_list(text: str) -> list[Mapping[str, object]]:
    """The objects of a JSON list, or of the list `results` of an object."""
    # Native libraries may have printed something before the JSON document.
    start = _DOCUMENT.search(text)
    try:
        value = json.loads(text[start.start() :]) if start else None
    except (ValueError, RecursionError):
        return []
    if isinstance(value, Mapping):
        value = value.get("results")
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def parse_embed(out: str, err: str) -> EmbedOutput:
    """Parse both streams of `qmd embed`."""
    output = strip_escapes(f"{out}\n{err}")
    embedded = _EMBEDDED.search(output)
    failed = _FAILED.search(output)
    expired = list(_EXPIRED.finditer(output))
    skipped = sum(int(match[1]) for match in expired if match[1])
    tried = max(0, int(failed[1].replace(",", "") or 0) - skipped) if failed else 0
    failures = [match[1].strip() for match in _FAILURE.finditer(output)]
    return EmbedOutput(
        embedded=int(embedded[1]) if embedded else 0,
        failed=tried,
        failures=tuple(failure for failure in failures if _SESSION_EXPIRED not in failure)
        if tried
        else (),
        expired=bool(expired),
        busy=EMBED_RUNNING in output,
        device="cpu" if _ON_CPU in output else "gpu" if embedded and int(embedded[1]) else "",
    )


def parse_device(out: str) -> str | None:
    """Parse `qmd doctor`: `cpu`, `cuda`, `metal`, `vulkan` or `gpu`; None if missing."""
    probe = _PROBE.search(out)
    if probe is None:
        return None
    if probe[1] or probe[3] == "disabled":
        return "cpu"
    return probe[2] if probe[2] in _ACCELERATORS else "gpu"


def parse_version(out: str) -> Version | None:
    """Parse `qmd --version`, such as `qmd 2.8.3 (facd35e)`."""
    match = _VERSION.match(out.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def first_error_line(out: str, err: str) -> str:
    """Return the first line that a failed qmd printed, safe to show on a terminal."""
    for line in strip_escapes(f"{err}\n{out}").splitlines():
        shown = "".join(char for char in line if char.isprintable()).strip()
        if shown and not shown.startswith("QMD Warning:"):
            return shown[:300]
    return "it printed no error message"


def strip_escapes(text: str) -> str:
    """Remove terminal escape sequences."""
    return _ESCAPES.sub("", text)


def _parse_result(entry: Mapping[str, object]) -> QmdResult | None:
    file = _text(entry.get("file"))
    collection, slash, path = file.removeprefix("qmd://").partition("/")
    if not (file.startswith("qmd://") and collection and slash and path):
        return None
    explain = entry.get("explain")
    return QmdResult(
        collection=collection,
        path=path,
        line=max(1, _whole(entry.get("line"))),
        context=_text(entry.get("context")),
        contributions=_parse_contributions(explain) if isinstance(explain, Mapping) else (),
    )


def _parse_contributions(explain: Mapping[str, object]) -> tuple[Contribution, ...]:
    rrf = explain.get("rrf")
    entries = rrf.get("contributions") if isinstance(rrf, Mapping) else None
    return tuple(
        Contribution(
            source=_text(entry.get("source")),
            query_type=_text(entry.get("queryType")),
            query=_text(entry.get("query")),
            score=min(1.0, max(-1.0, _number(entry.get("backendScore")))),
        )
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, Mapping)
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

"""Read the results of scanners from SARIF 2.1.0, the format that they have in common.

The data are hostile: what is of another type than SARIF says is absent, and paths are only texts
that a caller compares with the files that exist.
"""

# Governing: ADR-0065 (scanners find hazards, and reports take their results),
# ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Results of scanners"

from __future__ import annotations

import json
import math
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sdd_hooks.findings import Severity
from sdd_hooks.review.scans import Family, ScanFile, ScanResult
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.display import format_count, printable_line, shortened
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_BYTES = 64 << 20
"""The size of a file. Forges take a sixth of that, compressed."""
MAX_ID = 70
"""Characters of a name behind its family. A suppression can name them."""
MAX_TOOL = 30
MAX_MESSAGE = 1_500
MAX_URI = 4_096
MAX_BASES = 8
"""Bases of addresses that are relative to each other."""
MAX_LINE = 10**9
MAX_NAMED = 5
"""Errors of a scanner that are named; the others are counted."""

CRITICAL, WARNING = 7.0, 4.0
"""The least `security-severity` of each, as forges divide it: high and critical, medium, low."""

_LEVELS: Mapping[str, Severity] = {"error": "critical", "warning": "warning"}
_TEMPLATE_TAGS = frozenset({"template", "templates"})
_REDACTED = "REDACTED"
_NO_NAME = lazy_regex(r"[^A-Za-z0-9._/-]+")
_SCHEME = lazy_regex(r"([A-Za-z][A-Za-z0-9+.-]+):")
_DRIVE = lazy_regex(r"/?([A-Za-z]:)/")

Object = Mapping[str, Any]


class SarifError(ValueError):
    """The data are no SARIF. The message says why, in words for people."""


def read_scans(files: Sequence[Path], root: Path) -> tuple[ScanFile, ...]:
    """Read files of results about the repository at `root`. Never raises: a problem is a part."""
    return tuple(_read(file, root) for file in dict.fromkeys(files))


def _read(file: Path, root: Path) -> ScanFile:
    name = _name(file, root)
    try:
        data = read_inside(file.parent, file.name, MAX_BYTES)
        return parse_sarif(data, name, (root.as_posix(), Path(os.path.realpath(root)).as_posix()))
    except FileNotFoundError:
        problem = "there is no such file"
    except FileTooLarge:
        problem = f"larger than {MAX_BYTES >> 20} MB"
    except PathRefused as error:
        problem = str(error).rpartition(": ")[2]
    except SarifError as error:
        problem = str(error)
    return ScanFile(name, problems=(problem,))


def _name(file: Path, root: Path) -> str:
    """The path for people: relative to the repository for a file in it."""
    path = os.path.normpath(file)
    inside = os.path.relpath(path, root) if os.path.isabs(path) else path  # noqa: PTH117 (text)
    return path if inside.startswith("..") else Path(inside).as_posix()


def parse_sarif(data: bytes, name: str, roots: Sequence[str]) -> ScanFile:
    """Parse the file that people call `name`. `roots` are the absolute paths of the repository.

    Raises SarifError.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise SarifError("no JSON, or nested too deep") from None
    runs = _object(document).get("runs")
    if not isinstance(runs, list):
        raise SarifError("no SARIF: it has no `runs`")
    version = _text(_object(document).get("version"))
    if not version.startswith("2.1."):
        raise SarifError(f"SARIF of version {shortened(version, 20) or '?'}, and 2.1.0 is read")
    if not runs:
        raise SarifError("it has no run of a scanner")
    parsed = [_Run(_object(run), roots) for run in runs]
    return ScanFile(
        name,
        tuple(result for run in parsed for result in run.results()),
        frozenset(run.tool for run in parsed),
        tuple(problem for run in parsed for problem in run.problems()),
    )


class _Run:
    """A run of a scanner."""

    def __init__(self, run: Object, roots: Sequence[str]) -> None:
        self._run = run
        self._roots = roots
        tool = _object(run.get("tool"))
        driver = _object(tool.get("driver"))
        self.tool = (_slug(_text(driver.get("name"))).lower() or "scanner")[:MAX_TOOL]
        self._driver_rules = _list(driver.get("rules"))
        extensions = _list(tool.get("extensions"))
        self._rules: dict[str, Object] = {}
        for component in (driver, *map(_object, extensions)):
            for rule in map(_object, _list(component.get("rules"))):
                self._rules.setdefault(_text(rule.get("id")), rule)

    def problems(self) -> Iterator[str]:
        """What the run did not look at, or what of it is no SARIF."""
        invocations = [*map(_object, _list(self._run.get("invocations")))]
        results = self._run.get("results", [])
        if any(one.get("executionSuccessful") is False for one in invocations):
            yield f"{self.tool} says that it failed"
        # Such as a rule or a file that it cannot parse.
        errors = [text for one in invocations for text in _errors(one)]
        for text in errors[:MAX_NAMED]:
            yield f"{self.tool} reports an error: {shortened(printable_line(text), 300)}"
        if len(errors) > MAX_NAMED:
            yield f"{self.tool} reports {len(errors) - MAX_NAMED:,} more errors"
        if not isinstance(results, list):
            yield f"a run of {self.tool} without results"
        elif unread := sum(not isinstance(one, dict) for one in results):
            yield f"{format_count(unread, 'result')} of {self.tool} in another form than SARIF's"

    def results(self) -> Iterator[ScanResult]:
        """The results that count: no passed checks, and none that are absent by now."""
        for result in filter(None, map(_object, _list(self._run.get("results")))):
            is_passed = result.get("kind") in ("pass", "notApplicable")
            if not is_passed and result.get("baselineState") != "absent":
                yield self._result(result)

    def _result(self, result: Object) -> ScanResult:
        rule = self._rule(result)
        identifier = _text(result.get("ruleId")) or _text(rule.get("id")) or "result"
        location = next(map(_object, _list(result.get("locations"))), {})
        place = _object(location.get("physicalLocation"))
        region = _object(place.get("region"))
        line = _line(region.get("startLine"))
        uri, base = self._address(_object(place.get("artifactLocation")))
        snippet = _text(_object(region.get("snippet")).get("text"))
        paths = find_paths(uri, base, self._roots)
        return ScanResult(
            _family(result, rule),
            f"{self.tool}/{_slug(identifier)}"[:MAX_ID].rstrip("/.-"),
            _severity(result, rule),
            _message(result, rule) or identifier,
            paths,
            is_outside=bool(uri and not paths),
            line=line,
            last_line=max(line, _line(region.get("endLine"))),
            redacted=snippet if _REDACTED in snippet else "",
            suppressed=_suppressed(result),
        )

    def _rule(self, result: Object) -> Object:
        """The description of the rule of a result; an empty one where there is none."""
        reference = _object(result.get("rule"))
        identifier = _text(result.get("ruleId")) or _text(reference.get("id"))
        # An id may have more parts than that of its rule: `CA1000/1`.
        for named in (identifier, identifier.rpartition("/")[0]):
            if named and named in self._rules:
                return self._rules[named]
        index = result.get("ruleIndex", reference.get("index"))
        return _at(self._driver_rules, index) if not identifier else {}

    def _address(self, location: Object) -> tuple[str, str]:
        """The address of a file, and the base that it is relative to; "" for neither."""
        uri = _text(location.get("uri"))
        if not uri:
            listed = _at(_list(self._run.get("artifacts")), location.get("index"))
            location = _object(listed.get("location"))
            uri = _text(location.get("uri"))
        base = ""
        bases = _object(self._run.get("originalUriBaseIds"))
        name = location.get("uriBaseId")
        for _ in range(MAX_BASES):
            above = _object(bases.get(name)) if isinstance(name, str) else {}
            if part := _text(above.get("uri")):
                base = f"{part.rstrip('/')}/{base}"
            name = above.get("uriBaseId")
        return uri, base


def find_paths(uri: str, base: str, roots: Sequence[str]) -> tuple[str, ...]:
    """The paths in the repository that an address may mean, the likeliest first; () outside of it.

    Some scanners write a path as it is, and some name a directory of a container as the base.
    """
    if not uri or len(uri) > MAX_URI or len(base) > MAX_URI:
        return ()
    found: list[str] = []
    for one, directory in ((unquote(uri, errors="surrogateescape"), unquote(base)), (uri, base)):
        path = _inside(directory + one, roots) if directory and not _is_absolute(one) else ""
        is_elsewhere = not path and _is_absolute(directory)
        if not directory or _is_absolute(one) or is_elsewhere:
            path = _inside(one, roots)
        if path:
            found.append(path)
    return tuple(dict.fromkeys(found))


def _inside(address: str, roots: Sequence[str]) -> str:
    """The path relative to the root of an address, "" outside of it."""
    path = address.replace("\\", "/")
    if scheme := _SCHEME.match(path):
        if scheme[1].lower() != "file":
            return ""
        path = path[scheme.end() :]
        if path.startswith("//"):
            path = "/" + path[2:].partition("/")[2]
    if _DRIVE.match(path):
        path = path.lstrip("/")
    path = posixpath.normpath(path)
    if path.startswith("/") or _DRIVE.match(path):
        path = re.sub(r"^//+", "/", path)
        above = next((root for root in roots if path.startswith(f"{root.rstrip('/')}/")), None)
        return path[len(above.rstrip("/")) + 1 :] if above is not None else ""
    return "" if path == "." or path.split("/")[0] == ".." else path


def _is_absolute(address: str) -> bool:
    path = address.replace("\\", "/")
    return path.startswith("/") or bool(_SCHEME.match(path) or _DRIVE.match(path))


def _errors(invocation: Object) -> Iterator[str]:
    for name in ("toolExecutionNotifications", "toolConfigurationNotifications"):
        for one in map(_object, _list(invocation.get(name))):
            if one.get("level") == "error":
                yield _text(_object(one.get("message")).get("text"))


def _family(result: Object, rule: Object) -> Family:
    tags = [
        tag
        for one in (result, rule)
        for tag in _list(_object(one.get("properties")).get("tags"))
        if isinstance(tag, str)
    ]
    return "template" if any(tag.casefold() in _TEMPLATE_TAGS for tag in tags) else "security"


def _severity(result: Object, rule: Object) -> Severity:
    for one in (result, rule):
        score = _number(_object(one.get("properties")).get("security-severity"))
        if score is not None:
            return "critical" if score >= CRITICAL else "warning" if score >= WARNING else "info"
    default = _object(rule.get("defaultConfiguration")).get("level")
    level = _text(result.get("level")) or _text(default) or "warning"
    return "info" if result.get("kind") == "informational" else _LEVELS.get(level, "info")


def _message(result: Object, rule: Object) -> str:
    """The message of a result in one line: its own, one of its rule, or what its rule is about."""
    message = _object(result.get("message"))
    strings = _object(rule.get("messageStrings"))
    named = _object(strings.get(_text(message.get("id"))))
    texts = (message, named, _object(rule.get("shortDescription")))
    text = next(filter(None, (_text(one.get("text")) for one in texts)), "")
    for number, argument in enumerate(_list(message.get("arguments"))[:9]):
        text = text.replace(f"{{{number}}}", _text(argument))
    return shortened(printable_line(" ".join(text[: 4 * MAX_MESSAGE].split())), MAX_MESSAGE)


def _suppressed(result: Object) -> Any:
    """How a result is suppressed. A suppression that was rejected or is under review is none."""
    suppressions = [*map(_object, _list(result.get("suppressions")))]
    if not suppressions or any(one.get("status", "accepted") != "accepted" for one in suppressions):
        return ""
    in_source = all(one.get("kind") == "inSource" for one in suppressions)
    return "in-source" if in_source else "elsewhere"


def _slug(name: str) -> str:
    """The name with the characters that a suppression can name."""
    return _NO_NAME.sub("-", name[: 2 * MAX_ID]).strip("/.-")


def _object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: object) -> str:
    """The text without halves of characters, "" for another type."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _at(values: Sequence[Any], index: object) -> Object:
    if isinstance(index, int) and 0 <= index < len(values):
        return _object(values[index])
    return {}


def _line(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_LINE:
        return value
    return 0


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None

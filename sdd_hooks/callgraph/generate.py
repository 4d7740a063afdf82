"""Generate a call graph with cgg, if it is installed: the module, otherwise the program.

Nothing here fails a command: whatever goes wrong is a message in place of the graph.
"""

# Governing: SPEC-0017 (call graphs), ADR-0012 (untrusted input), ADR-0030 (a repository starts no
# program)

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.callgraph.analysis import Analysis, AnalysisRequest
from sdd_hooks.callgraph.mermaid import normalize_mermaid
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.git import git_environment
from sdd_hooks.system.processes import Program, find_executable, run_program
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex

DEADLINE_SECONDS = 30.0

DISTRIBUTION = "cgg-callgraphgenerator"
"""The distribution of the module. Another one, called `cgg`, has a module of the same name."""

UNAVAILABLE = (
    "Call graphs unavailable — install cgg with: cargo install cgg\n"
    "or see https://github.com/NeuralNotwerk/cgg"
)
TIMED_OUT = (
    "Call graph generation timed out ({seconds:g}s). The codebase may be very large.\n"
    "Try: /cgg <module/path> --filter <keyword> to narrow the scope."
)
FAILED = "Call graph generation failed: {reason}"
NO_NODES = (
    "No call graph nodes matched the filter. Try broadening your search term or use --unfiltered."
)
UNFILTERED = (
    "Generating unfiltered call graph — output may be large. Use /cgg directly for advanced"
    " scoping."
)
SKIPPED = (
    "Call graph generation skipped for {path} (language not supported by cgg). Showing other"
    " results."
)

STOP_WORDS = frozenset({"the", "a", "an", "for", "with", "of", "in", "and", "or", "to"})

MAX_TOKENS = 24
MAX_TOKEN = 60
"""Characters of a token. A longer one is no name that people give."""

# Directories that contain all code: as tokens they would select the whole graph.
_CONTAINERS = frozenset({"src", "lib", "app", "internal", "pkg", "cmd", "source", "sources"})
_WORD = lazy_regex(r"[^\W_]\w*(?:[-.]\w+)*")

_TIMEOUT_EXIT = 124
"""The exit status of `timeout`, which a wrapper of cgg may use."""
_UNSUPPORTED = lazy_regex(r"warning: unsupported language for (?P<path>.+)")
_MAX_SKIPPED = 20
_MAX_REASON = 300

_PACKAGE = Path(__file__).resolve().parents[2]
# The directory of the package replaces the working directory in `sys.path`.
_PROGRAM = (
    "import sys; sys.path[0] = sys.argv[1];"
    " from sdd_hooks.callgraph.analysis import main; main(sys.argv[2:])"
)


class GraphScope(NamedTuple):
    """What to draw: the code below `target`, a directory of the repository at `root`.

    `matched` are paths of files relative to `root` that the graph is expected to have.
    """

    root: Path
    target: str
    matched: tuple[str, ...] = ()


class CallGraph(NamedTuple):
    """A call graph, or the reason why there is none.

    `filter` is the regular expression, None without one. `lines` are those of a Mermaid flowchart
    with `nodes` nodes. `skipped` are messages about files. `error` is the message in place of the
    graph, "" with a graph; it may have several lines.
    """

    filter: str | None
    lines: tuple[str, ...] = ()
    nodes: int = 0
    skipped: tuple[str, ...] = ()
    error: str = ""


class CallGraphFailed(SddError):
    """The process of cgg could not be started, or did not end well."""


RunCgg = Callable[["GraphScope", "str | None", "Mapping[str, str]", float], "Analysis | None"]
"""Runs cgg for a scope with a regular expression, an environment and a deadline in seconds."""


def generate_call_graph(
    scope: GraphScope,
    regex: str | None,
    environ: Mapping[str, str],
    deadline: float = DEADLINE_SECONDS,
    run: RunCgg | None = None,
) -> CallGraph:
    """Generate the graph of the callables that `regex` matches (None: of all). Raises nothing.

    `deadline` is in seconds. `run` is `run_module` or `run_binary`; None chooses the one that is
    installed.
    """
    started = time.monotonic()
    try:
        run = run or (run_module if has_module() else run_binary)
        analysis = run(scope, regex, environ, deadline)
    except CallGraphFailed as failure:
        is_late = time.monotonic() - started >= deadline
        analysis = Analysis(error=TIMED_OUT if is_late else str(failure))
    if analysis is None:
        return CallGraph(regex, error=UNAVAILABLE)
    skipped = tuple(SKIPPED.format(path=one_line(path)) for path in analysis.unsupported)
    if analysis.error:
        error = TIMED_OUT.format(seconds=deadline)
        if analysis.error != TIMED_OUT:
            error = FAILED.format(reason=one_line(analysis.error)[:_MAX_REASON])
        return CallGraph(regex, skipped=skipped, error=error)
    diagram = normalize_mermaid(analysis.mermaid)
    if diagram.nodes:
        return CallGraph(regex, diagram.lines, diagram.nodes, skipped)
    if skipped and len(skipped) >= len(scope.matched):
        return CallGraph(regex, error="\n".join(skipped))
    return CallGraph(regex, skipped=skipped, error=NO_NODES)


def has_module() -> bool:
    """Whether the module of cgg is installed beside this package. Does not import it."""
    # `importlib.metadata` takes 20 ms, and from Python 3.12 on imports inspect.
    prefix = DISTRIBUTION.replace("-", "_") + "-"
    for directory in sys.path:
        with suppress(OSError), os.scandir(directory or os.curdir) as entries:
            names = (entry.name.lower() for entry in entries)
            if any(name.startswith(prefix) and name.endswith(".dist-info") for name in names):
                return True
    return False


def run_module(
    scope: GraphScope, regex: str | None, environ: Mapping[str, str], deadline: float
) -> Analysis:
    """Run the module in a child process. Raises CallGraphFailed."""
    paths = tuple(str(scope.root / path) for path in scope.matched)
    request = AnalysisRequest(str(scope.root / scope.target), regex or "", paths)
    command = [sys.executable, "-c", _PROGRAM, str(_PACKAGE)]
    program = Program("cgg", command, Path("/"), git_environment(environ), CallGraphFailed)
    stdin = json.dumps(request._asdict()).encode() + b"\n"
    result = run_program(program, deadline, stdin=stdin)
    try:
        answer = json.loads(result.out)
        unsupported = tuple(os.path.relpath(path, scope.root) for path in answer["unsupported"])
        return Analysis(str(answer["mermaid"]), unsupported, str(answer["error"]))
    except (ValueError, TypeError, KeyError):
        raise CallGraphFailed(result.err or f"exit status {result.code}") from None


def run_binary(
    scope: GraphScope, regex: str | None, environ: Mapping[str, str], deadline: float
) -> Analysis | None:
    """Run the program on PATH; None without one. Raises CallGraphFailed."""
    path = find_executable("cgg", environ, outside=scope.root)
    if path is None:
        return None
    # One argument, so that no expression is an option.
    filters = [f"--filter={regex}"] if regex else []
    command = [path, str(scope.root / scope.target), *filters, "-t", "mermaid"]
    program = Program("cgg", command, scope.root, git_environment(environ), CallGraphFailed)
    result = run_program(program, deadline)
    if result.code == _TIMEOUT_EXIT:
        return Analysis(error=TIMED_OUT)
    if result.code:
        return Analysis(error=result.err or f"exit status {result.code}")
    return Analysis(result.out, _unsupported(result.err.splitlines()))


def _unsupported(lines: Sequence[str]) -> tuple[str, ...]:
    found = (match["path"] for line in lines if (match := _UNSUPPORTED.fullmatch(line.strip())))
    return tuple(found)[:_MAX_SKIPPED]


def derive_filter(matches: Iterable[tuple[str, str]], query: str) -> str:
    """Return the alternation of the names of matched code, else of the words of the query.

    It selects the part of a call graph that a search is about. Each match is the path of a file,
    and the symbol or heading in it, which may be "". Names are untrusted: each is escaped, and has
    no character that ends a comment or an argument. "" if nothing has a token.
    """
    names = (token for path, symbol in matches for token in _names(path, symbol))
    return _alternation(names) or keyword_filter(query)


def keyword_filter(query: str) -> str:
    """Return the alternation of the words of a query in lower case, without stop words."""
    return _alternation(word for word in _words(query.lower()) if word not in STOP_WORDS)


def _names(path: str, symbol: str) -> Iterator[str]:
    directory, _, name = path.rpartition("/")
    yield from _words(name.lstrip(".").split(".")[0])
    parent = directory.rpartition("/")[2]
    if parent.lower() not in _CONTAINERS:
        yield from _words(parent)
    yield from (word for word in _words(symbol) if word.lower() not in STOP_WORDS)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(text[:2_000]))


def _alternation(tokens: Iterable[str]) -> str:
    chosen: dict[str, None] = {}
    for token in tokens:
        # A single letter would select nearly everything.
        if 1 < len(token) <= MAX_TOKEN and len(chosen) < MAX_TOKENS:
            chosen[token] = None
    return "|".join(map(re.escape, chosen))

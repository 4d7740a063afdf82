"""The child process that runs the module `cgg`: one request on stdin, one answer on stdout.

A separate process has a deadline, and a crash of the native code ends no command.
"""

# Governing: SPEC-0017 REQ "A child process", ADR-0038 (call graphs come from a child process)

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdd_hooks.named_tuple import NamedTuple


class AnalysisRequest(NamedTuple):
    """What to analyse: a directory, a regular expression ("": all), and the paths of matched files.

    Paths are absolute.
    """

    target: str
    filter: str
    matched: tuple[str, ...] = ()


class Analysis(NamedTuple):
    """A flowchart in Mermaid, the matched paths whose language cgg does not know, or an error."""

    mermaid: str = ""
    unsupported: tuple[str, ...] = ()
    error: str = ""


def analyze(request: AnalysisRequest) -> Analysis:
    """Run cgg in this process. Raises nothing."""
    try:
        import cgg

        filters = [request.filter] if request.filter else None
        graph = cgg.analyze(request.target, filter=filters)
        unsupported = tuple(path for path in request.matched if _is_unsupported(cgg, path))
        return Analysis(graph.to_mermaid(), unsupported)
    # The native module raises exceptions of any class, among them those of panics.
    except BaseException as error:
        return Analysis(error=str(error) or type(error).__name__)


def _is_unsupported(cgg: Any, path: str) -> bool:
    """Whether cgg analyses nothing in a file that exists, tests included."""
    return Path(path).is_file() and not cgg.analyze(path, include_tests=True).files


def main(_arguments: Sequence[str]) -> None:
    """Run the child process."""
    # What native code prints is no part of the answer.
    output = os.dup(1)
    os.dup2(2, 1)
    request = AnalysisRequest(**json.loads(sys.stdin.buffer.readline()))
    answer = json.dumps(analyze(request)._asdict()).encode()
    with open(output, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
        file.write(answer)
    # Threads of the analysis end with the process.
    os._exit(0)

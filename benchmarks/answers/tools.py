"""What sdd, qmd and a search for words with context show, and the lines of their excerpts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.qmd_side import Qmd
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.scores import MIDDLE
from sdd_hooks.text.prose import split_sentences
from sdd_hooks.usecases.reading.search import SearchRequest, search

FOLDER = "docs"
"""Where the records are below the top of the corpus of qmd and grep."""
CONTEXT = 2
"""Lines above and below a line that holds a word."""
GREP = ("rg", "--no-ignore") if shutil.which("rg") else ("git", "grep", "--no-index")
MAX_SENTENCES = 3
"""An excerpt with more sentences has to be read like a record."""
_SNIPPET = re.compile(r"^@@ -(\d+),(\d+) @@")
_WORD = re.compile(r"[\u30a0-\u9fff]{2,}|[^\W\u3040-\u9fff]{4,}")
_TARGET = re.compile(r"\]\([^()\s]*\)")
_LEAST = 24  # Letters of a piece that is searched for by its halves, if not found as a whole.


class Shown(NamedTuple):
    """A record that is shown, and the lines of its excerpt; `is_weak` for a doubtful one."""

    path: str
    lines: frozenset[int]
    excerpt: str
    is_weak: bool = False


def ask_sdd(project: Project, text: str) -> Iterator[Shown]:
    """Yield the decisions and specifications of `sdd search`, best first."""
    found = search(project, SearchRequest(text, RECORD_KINDS), time.time())
    hits = [one.hit for group in found.report.groups for one in group.hits]
    for hit in sorted(hits, key=lambda hit: -hit.score):
        content = (project.repository.root / hit.path).read_text("utf-8", "replace")
        lines = excerpt_lines(content, hit.snippet, hit.first_line)
        yield Shown(hit.path, lines, hit.snippet, hit.score < MIDDLE)


def ask_qmd(qmd: Qmd, command: str, text: str) -> Iterator[Shown]:
    """Yield what `qmd search` or `qmd query` prints: its files with its snippets, best first."""
    searched = [text] if command == "search" else [f"lex: {text}\nvec: {text}", "--no-rerank"]
    for one in json.loads(qmd.run(command, *searched, "--json") or "[]"):
        [(first, count)] = _SNIPPET.findall(one["snippet"])
        lines = frozenset(range(int(first), int(first) + int(count)))
        yield Shown(one["file"].partition(f"/{FOLDER}/")[2], lines, one["snippet"])


def ask_grep(corpus: Path, text: str) -> list[Shown]:
    """Return of each file the line with most of the words, in its context, best first."""
    words = set(_WORD.findall(text.lower())) or {text}
    patterns = [part for word in sorted(words) for part in ("-e", word)]
    command = (*GREP, "-n", "-i", "-F", "--heading", *patterns, FOLDER)
    done = subprocess.run(command, cwd=corpus, capture_output=True, check=False)
    shown = [*_matches(done.stdout.decode("utf-8", "replace"))]
    ranked = sorted(shown, key=lambda one: -sum(word in one.excerpt.lower() for word in words))
    best = {one.path: one for one in ranked[::-1]}
    return sorted(best.values(), key=ranked.index)


def _matches(output: str) -> Iterator[Shown]:
    path = ""
    for line in output.split("\n"):
        number, _, text = line.partition(":")
        if number.isdecimal():
            lines = range(int(number) - CONTEXT, int(number) + CONTEXT + 1)
            yield Shown(path, frozenset(lines), text)
        elif line:
            path = line.removeprefix(f"{FOLDER}/")


def excerpt_lines(text: str, excerpt: str, first_line: int = 1) -> frozenset[int]:
    """Return the lines of a Markdown text from which the sentences of an excerpt come.

    Marks, links and the case may differ. A sentence that occurs twice is that from `first_line` on.
    No line for an excerpt of more than MAX_SENTENCES.
    """
    sentences = [one for part in excerpt.split("…") for one in split_sentences(part.strip())]
    if len(sentences) > MAX_SENTENCES:
        return frozenset()
    lines = [_letters(_TARGET.sub("]", line)) for line in text.splitlines()]
    numbers = [at for at, line in enumerate(lines, 1) for _ in line]
    start = sum(map(len, lines[: first_line - 1]))
    whole = "".join(lines)
    found = (at for one in sentences for at in _places(whole, _letters(one), start))
    return frozenset(numbers[at] for at in found)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _places(whole: str, piece: str, start: int) -> Iterator[int]:
    """Yield the places of the letters of `piece`, where need be of its halves."""
    if (at := whole.find(piece, start)) >= 0 or (at := whole.find(piece)) >= 0:
        yield from range(at, at + len(piece))
    elif len(piece) >= _LEAST:
        for half in (piece[: len(piece) // 2], piece[len(piece) // 2 :]):
            yield from _places(whole, half, start)

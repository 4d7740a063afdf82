"""A repository with code, a history and decision records, and changes of many sizes to review."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from benchmarks.corpus import SEED, create_repository, sentences, vocabulary
from benchmarks.process import Run, run
from benchmarks.sdd import COMMAND, Sdd
from benchmarks.workbench import Workbench

SOURCES = 1_000
COMMITS = 500
STAGED = 10
FILE_BYTES = 100_000
"""Size of a file of the large change."""

BEFORE_EDIT = ("agent", "hook", "claude", "before")

# What `main` is before this import.
_ON_DISK = "refs/heads/main^0"
_FUNCTIONS = 12
_TOUCHED = 3


@dataclass(frozen=True)
class Reviewed:
    """The repository. `main` is checked out, with some files staged.

    `usual`, `wide` and `large` are branches, and here how many files each changes.
    """

    sdd: Sdd
    usual: int
    wide: int
    large: int
    sources: Sequence[str] = ()

    def review(self, branch: str) -> Run:
        """The whole review of a branch, as JSON."""
        return self._run(COMMAND, "review", "--base", "main", "--head", branch, "--json")

    def first_review(self, branch: str) -> Run:
        """The same without a cache, in a repository that is set up."""
        self.sdd.forget()
        (self.sdd.root / ".sdd").mkdir()
        return self.review(branch)

    def check(self) -> Run:
        """The hook that applies the rules to what is staged."""
        return self._run(COMMAND, "hook", "check", "--fail-on", "never")

    def check_file(self, number: int) -> Run:
        """`sdd check` of a source file, with an index that is fresh."""
        return self._run(COMMAND, "check", self.sources[number % len(self.sources)], "--json")

    def prepare_agents(self) -> None:
        """Write the table that the hooks of agents read, which otherwise a background process
        makes."""
        from sdd_hooks.project.project import load_project
        from sdd_hooks.usecases.agents.prepare import prepare_table

        prepare_table(load_project(self.sdd.root, os.environ))

    def before_edit(self, number: int) -> Run:
        """The hook of an agent that is about to write a file that no decision governs."""
        command = (COMMAND, *BEFORE_EDIT)
        return run(command, self.sdd.root, self.sdd.environ, self.edit(number))

    def edit(self, number: int) -> bytes:
        """What an agent passes to that hook; each number is another session."""
        content = "0.1 0.2 0.3\n" * 20
        event = {
            "session_id": f"session-{number}",
            "cwd": str(self.sdd.root),
            "tool_name": "Write",
            "tool_input": {"file_path": str(self.sdd.root / "figures.txt"), "content": content},
        }
        return json.dumps(event).encode()

    def diff(self, *what: str) -> Run:
        """The output of git for the same change."""
        return self._run("git", "diff", "--unified=0", *what)

    def _run(self, *command: str) -> Run:
        return run(command, self.sdd.root, self.sdd.environ)


def reviewed(bench: Workbench, name: str = "review") -> Reviewed:
    """Create such a repository for the measure `name`. The same sizes yield the same bytes."""
    sdd, sizes = bench.sdd(f"reviewed-{name}"), bench.sizes
    pool = sentences()
    records = create_repository(sdd.root, sizes.records, sdd.environ, pool=pool)
    writer = _Writer(pool, records)
    large = sizes.large_change // FILE_BYTES
    stream = [
        *writer.history(),
        *_commit("usual", "Change the usual", writer.edits(sizes.usual_change)),
        *_commit("wide", "Change much", writer.additions("wide", sizes.wide_change)),
        *_commit("large", "Add what is large", writer.large(large)),
    ]
    git = ["git", "-C", str(sdd.root)]
    imported = [*git, "fast-import", "--quiet", "--force"]
    subprocess.run(imported, env=dict(sdd.environ), input=b"".join(stream), check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard"], env=dict(sdd.environ), check=True)
    (sdd.root / ".git/info/exclude").write_text(".sdd/\n")
    for path, text in islice(writer.edits(SOURCES), 0, SOURCES, SOURCES // STAGED):
        (sdd.root / path).write_bytes(text)
    subprocess.run([*git, "add", "--all"], env=dict(sdd.environ), check=True)
    return Reviewed(sdd, sizes.usual_change, sizes.wide_change, large, writer.paths)


class _Writer:
    """Writes sources whose words are those of the records."""

    def __init__(self, pool: Sequence[str], records: Sequence[str]) -> None:
        self._chance = random.Random(SEED)
        self._pool = pool
        self._names = vocabulary()[200:2_200]
        self._ids = [path.rpartition("/")[2][:10] for path in records]
        self.paths = [f"src/{self._names[at % 40]}/{self._names[at]}.py" for at in range(SOURCES)]
        self._texts = {path: self._source() for path in self.paths}

    def history(self) -> Iterator[bytes]:
        """The sources on `main`, and commits that each touch a few and name a record."""
        yield from _commit("main", "Write every source", self._encoded(self.paths), _ON_DISK)
        for _ in range(COMMITS):
            paths = self._chance.sample(self.paths, _TOUCHED)
            for path in paths:
                self._texts[path] += self._function()
            refs = f"\n\nRefs: {self._chance.choice(self._ids)}"
            yield from _commit("main", self._sentence() + refs, self._encoded(paths), "")

    def edits(self, count: int) -> Iterator[tuple[str, bytes]]:
        """That many sources with one more function."""
        for path in self.paths[:count]:
            yield path, (self._texts[path] + self._function()).encode()

    def additions(self, folder: str, count: int) -> Iterator[tuple[str, bytes]]:
        """That many new sources."""
        for number in range(count):
            yield f"{folder}/{number % 50:02}/{number:05}.py", self._source().encode()

    def large(self, count: int) -> Iterator[tuple[str, bytes]]:
        """That many large new files of prose."""
        for number in range(count):
            lines = self._chance.choices(self._pool, k=FILE_BYTES // 80)
            text = "\n".join(lines).encode()
            yield f"large/{number:05}.txt", text.ljust(FILE_BYTES, b".") + b"\n"

    def _encoded(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, self._texts[path].encode()

    def _source(self) -> str:
        record = self._chance.choice(self._ids)
        comment = f"# Governing: {record} ({self._sentence()[:40]})\n\n"
        head = comment if self._chance.random() < 0.1 else ""
        imports = "".join(f"import {name}\n" for name in self._chance.sample(self._names, 3))
        return head + imports + "".join(self._function() for _ in range(_FUNCTIONS))

    def _function(self) -> str:
        first, second, third, fourth = self._chance.sample(self._names, 4)
        return (
            f'\n\ndef {first}_{second}({third}):\n    """{self._sentence()}"""\n'
            f"    {fourth} = {first}.{fourth}({third})\n    return {fourth}\n"
        )

    def _sentence(self) -> str:
        return self._chance.choice(self._pool)


def _commit(
    branch: str, message: str, files: Iterator[tuple[str, bytes]], parent: str = "refs/heads/main"
) -> Iterator[bytes]:
    """A commit on `branch`, as `git fast-import` reads it. No parent: the last one on it."""
    said = message.encode()
    yield b"commit refs/heads/%s\ncommitter A <a@example.org> 0 +0000\n" % branch.encode()
    yield b"data %d\n%s\n" % (len(said), said)
    yield b"from %s\n" % parent.encode() if parent else b""
    for path, data in files:
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)

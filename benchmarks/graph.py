"""A repository with many artifacts, edges and source files, and questions about its graph."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.corpus import RECORD_BYTES, SEED, records, sentences
from benchmarks.process import Run, run
from benchmarks.sdd import COMMAND, Sdd
from benchmarks.workbench import Workbench

CITING = 10
"""One source file of so many has a governing comment."""
SOURCE_BYTES = 4_000
SPECS = 5
"""One artifact of so many is a specification."""
QUESTION = ("graph", "impact", "ADR-0001")
AUDIT = ("audit", "--json")


@dataclass(frozen=True)
class Graphed:
    """The repository, with the numbers of artifacts and source files."""

    sdd: Sdd
    artifacts: int
    sources: int

    def ask(self) -> Run:
        """All that depends on the first decision, which is nearly everything."""
        return run((COMMAND, *QUESTION), self.sdd.root, self.sdd.environ)

    def audit(self) -> Run:
        """`sdd audit` of everything, with an index that is fresh."""
        return run((COMMAND, *AUDIT), self.sdd.root, self.sdd.environ)

    def first_answer(self) -> Run:
        """The same without what earlier answers kept, in a repository that is set up."""
        self.sdd.forget()
        (self.sdd.root / ".sdd").mkdir()
        return self.ask()


def graphed(bench: Workbench) -> Graphed:
    """The repository of the questions."""
    return create(bench.sdd("graphed"), bench.sizes.artifacts, bench.sizes.sources)


def audited(bench: Workbench) -> Graphed:
    """The repository of an audit, with its index."""
    sizes = bench.sizes
    found = create(bench.sdd("audited"), sizes.records, sizes.audited - sizes.records)
    found.sdd.first_index()
    return found


def create(sdd: Sdd, artifacts: int, sources: int) -> Graphed:
    """Create such a repository. The same sizes yield the same bytes."""
    sdd.root.mkdir(parents=True)
    git = ("git", "-C", str(sdd.root))
    subprocess.run([*git, "init", "--quiet", "-b", "main"], env=dict(sdd.environ), check=True)
    stream = b"".join(_stream(artifacts, sources))
    imported = [*git, "fast-import", "--quiet"]
    subprocess.run(imported, env=dict(sdd.environ), input=stream, check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard"], env=dict(sdd.environ), check=True)
    (sdd.root / ".git/info/exclude").write_text(".sdd/\n")
    return Graphed(sdd, artifacts, sources)


def _stream(artifacts: int, sources: int) -> Iterator[bytes]:
    """One commit, as `git fast-import` reads it."""
    yield b"commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\ndata 0\n"
    for path, text in (*_artifacts(artifacts), *_sources(sources, artifacts)):
        data = text.encode()
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)


def _artifacts(count: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(SEED)
    specs = count // SPECS
    for number, record in enumerate(records(count), 1):
        body = record.text.partition("\n## ")[2]
        if number <= count - specs:
            earlier = {chance.randint(1, number - 1) for _ in range(2)} if number > 2 else set()
            edges = ", ".join(f"ADR-{one:04d}" for one in sorted(earlier))
            name = f"ADR-{number:04d}"
            path = f"docs/adrs/{name}-x.md"
            matter = f"status: accepted\nextends: [{edges}]"
        else:
            own = number - (count - specs)
            name = f"SPEC-{own:04d}"
            path = f"docs/openspec/specs/c{own}/spec.md"
            matter = f"status: approved\nimplements: [ADR-{own:04d}]"
        yield path, f"---\n{matter}\n---\n\n# {name}: Title {number}\n\n## {body[:RECORD_BYTES]}\n"


def _sources(count: int, artifacts: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(SEED)
    decisions = artifacts - artifacts // SPECS
    pool = sentences()
    text = "\n".join(f"# {sentence}" for sentence in chance.sample(pool, 200))[:SOURCE_BYTES]
    for number in range(count):
        cited = chance.randint(1, decisions)
        comment = f"# Governing: ADR-{cited:04d} (why)\n" if number % CITING == 0 else ""
        path = f"src/m{number // 100:03d}/f{number}.py"
        yield path, f"{comment}class Store{number}:  # implements {number}\n{text}\n"

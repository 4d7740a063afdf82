"""Clones of one bare repository on several machines, each with an index and the same tiny model."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw

from sdd_hooks.engines.protocol import EmbedReport, Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.options import SharingOptions
from sdd_hooks.sharing.pull import PullOutcome, pull
from sdd_hooks.sharing.push import DEFAULT_BACKOFF, PushBackoff, PushOutcome, push
from sdd_hooks.sharing.vector_ref import vector_ref_name
from tests.support.models import WORDS, make_model
from tests.support.repos import Repo

Result = TypeVar("Result")

MEMORY = """\
### SDD Configuration

#### Search

- **Embed Model**: {model}
- **Vector Storage**: {storage}
- **Share Vectors**: {share}
"""


def decisions(*numbers: int) -> dict[str, str]:
    """Decisions of one chunk each, whose texts have different vectors."""
    words = WORDS[2:]
    return {
        f"docs/adrs/ADR-{n:04}-x.md": f"# ADR-{n:04}: {words[n % 6]} {n}\n\n"
        + " ".join(words[n * step % 6] for step in range(1, 5))
        + "\n"
        for n in numbers
    }


@dataclass(frozen=True)
class Laptop:
    """A clone with an index, and the operations that tests run in it."""

    repo: Repo

    @property
    def project(self) -> Project:
        return self.repo.project()

    def on_engine(self, act: Callable[[Project, Engine], Result]) -> Result:
        """The result of `act` with the project and its open engine."""
        project = self.project
        with closing(open_engine(project)) as engine:
            return act(project, engine)

    def write(self, *numbers: int) -> None:
        """Write decisions and refresh the index."""
        for path, text in decisions(*numbers).items():
            self.repo.write(path, text)
        self.index()

    def index(self) -> None:
        """Refresh the index of decisions."""
        project = self.project
        refresh(project, collections=project.select(("adrs",)))

    def embed(self) -> EmbedReport:
        """Embed each chunk without a vector."""
        return self.on_engine(lambda _, engine: engine.embed())

    def push(self, backoff: PushBackoff = DEFAULT_BACKOFF, **options: Any) -> PushOutcome:
        """Push vectors, with these `SharingOptions`."""
        sharing = SharingOptions(**options)
        return self.on_engine(
            lambda project, engine: push(project, engine, sharing, backoff=backoff)
        )

    def pull(self, **options: Any) -> PullOutcome:
        """Pull vectors, with these `SharingOptions`."""
        sharing = SharingOptions(**options)
        return self.on_engine(lambda project, engine: pull(project, engine, sharing))

    def write_and_push(self, *numbers: int) -> PushOutcome:
        """Write decisions, embed and push them."""
        self.write(*numbers)
        self.embed()
        return self.push()

    @property
    def pending(self) -> int:
        """How many chunks have no vector."""
        return self.on_engine(lambda _, engine: engine.coverage().pending)

    @property
    def ref(self) -> str:
        """The name of the ref for the vectors of its model."""
        return self.on_engine(
            lambda _, engine: vector_ref_name(self._exchange(engine).model, "int8")
        )

    @property
    def vectors(self) -> dict[bytes, bytes]:
        """Every vector of the store, by key."""
        with closing(apsw.Connection(str(self.store), flags=apsw.SQLITE_OPEN_READONLY)) as store:
            return dict(store.execute("SELECT hash, vector FROM vectors"))

    @property
    def store(self) -> Path:
        """The database of vectors."""
        return self.repo.root / ".git/sdd/vectors.db"

    @property
    def share(self) -> Path:
        """The directory of fetched and pushed segments."""
        return self.repo.root / ".git/sdd/share"

    @staticmethod
    def _exchange(engine: Engine) -> Any:
        return engine.exchange()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class SharedRemote:
    """A bare repository with one commit, and the folder of its clones."""

    repo: Repo
    folder: Path

    @classmethod
    def make(cls, folder: Path, *, share: str = "false", storage: str = "int8") -> SharedRemote:
        """Create the remote in `folder`, with a model beside it."""
        model = make_model(folder / "model")
        bare = Repo.init(folder / "hub.git", "--bare")
        first = Repo.init(folder / "first")
        memory = MEMORY.format(model=model, storage=storage, share=share)
        first.commit("Start", {"CLAUDE.md": memory, ".gitignore": ".sdd/\n", **decisions(1, 2)})
        first.git("push", "--quiet", str(bare.root), "main")
        shutil.rmtree(first.root)
        return cls(bare, folder)

    def laptop(self, name: str, *options: str) -> Laptop:
        """A clone, created with these options, whose decisions are indexed."""
        root = self.folder / name
        self.repo.git(
            "clone", "--quiet", "-b", "main", *options, self.repo.root.as_uri(), str(root)
        )
        laptop = Laptop(Repo(root))
        laptop.index()
        return laptop

    def refs(self) -> dict[str, str]:
        """The refs of vectors, each with its commit."""
        listed = self.repo.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/sdd")
        return dict(line.split(" ") for line in listed.splitlines())

    def entries(self, ref: str) -> list[str]:
        """The names in the tree of a ref."""
        return self.repo.git("ls-tree", "--name-only", ref).split()

    def put(self, ref: str, entries: Sequence[tuple[str, str, bytes]]) -> str:
        """Move the ref to a new commit of these entries (mode, name, content). Returns its id."""
        lines = []
        for mode, name, content in entries:
            args = ("hash-object", "-w", "--stdin")
            blob = self.repo.run(*args, stdin=content).stdout.decode().strip()
            kind = {"160000": "commit", "040000": "tree"}.get(mode, "blob")
            if kind != "blob":
                blob = self.repo.git("rev-parse", f"main^{{{kind}}}")
            lines.append(f"{mode} {kind} {blob}\t{name}\0".encode())
        done = self.repo.run("mktree", "-z", "--missing", stdin=b"".join(lines))
        assert done.returncode == 0, done.stderr
        commit = self.repo.git("commit-tree", done.stdout.decode().strip(), "-m", "x")
        self.repo.git("update-ref", ref, commit)
        return commit

"""Run qmd on one repository's own index, whatever the user's environment and the repository say."""

# Governing: ADR-0012 (untrusted input), ADR-0014 (the qmd engine), SPEC-0006 REQ "Deadlines"

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.engines.qmd.group import ProgramResult, finish
from sdd_hooks.engines.qmd.installation import Installation, inherited
from sdd_hooks.project.repository import Repository

__all__ = ["CONTEXT_SIZE", "Place", "ProgramResult", "command", "environment", "place_of", "run"]

CONTEXT_SIZE = "500"
"""Tokens of a chunk that are embedded. A BERT model aborts the process above its own 512."""


@dataclass(frozen=True)
class Place:
    """One repository's index: `root` is the top of the work tree, `directory` qmd's own."""

    root: Path
    directory: Path

    @property
    def config(self) -> Path:
        """The file that declares the collections and the models."""
        return self.directory / "index.yml"

    @property
    def database(self) -> Path:
        """The index itself."""
        return self.directory / "index.sqlite"


def place_of(repository: Repository) -> Place:
    """Where the index of a repository's work tree is."""
    return Place(repository.root, repository.search_dir / "qmd")


def run(
    qmd: Installation,
    place: Place,
    *args: str,
    deadline: float,
    environ: Mapping[str, str],
    on_line: Callable[[str], None] | None = None,
) -> ProgramResult:
    """`qmd args` on the index of `place`, for at most `deadline` seconds.

    `on_line` is called with every line as it comes, of either stream. An exit status that is not 0
    is the caller's to judge. Raises EngineUnavailable when qmd cannot be started, does not end in
    time (it and all it started are ended then), or says more than anybody reads.
    """
    return finish(
        f"qmd {args[0]}",
        command(qmd, *args),
        place.root,
        environment(qmd, place, environ),
        deadline,
        on_line,
    )


def command(qmd: Installation, *args: str) -> list[str]:
    """The command line of `qmd args`.

    The index is named: else a `.qmd/index.yml` in the repository, which anybody may have committed,
    would take the place of ours.
    """
    return [qmd.command, "--index", "index", *args]


def environment(qmd: Installation, place: Place, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment in which qmd uses the index of `place` and nothing else."""
    return {
        **inherited(qmd.command, environ),
        "INDEX_PATH": str(place.database),
        "PWD": str(place.root),
        "QMD_CONFIG_DIR": str(place.directory),
        "QMD_EMBED_CONTEXT_SIZE": CONTEXT_SIZE,
    }

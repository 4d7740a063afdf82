"""`update` and `embed` on a runner, with a real model, a real remote and real programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.upkeep import embed, find_gpu, update
from tests.support.models import make_model
from tests.support.repos import Repo, only_git

SETTINGS = "## SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n"
SHARES = "- **Share Vectors**: true\n"
DECISION = "# ADR-0001: Tokens\n\n## Decision Outcome\n\nEach user has a token.\n"
NO_GPU = "embedded on a CPU: no GPU was found"


@dataclass
class Runners:
    """A remote, and fresh clones of it, as on runners."""

    folder: Path
    remote: Repo
    settings: str

    def clone(self, settings: str = "") -> Repo:
        """A clone on another runner, with another configuration if given."""
        root = self.folder / f"runner{len(list(self.folder.glob('runner*')))}"
        self.remote.git("clone", "--quiet", str(self.remote.root), str(root))
        repo = Repo(root)
        repo.write("CLAUDE.md", settings or self.settings)
        return repo


@pytest.fixture
def runners(tmp_path: Path) -> Iterator[Runners]:
    model = make_model(tmp_path / "model") and tmp_path / "model"
    seed = Repo.init(tmp_path / "seed")
    settings = SETTINGS.format(model=model) + SHARES
    files = {"docs/adrs/ADR-0001-x.md": DECISION, "CLAUDE.md": settings, ".gitignore": ".sdd/\n"}
    seed.commit("Start", files)
    remote = Repo(tmp_path / "remote.git")
    seed.git("clone", "--quiet", "--bare", str(seed.root), str(remote.root))
    return Runners(tmp_path, remote, settings)


def ran(repo: Repo, environ: Mapping[str, str] | None = None) -> CommandResult:
    path = only_git(repo.root.with_name(f"{repo.root.name}-programs"))
    more = environ or {}
    found = {**os.environ, **more, "PATH": f"{more.get('PATH', '')}:{path}".lstrip(":")}
    return embed(repo.project(found), {}, lambda _step, _done, _total: True)


def test_an_update_creates_and_refreshes_the_index(runners: Runners) -> None:
    repo = runners.clone()
    project = repo.project()
    first, again = (update(project, {}, lambda *_: True) for _ in range(2))
    assert (first.log, again.log) == (("documents: 1 added",), ("documents: none changed",))
    repo.write("docs/adrs/ADR-0002-x.md", "# ADR-0002: Caches\n")
    repo.remove("docs/adrs/ADR-0001-x.md")
    assert update(project, {}, lambda *_: True).log == ("documents: 1 added, 1 removed",)


def test_one_runner_embeds_and_the_next_one_pulls(runners: Runners) -> None:
    first = ran(runners.clone())
    embedded = int(first.outputs["chunks-embedded"])
    assert embedded > 0
    assert first.outputs["device"] == "cpu"
    assert (first.notes, first.errors, first.exit_code) == ((NO_GPU,), (), 0)
    assert first.log[1] == "pulled 0 vectors of 0 on origin"
    assert first.log[3] == f"pushed {embedded} vectors: origin has {embedded}"

    second = ran(runners.clone())
    assert second.outputs == {"chunks-embedded": "0", "device": "cpu"}
    assert second.log[1] == f"pulled {embedded} vectors of {embedded} on origin"
    assert second.log[3] == f"pushed 0 vectors: origin has {embedded}"
    assert second.notes == ()


def test_vectors_are_pushed_only_if_they_are_shared(runners: Runners) -> None:
    done = ran(runners.clone(runners.settings.removesuffix(SHARES)))
    assert done.outputs["chunks-embedded"] != "0"
    assert "refs/sdd" not in runners.remote.git("for-each-ref")


def test_a_missing_remote_fails_the_push_alone(runners: Runners) -> None:
    repo = runners.clone()
    repo.git("remote", "set-url", "origin", str(runners.folder / "nothing"))
    done = ran(repo)
    assert done.outputs["chunks-embedded"] != "0"
    assert done.notes[0].startswith("no vectors were pulled: ")
    (error,) = done.errors
    assert error.startswith("the vectors were not pushed: ")
    assert done.exit_code == 8


def test_a_missing_model_is_an_error(runners: Runners) -> None:
    gone = SETTINGS.format(model="/nowhere")
    for settings in (gone, gone + SHARES):
        done = ran(runners.clone(settings))
        (error,) = done.errors
        assert error.startswith("/nowhere is not a model")
        assert (done.outputs, done.exit_code) == ({}, 6)
        # The log has the work before the failure.
        assert done.log[0] == "documents: 1 added"


def program(folder: Path, text: str) -> dict[str, str]:
    """The variables with which `nvidia-smi` is a script with this text."""
    folder.mkdir(parents=True)
    (folder / "nvidia-smi").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "nvidia-smi").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("echo 'NVIDIA H100'; echo 'NVIDIA T4'", "NVIDIA H100"),
        ("printf 'a\\033[31mb\\n'", "a\\x1b[31mb"),
        ("echo NVIDIA-SMI has failed; exit 9", ""),
        ("exit 0", ""),
    ],
)
def test_the_name_of_the_gpu(tmp_path: Path, text: str, name: str) -> None:
    assert find_gpu(program(tmp_path / "bin", text), tmp_path / "repo") == name


def test_a_program_of_the_repository_is_not_run(tmp_path: Path) -> None:
    assert find_gpu(program(tmp_path / "bin", "echo me"), tmp_path) == ""
    assert find_gpu({}, tmp_path) == ""


def test_a_note_names_an_unused_gpu(runners: Runners) -> None:
    done = ran(runners.clone(), program(runners.folder / "bin", "echo 'NVIDIA H100'"))
    assert done.notes == (
        "embedded on a CPU, though there is a GPU (NVIDIA H100): the model, or how it is"
        " installed, does not use it",
    )

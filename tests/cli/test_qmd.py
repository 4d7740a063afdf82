"""Preflight and doctor with the qmd engine, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import FILES, one_line, run
from tests.cli.test_init import FOUND, everything
from tests.engines.qmd.fakes import environment, program
from tests.engines.qmd.test_installation import NOT_FOUND
from tests.support.qmd import RealQmd
from tests.support.repos import Repo

CHOSEN = "### SDD Configuration\n\n#### Search\n\n- **Engine**: qmd\n"
TO_DOWNLOAD = "note: the first `sdd index embed` downloads models of about 2 GB, once\n"


@pytest.fixture
def chosen(repo: Repo) -> Repo:
    """A repository that chose qmd."""
    repo.commit("Start", {**FILES, "CLAUDE.md": CHOSEN})
    return repo


@pytest.fixture
def without(tmp_path: Path) -> dict[str, str]:
    """An environment without qmd."""
    return environment(tmp_path)


@pytest.fixture
def standing_in(tmp_path: Path) -> dict[str, str]:
    """An environment with a qmd that only prints its version."""
    qmd = program(tmp_path / "bin/qmd", "case $1 in --version) echo qmd 2.8.3;; *) exit 1;; esac")
    return environment(tmp_path, qmd.parent)


@pytest.fixture
def indexed(repo: Repo, real_qmd: RealQmd) -> Repo:
    """A repository that the real qmd has indexed."""
    model = f"- **Embed Model**: {real_qmd.model}\n"
    repo.commit("Start", {**FILES, "CLAUDE.md": CHOSEN + model})
    done = run(repo.root, "index", "add", env=real_qmd.environ)
    assert done.code == 0, done
    return repo


def test_init_without_qmd_says_how_to_install_it_and_changes_nothing(
    chosen: Repo, without: dict[str, str]
) -> None:
    before = everything(chosen.root)
    for options in ((), ("--yes",), ("--yes", "--no-hooks")):
        assert one_line(run(chosen.root, "init", *options, env=without), 6) == NOT_FOUND
    failed = run(chosen.root, "init", "--json", env=without)
    assert (failed.code, json.loads(failed.out)["error"]["code"]) == (6, "engine")
    assert everything(chosen.root) == before


def test_init_with_an_older_qmd(chosen: Repo, tmp_path: Path) -> None:
    qmd = program(tmp_path / "bin/qmd", "echo qmd 2.7.0")
    before = everything(chosen.root)
    done = run(chosen.root, "init", "--yes", env=environment(tmp_path, qmd.parent))
    assert one_line(done, 6).startswith(f"qmd 2.7.0 at {qmd} is too old: sdd needs 2.8 or later")
    assert everything(chosen.root) == before


def test_init_without_models_announces_the_download(
    chosen: Repo, standing_in: dict[str, str]
) -> None:
    done = run(chosen.root, "init", "--yes", "--no-hooks", env=standing_in)
    assert (done.code, done.err) == (0, TO_DOWNLOAD)
    assert done.out.endswith("next: sdd index\n")
    before = everything(chosen.root)
    again = run(chosen.root, "init", "--yes", "--no-hooks", env=standing_in)
    assert (again.code, again.out) == (0, f"nothing to change\n{FOUND}\nnext: sdd index\n")
    assert everything(chosen.root) == before


def test_init_with_a_model_in_a_file_announces_nothing(
    repo: Repo, standing_in: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    repo.write("CLAUDE.md", f"{CHOSEN}- **Embed Model**: {tmp_path}/tiny.gguf\n")
    assert run(repo.root, "init", "--no-hooks", env=standing_in).err == ""


def checks(where: Path, env: dict[str, str]) -> dict[str, Any]:
    done = run(where, "doctor", "--json", env=env)
    return {check["name"]: check for check in done.json["checks"]}


def test_doctor_shows_the_version_and_device_of_qmd(indexed: Repo, real_qmd: RealQmd) -> None:
    found = checks(indexed.root, dict(real_qmd.environ))
    version = ".".join(map(str, real_qmd.installation.version))
    command = real_qmd.installation.command
    assert found["engine"]["message"] == f"qmd {version} at {command}"
    assert found["model"]["message"].startswith(f"{real_qmd.model} on ")
    assert found["model"]["level"] == "ok"


def test_doctor_without_qmd_or_models(
    chosen: Repo, without: dict[str, str], standing_in: dict[str, str]
) -> None:
    found = checks(chosen.root, without)
    assert (found["engine"]["level"], found["engine"]["message"]) == ("fail", NOT_FOUND)
    found = checks(chosen.root, standing_in)
    assert found["engine"]["level"] == "ok"
    assert found["model"]["message"] == "not downloaded yet: models of about 2 GB"
    assert not (chosen.root / ".sdd").exists()


def test_check_finds_its_candidates_with_qmd(indexed: Repo, real_qmd: RealQmd) -> None:
    env = dict(real_qmd.environ)
    indexed.write("src/old.py", "# Governing: ADR-0003, ADR-0001\n")
    done = run(indexed.root, "check", "src/old.py", "--json", "--fail-on", "never", env=env)
    document = json.loads(done.out)
    assert [one["rule"] for one in document["findings"]] == ["dangling-reference"]
    ids = [one["id"] for one in document["references"]["ranked"]]
    assert ids[0] == "ADR-0001"
    assert any("unembedded" in line for line in document["tree"]["header"])


def test_check_makes_the_first_index_of_qmd(chosen: Repo, real_qmd: RealQmd) -> None:
    done = run(chosen.root, "check", "src", env=real_qmd.environ)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("all clear: 1 file checked\n")

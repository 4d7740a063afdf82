"""The distribution of the default model: its wheel, and what `sdd` does where it is installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from sdd_hooks.models.embedding_model import DEFAULT_MODEL
from tests.support.models import make_model
from tests.support.programs import run_program
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

ROOT = Path(__file__).parent.parent
FOLDER = "sdd_hooks_model/all-MiniLM-L6-v2"
BUILD = "scripts/build-wheels"


def write_sums(checkout: Path, files: Path) -> None:
    names = sorted(path.name for path in files.iterdir())
    sums = [(hashlib.sha256((files / name).read_bytes()).hexdigest(), name) for name in names]
    text = "".join(f"{digest}  {name}\n" for digest, name in sums)
    (checkout / "model/SHA256SUMS").write_text(text)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a tiny model."""
    return make_model(tmp_path_factory.mktemp("files"), file="model_quantized.onnx")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Path:
    """What a build of both wheels reads, with the hashes of the tiny model."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "hatch_build.py", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root)
    for name in ("hooks", "model", "scripts"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("sdd_hooks", "docs"):
        (root / name).mkdir()
    shutil.copy(ROOT / "docs/commands.md", root / "docs")
    shutil.copy(ROOT / "sdd_hooks/__init__.py", root / "sdd_hooks")
    write_sums(root, files)
    # The environment of the script, without an index: that of the tests has hatchling, too.
    python = root / ".cache/build/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    pinned = [
        line
        for line in (root / "constraints.txt").read_text().splitlines()
        if line.startswith("hatchling==")
    ]
    (root / ".cache/build/hatchling.stamp").write_text(pinned[0] + "\n")
    return root


def build(
    checkout: Path, *arguments: str | Path, umask: int = 0o022
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(checkout / BUILD), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
        umask=umask,
    )


@pytest.fixture(scope="module")
def wheels(checkout: Path, files: Path) -> Path:
    """The directory with the wheels of a release."""
    target = checkout / "dist"
    done = build(checkout, files, target, "https://forge.example/v1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (target / "SHA256SUMS").read_text()
    return target


def wheel_of(directory: Path, name: str) -> Path:
    (path,) = directory.glob(f"{name}-*.whl")
    return path


def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith("/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_has_the_files_of_the_model_and_its_licence(wheels: Path, files: Path) -> None:
    wheel = wheel_of(wheels, "sdd_hooks_model")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for path in files.iterdir():
            assert archive.read(f"{FOLDER}/{path.name}") == path.read_bytes()
        licences = [archive.read(name) for name in names if "/licenses/" in name]
    expected = {"__init__.py", *(f"{FOLDER[16:]}/{path.name}" for path in files.iterdir())}
    expected |= {f"{FOLDER[16:]}/SHA256SUMS"}
    assert {name[16:] for name in names if ".dist-info/" not in name} == expected
    assert metadata(wheel)["License-Expression"] == "Apache-2.0"
    assert sorted(licences) == sorted(
        (ROOT / "model" / name).read_bytes() for name in ("LICENSE", "NOTICE")
    )
    assert b"Version 2.0, January 2004" in (ROOT / "model/LICENSE").read_bytes()


def test_the_extra_requires_the_wheel_by_its_hash(wheels: Path) -> None:
    model = wheel_of(wheels, "sdd_hooks_model")
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    wanted = f"sdd-hooks-model @ https://forge.example/v1/{model.name}#sha256={digest}"
    required = metadata(wheel_of(wheels, "sdd_hooks")).get_all("Requires-Dist") or []
    assert [line for line in required if "model" in line] == [
        f"{wanted} ; extra == 'all'",
        f"{wanted} ; extra == 'local'",
    ]


def test_the_same_files_give_the_same_wheel(
    checkout: Path, files: Path, wheels: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "another name"
    shutil.copytree(files, copied, copy_function=shutil.copy)
    for path in copied.iterdir():
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert build(checkout, copied, tmp_path / "dist", umask=0o077).returncode == 0
    first, second = (wheel_of(one, "sdd_hooks_model") for one in (wheels, tmp_path / "dist"))
    assert first.read_bytes() == second.read_bytes()


def test_other_files_are_refused(checkout: Path, files: Path, tmp_path: Path) -> None:
    shutil.copytree(files, tmp_path / "other")
    with (tmp_path / "other/model_quantized.onnx").open("ab") as file:
        file.write(b"\0")
    done = build(checkout, tmp_path / "other", tmp_path / "dist")
    assert done.returncode == 1
    assert f"{tmp_path}/other/model_quantized.onnx is not the file of" in done.stderr
    assert list((tmp_path / "dist").iterdir()) == []
    assert "is no folder" in build(checkout, tmp_path / "missing", tmp_path / "dist").stderr


def test_an_installation_from_a_checkout_needs_no_file_of_the_model(
    checkout: Path, tmp_path: Path
) -> None:
    variables = {key: value for key, value in os.environ.items() if key != "SDD_MODEL_FILES"}
    for folder in (checkout / "model", checkout):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
            cwd=folder,
            env=variables,
            check=True,
            capture_output=True,
        )
    model = wheel_of(tmp_path, "sdd_hooks_model")
    assert metadata(model)["Version"].endswith("+empty")
    with ZipFile(model) as archive:
        assert not [name for name in archive.namelist() if FOLDER in name]
    required = metadata(wheel_of(tmp_path, "sdd_hooks")).get_all("Requires-Dist") or []
    place = (checkout / "model").as_uri()
    assert f"sdd-hooks-model @ {place} ; extra == 'local'" in required


def test_a_wheel_of_a_commit_without_the_tag_has_the_commit(checkout: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(checkout, tmp_path / "checkout", symlinks=True)
    repo = Repo(copied)
    repo.git("init", "--quiet", "--initial-branch=main")
    repo.commit("Start")

    def built(directory: str) -> ZipFile:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory]
        subprocess.run(command, cwd=copied, check=True, capture_output=True)
        return ZipFile(wheel_of(copied / directory, "sdd_hooks"))

    commit = repo.git("rev-parse", "--short=12", "HEAD").strip()
    with built("untagged") as archive:
        assert archive.read("sdd_hooks/commit").decode().strip() == commit
        page = next(name for name in archive.namelist() if name.endswith("share/man/man1/sdd.1"))
        assert b"\n.SS sdd status\n" in archive.read(page)
    repo.git("tag", "v0.1.0")
    with built("tagged") as archive:
        assert "sdd_hooks/commit" not in archive.namelist()


def run_sdd(repo: Repo, packages: Path | None, *arguments: str) -> str:
    """Run `sdd` with the installed packages in a folder, where the hub cannot be reached."""
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(repo.root)}
    # The environment of the tests may have the package without its weights.
    first = f"sys.path.insert(0, {str(packages)!r}); " if packages else ""
    done = run_program(
        sys.executable,
        "-c",
        f"import sys; {first}from sdd_hooks.cli.entry import main; sys.exit(main())",
        *arguments,
        cwd=repo.root,
        env=environment,
        timeout=TIMEOUT,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def packages(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed: a wheel without scripts is an archive of it."""
    target = tmp_path_factory.mktemp("packages")
    with ZipFile(wheel_of(wheels, "sdd_hooks_model")) as archive:
        archive.extractall(target)
    return target


def test_the_installed_model_finds_by_meaning_without_a_hub(repo: Repo, packages: Path) -> None:
    record = (
        "---\nstatus: accepted\n---\n\n# ADR-0001: Keep a session\n\n## Context\n\nUser page.\n"
    )
    repo.write("docs/adrs/ADR-0001-session.md", record)
    repo.commit("Decide")
    run_sdd(repo, packages, "index", "add", "--kind", "adrs")
    assert "embedded " in run_sdd(repo, packages, "index", "embed", "--foreground")
    found = run_sdd(repo, packages, "search", "user", "--kind", "adrs", "--json")
    assert '"cosine": null' not in found
    assert '"cosine": ' in found
    doctor = run_sdd(repo, packages, "doctor")
    assert "ok    model          local:all-MiniLM-L6-v2:" in doctor
    assert "ok    vectors" in doctor
    # Where it is not installed, the same repository is searched by words, with other vectors.
    without = run_sdd(repo, None, "search", "user", "--kind", "adrs")
    assert "unembedded" in without
    assert f"not downloaded yet: the model {DEFAULT_MODEL}" in run_sdd(repo, None, "doctor")


def test_the_recorded_files_are_those_of_the_shared_model(shared: Path) -> None:
    folder = shared / "models/all-MiniLM-L6-v2"
    for line in (ROOT / "model/SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest

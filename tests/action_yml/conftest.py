"""The action, checked out and really installed, once for all tests of a run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.action_yml.hosts import TOP, Job, run_action

# The errors of pip on a machine without a network.
_OFFLINE = ("NewConnectionError", "ConnectTimeoutError", "ProxyError")
_ACTION = (
    "action.yml",
    "constraints.txt",
    "hatch_build.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of the action, in a folder whose name attacks a shell that evaluates it."""
    folder = tmp_path_factory.mktemp("actions") / "the $(touch owned) action"
    for name in ("hooks", "locks", "model", "sdd_hooks"):
        kept = shutil.ignore_patterns("__pycache__")
        shutil.copytree(TOP / name, folder / name, ignore=kept)
    for name in _ACTION:
        shutil.copy(TOP / name, folder)
    return folder


@pytest.fixture(scope="session")
def variables() -> dict[str, str]:
    """The variables of this machine that configure its package index, as on a runner."""
    names = ("http_proxy", "https_proxy", "no_proxy", "ssl_cert_file")
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.lower() in names
    }


@pytest.fixture(scope="session")
def tools(
    tmp_path_factory: pytest.TempPathFactory, source: Path, variables: dict[str, str]
) -> Path:
    """The tool cache of a runner on which the action ran before."""
    base = tmp_path_factory.getbasetemp()
    # Processes of one run share the cache: the first one installs, the others wait.
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    tools = shared / "tool cache"
    folder = tmp_path_factory.mktemp("install")
    workspace = folder / "workspace"
    workspace.mkdir()
    job = Job("github", folder, workspace, "push", {}, tools=tools, variables=variables)
    done = run_action(job, source=source, steps=1)
    if any(sign in done.log for sign in _OFFLINE):
        pytest.skip("needs a package index")
    assert done.code == 0, done.log
    return tools

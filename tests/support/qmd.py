"""The real qmd for tests, with a separate home and a small embedding model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, find_qmd
from sdd_hooks.errors import EngineUnavailable

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real qmd: scripts/install-qmd .cache/qmd"


@dataclass(frozen=True)
class RealQmd:
    """An installed qmd, the environment to run it in, and a GGUF model.

    The home in `environ` is separate: no index and no cache of the user is touched.
    """

    installation: Installation
    environ: Mapping[str, str]
    model: Path

    def index_folder(self, root: Path) -> IndexFolder:
        """Create the folder for the index of the work tree `root`."""
        folder = IndexFolder(root, root / ".sdd/search/qmd")
        folder.path.mkdir(parents=True, exist_ok=True)
        return folder

    def declare(self, folder: IndexFolder, model: Path | str = "", **collections: str) -> None:
        """Write the configuration: a directory of Markdown for each collection, and the model."""
        declared = {
            name.replace("_", "-"): {"path": str(folder.root / directory), "pattern": "**/*.md"}
            for name, directory in collections.items()
        }
        # JSON is YAML.
        declaration = {"collections": declared, "models": {"embed": str(model or self.model)}}
        folder.config.write_text(json.dumps(declaration))


def installed() -> Path | None:
    """Find the directory of qmd and its Node, as `scripts/install-qmd` creates it.

    `SDD_QMD` names it, or disables these tests if empty. Without it, the directory is in
    `.cache/qmd` or on `PATH`; None if there is no qmd.
    """
    named = os.environ.get("SDD_QMD")
    if named == "":
        return None
    directory = Path(named) if named else ROOT / ".cache/qmd"
    if named or (directory / "bin/qmd").exists():
        return (directory / "bin").absolute()
    try:
        return Path(find_qmd(os.environ).command).parent
    except EngineUnavailable:
        return None


def own_environment(directory: Path, home: Path) -> dict[str, str]:
    """Return this process's environment with qmd first in `PATH`, and `home` for all its files."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("QMD_", "XDG_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        # Otherwise each embed and query looks for a GPU, which takes longer than its own work.
        "QMD_FORCE_CPU": "1",
        # A thread that waits for others of its context spins, on a busy machine for a third of an
        # embed: one thread for each context.
        "QMD_EMBED_PARALLELISM": str(min(8, os.cpu_count() or 1)),
        "PATH": f"{directory}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small embedding model. The examples of the pages use a real one, which loads in seconds."""
    from tests.support.gguf_model import make_gguf

    return make_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="session")
def real_qmd(
    isolated_environment: None, tmp_path_factory: pytest.TempPathFactory, gguf: Path
) -> RealQmd:
    """The real qmd; without one, the test is skipped and says what it needs."""
    directory = installed()
    if directory is None:
        pytest.skip(MISSING)
    environ = own_environment(directory, tmp_path_factory.mktemp("qmd-home"))
    return RealQmd(find_qmd(environ), environ, gguf)

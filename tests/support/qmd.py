"""The real qmd for tests, with a home of its own and a real embedding model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.installation import Installation, find
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import EngineUnavailable

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real qmd: scripts/install-qmd .cache/qmd"

_MODELS = ROOT.parent / "shared/models/all-MiniLM-L6-v2"


@dataclass(frozen=True)
class RealQmd:
    """A qmd that is installed, what to run it in, and a GGUF file for it to embed with.

    `environ` has a home of its own, so that neither index nor cache of the user is touched.
    """

    installation: Installation
    environ: Mapping[str, str]
    model: Path

    def place(self, root: Path) -> Place:
        """An index for `root` where sdd has it, without a collection."""
        place = Place(root, root / ".sdd/search/qmd")
        place.directory.mkdir(parents=True, exist_ok=True)
        return place

    def declare(self, place: Place, model: Path | str = "", **collections: str) -> None:
        """Declare collections by name, each a folder of Markdown below the root, and the model."""
        declared = {
            name.replace("_", "-"): {"path": str(place.root / folder), "pattern": "**/*.md"}
            for name, folder in collections.items()
        }
        # JSON is YAML.
        declaration = {"collections": declared, "models": {"embed": str(model or self.model)}}
        place.config.write_text(json.dumps(declaration))


def installed() -> Path | None:
    """The directory of qmd, Node beside it, as `scripts/install-qmd` makes it; None: there is none.

    The one that `SDD_QMD` names, empty for none at all; else in `.cache/qmd`, else on `PATH`.
    """
    named = os.environ.get("SDD_QMD")
    if named == "":
        return None
    made = Path(named) if named else ROOT / ".cache/qmd"
    if named or (made / "bin/qmd").exists():
        return (made / "bin").absolute()
    try:
        return Path(find(os.environ).command).parent
    except EngineUnavailable:
        return None


def own_environment(directory: Path, home: Path) -> dict[str, str]:
    """This process's environment with qmd first in `PATH` and `home` for everything it keeps."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("QMD_", "XDG_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PATH": f"{directory}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real embedding model: the shared one, else the small one that `gguf_model` makes."""
    for found in sorted(_MODELS.glob("*.gguf")):
        return found
    from tests.support.gguf_model import make_gguf

    return make_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="session")
def real_qmd(
    isolated_environment: None, tmp_path_factory: pytest.TempPathFactory, gguf: Path
) -> RealQmd:
    """The real qmd; where there is none, the test is skipped and says what it needs."""
    directory = installed()
    if directory is None:
        pytest.skip(MISSING)
    environ = own_environment(directory, tmp_path_factory.mktemp("qmd-home"))
    return RealQmd(find(environ), environ, gguf)

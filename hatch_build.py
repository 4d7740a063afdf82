"""What `pyproject.toml` cannot say: where the model of `local` is, and the commit of a build.

A wheel of another commit than that of the version's tag has the commit in `sdd_hooks/commit`.

The package is on no index, where another one may get the name of the model's distribution. So the
extra `local` refers to the folder `model/` of this checkout. The variable `SDD_MODEL_REQUIREMENT`
replaces that by another requirement, such as the URL and the hash of a released wheel; an empty
value leaves the model out.
"""

# Governing: ADR-0046 (the default model is a distribution)

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "SDD_MODEL_REQUIREMENT"


class Extras(MetadataHookInterface):
    """Adds the model to the extra `local` of `tool.hatch.metadata.hooks.custom.extras`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the extras. hatchling calls this for each build."""
        extras = {name: list(lines) for name, lines in self.config["extras"].items()}
        folder = Path(self.root, "model").as_uri()
        model = os.environ.get(VARIABLE, f"sdd-hooks-model @ {folder}")
        if model:
            extras["local"].append(model)
        metadata["optional-dependencies"] = extras


class Commit(BuildHookInterface[Any]):
    """Adds the commit of the checkout to a wheel, unless it is the one that the tag names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file, unless the wheel is `editable`. hatchling calls this for each wheel."""
        commit = _commit(self.root, self.metadata.version) if version != "editable" else ""
        if commit:
            self._folder = tempfile.TemporaryDirectory(prefix="sdd-build-")
            path = Path(self._folder.name, "commit")
            path.write_text(f"{commit}\n", encoding="ascii")
            path.chmod(0o644)
            build_data["force_include"][str(path)] = "sdd_hooks/commit"


def _commit(root: str, version: str) -> str:
    """The commit of a checkout; "" at the tag of the version, and without git or a checkout."""
    if not Path(root, ".git").exists():
        return ""
    # git sets GIT_DIR for hooks, which may build the package of another checkout.
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    tag = f"v{version}"
    options = ["--abbrev=12", "--no-show-signature", f"--decorate-refs=refs/tags/{tag}"]
    try:
        done = subprocess.run(
            ["git", "-C", root, "log", "-1", "--format=%h %D", *options],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    commit, _, names = done.stdout.strip().partition(" ")
    return "" if done.returncode or f"tag: {tag}" in names.split(", ") else commit

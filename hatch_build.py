"""What `pyproject.toml` cannot say: the model of `local`, a build's commit, the manual page.

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
from runpy import run_path
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


class MadeFiles(BuildHookInterface[Any]):
    """Adds the manual page to a wheel, and the commit, unless it is the one that the tag names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files, unless the wheel is `editable`. hatchling calls this for each wheel."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory(prefix="sdd-build-")
        commands = Path(self.root, "docs", "commands.md")
        # A copy for an installation by the action may lack the documentation.
        if commands.is_file():
            render = run_path(str(Path(self.root, "scripts", "man-page")))["render"]
            page = render(commands.read_text(encoding="utf-8"), self.metadata.version)
            build_data["shared_data"][self._write("sdd.1", page)] = "share/man/man1/sdd.1"
        if commit := _commit(self.root, self.metadata.version):
            build_data["force_include"][self._write("commit", f"{commit}\n")] = "sdd_hooks/commit"

    def _write(self, name: str, text: str) -> str:
        path = Path(self._folder.name, name)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
        return str(path)


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

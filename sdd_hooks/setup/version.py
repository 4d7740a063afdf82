"""The version of the installed package, with its commit where that is not a release."""

# Governing: SPEC-0005 REQ "Version"

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks import __version__
from sdd_hooks.errors import SddError

RECORD = "commit"
"""The file in the package to which `hatch_build.py` writes the commit of a build."""

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def describe_version(package: Path, environ: Mapping[str, str]) -> str:
    """Return `0.1.0` for a release, else `0.1.0 (commit 1a2b3c4d5e6f)`.

    `package` is the folder of the package. A commit that cannot be read is left out: the shims of
    git hooks ask for the version to see whether an installation works.
    """
    commit = _recorded(package / RECORD) or _checked_out(package.parent, environ)
    return f"{__version__} (commit {commit})" if commit else __version__


def _recorded(record: Path) -> str:
    try:
        text = record.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return text if _COMMIT.fullmatch(text) else ""


def _checked_out(folder: Path, environ: Mapping[str, str]) -> str:
    """The commit of the checkout that an editable installation imports; "" at the release's tag."""
    if not (folder / "hatch_build.py").is_file() or not (folder / ".git").exists():
        return ""
    from sdd_hooks.system.git import Git

    tag = f"v{__version__}"
    options = ("-1", "--abbrev=12", "--format=%h %D", f"--decorate-refs=refs/tags/{tag}")
    try:
        output = Git(folder, environ).try_output("log", *options)
    except (OSError, SddError):
        return ""
    commit, _, names = (output or b"").decode("utf-8", "replace").strip().partition(" ")
    is_release = f"tag: {tag}" in names.split(", ")
    return commit if _COMMIT.fullmatch(commit) and not is_release else ""

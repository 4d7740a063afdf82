"""The embedding model that the configuration names, checked before qmd gets to see it."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Embedding model"

from __future__ import annotations

import re
from pathlib import Path

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system.files import PathRefused, resolve_inside

DEFAULT = "qmd's default model"

_HUB = re.compile(r"hf:[\w.-]+/[\w.-]+(?:/[\w.-]+)*/[\w.-]+\.gguf", re.ASCII | re.IGNORECASE)
_MAGIC = b"GGUF"


def configured_model(name: str, root: Path) -> str:
    """What qmd is told for `Embed Model`: a file of the hub, or an absolute path; "" its default.

    A file is looked into: qmd deletes one that is no GGUF.

    Raises:
        EngineUnavailable: it is neither, is not there, or is no GGUF file.
    """
    if not name or (_HUB.fullmatch(name) and ".." not in name.split("/")):
        return name
    if not name.lower().endswith(".gguf"):
        raise _unusable(name, "the qmd engine takes a .gguf file or hf:OWNER/REPOSITORY/FILE.gguf")
    try:
        path = Path(name).expanduser() if name[0] in "/~" else resolve_inside(root, name)
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise _unusable(name, f"it cannot be read ({reason})") from None
    except PathRefused as error:
        raise _unusable(name, str(error)) from None
    if magic != _MAGIC:
        raise _unusable(name, "it is no GGUF file")
    return str(path)


def _unusable(name: str, reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"Embed Model {name!a}: {reason}; correct it under `#### Search` of the memory file"
    )

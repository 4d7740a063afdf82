"""Send texts only to services that the user has chosen: a repository may name any model.

The user names a model in their own git configuration (`sdd.remoteModel`, not that of a
repository), in the variable `SDD_REMOTE_MODELS`, or confirms it once for a repository. What was
confirmed is in `remote-models.json` in the user's configuration directory, outside of every
repository, and is bound to the directory of the repository.
"""

# Governing: ADR-0012 (untrusted input), ADR-0019 (a token belongs to one host)

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import EngineUnavailable, SddError, StorageError
from sdd_hooks.system.files import read_inside, write_atomically
from sdd_hooks.system.git import Git

VARIABLE = "SDD_REMOTE_MODELS"
KEY = "sdd.remoteModel"
PREFIX = "llm:"

_FILE = "remote-models.json"
_MAX_FILE_BYTES = 100_000
_MAX_ENTRIES = 500

# Of the scopes of git's configuration, `local` and `worktree` belong to the repository.
_USER_SCOPES = ("system", "global", "command")


class ModelNotAllowed(EngineUnavailable):
    """The repository names a model of a service, and the user has not allowed it."""

    code = "model-not-allowed"

    def __init__(self, model: str) -> None:
        super().__init__(
            f"{model} sends texts to a service with your key, and only this repository names it:"
            f" `sdd index embed` asks on a terminal to allow it here,"
            f" `git config --global --add {KEY} {model}` allows it everywhere,"
            f" and {VARIABLE}={model} for one command"
        )
        self.model = model


def require_consent(names: Collection[str], root: Path, environ: Mapping[str, str]) -> None:
    """Make sure that the user allows to send texts of the repository at `root` to a model.

    `names` are the names of that model, the configured one first. Raises ModelNotAllowed.
    """
    wanted = {_normal(name) for name in names}
    if wanted & {_normal(name) for name in environ.get(VARIABLE, "").replace(",", " ").split()}:
        return
    if wanted & _configured(root, environ) or wanted & set(_confirmed(environ).get(_id(root), ())):
        return
    raise ModelNotAllowed(next(iter(map(_normal, names))))


def confirm_model(model: str, root: Path, environ: Mapping[str, str]) -> None:
    """Store that the user allows the model for the repository at `root`.

    Raises StorageError.
    """
    confirmed = _confirmed(environ)
    models = {*confirmed.pop(_id(root), ()), _normal(model)}
    kept = dict(list(confirmed.items())[1 - _MAX_ENTRIES :])
    try:
        folder = _folder(environ)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise StorageError(f"cannot store that {model} is allowed ({error})") from None
    text = json.dumps({**kept, _id(root): sorted(models)}, indent=1)
    write_atomically(folder / _FILE, text.encode("utf-8", "surrogateescape"))


def _configured(root: Path, environ: Mapping[str, str]) -> set[str]:
    output = Git(root, environ).try_output("config", "--show-scope", "--get-all", KEY) or b""
    lines = (line.partition("\t") for line in output.decode("utf-8", "replace").splitlines())
    return {_normal(value) for scope, _, value in lines if scope in _USER_SCOPES}


def _confirmed(environ: Mapping[str, str]) -> dict[str, list[str]]:
    with suppress(OSError, RuntimeError, ValueError, SddError):
        data = json.loads(read_inside(_folder(environ), _FILE, _MAX_FILE_BYTES))
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if isinstance(value, list)}
    return {}


def _folder(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):
        base = str(Path(environ.get("HOME") or Path.home()) / ".config")
    return Path(base) / "sdd"


def _id(root: Path) -> str:
    """The directory of a repository: another clone at the same path has another inode."""
    real = os.path.realpath(root)
    with suppress(OSError):
        status = Path(real, ".git").stat()
        return f"{real} {status.st_dev}.{status.st_ino}"
    return real


def _normal(name: str) -> str:
    return PREFIX + name.strip().removeprefix(PREFIX)

"""Models of the hub (huggingface.co): in the cache of its client, downloaded on first use.

Only ONNX weights and their tokenizer are downloaded: no code of a model ever runs. The cache is
read without the client, whose import would cost every search 0.2 s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model_folder import TOKENIZER_FILE, WEIGHTS_FILES, is_complete
from sdd_hooks.models.timeouts import call_with_timeout

_METADATA_TIMEOUT = 3.5
"""Seconds for the hub to list the files of a model: an unreachable model fails within 5 in all."""

_STALL_TIMEOUT = 60.0
"""Seconds without a new byte after which a download fails."""

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
"""Variables that forbid every request. The client reads the first that is not empty."""

_TRUE = frozenset({"1", "ON", "YES", "TRUE"})

_OTHER_FILES = ("config.json", "sentence_bert_config.json", TOKENIZER_FILE)


def fetch_model(name: str, environ: Mapping[str, str]) -> Path:
    """Return the folder of the model `owner/name`, which is downloaded if it is not in the cache.

    The variables of `environ` give the location of the cache. The hub's client reads them from the
    process.

    Raises:
        EngineUnavailable: it is not in the cache, and the hub cannot be reached or lacks it.
    """
    cached = find_cached_model(name, environ)
    if cached is not None:
        return cached
    require_network(name, environ)
    client = require_client(name)
    try:
        is_model = _download(client, name, environ)
    except client.errors.RepositoryNotFoundError as error:
        raise EngineUnavailable(
            f"the hub has no model {name}, or keeps it private: check `Embed Model`"
        ) from error
    # Errors of the network, the file system and the server have no common class.
    except Exception as error:
        reason = str(error).partition("\n")[0][:160] or type(error).__name__
        raise _not_fetched(name, reason) from error
    if not is_model:
        raise EngineUnavailable(
            f"{name} has no {WEIGHTS_FILES[0]} or {WEIGHTS_FILES[2]} with its tokenizer.json:"
            " set `Embed Model` to a model that has them"
        )
    cached = find_cached_model(name, environ)
    if cached is None:
        raise EngineUnavailable(f"the model {name} changed while it was fetched: try again")
    return cached


def require_network(name: str, environ: Mapping[str, str]) -> None:
    """Refuse to download the model `name` if `environ` forbids it. Does not import the client.

    A client that is not installed is the more important reason, and `require_client` names it.

    Raises:
        EngineUnavailable: a variable of the client forbids requests.
    """
    variable = next((one for one in _OFFLINE if environ.get(one)), None)
    if variable and environ[variable].upper() in _TRUE and find_spec("huggingface_hub"):
        raise _not_fetched(name, f"{variable} is {environ[variable]}")


def _not_fetched(name: str, reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"the model {name} is not on this machine and could not be fetched ({reason}):"
        " go online once, or set `Embed Model` to a folder"
    )


def find_cached_model(name: str, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of a model in the cache; None if it was not downloaded completely."""
    directory = hub_cache(environ) / f"models--{name.replace('/', '--')}"
    try:
        commit = (directory / "refs" / "main").read_text().strip()
    except (OSError, ValueError):
        return None
    if not re.fullmatch(r"[0-9A-Za-z]+", commit):
        return None
    folder = directory / "snapshots" / commit
    return folder if is_complete(folder) else None


def hub_cache(environ: Mapping[str, str]) -> Path:
    """Return the cache of the hub's client, from the variables that the client uses."""
    home = environ.get("HF_HOME", environ.get("XDG_CACHE_HOME", "~/.cache") + "/huggingface")
    hub = environ.get("HF_HUB_CACHE", environ.get("HUGGINGFACE_HUB_CACHE", home + "/hub"))
    return Path(os.path.expandvars(Path(hub).expanduser()))


def require_client(name: str) -> ModuleType:
    """Import the hub's client, for the model `name`.

    Raises:
        EngineUnavailable: it is not installed.
    """
    try:
        import huggingface_hub
        import huggingface_hub.errors
    except ImportError as error:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(
            f"the model {name} needs {error.name}: {advise_extra('local')}"
        ) from error
    return huggingface_hub


def _download(client: ModuleType, name: str, environ: Mapping[str, str]) -> bool:
    """Download the files of a model. Returns False if a required file is missing there."""
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    # Imports most of the client: seconds on a slow disk, which are not the hub's.
    api = client.HfApi()
    info = call_with_timeout(_METADATA_TIMEOUT, lambda: api.model_info(name))
    available = {file.rfilename for file in info.siblings or ()}
    weights = next((path for path in WEIGHTS_FILES if path in available), "")
    if not weights or TOKENIZER_FILE not in available:
        return False
    others = [file for file in (*_OTHER_FILES, f"{weights}_data") if file in available]
    blobs = hub_cache(environ) / f"models--{name.replace('/', '--')}" / "blobs"

    def downloaded_bytes() -> int:
        return sum(blob.stat().st_size for blob in blobs.glob("*") if blob.exists())

    # From the main branch, so that the cache records its commit. The weights come last: without
    # them, an interrupted download does not count as a model.
    for file in (*others, weights):
        download = partial(client.hf_hub_download, name, file, etag_timeout=_METADATA_TIMEOUT)
        call_with_timeout(_STALL_TIMEOUT, download, downloaded_bytes)
    return True

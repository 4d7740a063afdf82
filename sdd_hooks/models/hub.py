"""A model of the hub, by name: from the cache when it is there, downloaded on first use.

Only weights in ONNX and their tokenizer are fetched: nothing of a model is ever executed. The cache
is the hub client's own, found without it: its import would cost every search 0.2 s.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import ModuleType

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import WEIGHTS, weights_of
from sdd_hooks.models.timeouts import within

_REACHABLE_WITHIN = 3.5
"""Seconds in which the hub has to say what a model's files are: the promise is 5 for everything."""

_STALLED_AFTER = 60.0
"""Seconds without another byte after which a download is given up."""

_BESIDE = ("config.json", "sentence_bert_config.json", "tokenizer.json")


def hub_folder(name: str, environ: Mapping[str, str]) -> Path:
    """The folder with the files of the model called `owner/name`, which is downloaded if missing.

    The variables of `environ` tell where the cache is. The hub's client reads them from the
    process.

    Raises:
        EngineUnavailable: it is not in the cache and the hub cannot be reached, or has it not.
    """
    cached = cached_folder(name, environ)
    if cached is not None:
        return cached
    client = require_client(name)
    try:
        fetched = _fetch(client, name, environ)
    except client.errors.RepositoryNotFoundError as error:
        raise EngineUnavailable(
            f"the hub has no model {name}, or keeps it private: check `Embed Model`"
        ) from error
    # Of the network, the file system, the server: of no common class.
    except Exception as error:
        reason = str(error).partition("\n")[0][:160] or type(error).__name__
        raise EngineUnavailable(
            f"the model {name} is not on this machine and could not be fetched ({reason}):"
            " go online once, or set `Embed Model` to a folder"
        ) from error
    if not fetched:
        raise EngineUnavailable(
            f"{name} has no {WEIGHTS[0]} or {WEIGHTS[2]} with its tokenizer.json:"
            " set `Embed Model` to a model that has them"
        )
    cached = cached_folder(name, environ)
    if cached is None:
        raise EngineUnavailable(f"the model {name} changed while it was fetched: try again")
    return cached


def cached_folder(name: str, environ: Mapping[str, str]) -> Path | None:
    """The same folder without asking the hub: None when the model was never fetched."""
    kept = cache(environ) / f"models--{name.replace('/', '--')}"
    try:
        commit = (kept / "refs" / "main").read_text().strip()
    except (OSError, ValueError):
        return None
    if not re.fullmatch(r"[0-9A-Za-z]+", commit):
        return None
    folder = kept / "snapshots" / commit
    complete = weights_of(folder) is not None and (folder / "tokenizer.json").is_file()
    return folder if complete else None


def cache(environ: Mapping[str, str]) -> Path:
    """Where the hub's client keeps models, by the same variables as it does."""
    home = environ.get("HF_HOME", environ.get("XDG_CACHE_HOME", "~/.cache") + "/huggingface")
    hub = environ.get("HF_HUB_CACHE", environ.get("HUGGINGFACE_HUB_CACHE", home + "/hub"))
    return Path(os.path.expandvars(Path(hub).expanduser()))


def require_client(name: str) -> ModuleType:
    """The library that fetches models.

    Raises:
        EngineUnavailable: it is not installed.
    """
    try:
        import huggingface_hub
        import huggingface_hub.errors
    except ImportError as error:
        raise EngineUnavailable(
            f"the model {name} needs {error.name}: pip install 'sdd-hooks[local]'"
        ) from error
    return huggingface_hub


def _fetch(client: ModuleType, name: str, environ: Mapping[str, str]) -> bool:
    """Download a model's files; False when it has not got what it takes."""
    from huggingface_hub.utils import logging
    from huggingface_hub.utils.tqdm import disable_progress_bars

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    if not sys.stderr.isatty():
        disable_progress_bars()
    info = within(_REACHABLE_WITHIN, lambda: client.HfApi().model_info(name))
    there = {file.rfilename for file in info.siblings or ()}
    weights = next((path for path in WEIGHTS if path in there), "")
    if not weights or "tokenizer.json" not in there:
        return False
    beside = [file for file in (*_BESIDE, f"{weights}_data") if file in there]
    blobs = cache(environ) / f"models--{name.replace('/', '--')}" / "blobs"
    # By the name of the branch, so that the cache knows which commit it stands for; the weights
    # last, so that a download cut short is not taken for a model.
    for file in (*beside, weights):
        within(
            _STALLED_AFTER,
            partial(client.hf_hub_download, name, file, etag_timeout=_REACHABLE_WITHIN),
            lambda: sum(blob.stat().st_size for blob in blobs.glob("*") if blob.exists()),
        )
    return True

"""A model of the hub, by name: from the cache when it is there, downloaded on first use.

Only weights in ONNX and their tokenizer are fetched: nothing of a model is ever executed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import WEIGHTS, weights_of

_REACHABLE_WITHIN = 3.5
"""Seconds in which the hub has to say what a model's files are: the promise is 5 for everything."""

_BESIDE = ("tokenizer.json", "config.json", "sentence_bert_config.json")

_Result = TypeVar("_Result")


def hub_folder(name: str) -> Path:
    """The folder with the files of the model called `owner/name`.

    Raises:
        EngineUnavailable: it is not in the cache and the hub cannot be reached, or has it not.
    """
    cached = cached_folder(name)
    if cached is not None:
        return cached
    import huggingface_hub
    from huggingface_hub.utils.tqdm import disable_progress_bars

    try:
        info = _within(_REACHABLE_WITHIN, lambda: huggingface_hub.HfApi().model_info(name))
        there = {file.rfilename for file in info.siblings or ()}
        weights = next((path for path in WEIGHTS if path in there), "")
        files = [weights, *(file for file in _BESIDE if file in there)]
        if weights and "tokenizer.json" in files:
            if not sys.stderr.isatty():
                disable_progress_bars()
            return Path(
                huggingface_hub.snapshot_download(name, revision=info.sha, allow_patterns=files)
            )
    # Of the network, the file system, the server: of no common class.
    except Exception as error:
        reason = str(error).partition("\n")[0][:160] or type(error).__name__
        raise EngineUnavailable(
            f"the model {name} is not on this machine and could not be fetched ({reason}):"
            " go online once, or set `Embed Model` to a folder"
        ) from error
    raise EngineUnavailable(
        f"{name} has no {WEIGHTS[0]} or {WEIGHTS[2]} with its tokenizer.json:"
        " set `Embed Model` to a model that has them"
    )


def cached_folder(name: str) -> Path | None:
    """The same folder without asking the hub: None when the model was never fetched.

    Raises:
        EngineUnavailable: what fetches models is not installed.
    """
    try:
        import huggingface_hub
    except ImportError as error:
        raise EngineUnavailable(
            f"the model {name} needs {error.name}: pip install 'sdd-hooks[local]'"
        ) from error
    try:
        cached = Path(
            huggingface_hub.snapshot_download(
                name, allow_patterns=[*WEIGHTS, *_BESIDE], local_files_only=True
            )
        )
    except Exception:
        # Whatever is wrong with the cache, the hub may have it.
        return None
    complete = weights_of(cached) is not None and (cached / "tokenizer.json").is_file()
    return cached if complete else None


def _within(seconds: float, work: Callable[[], _Result]) -> _Result:
    """What `work` returns or raises, or TimeoutError: a name that resolves to silence is waited
    for once per address, which no time-out of the client bounds."""
    result: list[_Result] = []
    failure: list[Exception] = []

    def run() -> None:
        try:
            result.append(work())
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failure:
        raise failure[0]
    if not result:
        raise TimeoutError(f"no answer within {seconds:.1f} s")
    return result[0]

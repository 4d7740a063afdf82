"""Embed with qmd: the configured model, the device, and the rounds of `qmd embed`."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Embedding", SPEC-0006 REQ "Embedding model",
# SPEC-0006 REQ "Device"

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.engines.protocol import Progress, report_progress
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, explain_failure, run_qmd
from sdd_hooks.engines.qmd.output import EmbedOutput, parse_device, parse_embed
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.project.project import Project
from sdd_hooks.system.files import PathRefused, resolve_inside
from sdd_hooks.system.user_cache import read_cached, write_cached
from sdd_hooks.text.lazy_regex import lazy_regex

DEFAULT_MODEL = "qmd's default model"

MAX_ROUNDS = 5
"""Rounds of `qmd embed` for one collection: a round ends after half an hour, finished or not."""

# The entry of the user cache with the device of an installation.
CACHE_ENTRY = "qmd-device"

DEVICES = frozenset({"cpu", "cuda", "metal", "vulkan", "gpu"})

_ROUND_TIMEOUT = 45 * 60.0
"""Seconds of a round: qmd's own half hour, and a download of the model before it."""

_DEVICE_TIMEOUT = 30.0
"""Seconds for `qmd doctor` to print the device: it takes 1.5 on a warm machine."""

# Variables with which a user chooses the device of qmd.
_DEVICE_VARIABLES = ("QMD_FORCE_CPU", "QMD_LLAMA_GPU")

_HUB_MODEL = lazy_regex(r"hf:[\w.-]+/[\w.-]+(?:/[\w.-]+)*/[\w.-]+\.gguf", re.ASCII | re.IGNORECASE)
_GGUF_HEADER = b"GGUF"


@dataclass(frozen=True)
class EmbedResult:
    """What an embed did, in chunks, and the device it ran on."""

    embedded: int
    failed: int
    device: str
    notes: tuple[str, ...]


class _DeviceFound(Exception):
    """`qmd doctor` has printed the device, and can be ended before it loads models."""


def check_model(name: str, root: Path) -> str:
    """Return the model for qmd's configuration: a file of the hub, an absolute path, or "".

    `name` is the configured `Embed Model`; "" is qmd's default. The content of a file is checked,
    because qmd deletes a file that is not GGUF.

    Raises:
        EngineUnavailable: it has another form, does not exist, or is not a GGUF file.
    """
    if not name or (_HUB_MODEL.fullmatch(name) and ".." not in name.split("/")):
        return name
    if not name.lower().endswith(".gguf"):
        raise _unusable(name, "the qmd engine takes a .gguf file or hf:OWNER/REPOSITORY/FILE.gguf")
    try:
        path = Path(name).expanduser() if name[0] in "/~" else resolve_inside(root, name)
        with path.open("rb") as file:
            header = file.read(len(_GGUF_HEADER))
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise _unusable(name, f"it cannot be read ({reason})") from None
    except PathRefused as error:
        raise _unusable(name, str(error)) from None
    if header != _GGUF_HEADER:
        raise _unusable(name, "it is not a GGUF file")
    return str(path)


def check_configured_model(project: Project) -> str:
    """Return the model of a project for qmd's configuration; see `check_model`.

    Raises:
        EngineUnavailable: it is unusable. The message begins with its file and line.
    """
    try:
        return check_model(project.configuration.search.embed_model, project.repository.root)
    except EngineUnavailable as error:
        place = project.configuration.locate("search", "embed_model")
        if place is None:
            raise
        raise EngineUnavailable(f"{place[0]}:{place[1]}: {error}") from None


def find_device(qmd: Installation, environ: Mapping[str, str], folder: IndexFolder) -> str:
    """Return where qmd runs models: `cpu`, `cuda`, `metal`, `vulkan`, or `gpu` if unnamed.

    The device is cached by installation and variables; without an entry, `qmd doctor` runs. If that
    prints no device, the result is `cpu`, and nothing is cached.
    """
    cached = read_cached(CACHE_ENTRY, environ)
    if cached.get("of") == _cache_key(qmd, environ) and cached.get("device") in DEVICES:
        return str(cached["device"])
    device = _run_doctor(qmd, environ, folder)
    if device is not None:
        _cache_device(qmd, environ, device)
    return device or "cpu"


def correct_device(qmd: Installation, environ: Mapping[str, str], device: str) -> None:
    """Correct the cached device after an embed, which prints `cpu` or `gpu`.

    An embed is the first to notice a GPU driver that was installed or broke. Other values are
    ignored.
    """
    cached = read_cached(CACHE_ENTRY, environ)
    known = str(cached.get("device")) if cached.get("of") == _cache_key(qmd, environ) else ""
    agrees = (known == "cpu") == (device == "cpu")
    if device in DEVICES and not (known in DEVICES and agrees):
        _cache_device(qmd, environ, device)


def embed_collections(
    qmd: Installation,
    folder: IndexFolder,
    environ: Mapping[str, str],
    collections: Sequence[str],
    progress: Progress | None = None,
) -> EmbedResult:
    """Embed the documents without vectors, collection by collection; "" is the whole index.

    A round that timed out is repeated while it embeds anything.

    Raises:
        StorageError: another embed runs, or the index cannot be written.
        EngineUnavailable: the model cannot be loaded, or qmd fails.
        Stopped: `progress` returned False.
    """
    embedded, failed, notes, device = 0, 0, [], ""
    for index, name in enumerate(collections):
        report_progress(progress, "Embedding", index, len(collections))
        for _ in range(MAX_ROUNDS):
            output = _run_round(qmd, folder, environ, name)
            embedded += output.embedded
            device = output.device or device
            if not (output.expired and output.embedded):
                break
        failed += output.failed
        notes += [f"not embedded: {failure}" for failure in output.failures]
    if device:
        correct_device(qmd, environ, device)
    return EmbedResult(embedded, failed, find_device(qmd, environ, folder), tuple(notes))


def _run_round(
    qmd: Installation, folder: IndexFolder, environ: Mapping[str, str], collection: str
) -> EmbedOutput:
    scope = ("-c", collection) if collection else ()
    args = ("embed", *scope, "--chunk-strategy", "auto")
    done = run_qmd(qmd, folder, *args, timeout=_ROUND_TIMEOUT, environ=environ)
    output = parse_embed(done.out, done.err)
    if output.busy:
        raise StorageError(
            f"another embed of {folder.database} is running: try again when it has finished"
        )
    if done.code:
        raise explain_failure("embed", done, folder)
    return output


def _cache_key(qmd: Installation, environ: Mapping[str, str]) -> list[object]:
    variables = (environ.get(name, "") for name in _DEVICE_VARIABLES)
    return [qmd.command, list(qmd.version), *variables]


def _cache_device(qmd: Installation, environ: Mapping[str, str], device: str) -> None:
    write_cached(CACHE_ENTRY, {"of": _cache_key(qmd, environ), "device": device}, environ)


def _run_doctor(qmd: Installation, environ: Mapping[str, str], folder: IndexFolder) -> str | None:
    from tempfile import TemporaryDirectory

    def on_line(line: str) -> None:
        device = parse_device(line)
        if device is not None:
            raise _DeviceFound(device)

    # On an empty index: on one with vectors, `doctor` loads the model.
    with TemporaryDirectory(prefix="sdd-") as empty:
        try:
            run_qmd(
                qmd,
                IndexFolder(folder.root, Path(empty)),
                "doctor",
                timeout=_DEVICE_TIMEOUT,
                environ=environ,
                on_line=on_line,
            )
        except _DeviceFound as found:
            return str(found)
        except EngineUnavailable:
            return None
    return None


def _unusable(name: str, reason: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"Embed Model {name!a}: {reason}; correct it under `#### Search` of the memory file"
    )

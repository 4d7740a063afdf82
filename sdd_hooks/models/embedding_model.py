"""Load an embedding model by its configured name.

A name is a folder (`./models/x`, `/models/x`, `~/x`, or an existing folder of the repository), a
model of the hub (`owner/name`), or an embedding model of `llm`. No name is the default model: the
one of the installed distribution `sdd-hooks-model`, else the default model of the hub. Folders and
models of the hub run on onnxruntime, without an import of `llm`. `llm:NAME` is always a model of
`llm`: some of its names have the form of the hub's.

The vectors of the distribution's model are stored under the name that its folder would have as
`Embed Model`. The digest of the weights in it comes from the list of the distribution, so that no
search has to read 23 MB for it.
"""

# Governing: ADR-0011 (content-addressed vectors), ADR-0046 (the default model is a distribution)

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Protocol

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model_folder import find_weights, is_complete, require_weights
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

DEFAULT_MODEL = "Xenova/all-MiniLM-L6-v2"
"""The default model without the distribution of the model. Its quantised weights have 23 MB."""

_HUB_NAME = lazy_regex(r"[\w.-]+/[\w.-]+", re.ASCII)
_LLM_PREFIX = "llm:"
_BLOCK_BYTES = 1 << 20
_DIGEST_DIGITS = 12

DISTRIBUTION = "sdd-hooks-model"
SUMS_FILE = "SHA256SUMS"

_PACKAGE = "sdd_hooks_model"
_NAME = "all-MiniLM-L6-v2"
_MAX_SUMS_BYTES = 10_000
_DIGITS = 64


class EmbeddingModel(Protocol):
    """Computes the vectors of texts. Its vectors are stored under `id`; it runs on `device`."""

    id: str
    dimensions: int
    device: str

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return a float32 little-endian vector of length 1 for each text."""
        ...


def load_model(name: str, root: Path, environ: Mapping[str, str]) -> EmbeddingModel:
    """Load the model `name` in the repository at `root`. A model of the hub is downloaded first.

    The variables of `environ` give the location of the hub's cache.

    Raises:
        EngineUnavailable: it is missing and not available within 5 seconds, or cannot run.
        ModelNotAllowed: it is a service, and the user has not allowed it.
    """
    folder = _folder(name, root)
    if folder is None and not _is_hub_name(name):
        from sdd_hooks.models.llm_embedding import load_llm_model

        return load_llm_model(name.removeprefix(_LLM_PREFIX), root, environ)
    from sdd_hooks.models.onnx import load_onnx_model

    if folder is None:
        from sdd_hooks.models.hub import fetch_model

        folder = fetch_model(name or DEFAULT_MODEL, environ)
    return load_onnx_model(folder, model_id(name, root))


def model_id(name: str, root: Path) -> str:
    """Return the id under which the vectors of the model `name` are stored. Loads no model.

    The id of a folder contains a digest of its weights, so it is the same on every machine. The
    model of the distribution has the id of its folder.
    """
    if not name and (packaged := find_packaged_model()):
        return f"local:{packaged.folder.name}:{packaged.digest[:_DIGEST_DIGITS]}"
    folder = _local_folder(name, root) if name else None
    if folder is not None:
        weights = find_weights(folder)
        if weights is None:
            return f"local:{folder.name}"
        status = weights.stat()
        return f"local:{folder.name}:{_digest(weights, status.st_size, status.st_mtime_ns)}"
    if _is_hub_name(name):
        return f"hub:{name or DEFAULT_MODEL}"
    return f"{_LLM_PREFIX}{name.removeprefix(_LLM_PREFIX)}"


def model_device(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """Return where the model `name` would run: `cpu`, `cuda`, or `remote` for a service.

    Loads no model.

    Raises:
        EngineUnavailable: it is no model, a library that it needs is not installed, or it has to
            be downloaded and the environment forbids that.
    """
    folder = _folder(name, root)
    if folder is None and not _is_hub_name(name):
        from sdd_hooks.models.llm_embedding import llm_model_device

        return llm_model_device(name.removeprefix(_LLM_PREFIX))
    from sdd_hooks.models.onnx import onnx_device

    if folder is not None:
        require_weights(folder)
    elif not is_on_machine(name, root, environ):
        from sdd_hooks.models.hub import require_client, require_network

        require_network(name or DEFAULT_MODEL, environ)
        require_client(name or DEFAULT_MODEL)
    return onnx_device()


def find_missing_model(name: str, root: Path, environ: Mapping[str, str]) -> str:
    """Return the model of the hub that `load_model` would download; "" if there is none.

    Uses no network and loads no model.

    Raises:
        EngineUnavailable: the library that downloads models is not installed.
    """
    if is_on_machine(name, root, environ):
        return ""
    from sdd_hooks.models.hub import require_client

    hub_name = name or DEFAULT_MODEL
    require_client(hub_name)
    return hub_name


def is_on_machine(name: str, root: Path, environ: Mapping[str, str]) -> bool:
    """Whether `load_model` would download nothing. Imports no library of models."""
    if _folder(name, root) is not None or not _is_hub_name(name):
        return True
    from sdd_hooks.models.hub import find_cached_model

    return find_cached_model(name or DEFAULT_MODEL, environ) is not None


def _folder(name: str, root: Path) -> Path | None:
    """Return the folder of a model on this machine; None for other kinds of names."""
    if not name:
        packaged = find_packaged_model()
        return packaged.folder if packaged else None
    return _local_folder(name, root)


def _local_folder(name: str, root: Path) -> Path | None:
    """Return the folder that `name` refers to, existing or not; None for other kinds of names."""
    if name.startswith(("/", "./", "../", "~")) or name in {".", ".."}:
        try:
            return (root / Path(name).expanduser()).resolve()
        except RuntimeError as error:
            raise EngineUnavailable(f"Embed Model {name!r}: {error}") from error
    return (root / name).resolve() if (root / name).is_dir() else None


def _is_hub_name(name: str) -> bool:
    return not name or _HUB_NAME.fullmatch(name) is not None


@lru_cache(maxsize=8)
def _digest(path: Path, size: int, modified: int) -> str:  # noqa: ARG001 (part of the cache's key)
    import hashlib

    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()[:_DIGEST_DIGITS]


class ConfiguredModel:
    """The model that a project configures, by its name in `Embed Model`; loaded when it is used."""

    def __init__(self, name: str, root: Path, environ: Mapping[str, str]) -> None:
        self._name, self._root, self._environ = name, root, environ
        self._loaded: EmbeddingModel | None = None

    @property
    def id(self) -> str:
        """The id under which its vectors are stored. Loads no model."""
        return model_id(self._name, self._root)

    def load(self) -> EmbeddingModel:
        """Return the model, loaded once. Raises EngineUnavailable."""
        if self._loaded is None:
            self._loaded = load_model(self._name, self._root, self._environ)
        return self._loaded

    def similarities(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text to the query.

        Raises EngineUnavailable if the model fails.
        """
        wanted, *others = (_components(vector) for vector in self.load().embed([query, *texts]))
        return [sum(map(float.__mul__, wanted, other)) for other in others]

    def device(self) -> str:
        """Return where it would run. Raises EngineUnavailable if it cannot."""
        return model_device(self._name, self._root, self._environ)

    def dimensions_here(self) -> int:
        """Return the dimensions of its vectors, 0 if no model on this machine says them."""
        try:
            if not is_on_machine(self._name, self._root, self._environ):
                return 0
            return 0 if self.device() == "remote" else self.load().dimensions
        except EngineUnavailable:
            return 0


class PackagedModel(NamedTuple):
    """The folder of the model, and the SHA-256 of its weights as hexadecimal digits."""

    folder: Path
    digest: str


@lru_cache(maxsize=1)
def find_packaged_model() -> PackagedModel | None:
    """Return the installed model; None if the distribution is missing or has no files."""
    spec = PathFinder.find_spec(_PACKAGE)
    if spec is None:
        return None
    return find_model_in(spec.submodule_search_locations or ())


def find_model_in(packages: Iterable[str]) -> PackagedModel | None:
    """Return the model in the first of these folders of the package that has all of its files."""
    for package in packages:
        folder = Path(package, _NAME)
        weights = find_weights(folder)
        if weights is None or not is_complete(folder):
            continue
        digest = _read_sums(folder / SUMS_FILE).get(weights.relative_to(folder).as_posix())
        if digest:
            return PackagedModel(folder, digest)
    return None


def _read_sums(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a list; nothing for a list that cannot be read."""
    try:
        with path.open(encoding="ascii") as file:
            text = file.read(_MAX_SUMS_BYTES)
    except (OSError, ValueError):
        return {}
    pairs = (line.split() for line in text.splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2 and len(pair[0]) == _DIGITS}


def _components(vector: bytes) -> list[float]:
    """Return the components of a little-endian vector of float32, whose length is 1."""
    return array("f", vector).tolist()

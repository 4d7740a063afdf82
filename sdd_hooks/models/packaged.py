"""The default model, from the installed distribution `sdd-hooks-model`.

Its vectors are stored under the name that the folder would have as `Embed Model`. The digest of the
weights in it comes from the list of the distribution, so that no search has to read 23 MB for it.
"""

# Governing: ADR-0046 (the default model is a distribution), ADR-0011 (content-addressed vectors)

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

from sdd_hooks.models.model_folder import find_weights, is_complete
from sdd_hooks.named_tuple import NamedTuple

DISTRIBUTION = "sdd-hooks-model"
SUMS_FILE = "SHA256SUMS"

_PACKAGE = "sdd_hooks_model"
_NAME = "all-MiniLM-L6-v2"
_MAX_SUMS_BYTES = 10_000
_DIGITS = 64


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

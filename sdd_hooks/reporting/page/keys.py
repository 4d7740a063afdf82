"""The key of each artifact: what stands for it in the address of the page."""

# Governing: SPEC-0020 REQ "Addresses"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from sdd_hooks.artifacts.artifact import Artifact

_NOT_IN_KEY = re.compile(r"[^\w.-]+")


def assign_keys(artifacts: Iterable[Artifact]) -> Mapping[str, str]:
    """Return the key of each artifact by its path.

    The key is the id (`ADR-0012`, `api-SPEC-0007` in a module), else the name of the file or
    folder. It stays the same while other artifacts come and go, unless they share it: of those, all
    after the first one by path have a number at the end.
    """
    keys: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for artifact in sorted(artifacts, key=lambda one: one.path):
        key = _NOT_IN_KEY.sub("-", artifact.name).strip("-.") or "record"
        while taken[key]:
            taken[key] += 1
            key = f"{key}~{taken[key]}"
        taken[key] += 1
        keys[artifact.path] = key
    return keys

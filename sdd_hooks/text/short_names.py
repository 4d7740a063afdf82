"""Short names for paths: the shortest end that no other one shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def shorten_names(names: Iterable[str]) -> dict[str, str]:
    """Return the shortest end of each name, of whole parts between slashes, that is its alone.

    `git.example/acme/payments` is `payments`, and `acme/payments` beside `other/payments`.
    """
    ends = {name: _ends(name) for name in names}
    counts = Counter(end for one in ends.values() for end in one)
    return {
        name: next((end for end in one if counts[end] == 1), name) for name, one in ends.items()
    }


def _ends(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]

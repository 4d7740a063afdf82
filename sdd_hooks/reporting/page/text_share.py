"""Share the room of a page between its texts."""

# Governing: SPEC-0020 REQ "Size"

from __future__ import annotations

from collections.abc import Sequence


def common_length(lengths: Sequence[int], total: int) -> int:
    """Return the length, 1 or more, to which the longer texts are cut so that all have `total`.

    Texts that are shorter stay whole. Without a longer one it is the greatest length.
    """
    rest = total
    ordered = sorted(lengths)
    for position, length in enumerate(ordered):
        share = rest // (len(ordered) - position)
        if length > share:
            return max(share, 1)
        rest -= length
    return max(ordered, default=1)

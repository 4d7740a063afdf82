"""`python -m benchmarks.bare_loop URL`: the minimal work of a sync.

Requests the pages of a first sync and decodes them. Prints the number of issues.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import httpx


def main(arguments: Sequence[str]) -> int:
    """Read all pages of the listing at the address."""
    params = {"state": "all", "sort": "updated", "direction": "asc", "per_page": "100"}
    numbers: set[int] = set()
    with httpx.Client() as client:
        while True:
            answer = client.get(arguments[0], params=params).raise_for_status()
            entries = json.loads(answer.content)
            numbers.update(entry["number"] for entry in entries)
            if "next" not in answer.links:
                break
            params["since"] = entries[-1]["updated_at"]
    print(len(numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

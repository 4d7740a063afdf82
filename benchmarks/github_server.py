"""`python -m benchmarks.github_server COUNT LATENCY`: a GitHub on loopback with that many issues.

Prints its address. For each line on stdin it prints the number of requests since the last line as
JSON: `{"listings": 51, "others": 1}`. Ends with stdin. Each response begins after LATENCY seconds.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence

from benchmarks.corpus import SEED, sentences
from tests.support.github import GRAPHQL, FakeGitHub, serving_github
from tests.support.loopback import CannedResponse, Request

SPAN = 100_000_000
"""The period over which the issues were changed, about three years (seconds)."""
_NOW = 1_777_640_000.0
_SENTENCES = 20
_MENTIONS = 0.3
"""Sentences of an issue, and how many issues name a decision and a specification."""


class CountedGitHub(FakeGitHub):
    """A GitHub whose GraphQL API knows the number of issues alone, which a first sync asks for.

    So it needs no library for GraphQL: the benchmarks run without the dependencies of the tests.
    """

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        if request.path != GRAPHQL:
            return super().answer(request)
        return CannedResponse(
            200, {"data": {"repository": {"issues": {"totalCount": len(self.items)}}}}
        )


def main(arguments: Sequence[str]) -> int:
    """Serve until stdin ends."""
    count, latency = int(arguments[0]), float(arguments[1])
    github = CountedGitHub(_NOW, checked=False)
    with serving_github(github) as server:
        fill(github, count)
        server.faults.append(lambda _: time.sleep(latency))
        print(server.url, flush=True)
        for _ in sys.stdin:
            listings = sum(request.path.endswith("/issues") for request in server.requests)
            others = len(server.requests) - listings
            server.requests.clear()
            print(json.dumps({"listings": listings, "others": others}), flush=True)
    return 0


def fill(github: FakeGitHub, count: int) -> None:
    """Add `count` issues of prose, the same each time, and prepare the listing."""
    pool = sentences()
    chance = random.Random(SEED)
    for number in range(count):
        lines = chance.choices(pool, k=_SENTENCES)
        if chance.random() < _MENTIONS:
            lines.append(f"See SPEC-{chance.randint(1, 40):04} and ADR-{chance.randint(1, 40):04}.")
        github.add(
            chance.choice(pool)[:80],
            at=_NOW - SPAN + number * (SPAN // count),
            body="\r\n".join(lines),
            labels=chance.sample(("bug", "story", "cart", "search"), k=2),
            assignees=("bea",),
            author=chance.choice(("ana", "bea", "cai")),
            state=chance.choice(("open", "closed", "closed")),
        )
    github.prepare()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A review is posted through a proxy that injects faults between it and its forge.

Whatever the faults, posting ends with notes and no exception, sends the token nowhere else, and
creates few comments. Without faults, the next job leaves one comment, and one on the line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sdd_hooks.action.review import PostOptions, post
from sdd_hooks.findings import ReportedFinding
from sdd_hooks.forges.gitea.vendor import VENDOR as GITEA
from sdd_hooks.forges.github.vendor import VENDOR as GITHUB
from sdd_hooks.forges.protocol import ForgeVendor, JobContext, PullRequest
from sdd_hooks.reporting.comment import has_marker, render_comment
from sdd_hooks.reporting.registry import Links
from sdd_hooks.usecases.review import Verdict
from tests.adversarial.conftest import Rounds
from tests.reporting.reviews import DANGLING, EVERYTHING
from tests.support.faulty_proxy import FaultyProxy
from tests.support.gitea_forge import JOB as GITEA_JOB
from tests.support.gitea_forge import TOKEN, FakeGiteaForge, serving_gitea_forge
from tests.support.github_forge import JOB, serving_forge
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.machines import ClientFactory

HEAD = "2" * 40
MAX_CREATED = 2
"""Comments that one job may create: a write whose response is lost is sent twice."""


@dataclass(frozen=True)
class ForgeSite:
    """A fake forge with one pull request, and what its job sees and leaves."""

    vendor: ForgeVendor
    server: Server
    answer: Callable[[Request], CannedResponse]
    context: JobContext
    token: str
    bodies: Callable[[], list[str]]


def test_posting_survives_every_fault(rounds: Rounds) -> None:
    rounds.run(_case)


def _case(chance: random.Random) -> None:
    with (
        chance.choice([_github, _gitea])() as site,
        serving(lambda _: CannedResponse(200, {})) as thief,
        ClientFactory(1_800_000_000.0) as clients,
    ):
        proxy = FaultyProxy(
            site.answer,
            chance.randrange(2**32),
            0.0,
            pass_time=clients.pass_time,
            elsewhere=f"{thief.url}/steal",
        )
        site.server.faults.append(proxy)
        for _ in range(chance.randrange(1, 4)):
            before = len(site.bodies())
            proxy.rate = chance.choice([0.05, 0.2, 0.5, 1.0])
            notes = _job(site, clients, _verdict(chance))
            assert all("\n" not in note and site.token not in note for note in notes)
            assert len(site.bodies()) <= before + MAX_CREATED
            proxy.rate = 0.0
        assert thief.requests == []
        verdict = _verdict(chance)
        for _ in range(2):
            # The next job may begin after the day for which a rate limit asked.
            clients.now += 100_000
            assert _job(site, clients, verdict) == ()
        (body,) = site.bodies()
        assert body.split("\n")[:2] == render_comment(verdict.review).split("\n")[:2]
        assert _count_open_threads(site, clients) == 1


def _verdict(chance: random.Random) -> Verdict:
    finding = ReportedFinding(DANGLING, "f" * 16, on_added_line=True)
    review = replace(EVERYTHING, head=HEAD, findings=(finding,), files=chance.randrange(1, 9))
    return Verdict(review, fails=chance.random() < 0.5)


def _job(site: ForgeSite, clients: ClientFactory, verdict: Verdict) -> tuple[str, ...]:
    forge = site.vendor.open(site.context, clients.forge_clients(site.token))
    pull = PullRequest(1, "A change", "", "1" * 40, "main", HEAD, False, "refs/pull/1/head")
    options = PostOptions(inline=True, status=True)
    return post(forge, pull, verdict, Links("https://example.org/blob", HEAD, ""), options).notes


def _count_open_threads(site: ForgeSite, clients: ClientFactory) -> int:
    forge = site.vendor.open(site.context, clients.forge_clients(site.token))
    return sum(one.is_own and not one.is_resolved for one in forge.threads(1))


@contextmanager
def _github() -> Iterator[ForgeSite]:
    with serving_forge() as forge:
        forge.add_pull(head=HEAD)
        context = JobContext(forge.url, forge.api, forge.home, "pull_request")

        def bodies() -> list[str]:
            return [body for body in forge.bodies(1) if has_marker(body)]

        yield ForgeSite(GITHUB, forge.server, forge.answer, context, JOB, bodies)


@contextmanager
def _gitea() -> Iterator[ForgeSite]:
    gitea = FakeGiteaForge()
    with serving_gitea_forge(gitea) as server:
        gitea.add_pull(head=HEAD)
        home = f"{gitea.owner}/{gitea.name}"
        context = JobContext(gitea.url, f"{gitea.url}/api/v1", home, "pull_request")

        def bodies() -> list[str]:
            return [body for login, body in gitea.comments(1) if login == GITEA_JOB]

        yield ForgeSite(GITEA, server, gitea.answer, context, TOKEN, bodies)

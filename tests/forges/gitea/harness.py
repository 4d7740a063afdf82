"""The harness of the contract for the Gitea on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sdd_hooks.forges.gitea.forge import GiteaForge
from sdd_hooks.forges.gitea.vendor import VENDOR
from sdd_hooks.forges.protocol import JobContext
from tests.forges.gitea.contract import LINES, PATH, PostedLineComment
from tests.support.gitea_forge import JOB, TOKEN, Account, FakeGiteaForge, serving_gitea_forge
from tests.support.loopback import Server
from tests.support.machines import ClientFactory

WRONG = "t0ken-that-is-wrong"
TOKENS = {
    "job": Account(JOB),
    "fork": Account(JOB, "fork"),
    "reader": Account(JOB, "read"),
    "alice": Account("alice"),
    "scoped": Account("alice", is_scoped=True),
    "forgejo": Account("forgejo-actions"),
}


def open_gitea(run: JobContext, client_factory: ClientFactory, token: str | None) -> GiteaForge:
    """Open the repository of the job with a token."""
    forge = VENDOR.open(run, client_factory.forge_clients(token))
    assert isinstance(forge, GiteaForge)
    return forge


@dataclass
class LoopbackHarness:
    """The Gitea on loopback; see `ForgeHarness`."""

    gitea: FakeGiteaForge
    server: Server
    client_factory: ClientFactory

    def open(self, who: str = "job") -> GiteaForge:
        home = f"{self.gitea.owner}/{self.gitea.name}"
        run = JobContext(self.gitea.url, f"{self.gitea.url}/api/v1", home, "pull_request")
        tokens = {"job": TOKEN, "wrong": WRONG}
        return open_gitea(run, self.client_factory, tokens.get(who, f"token-of-{who}"))

    def pull(self, title: str = "A change", body: str = "", *, fork: bool = False) -> int:
        return self.gitea.add_pull(title, body, fork=fork, lines={PATH: LINES})

    def head(self, number: int) -> str:
        return str(self.gitea.pulls[number].entry["head"]["sha"])

    def add_comment(self, number: int, body: str) -> None:
        self.gitea.comment(number, body, "alice")

    def comments(self, number: int) -> list[tuple[str, str]]:
        return self.gitea.comments(number)

    def line_comments(self, number: int) -> list[PostedLineComment]:
        pull = self.gitea.pulls[number]
        shown = {one["id"] for one in pull.reviews if one["state"] != "PENDING"}
        return [
            PostedLineComment(one["position"], one["body"], one["resolver"] is not None)
            for one in sorted(pull.line_comments, key=lambda one: one["position"])
            if one["pull_request_review_id"] in shown
        ]

    def add_line_comment(self, number: int, line: int, body: str) -> None:
        review = self.gitea.review(number, "alice")
        self.gitea.add_line_comment(self.gitea.pulls[number], review, PATH, line, body)

    def resolve_first(self, number: int) -> None:
        first = self.gitea.pulls[number].line_comments[0]
        first["resolver"] = self.gitea.review(number, "alice")["user"]

    def begin_review(self, number: int, who: str, body: str, *, commit: str = "") -> None:
        review = self.gitea.review(number, TOKENS[who].login, "PENDING")
        if commit:
            review["commit_id"] = commit
        else:
            review["body"] = body
            self.gitea.add_line_comment(self.gitea.pulls[number], review, PATH, 1, body)

    def count_pending_reviews(self, number: int, who: str) -> int:
        reviews = self.gitea.pulls[number].reviews
        mine = [one for one in reviews if one["user"]["login"] == TOKENS[who].login]
        return sum(one["state"] == "PENDING" for one in mine)

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        return [one for one in reversed(self.gitea.statuses) if one["sha"] == sha]


@contextmanager
def loopback_harness(**settings: Any) -> Iterator[LoopbackHarness]:
    """A harness for a fake Gitea with these settings."""
    tokens = {TOKEN if who == "job" else f"token-of-{who}": one for who, one in TOKENS.items()}
    gitea = FakeGiteaForge(tokens=tokens, **settings)
    with serving_gitea_forge(gitea) as server, ClientFactory(gitea.now) as client_factory:
        yield LoopbackHarness(gitea, server, client_factory)

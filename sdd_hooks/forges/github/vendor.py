"""GitHub, in its cloud and as Enterprise Server: its jobs, and the pull requests of a repository.

https://docs.github.com/actions/reference/workflows-and-actions/variables,
https://docs.github.com/rest/issues/comments, https://docs.github.com/rest/commits/statuses
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge", SPEC-0011 REQ "One comment", SPEC-0011 REQ "Statuses"

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.event import pull_request_of, run_of
from sdd_hooks.forges.github import line_comments as github_lines
from sdd_hooks.forges.github import threads as github_threads
from sdd_hooks.forges.github.api import Api
from sdd_hooks.forges.protocol import (
    Connect,
    LineComment,
    PullRequest,
    Run,
    Status,
    Thread,
    Upserted,
    Vendor,
)
from sdd_hooks.forges.sticky import Comment, last_of_ours, upsert
from sdd_hooks.hosts.gitea import RUNNER_VARIABLES
from sdd_hooks.hosts.github import CLOUD, CLOUD_API, LABEL, rate_limit, token_headers
from sdd_hooks.remote.json_fields import Json, number, text

ADVICE = (
    "give the job `permissions: pull-requests: write`; "
    "on a pull request of a fork its token can only read"
)
LONGEST_DESCRIPTION = 140
"""Characters that the description of a status may have."""

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}", re.ASCII)


@dataclass(frozen=True)
class GitHub:
    """One repository: a Forge."""

    run: Run
    api: Api

    def pull_request(self, number: int) -> PullRequest:
        """A pull request as it is now."""
        found = pull_request_of(self.api.get(f"pulls/{number}"))
        if found is None:
            raise RemoteError(f"{LABEL} answers without a pull request: check the URL")
        return found

    def upsert_comment(
        self, number: int, body: str, is_ours: Callable[[str], bool], *, create: bool = True
    ) -> Upserted:
        """Make `body` the one comment of ours."""
        us = self.api.us()
        listing = f"issues/{number}/comments"

        def look() -> Comment | None:
            return last_of_ours(map(_comment, self.api.every(listing)), us, is_ours)

        def make() -> str:
            return _url(self.api.write("POST", listing, {"body": body}).json())

        def edit(found: Comment) -> str:
            path = f"issues/comments/{found.id}"
            return _url(self.api.write("PATCH", path, {"body": body}, idempotent=True).json())

        return upsert(body, look, make, edit, create=create)

    def threads(self, number: int) -> tuple[Thread, ...]:
        """Every comment on a line that begins a thread."""
        return github_threads.threads(self.api, number)

    def publish_review(
        self, number: int, head: str, comments: Sequence[LineComment], resolve: Sequence[Thread]
    ) -> tuple[LineComment, ...]:
        """Post comments on lines, and settle threads. Returns the comments that were not taken."""
        left = github_lines.post(self.api, number, head, comments)
        github_threads.settle(self.api, resolve)
        return left

    def set_status(self, sha: str, status: Status) -> None:
        """Give a commit a status."""
        said = status.description
        if len(said) > LONGEST_DESCRIPTION:
            said = f"{said[: LONGEST_DESCRIPTION - 1]}…"
        body = {"state": status.state, "context": status.context, "description": said}
        target = {"target_url": status.url} if status.url else {}
        self.api.write("POST", f"statuses/{sha}", {**body, **target}, idempotent=True)

    def blobs(self) -> tuple[str, str]:
        """Where files are shown."""
        return f"{self.run.web}/{self.run.repository}/blob", "plain=1"

    def disconnect(self) -> None:
        """Let connections go."""
        self.api.client.close()


def _here(environ: Mapping[str, str]) -> Run | None:
    """The job of GitHub Actions; the runners of others that speak its language say so."""
    if environ.get("GITHUB_ACTIONS") != "true" or any(
        environ.get(name) for name in RUNNER_VARIABLES
    ):
        return None
    return run_of(environ, web=CLOUD, api=CLOUD_API)._replace(annotations=True)


def _open(run: Run, connect: Connect) -> GitHub:
    """Raises RemoteError where the runner does not say which repository the job is of."""
    if not _REPOSITORY.fullmatch(run.repository):
        raise RemoteError(f"{LABEL}: GITHUB_REPOSITORY is no owner/name: run this as a job of it")
    client = connect(run.api, label=LABEL, headers=token_headers, limits=rate_limit, advice=ADVICE)
    return GitHub(run, Api(client, run.repository))


def _comment(entry: Json) -> Comment:
    return Comment(
        id=number(entry, "id") or 0,
        body=text(entry, "body"),
        author=text(entry, "user", "login"),
        bot=text(entry, "user", "type") == "Bot",
        url=_url(entry),
    )


def _url(entry: Json) -> str:
    return text(entry, "html_url")


VENDOR = Vendor(LABEL, _here, _open)

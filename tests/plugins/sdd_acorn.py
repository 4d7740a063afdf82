"""A forge: its one pull request is a folder that `ACORN_CI` names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sdd_hooks.api import (
    CommitStatus,
    FileLinks,
    ForgeClientFactory,
    ForgeVendor,
    JobContext,
    LineComment,
    Missing,
    PullRequest,
    ReviewThread,
    UpsertResult,
)


class Acorn:
    """Reads `pull.json` and writes `comment.md`, `review.json` and `status.json`."""

    def __init__(self, context: JobContext) -> None:
        self._folder = Path(context.api_url)
        self._web_url = context.web_url

    def pull_request(self, number: int) -> PullRequest:
        """Read the pull request."""
        pull = read_pull(self._folder)
        if pull is None or pull.number != number:
            raise Missing(f"Acorn has no pull request {number}")
        return pull

    def upsert_comment(
        self,
        number: int,
        body: str,
        has_marker: Callable[[str], bool],
        *,
        create: bool = True,
    ) -> UpsertResult:
        """Write the one comment."""
        comment = self._folder / "comment.md"
        text = comment.read_text() if comment.exists() else ""
        if not has_marker(text) and not create:
            return UpsertResult("none")
        if text == body:
            return UpsertResult("kept", self._web_url)
        comment.write_text(body)
        return UpsertResult("edited" if text else "created", self._web_url)

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """There are no threads."""
        return ()

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Write the comments on lines."""
        rows = [[head, comment.path, comment.line] for comment in comments]
        (self._folder / "review.json").write_text(json.dumps(rows))
        return ()

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Write the status."""
        (self._folder / "status.json").write_text(json.dumps([sha, status.state]))

    def file_links(self) -> FileLinks:
        """The web addresses of files."""
        return FileLinks(f"{self._web_url}/files", "plain=1")

    def disconnect(self) -> None:
        """Hold no connection open."""


def read_pull(folder: Path) -> PullRequest | None:
    """Read `pull.json`, if there is one."""
    if not (folder / "pull.json").exists():
        return None
    row = json.loads((folder / "pull.json").read_text())
    return PullRequest(
        row["number"], row["title"], "", row["base"], "main", row["head"], False, row["head"]
    )


def detect_job(environ: Mapping[str, str]) -> JobContext | None:
    """The job of an environment with `ACORN_CI`."""
    folder = environ.get("ACORN_CI")
    if not folder:
        return None
    pull = read_pull(Path(folder))
    event = "pull_request" if pull else "push"
    return JobContext("https://acorn.example", folder, "acme/shop", event, pull=pull)


def open_forge(context: JobContext, connect: ForgeClientFactory) -> Acorn:
    """Open the repository of a job, which needs no HTTP client."""
    return Acorn(context)


VENDOR = ForgeVendor("Acorn", detect_job, open_forge)

"""Gitea and Forgejo: the job of their Actions in which this runs, and its repository.

Their runners set the variables of GitHub's runner; only a further variable distinguishes them.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.actions_event import parse_job
from sdd_hooks.forges.gitea.forge import GiteaForge
from sdd_hooks.forges.protocol import ForgeClientFactory, ForgeVendor, JobContext
from sdd_hooks.hosts.gitea import API_PATH, LABEL, is_gitea_job
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.remote.credentials import Secret

ADVICE = (
    "give the job `permissions` to write, or a token with the scopes write:repository, write:issue "
    "and read:user (a wrong token may look like a missing repository)"
)

_REPOSITORY = lazy_regex(
    r"(?!\.{1,2}/)[A-Za-z0-9._-]{1,100}/(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII
)


def _detect_job(environ: Mapping[str, str]) -> JobContext | None:
    """The job of a runner of Gitea or Forgejo; None in any other environment."""
    if not is_gitea_job(environ):
        return None
    web_url = environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    return parse_job(environ, web_url="", api_url=f"{web_url}{API_PATH}" if web_url else "")


def _open(context: JobContext, connect: ForgeClientFactory) -> GiteaForge:
    """Raises RemoteError if the runner does not name the repository of the job."""
    if not _REPOSITORY.fullmatch(context.repository):
        raise RemoteError(
            f"{LABEL}: GITHUB_REPOSITORY is not owner/name: run this in a job of a repository"
        )
    client = connect(context.api_url, label=LABEL, headers=_token_headers, advice=ADVICE)
    return GiteaForge(context, client)


def _token_headers(secret: Secret) -> dict[str, str]:
    return {"Authorization": f"token {secret.value}"}


VENDOR = ForgeVendor(LABEL, _detect_job, _open, api_url=lambda web_url: f"{web_url}{API_PATH}")

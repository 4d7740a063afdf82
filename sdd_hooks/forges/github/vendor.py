"""GitHub, in its cloud and as Enterprise Server: the job in which this runs, and its repository.

https://docs.github.com/actions/reference/workflows-and-actions/variables
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge", REQ "Recognising the job"

from __future__ import annotations

import re
from collections.abc import Mapping

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.actions_event import parse_job
from sdd_hooks.forges.github.api import RepositoryApi
from sdd_hooks.forges.github.forge import GitHubForge
from sdd_hooks.forges.protocol import ForgeClientFactory, ForgeVendor, JobContext
from sdd_hooks.hosts.gitea import RUNNER_VARIABLES
from sdd_hooks.hosts.github import CLOUD, CLOUD_API, LABEL, api_url, rate_limit, token_headers
from sdd_hooks.text.lazy_regex import lazy_regex

ADVICE = "give the job `permissions: pull-requests: write`"

_REPOSITORY = lazy_regex(r"[A-Za-z0-9_.-]{1,100}/(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}", re.ASCII)


def _detect_job(environ: Mapping[str, str]) -> JobContext | None:
    """The job of GitHub's runner; runners of other hosts set a variable that names them."""
    is_other_runner = any(environ.get(name) for name in RUNNER_VARIABLES)
    if environ.get("GITHUB_ACTIONS") != "true" or is_other_runner:
        return None
    context = parse_job(environ, web_url=CLOUD, api_url=CLOUD_API)
    return context._replace(shows_annotations=True)


def _open(context: JobContext, connect: ForgeClientFactory) -> GitHubForge:
    """Raises RemoteError if the runner does not name the repository of the job."""
    if not _REPOSITORY.fullmatch(context.repository):
        raise RemoteError(
            f"{LABEL}: GITHUB_REPOSITORY is not owner/name: run this in a job of a repository"
        )
    client = connect(
        context.api_url, label=LABEL, headers=token_headers, rate_limit=rate_limit, advice=ADVICE
    )
    return GitHubForge(context, RepositoryApi(client, context.repository))


VENDOR = ForgeVendor(LABEL, _detect_job, _open, api_url=api_url)

"""Gitea and Forgejo: the job of their Actions that runs here, and the repository that it is about.

Their runners speak GitHub's words and set its variables too, so that nothing else tells them apart
but a variable of their own.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.event import run_of
from sdd_hooks.forges.gitea.repository import Gitea
from sdd_hooks.forges.protocol import Connect, Run, Vendor
from sdd_hooks.hosts.gitea import API_PATH, LABEL, is_gitea_job

if TYPE_CHECKING:
    from sdd_hooks.remote.credentials import Secret

ADVICE = (
    "give the job `permissions` to write, or a token with the scopes write:repository, write:issue "
    "and read:user (a wrong token may look like a missing repository)"
)

_REPOSITORY = re.compile(
    r"(?!\.{1,2}/)[A-Za-z0-9._-]{1,100}/(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII
)


def _here(environ: Mapping[str, str]) -> Run | None:
    """The job that the runner's environment describes; None where no runner of these set it."""
    if not is_gitea_job(environ):
        return None
    web = environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    return run_of(environ, web="", api=f"{web}{API_PATH}" if web else "")


def _open(run: Run, connect: Connect) -> Gitea:
    """Raises RemoteError where the runner does not say which repository the job is of."""
    if not _REPOSITORY.fullmatch(run.repository):
        raise RemoteError(f"{LABEL}: GITHUB_REPOSITORY is no owner/name: run this as a job of it")
    return Gitea(run, connect(run.api, label=LABEL, headers=_headers, advice=ADVICE))


def _headers(secret: Secret) -> dict[str, str]:
    return {"Authorization": f"token {secret.value}"}


VENDOR = Vendor(LABEL, _here, _open)

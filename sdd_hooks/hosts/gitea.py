"""The API and the runners of Gitea and Forgejo: what the forge and the tracker adapter share."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker",
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

from collections.abc import Mapping

LABEL = "Gitea"
API_PATH = "/api/v1"
TOTAL_HEADER = "x-total-count"
"""The response header with the number of all entries of a listing."""
RUNNER_VARIABLES = ("GITEA_ACTIONS", "FORGEJO_ACTIONS")
"""The variables that the runners of Gitea and Forgejo set and GitHub's runner does not."""


def is_gitea_job(environ: Mapping[str, str]) -> bool:
    """Whether this is a job of Gitea or Forgejo, whose runner sets `GITHUB_*` to its own server."""
    return any(environ.get(name) == "true" for name in RUNNER_VARIABLES)

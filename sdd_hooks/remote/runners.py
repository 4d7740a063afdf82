"""Runners of CI that speak GitHub's words and set its variables, and belong to another host."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

from collections.abc import Mapping

GITEAS = ("GITEA_ACTIONS", "FORGEJO_ACTIONS")
"""The variables by which Gitea's and Forgejo's runners can be told from GitHub's."""


def is_giteas(environ: Mapping[str, str]) -> bool:
    """Whether this is a job of Gitea's or Forgejo's, where `GITHUB_*` are theirs."""
    return any(environ.get(name) == "true" for name in GITEAS)

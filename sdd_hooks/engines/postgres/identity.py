"""How the organisation calls a repository: `host/owner/name`, from its remote `origin`."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.system.git import Git


def repository_identity(git: Git) -> str:
    """Return the identity of a repository, in lower case.

    Raises EngineUnavailable without a remote on another machine: two repositories without one
    could not be told apart.
    """
    address = (
        (git.try_output("remote", "get-url", "origin") or b"").decode("utf-8", "replace").strip()
    )
    remote = parse_remote(address)
    if remote is None:
        raise EngineUnavailable(
            "the engine postgres knows a repository by its remote `origin`, and this one has none"
            " on a server: run `git remote add origin URL`"
        )
    port = f":{remote.port}" if remote.port and remote.scheme in {"http", "https"} else ""
    return f"{remote.host}{port}/{remote.path}".lower()

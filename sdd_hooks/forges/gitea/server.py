"""What is read from a Gitea or a Forgejo: who a token is, and whose comments are its own."""

# Governing: SPEC-0011 REQ "One comment"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.remote.json_fields import Json, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

JOBS = frozenset({"gitea-actions", "forgejo-actions"})
"""The users as whom jobs write. Nobody can log in as them."""
GHOST = -1
"""The number of the user who stands for one that is gone; where servers look for a job's user among
people, for that as well."""

_SCOPE = "scope"


def whoami(client: Client) -> str:
    """The name by which the token logs in; "" where the server tells nobody.

    Raises AccessRefused for a token that may write but not say whose it is: each of its comments
    would be taken for somebody else's.
    """
    answer = client.get("user", allow=(401, 403, 404))
    if answer.status == 200:
        return text(answer.json(), "login")
    if answer.status == 403 and _SCOPE in text(answer.json(), "message"):
        raise client.access_refused(
            "it has not the scope read:user, by which its comments are known"
        )
    return ""


def is_program(entry: Json) -> bool:
    """Whether what has this `user` was written by a job."""
    return text(entry, "user", "login").lower() in JOBS


def is_job(us: str) -> bool:
    """Whether who logs in as `us` is a job, and no person; so is who may not know."""
    return us.lower() in {"", *JOBS}


def is_us(us: str, user: Json) -> bool:
    """Whether `user`, as the API has one, is who logs in as `us`."""
    login = text(user, "login").lower()
    return login == us.lower() if us else login in JOBS

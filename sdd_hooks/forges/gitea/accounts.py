"""The accounts of a Gitea or a Forgejo: the one of the token, and the users of jobs."""

# Governing: SPEC-0011 REQ "One comment"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.remote.json_fields import Json, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

JOB_USERS = frozenset({"gitea-actions", "forgejo-actions"})
"""The users as which jobs write. A person cannot log in as one of them."""
GHOST_ID = -1
"""The id of the user that replaces a deleted one. Some servers show it instead of a job's user."""

_SCOPE = "scope"


def read_account(client: Client) -> str:
    """The login name of the token's account; "" if the server does not tell it.

    Raises AccessRefused for a token that may write but not read its account: each of its comments
    would count as a comment of another account.
    """
    response = client.get("user", allow=(401, 403, 404))
    if response.status == 200:
        return text(response.json(), "login")
    if response.status == 403 and _SCOPE in text(response.json(), "message"):
        raise client.access_refused(
            "it has not the scope read:user, by which its comments are known"
        )
    return ""


def is_by_job(entry: Json) -> bool:
    """Whether a job wrote the entry, by its field `user`."""
    return text(entry, "user", "login").lower() in JOB_USERS


def may_be_job(account: str) -> bool:
    """Whether the account is a job's user, or unknown ("")."""
    return account.lower() in {"", *JOB_USERS}


def is_own(account: str, user: Json) -> bool:
    """Whether `user`, in the format of the API, is the account; any job's user if it is ""."""
    login = text(user, "login").lower()
    return login == account.lower() if account else login in JOB_USERS

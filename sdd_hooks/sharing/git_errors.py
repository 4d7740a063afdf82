"""What a remote and git say when something does not work, as errors that may be shown."""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0019 (a token belongs to one host)

from __future__ import annotations

import re
from collections.abc import Mapping

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.text.display import one_line

UNREACHABLE = "cannot be reached"

_REFUSED = re.compile(
    r"could not read (?:Username|Password)|Authentication failed|Permission denied"
    r"|Permission to .* denied|access denied|not authorized|unauthorized|forbidden"
    r"|returned error: 40[13]|Repository not found|terminal prompts disabled"
    r"|insufficient permission|not allowed to",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?<=//)[^/@\s]*@")
_SECRET = 8
"""Characters from which on a value of `access` is taken for one that nobody may see."""


class Rejected(Exception):
    """The remote did not take a push. `error` is what that comes to where nothing else helps."""

    def __init__(self, error: RemoteError, *, busy: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.busy = busy


def failure(remote: str, what: str, said: str, access: Mapping[str, str]) -> RemoteError:
    """The error for a remote that does not do what it was asked; `said` is what git said of it.

    Nothing of `access` is shown, and no login of an address.
    """
    shown = told(said, access)
    if _REFUSED.search(said):
        return _refused(remote, shown)
    return RemoteError(f"{remote} {what} ({shown}): try again later")


def told(said: str, access: Mapping[str, str]) -> str:
    """The line in which git says what went wrong, without what must not be seen."""
    return _clean(_complaint(said), access)


def rejection(remote: str, ref: str, reason: str, said: str, access: Mapping[str, str]) -> Rejected:
    """A push that was not taken for `reason`; `said` has the words of the remote besides."""
    words = [line.partition(":")[2] for line in said.splitlines() if "remote:" in line]
    shown = _clean(" ".join([reason, *filter(str.strip, words[:3])]), access)
    if _REFUSED.search(said):
        return Rejected(_refused(remote, shown), busy=False)
    error = RemoteError(f"{remote} does not take {ref} ({shown})")
    return Rejected(error, busy="lock" in reason)


def _refused(remote: str, said: str) -> AccessRefused:
    return AccessRefused(
        f"{remote} refuses access ({said}): git's own credentials have to allow it"
    )


def _clean(text: str, access: Mapping[str, str]) -> str:
    """What a remote or git said, without what must not be seen."""
    for name, value in access.items():
        for word in () if "_KEY_" in name else value.split():
            if len(word) >= _SECRET:
                text = text.replace(word, "…")
    return one_line(_LOGIN.sub("", text))[:200]


def _complaint(text: str) -> str:
    """The line in which git says what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        # Where ssh failed, that says why, and git after it that it did.
        if line.startswith(("fatal: ", "error: ")) and "Could not read from remote" not in line:
            return line.partition(": ")[2]
    return lines[0].removeprefix("fatal: ") if lines else "git failed without a word"

"""Errors of git and of remotes, as messages without logins and tokens."""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0019 (a token belongs to one host)

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.text.display import one_line

UNREACHABLE = "cannot be reached"
LATER = "try again later"

_REFUSED = re.compile(
    r"could not read (?:Username|Password)|Authentication failed|Permission denied"
    r"|Permission to .* denied|access denied|not authorized|unauthorized|forbidden"
    r"|returned error: 40[13]|Repository not found|terminal prompts disabled"
    r"|insufficient permission|not allowed to",
    re.IGNORECASE,
)
_WRONG_ADDRESS = re.compile(
    r"does not appear to be a git repository|transport '.*' not allowed"
    r"|unable to find remote helper|is this a git repository|no path specified"
)
# A server that runs out of memory says "pack-objects died", too: that alone is not enough.
_LACKS_OBJECTS = re.compile(
    r"(?:not our ref|bad (?:(?:tree|blob|commit) )?object|unable to read"
    r"|missing (?:tree|blob|commit)) [0-9a-f]{40,64}\b.*"
)
_LOGIN = re.compile(r"(?<=//)[^/@\s]*@")
_MIN_SECRET_LENGTH = 8
"""A word of a value of `access` with at least this many characters counts as a secret."""

_MAX_TEXT_LENGTH = 200
"""Characters of git's output that a message quotes."""

_MAX_REMOTE_LINES = 3
"""Lines of the remote's output that a message quotes."""


class PushRejected(Exception):
    """The remote rejected a push.

    `error` is what to raise when a retry does not help. `is_busy` says that another push has
    locked the ref.
    """

    def __init__(self, error: RemoteError, *, is_busy: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.is_busy = is_busy


def remote_error(remote: str, problem: str, stderr: str, access: Mapping[str, str]) -> RemoteError:
    """The error for a git command that failed at a remote. `stderr` is the output of git.

    The message has no value of `access`, and no login of an address.
    """
    reason = redact_git_error(stderr, access)
    if is_refusal(stderr):
        return _access_refused(remote, reason)
    advice = "check its address" if _WRONG_ADDRESS.search(reason) else LATER
    return RemoteError(f"{remote} {problem} ({reason}): {advice}")


def is_refusal(stderr: str) -> bool:
    """Whether git's output says that a remote refuses the credentials."""
    return _REFUSED.search(stderr) is not None


def find_lost_object(stderr: str, access: Mapping[str, str]) -> str:
    """What the remote says about an object that it should have, without secrets; "" for nothing."""
    found = _LACKS_OBJECTS.search(stderr)
    return _redact(found[0], access) if found else ""


def missing_objects_error(remote: str, ref: str, reason: str) -> RemoteError:
    """The error for a ref of vectors of which the remote has lost objects."""
    command = f"git push {shlex.quote(remote)} --delete {shlex.quote(ref)}"
    return RemoteError(
        f"{remote} has lost objects of {ref} ({reason}): delete the ref with `{command}`,"
        " and run `sdd index push` on a machine that has the vectors"
    )


def redact_git_error(stderr: str, access: Mapping[str, str]) -> str:
    """The line of git's output that says why a command failed, without secrets."""
    return _redact(_error_line(stderr), access)


def push_rejection(
    remote: str, ref: str, reason: str, stderr: str, access: Mapping[str, str]
) -> PushRejected:
    """The error for a push that was rejected for `reason`. `stderr` also quotes the remote."""
    messages = [line.partition(":")[2] for line in stderr.splitlines() if "remote:" in line]
    messages = [message for message in messages[:_MAX_REMOTE_LINES] if message.strip()]
    reason_text = _redact(" ".join([reason, *messages]), access)
    if _REFUSED.search(stderr):
        return PushRejected(_access_refused(remote, reason_text), is_busy=False)
    error = RemoteError(f"{remote} rejects {ref} ({reason_text})")
    return PushRejected(error, is_busy="lock" in reason)


def _access_refused(remote: str, reason: str) -> AccessRefused:
    return AccessRefused(f"{remote} refuses access ({reason}): git's credentials must have access")


def _redact(text: str, access: Mapping[str, str]) -> str:
    """Output of a remote or of git as one line without secrets."""
    for name, value in access.items():
        for word in () if "_KEY_" in name else value.split():
            if len(word) >= _MIN_SECRET_LENGTH:
                text = text.replace(word, "…")
    return one_line(_LOGIN.sub("", text))[:_MAX_TEXT_LENGTH]


def _error_line(stderr: str) -> str:
    """The line of git's output that says why a command failed."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in lines:
        # When ssh fails, this line follows the one that gives the reason.
        if line.startswith(("fatal: ", "error: ")) and "Could not read from remote" not in line:
            return line.partition(": ")[2]
    return lines[0].removeprefix("fatal: ") if lines else "git failed without a message"

"""Shims: the files that git runs as hooks.

An installed shim is one file: a header with the event and the command to start, then the body that
all shims share. The header has a digest of the rest, which identifies a shim that a user edited.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Nothing to do costs nothing"

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from sdd_hooks.errors import SddError

CHECK_EVENTS = ("pre-commit", "pre-merge-commit")
"""Hooks that can refuse what makes the records inconsistent."""
EVENTS = (*CHECK_EVENTS, "post-commit", "post-merge", "post-checkout", "post-rewrite")
REVIEW_EVENTS = ("commit-msg", "pre-push")
"""Hooks that are installed for the review, in which pre-commit reviews, too."""
ACTIONS = ("check", *REVIEW_EVENTS)
"""What `sdd hook` runs for a review; `check` is for pre-commit."""

BODY = "sdd-hook.sh"
MARK = b"# sdd-hooks managed hook, "
MAX_MARK_OFFSET = 512
"""The mark is in the first bytes of a shim. Another hook may be a program of any size."""


class ShimsMissing(SddError):
    """The hooks are missing in the installation of sdd."""

    code = "installation"


def shims_folder() -> Path:
    """The folder of the shipped hooks, which `core.hooksPath` may name.

    In the wheel it is part of this package, in a checkout the top-level `hooks/`. Raises
    ShimsMissing when neither exists.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "shims", package.parents[1] / "hooks"):
        if (folder / BODY).is_file():
            return folder
    from sdd_hooks.system.installation import advise_reinstall

    raise ShimsMissing(f"{package / 'shims'} is missing: {advise_reinstall()}")


def render_shim(event: str, sdd: Path, *, review: bool = False) -> bytes:
    """The file to install for `event`, which starts the command at the absolute path `sdd`.

    With `review`, pre-commit applies the rules of the review to what is staged. It changes no
    post-… hook.
    """
    quoted = "'" + str(sdd).replace("'", "'\\''") + "'"
    body = (shims_folder() / BODY).read_bytes()
    flag = "1" if review and event in ("pre-commit", *REVIEW_EVENTS) else ""
    rest = f"event={event}\nreview={flag}\nsdd={quoted}\n".encode("utf-8", "surrogateescape") + body
    return b"#!/bin/sh\n" + MARK + _digest(rest) + b"\n" + rest


def is_shim(content: bytes) -> bool:
    """Whether `sdd hooks install` wrote this hook, also if a user edited it later."""
    return MARK in content[:MAX_MARK_OFFSET]


def is_edited(content: bytes) -> bool:
    """Whether a user edited this shim."""
    digest, _, rest = content.partition(MARK)[2].partition(b"\n")
    return _digest(rest) != digest


def command_of(content: bytes) -> Path | None:
    """The command that a shim starts; None when the line for it was edited."""
    for line in content.decode("utf-8", "surrogateescape").split("\n")[:10]:
        if line.startswith("sdd='") and line.endswith("'"):
            return Path(line[len("sdd='") : -1].replace("'\\''", "'"))
    return None


def _digest(rest: bytes) -> bytes:
    return f"sha256 {sha256(rest).hexdigest()[:32]}".encode()

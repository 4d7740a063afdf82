"""The hooks as files: which there are, where their source is, and how one is written out.

A hook that is installed is one file: a header with the event and the command to start, and the
body that the hooks of `core.hooksPath` share. The header carries a digest of the rest, so that an
edit by hand is seen and never lost.
"""

# Governing: ADR-0005 (hook shims decide in sh)

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from sdd_hooks.errors import SddError

EVENTS = ("pre-commit", "post-commit", "post-merge", "post-checkout", "post-rewrite")
REVIEW_EVENTS = ("commit-msg", "pre-push")
"""Those that are installed where a review in hooks is asked for; pre-commit then reviews, too."""
ACTIONS = ("check", *REVIEW_EVENTS)
"""What `sdd hook` does for a review; `check` is that of pre-commit."""

BODY = "sdd-hook.sh"
MARK = b"# sdd-hooks managed hook, "
# The mark stands in the first lines; a hook can be a program of any size.
MARK_WITHIN = 512


class ShimsMissing(SddError):
    """The installation of sdd lacks its hooks."""

    code = "installation"


def shims_folder() -> Path:
    """The folder with the hooks as shipped, fit for `core.hooksPath`.

    In the wheel it is part of this package, in a checkout the top-level `hooks/`. Raises
    ShimsMissing when it is in neither place.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / "shims", here.parents[1] / "hooks"):
        if (folder / BODY).is_file():
            return folder
    raise ShimsMissing(f"{here / 'shims'} is missing: install sdd-hooks again")


def render(event: str, sdd: Path, *, review: bool = False) -> bytes:
    """The file to install for `event`; it starts the command at the absolute path `sdd`.

    With `review`, pre-commit applies the rules of the review to what is staged; hooks that run
    after git's work are the same.
    """
    quoted = "'" + str(sdd).replace("'", "'\\''") + "'"
    body = (shims_folder() / BODY).read_bytes()
    flag = "1" if review and event in ("pre-commit", *REVIEW_EVENTS) else ""
    rest = f"event={event}\nreview={flag}\nsdd={quoted}\n".encode("utf-8", "surrogateescape") + body
    return b"#!/bin/sh\n" + MARK + _digest(rest) + b"\n" + rest


def is_ours(content: bytes) -> bool:
    """Whether `sdd hooks install` wrote this hook, edited since or not."""
    return MARK in content[:MARK_WITHIN]


def is_edited(content: bytes) -> bool:
    """Whether somebody changed a hook of ours by hand."""
    digest, _, rest = content.partition(MARK)[2].partition(b"\n")
    return _digest(rest) != digest


def command_of(content: bytes) -> Path | None:
    """The command that a hook of ours starts; None when the line is not as we write it."""
    for line in content.decode("utf-8", "surrogateescape").split("\n")[:10]:
        if line.startswith("sdd='") and line.endswith("'"):
            return Path(line[len("sdd='") : -1].replace("'\\''", "'"))
    return None


def _digest(rest: bytes) -> bytes:
    return f"sha256 {sha256(rest).hexdigest()[:32]}".encode()

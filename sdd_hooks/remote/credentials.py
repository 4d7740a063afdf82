"""Whose token may go to which host, and where it is found."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Credentials"

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secret:
    """What proves who asks. `value` is never shown; `source` says where it was found, for people:
    `GITHUB_TOKEN`, ``git's credential helper``, `gh`."""

    value: str = field(repr=False)
    source: str
    user: str = ""


@dataclass(frozen=True)
class Sources:
    """Where a vendor's tokens are, in the order they are looked for.

    `variables` are alternatives of environment variables: one with a token, or a user and a token.
    They belong to the hosts that one of the variables `hosts` names, as a host or as a URL, and
    where none of these is set to `homes` (`github.com`; `*.atlassian.net` is every host below).
    `git` says that git's credential helper knows this vendor's hosts. `commands(host)` are
    programs, with arguments, that print the token of that host; `stored(host, environ)` reads what
    the vendor's own program keeps.
    `headers(secret)` are the headers that carry it. `advice` is what a person without a token is
    told: `set GITHUB_TOKEN, or run `gh auth login``.
    """

    variables: tuple[tuple[str, ...], ...]
    headers: Callable[[Secret], Mapping[str, str]]
    advice: str
    homes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    git: bool = False
    commands: Callable[[str], tuple[tuple[str, ...], ...]] = lambda _host: ()
    stored: Callable[[str, Mapping[str, str]], Secret | None] = lambda _host, _environ: None

"""Whose token may go to which host, and where it is found.

A repository's files name hosts, and they may have been written by somebody with intent. A token of
the environment goes where the environment, or the vendor, says that it belongs.
"""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Credentials"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.errors import AccessRefused, SddError
from sdd_hooks.remote.urls import Endpoint, RemoteUrl, parse_endpoint
from sdd_hooks.system.git import Git
from sdd_hooks.system.processes import Program, find_executable, run_program

DEADLINE = 10.0
"""Seconds that a program has to print a token."""


@dataclass(frozen=True)
class Secret:
    """What proves who asks. `value` is never shown; `source` says where it was found, for people:
    `GITHUB_TOKEN`, ``git's credential helper`, `gh`. `user` is "" where only a token is known."""

    value: str = field(repr=False)
    source: str
    user: str = ""


class Variables(NamedTuple):
    """Environment variables that hold a token, or a user and a token, and where these belong.

    They belong to the hosts that one of the variables `hosts` names, as a host or as a URL, and
    where none of those is set to `homes` (`github.com`; `*.atlassian.net` is every host below).
    """

    names: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sources:
    """Where a vendor's tokens are, in the order they are looked for.

    `git` says that git's credential helper knows this vendor's hosts. `commands(host)` are
    programs, with arguments, that print the token of that host; `stored(host, environ)` reads what
    the vendor's own program keeps. `headers(secret)` are the headers that carry it. `advice` is
    what a person without a token is told: `set GITHUB_TOKEN, or run `gh auth login``. `site` turns
    the host of the API into the one that tokens are kept for: `api.github.com` into `github.com`.
    """

    variables: tuple[Variables, ...]
    headers: Callable[[Secret], Mapping[str, str]]
    advice: str
    git: bool = False
    commands: Callable[[str], tuple[tuple[str, ...], ...]] = lambda _host: ()
    stored: Callable[[str, Mapping[str, str]], Secret | None] = lambda _host, _environ: None
    site: Callable[[str], str] = lambda host: host


def find_secret(
    sources: Sources,
    api_url: str,
    *,
    around_origin: RemoteUrl | None,
    root: Path,
    environ: Mapping[str, str],
) -> Secret | None:
    """The secret for the host of `api_url`; None where there is none, or none that may go there.

    Looked for in the environment, git's credential helper, the vendor's programs and what they
    store. `around_origin` is the remote `origin` of the repository at `root`. Raises AccessRefused
    for a variable that holds what no token is.
    """
    site = _site(sources, api_url)
    if site is None or not _may_carry(sources, site, around_origin, environ):
        return None
    for variables in sources.variables:
        if _belongs(variables, site, environ):
            secret = _from_environment(variables, environ)
            if secret is not None:
                return secret
    found = _elsewhere(sources, site, around_origin, root, environ)
    return next((secret for secret in found if _is_token(secret.value)), None)


def advice(
    sources: Sources,
    api_url: str,
    *,
    around_origin: RemoteUrl | None,
    environ: Mapping[str, str],
) -> str:
    """What a person can do about access: why a token that is set is not sent, else the vendor's."""
    site = _site(sources, api_url)
    if site is None:
        return sources.advice
    for variables in sources.variables:
        named = " and ".join(variables.names)
        if not all(environ.get(name, "").strip() for name in variables.names):
            continue
        withheld = (
            f"{named} {'is' if len(variables.names) == 1 else 'are'} not sent to {site.netloc}"
        )
        if not _belongs(variables, site, environ):
            if not variables.hosts:
                return f"{withheld}: {sources.advice}"
            return f"{withheld}: set {variables.hosts[0]}={site} if it belongs there"
        if not _may_carry(sources, site, around_origin, environ):
            return f"{withheld} over plain http: use https"
    return sources.advice


def _site(sources: Sources, api_url: str) -> Endpoint | None:
    """Where tokens for the API are kept, as an address."""
    found = parse_endpoint(api_url)
    return found and found._replace(host=sources.site(found.host))


def _named(variables: Variables, environ: Mapping[str, str]) -> list[str] | None:
    """The addresses that belong to a token by the environment; None where that says nothing."""
    values = [environ.get(name, "").strip() for name in variables.hosts]
    return [value for value in values if value] or None


def _belongs(variables: Variables, site: Endpoint, environ: Mapping[str, str]) -> bool:
    named = _named(variables, environ)
    if named is None:
        secure = site.scheme == "https" and site.port == 443
        return secure and any(_is_home(site.host, home) for home in variables.homes)
    return any(_same(site, value) for value in named)


def _is_home(host: str, home: str) -> bool:
    return host.endswith(home[1:]) if home.startswith("*.") else host == home


def _same(site: Endpoint, value: str) -> bool:
    """Whether a host or a URL that the environment names is the site."""
    bare = "://" not in value
    found = parse_endpoint(f"{site.scheme}://{value}" if bare else value)
    if found is None or found.host != site.host:
        return False
    # A host that is trusted at http://host is so at https://host.
    return found.port == site.port or (found.port, site.port) == (80, 443)


def _may_carry(
    sources: Sources,
    site: Endpoint,
    origin: RemoteUrl | None,
    environ: Mapping[str, str],
) -> bool:
    """Whether the connection may carry a token: plain http only where somebody chose it."""
    if site.scheme == "https" or site.loopback:
        return True
    if origin is not None and parse_endpoint(origin.web) == site:
        return True
    named = (_named(variables, environ) or () for variables in sources.variables)
    return any(parse_endpoint(value) == site for values in named for value in values)


def _from_environment(variables: Variables, environ: Mapping[str, str]) -> Secret | None:
    values = [environ.get(name, "").strip() for name in variables.names]
    if not all(values):
        return None
    named = " and ".join(variables.names)
    if not _is_token(values[-1]) or not all(value.isprintable() for value in values):
        raise AccessRefused(f"{named}: it has characters that no token has: check its value")
    return Secret(values[-1], named, values[0] if len(values) > 1 else "")


def _is_token(value: str) -> bool:
    """Whether it can stand in a header: anything else would be shown in somebody's error."""
    return value != "" and value.isascii() and value.isprintable() and " " not in value


def _elsewhere(
    sources: Sources,
    site: Endpoint,
    origin: RemoteUrl | None,
    root: Path,
    environ: Mapping[str, str],
) -> Iterator[Secret]:
    # A helper may answer for every host: it is asked only for one that git goes to anyway, or that
    # the environment or the vendor names.
    known = origin is not None and origin.host == site.host
    if sources.git and (known or any(_belongs(one, site, environ) for one in sources.variables)):
        found = Git(root, environ).credential(site.scheme, site.netloc, DEADLINE)
        if found is not None:
            yield Secret(found[1], "git's credential helper", found[0])
    for command in sources.commands(site.netloc):
        printed = _printed(command, root, environ)
        if printed:
            yield Secret(printed, command[0])
    stored = sources.stored(site.netloc, environ)
    if stored is not None:
        yield stored


def _printed(command: tuple[str, ...], root: Path, environ: Mapping[str, str]) -> str:
    """What a program prints as its token; "" where it is not installed, or has none."""
    program = find_executable(command[0], environ, outside=root)
    if program is None:
        return ""
    # Those programs print a token of the environment for whatever host they are asked about.
    clean = {name: value for name, value in environ.items() if "TOKEN" not in name.upper()}
    try:
        whole = Program(command[0], (program, *command[1:]), Path("/"), clean)
        done = run_program(whole, DEADLINE)
    except SddError:
        return ""
    return "" if done.code else done.out.strip()

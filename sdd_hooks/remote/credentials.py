"""The token for a host: where it is looked up, and to which hosts it may be sent.

The files of a repository name hosts, and an attacker may have written them. So a token of the
environment is sent only to the hosts that the environment or the vendor assigns to it.
"""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Credentials"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.errors import AccessRefused, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.urls import Endpoint, RemoteUrl, parse_endpoint
from sdd_hooks.system.git import Git
from sdd_hooks.system.processes import Program, find_executable, run_program

PROGRAM_TIMEOUT = 10.0
"""Seconds that a program has to print a token."""
MAX_STORE_BYTES = 1_000_000
"""Bytes of a file that are read in which a program stores tokens; a real one is much smaller."""


@dataclass(frozen=True)
class Secret:
    """A token or a password. `value` never appears in a message or a log.

    `source` names where it was found, for messages: `GITHUB_TOKEN`, `git's credential helper`,
    `gh`. `user` is "" if only a token is known.
    """

    value: str = field(repr=False)
    source: str
    user: str = ""


class TokenVariables(NamedTuple):
    """Environment variables with a token, or with a user and a token, and the hosts of that token.

    The hosts are those that the variables `hosts` name, each as a host or as a URL. If none of
    these is set, they are `homes` (`github.com`; `*.atlassian.net` matches every subdomain).
    """

    names: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenSources:
    """The places where a vendor's tokens are looked up, in this order.

    `variables` are those of the environment. `git` says that git's credential helper may be asked.
    `commands(host)` are programs, with arguments, that print the token of a host.
    `stored(host, environ)` reads the files of the vendor's own program. `headers(secret)` are the
    headers that carry a token. `advice` is shown to users without one: `set GITHUB_TOKEN, or run
    `gh auth login``. `site` maps the host of the API to the host that tokens are stored for:
    `api.github.com` to `github.com`.
    """

    variables: tuple[TokenVariables, ...]
    headers: Callable[[Secret], Mapping[str, str]]
    advice: str
    git: bool = False
    commands: Callable[[str], tuple[tuple[str, ...], ...]] = lambda _host: ()
    stored: Callable[[str, Mapping[str, str]], Secret | None] = lambda _host, _environ: None
    site: Callable[[str], str] = lambda host: host


class TokenLookup(NamedTuple):
    """A lookup of a vendor's tokens, for the repository at `root`.

    `find_origin` reads its remote `origin`. `given_name` is what messages call a token of the
    environment; "": its variables.
    """

    sources: TokenSources
    find_origin: Callable[[], RemoteUrl | None]
    root: Path
    environ: Mapping[str, str]
    given_name: str = ""

    def find(self, api_url: str) -> Secret | None:
        """The token for the host of `api_url`; None if there is none that may be sent there.

        Raises AccessRefused for a variable whose value cannot be a token.
        """
        site = self._site(api_url)
        if site is None or not self._may_carry(site):
            return None
        for variables in self.sources.variables:
            if self._is_for(variables, site):
                secret = self._from_environment(variables)
                if secret is not None:
                    return secret
        found = self._from_programs(site)
        return next((secret for secret in found if _is_token(secret.value)), None)

    def advice(self, api_url: str) -> str:
        """What a user can do about refused access: why a token is not sent, else the vendor's."""
        sources, site = self.sources, self._site(api_url)
        if site is None:
            return sources.advice
        for variables in sources.variables:
            if not all(self.environ.get(name, "").strip() for name in variables.names):
                continue
            name = self._name(variables)
            verb = "are" if " and " in name else "is"
            withheld = f"{name} {verb} not sent to {site.netloc}"
            if not self._is_for(variables, site):
                if not variables.hosts:
                    return f"{withheld}: {sources.advice}"
                return f"{withheld}: set {variables.hosts[0]}={site} if it belongs there"
            if not self._may_carry(site):
                return f"{withheld} over plain http: use https"
            return f"check that {name} {verb} valid and may access it"
        return sources.advice

    def _name(self, variables: TokenVariables) -> str:
        """What messages call the token of these variables."""
        return self.given_name or " and ".join(variables.names)

    def _site(self, api_url: str) -> Endpoint | None:
        """The endpoint that tokens for the API are stored for."""
        endpoint = parse_endpoint(api_url)
        return endpoint and endpoint._replace(host=self.sources.site(endpoint.host))

    def _named_hosts(self, variables: TokenVariables) -> list[str] | None:
        """The hosts and URLs that the environment assigns to a token; None if it assigns none."""
        values = [self.environ.get(name, "").strip() for name in variables.hosts]
        return [value for value in values if value] or None

    def _is_for(self, variables: TokenVariables, site: Endpoint) -> bool:
        """Whether the token of these variables belongs to the site."""
        named = self._named_hosts(variables)
        if named is None:
            is_secure = site.scheme == "https" and site.port == 443
            return is_secure and any(_is_home(site.host, home) for home in variables.homes)
        return any(_is_same(site, value) for value in named)

    def _may_carry(self, site: Endpoint) -> bool:
        """Whether the connection may carry a token: plain http only if the user chose it."""
        if site.scheme == "https" or site.is_loopback:
            return True
        named = (self._named_hosts(variables) or () for variables in self.sources.variables)
        if any(parse_endpoint(value) == site for values in named for value in values):
            return True
        origin = self.find_origin()
        return origin is not None and parse_endpoint(origin.web_base) == site

    def _from_environment(self, variables: TokenVariables) -> Secret | None:
        values = [self.environ.get(name, "").strip() for name in variables.names]
        if not all(values):
            return None
        name = self._name(variables)
        if not _is_token(values[-1]) or not all(value.isprintable() for value in values):
            raise AccessRefused(f"{name}: it has characters that no token has: check its value")
        return Secret(values[-1], name, values[0] if len(values) > 1 else "")

    def _from_programs(self, site: Endpoint) -> Iterator[Secret]:
        # A credential helper may return a token for any host. It is asked only for one that git
        # connects to anyway, or that the environment or the vendor names.
        if self.sources.git and (
            any(self._is_for(variables, site) for variables in self.sources.variables)
            or self._is_origin(site)
        ):
            git = Git(self.root, self.environ)
            credential = git.credential(site.scheme, site.netloc, PROGRAM_TIMEOUT)
            if credential is not None:
                yield Secret(credential[1], "git's credential helper", credential[0])
        for command in self.sources.commands(site.netloc):
            token = self._printed(command)
            if token:
                yield Secret(token, command[0])
        stored = self.sources.stored(site.netloc, self.environ)
        if stored is not None:
            yield stored

    def _is_origin(self, site: Endpoint) -> bool:
        origin = self.find_origin()
        return origin is not None and origin.host == site.host

    def _printed(self, command: tuple[str, ...]) -> str:
        """The token that a program prints; "" if it is not installed, or fails."""
        path = find_executable(command[0], self.environ, outside=self.root)
        if path is None:
            return ""
        # These programs print a token of the environment for every host.
        environ = {
            name: value for name, value in self.environ.items() if "TOKEN" not in name.upper()
        }
        try:
            program = Program(command[0], (path, *command[1:]), Path("/"), environ)
            done = run_program(program, PROGRAM_TIMEOUT)
        except SddError:
            return ""
        return "" if done.code else done.out.strip()


def read_store(path: Path, ignored: bytes = b"(?!)") -> object:
    """Parse the YAML file of a vendor's program, without what the pattern `ignored` matches.

    None if it is missing, too large or invalid.
    """
    import yaml

    try:
        if not path.is_file() or path.stat().st_size > MAX_STORE_BYTES:
            return None
        return yaml.safe_load(re.sub(ignored, b"", path.read_bytes()))
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _is_home(host: str, home: str) -> bool:
    return host.endswith(home[1:]) if home.startswith("*.") else host == home


def _is_same(site: Endpoint, value: str) -> bool:
    """Whether a host or a URL of the environment is the site."""
    is_host = "://" not in value
    endpoint = parse_endpoint(f"{site.scheme}://{value}" if is_host else value)
    if endpoint is None or endpoint.host != site.host:
        return False
    # A host that is trusted with http is trusted with https as well.
    return endpoint.port == site.port or (endpoint.port, site.port) == (80, 443)


def _is_token(value: str) -> bool:
    """Whether the value can be part of a header; an error about another one would show it."""
    return value != "" and value.isascii() and value.isprintable() and " " not in value

"""The address of a git remote, in any of the forms git knows, and the end of an HTTP connection."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Detection"

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_SCP = re.compile(r"(?:[^/@:]*@)?(\[[^\]]+\]|[^/:@\[]+):(?!//)(.*)", re.DOTALL)
# Nothing that two readers of addresses could understand differently: who logs in, a backslash, a
# host in other letters than ASCII.
_HTTP = re.compile(
    r"(https?)://((?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?"
    r"(?=[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


class RemoteUrl(NamedTuple):
    """Where a remote is. `host` is lower-case, without a trailing dot; `port` is None for the one
    that goes with `scheme` (`https`, `http`, `ssh`, `git`). `path` is what comes after the host,
    without slashes around it and without `.git`. Who logs in there is left out.
    """

    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def owner(self) -> str:
        """Everything before the last part of the path: an owner, or a group and its subgroups."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last part of the path: the repository."""
        return self.path.rpartition("/")[2]

    @property
    def web(self) -> str:
        """The base address of the host for people: `https://github.com`.

        A port is kept with http and https; that of ssh says nothing about the web.
        """
        scheme = "http" if self.scheme == "http" else "https"
        port = f":{self.port}" if self.port and self.scheme in {"http", "https"} else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}{port}"


def parse_remote(url: str) -> RemoteUrl | None:
    """The parts of `https://`, `http://`, `ssh://`, `git://` and scp-like addresses.

    None for a path on this machine, for anything else, and for a host or a port that is none.
    """
    if not url.isprintable() or " " in url:
        return None
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return None
        scheme = {"git+ssh": "ssh", "ssh+git": "ssh"}.get(parts.scheme, parts.scheme)
        path = parts.path
    else:
        found = _SCP.fullmatch(url)
        if found is None:
            return None
        scheme, host, port, path = "ssh", found[1].strip("[]").lower(), None, found[2]
    host = host.rstrip(".")
    path = unquote(path).strip("/").removesuffix(".git").rstrip("/")
    if scheme not in _PORTS or not host or not path or not path.isprintable():
        return None
    return RemoteUrl(scheme, host, None if port == _PORTS[scheme] else port, path)


class Endpoint(NamedTuple):
    """What an HTTP client connects to. `host` is lower-case, without a trailing dot or brackets;
    `port` is always a number."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """Host and port as an address has them; a port that goes with the scheme is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether it is this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def parse_endpoint(url: str) -> Endpoint | None:
    """The end that an `http` or `https` address leads to.

    None for any other address, for one with somebody's name or password in it, and for a host or a
    port that is none.
    """
    found = _HTTP.match(url)
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    port = int(found[3] or _PORTS[scheme])
    if not 0 < port < 65536:
        return None
    if host.startswith("["):
        try:
            return Endpoint(scheme, str(IPv6Address(host[1:-1])), port)
        except ValueError:
            return None
    host = host.removesuffix(".")
    return Endpoint(scheme, host, port) if len(host) <= 253 else None

"""The address of a git remote in every form that git accepts, and the endpoint of an HTTP URL."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Detection"

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import unquote, urlsplit

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_SCP = lazy_regex(r"(?:[^/@:]*@)?(\[[^\]]+\]|[^/:@\[]+):(?!//)(.*)", re.DOTALL)
# URLs that all parsers read alike: no user name, no backslash, an ASCII host.
_HTTP = lazy_regex(
    r"(https?)://((?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?"
    r"(?=[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
_MAX_HOST = 253


class RemoteUrl(NamedTuple):
    """The address of a git remote, without a user name.

    `host` is in lower case, without a trailing dot. `port` is None for the default port of
    `scheme` (`https`, `http`, `ssh`, `git`). `path` has no slashes at its ends and no `.git`.
    """

    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def owner(self) -> str:
        """The path without its last part: an owner, or a group and its subgroups."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The last part of the path: the repository."""
        return self.path.rpartition("/")[2]

    @property
    def web_base(self) -> str:
        """The base web address of the host: `https://github.com`.

        It has the port of an http or https address; the port of ssh is not that of the web.
        """
        scheme = "http" if self.scheme == "http" else "https"
        port = f":{self.port}" if self.port and self.scheme in {"http", "https"} else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}{port}"


def parse_remote(url: str) -> RemoteUrl | None:
    """The parts of an `https://`, `http://`, `ssh://`, `git://` or scp-like address.

    None for a path on this machine, for an invalid host or port, and for any other string.
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
        match = _SCP.fullmatch(url)
        if match is None:
            return None
        scheme, host, port, path = "ssh", match[1].strip("[]").lower(), None, match[2]
    host = host.rstrip(".")
    path = unquote(path).strip("/").removesuffix(".git").rstrip("/")
    if scheme not in _PORTS or not host or not path or not path.isprintable():
        return None
    return RemoteUrl(scheme, host, None if port == _PORTS[scheme] else port, path)


class Endpoint(NamedTuple):
    """The endpoint of an HTTP connection.

    `host` is in lower case, without a trailing dot or brackets; `port` is always a number.
    """

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """Host and port in the form of a URL, without the default port of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def parse_endpoint(url: str) -> Endpoint | None:
    """The endpoint of an `http` or `https` URL.

    None for any other string, for a URL with a user name or a password, and for an invalid host or
    port.
    """
    match = _HTTP.match(url)
    if match is None:
        return None
    scheme, host = match[1].lower(), match[2].lower()
    port = int(match[3] or _PORTS[scheme])
    if not 0 < port < 65536:
        return None
    if host.startswith("["):
        try:
            return Endpoint(scheme, str(IPv6Address(host[1:-1])), port)
        except ValueError:
            return None
    host = host.removesuffix(".")
    return Endpoint(scheme, host, port) if len(host) <= _MAX_HOST else None

"""Addresses of git remotes, and endpoints of HTTP URLs."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.remote.urls import Endpoint, RemoteUrl, parse_endpoint, parse_remote

GITHUB = RemoteUrl("https", "github.com", None, "owner/repo")
SSH = GITHUB._replace(scheme="ssh")

HOSTS = st.from_regex(r"[a-z0-9]{1,12}(\.[a-z0-9]{1,12}){0,3}", fullmatch=True)
PORTS = st.none() | st.integers(1, 65535)
PATHS = st.from_regex(r"[A-Za-z0-9_~-]{1,9}(/[A-Za-z0-9_~-]{1,9}){0,4}", fullmatch=True)
URL_LIKE = st.text(st.sampled_from("htps:/@.?#[]\\%0af -\n\tgit~"), max_size=40)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("https://github.com/owner/repo", GITHUB),
        ("https://github.com/owner/repo.git", GITHUB),
        ("https://github.com/owner/repo.git/", GITHUB),
        ("https://GitHub.com./owner/repo", GITHUB),
        ("https://github.com:443/owner/repo", GITHUB),
        ("https://ada:secret@github.com/owner/repo", GITHUB),
        ("https://github.com//owner/repo/", GITHUB),
        ("ssh://git@github.com/owner/repo.git", SSH),
        ("ssh://git@github.com:22/owner/repo", SSH),
        ("git+ssh://git@github.com/owner/repo", SSH),
        ("git@github.com:owner/repo.git", SSH),
        ("GITHUB.COM:owner/repo", SSH),
        ("git@[::1]:owner/repo", RemoteUrl("ssh", "::1", None, "owner/repo")),
        ("git://host/a/b/c", RemoteUrl("git", "host", None, "a/b/c")),
        ("http://host:3000/a/b", RemoteUrl("http", "host", 3000, "a/b")),
        ("ssh://host:2222/a/b", RemoteUrl("ssh", "host", 2222, "a/b")),
        ("https://host/gr%C3%BCn/b", RemoteUrl("https", "host", None, "grün/b")),
    ],
)
def test_every_form_of_a_remote(written: str, found: RemoteUrl) -> None:
    assert parse_remote(written) == found


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/srv/git/repo.git",
        "../repo",
        "file:///srv/repo",
        "https://github.com",
        "https:///owner/repo",
        "https://github.com:99999/a/b",
        "https://github.com:x/a/b",
        "https://[::1/a/b",
        "ftp://github.com/a/b",
        "https://github.com/a\nb/c",
        "https://github.com/a b/c",
        "https://github.com/%0a/c",
        "ext::sh -c id",
    ],
)
def test_strings_that_are_not_remotes(written: str) -> None:
    assert parse_remote(written) is None


def test_the_parts_of_a_remote() -> None:
    nested = RemoteUrl("https", "gitlab.example", 8443, "group/sub/repo")
    assert (nested.owner, nested.name) == ("group/sub", "repo")
    assert nested.web_base == "https://gitlab.example:8443"
    assert nested._replace(scheme="http").web_base == "http://gitlab.example:8443"
    assert nested._replace(scheme="ssh").web_base == "https://gitlab.example"
    assert RemoteUrl("ssh", "::1", None, "a/b").web_base == "https://[::1]"


@given(HOSTS, PORTS, PATHS)
def test_the_forms_of_one_remote_agree(host: str, port: int | None, path: str) -> None:
    path = path.removesuffix(".git")
    at = f"{host}:{port}" if port else host
    plain = parse_remote(f"https://{at}/{path}")
    assert plain is not None
    assert plain == parse_remote(f"https://me:pw@{at.upper()}/{path}.git/")
    scp = parse_remote(f"git@{host}:{path}.git")
    assert scp == parse_remote(f"ssh://git@{host}/{path}")
    assert scp is not None
    assert (scp.host, scp.path) == (plain.host, plain.path)


@given(URL_LIKE | st.text(max_size=40))
def test_any_string_is_a_remote_or_none(written: str) -> None:
    found = parse_remote(written)
    if found is not None:
        assert found.host
        assert found.path.isprintable()
        assert "@" not in found.web_base


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("https://api.github.com", Endpoint("https", "api.github.com", 443)),
        ("HTTPS://API.GitHub.com./x?y#z", Endpoint("https", "api.github.com", 443)),
        ("https://host:443/", Endpoint("https", "host", 443)),
        ("http://host", Endpoint("http", "host", 80)),
        ("http://my_gitea:3000/api", Endpoint("http", "my_gitea", 3000)),
        ("http://[::1]:80/", Endpoint("http", "::1", 80)),
        ("https://[0:0::1]", Endpoint("https", "::1", 443)),
        ("https://host?x", Endpoint("https", "host", 443)),
    ],
)
def test_the_endpoint_of_an_address(written: str, found: Endpoint) -> None:
    assert parse_endpoint(written) == found


@pytest.mark.parametrize(
    "written",
    [
        "",
        "api.github.com",
        "//api.github.com/",
        "ftp://api.github.com",
        "https:api.github.com",
        "https://",
        "https://@host",
        "https://api.github.com@evil",
        "https://api.github.com:443@evil/",
        "https://me:pw@api.github.com/",
        "https://api.github.com\\@evil",
        "https://api.github.com%40evil/",
        "https://api.github.com\t.evil/",
        " https://api.github.com",
        "https://api.github.com\n/",
        "https://api.github.com /",
        "https://api..github.com/",
        "https://.github.com/",
        "https://" + "a" * 64 + ".com/",
        "https://" + "a." * 127 + "com/",
        "https://gıthub.com/",
        "https://host:0/",
        "https://host:65536/",
        "https://host:٣/",
        "https://host:/",
        "https://[::1/",
        "https://[::g]/",
        "https://[::1]evil/",
    ],
)
def test_addresses_without_an_endpoint(written: str) -> None:
    assert parse_endpoint(written) is None


@given(
    st.sampled_from(["https://", "http://", "HTTP://"]).flatmap(lambda s: URL_LIKE.map(s.__add__))
)
def test_the_http_library_reads_an_address_the_same_way(written: str) -> None:
    found = parse_endpoint(written)
    if found is None:
        return
    try:
        url = httpx.URL(written)
    except httpx.InvalidURL:
        return
    assert url.scheme == found.scheme
    assert url.host.rstrip(".").lower() == found.host
    assert (url.port or {"https": 443, "http": 80}[url.scheme]) == found.port
    assert url.userinfo == b""


@given(HOSTS, PORTS)
def test_an_endpoint_is_written_as_it_is_parsed(host: str, port: int | None) -> None:
    found = parse_endpoint(f"http://{host}:{port or 80}/x")
    assert found is not None
    assert parse_endpoint(str(found)) == found


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "LOCALHOST."])
def test_a_loopback_endpoint(host: str) -> None:
    found = parse_endpoint(f"http://{host}:3000")
    assert found is not None
    assert found.is_loopback


@pytest.mark.parametrize("host", ["github.com", "localhost.evil", "127.0.0.1.evil", "10.0.0.1"])
def test_an_endpoint_on_another_machine(host: str) -> None:
    found = parse_endpoint(f"http://{host}")
    assert found is not None
    assert not found.is_loopback

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping

import pytest

from sdd_hooks.action.tokens import client_factory, git_access, take_tokens
from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.protocol import ForgeVendor, JobContext
from sdd_hooks.forges.registry import CiJob
from tests.support.loopback import CannedResponse, Server, serving
from tests.support.programs import run_program
from tests.support.repos import Repo

TOKEN = "t0ken-of-the-job"
SENT = f"Basic {base64.b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"


def job(web: str) -> CiJob:
    """A job on the host at that address."""
    vendor = ForgeVendor("Forge", lambda _environ: None, lambda _run, _connect: None)  # type: ignore[arg-type,return-value]
    return CiJob("forge", vendor, JobContext(web, f"{web}/api", "acme/shop", "push"))


@pytest.fixture
def host() -> Iterator[Server]:
    """A host that has no repository."""
    with serving(lambda _request: CannedResponse(404)) as server:
        yield server


@pytest.fixture
def other() -> Iterator[Server]:
    """Another host."""
    with serving(lambda _request: CannedResponse(404)) as server:
        yield server


def sent_headers(repo: Repo, url: str, added: Mapping[str, str]) -> list[str]:
    """The authorization headers that git sends when it lists the refs at `url`."""
    done = run_program(
        "git",
        "ls-remote",
        url,
        cwd=repo.root,
        env={**os.environ, "GIT_TRACE_CURL": "1", "GIT_TRACE_REDACT": "0", **added},
        check=False,
    )
    return re.findall(r"=> Send header: authorization: (.*)", done.stderr, re.IGNORECASE)


def test_git_sends_the_token_to_the_host_of_the_job(repo: Repo, host: Server) -> None:
    added = git_access(job(host.url), TOKEN, {})
    assert set(sent_headers(repo, f"{host.url}/acme/shop.git", added)) == {SENT}
    assert set(sent_headers(repo, f"{host.url}/acme/more.git", added)) == {SENT}
    assert {request.path for request in host.requests} == {
        "/acme/shop.git/info/refs",
        "/acme/more.git/info/refs",
    }


def test_git_sends_the_token_to_no_other_host(repo: Repo, host: Server, other: Server) -> None:
    added = git_access(job(host.url), TOKEN, {})
    assert sent_headers(repo, f"{other.url}/acme/shop.git", added) == []
    assert other.requests


def test_git_follows_no_redirect_with_the_token(repo: Repo, host: Server, other: Server) -> None:
    host.fail(*[CannedResponse(302, headers={"Location": f"{other.url}/x.git/info/refs"})] * 3)
    sent_headers(repo, f"{host.url}/acme/shop.git", git_access(job(host.url), TOKEN, {}))
    assert host.requests
    assert other.requests == []


def test_the_header_of_the_checkout_is_replaced(repo: Repo, host: Server) -> None:
    repo.git("config", f"http.{host.url}/.extraheader", "AUTHORIZATION: basic b2xkOm9sZA==")
    added = git_access(job(host.url), TOKEN, {})
    assert len(sent_headers(repo, f"{host.url}/acme/shop.git", {})) == 1
    assert sent_headers(repo, f"{host.url}/acme/shop.git", added) == [SENT]


def test_a_host_below_a_path(repo: Repo, host: Server) -> None:
    added = git_access(job(f"{host.url}/git/"), TOKEN, {})
    assert sent_headers(repo, f"{host.url}/git/acme/shop.git", added) == [SENT]
    assert sent_headers(repo, f"{host.url}/elsewhere/shop.git", added) == []


def test_git_settings_of_the_environment_are_kept() -> None:
    around = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "/somewhere",
    }
    added = git_access(job("https://forge.example"), TOKEN, around)
    listed = run_program("git", "config", "--list", env={**os.environ, **around, **added}).stdout
    assert "safe.directory=/somewhere" in listed
    assert f"http.https://forge.example/.extraheader=Authorization: {SENT}" in listed


@pytest.mark.parametrize("count", ["", "-1", "x", "1" * 30, "٣"])
def test_an_invalid_count_of_git_settings_is_ignored(count: str) -> None:
    added = git_access(job("https://forge.example"), TOKEN, {"GIT_CONFIG_COUNT": count})
    assert added["GIT_CONFIG_COUNT"] == "3"


@pytest.mark.parametrize(
    "web",
    ["", "forge.example", "ftp://forge.example", "https://me:pw@forge.example", "https://a b"],
)
def test_an_invalid_address_gets_no_token(web: str) -> None:
    assert git_access(job(web), TOKEN, {}) == {}


def test_an_address_with_a_line_break_gets_no_token() -> None:
    assert git_access(job("https://forge.example/\n[core]"), TOKEN, {}) == {}


def test_without_a_job_or_a_token_git_gets_no_header() -> None:
    assert git_access(None, TOKEN, {}) == {}
    assert git_access(job("https://forge.example"), "", {}) == {}


def test_the_client_sends_the_token_and_never_shows_it(host: Server, other: Server) -> None:
    host.fail(CannedResponse(401, {"message": f"bad {TOKEN}"}))
    client = client_factory(TOKEN)(
        host.url, label="Forge", headers=lambda secret: {"X-Token": secret.value}
    )
    try:
        with pytest.raises(RemoteError) as refused:
            client.get("repos")
        assert host.requests[0].headers["x-token"] == TOKEN
        assert TOKEN not in str(refused.value)
        assert TOKEN not in repr(client)
        with pytest.raises(RemoteError):
            client.get(f"{other.url}/repos")
        assert other.requests == []
    finally:
        client.close()


def test_a_client_without_a_token_sends_none(host: Server) -> None:
    client = client_factory("")(
        host.url, label="Forge", headers=lambda secret: {"X-Token": secret.value}
    )
    try:
        client.get("repos", allow=(404,))
        assert "x-token" not in host.requests[0].headers
    finally:
        client.close()


def test_tokens_are_removed_from_the_environment() -> None:
    environ = {
        "SDD_TOKEN": " one\n",
        "SDD_TRACKER_TOKEN": "two",
        "INPUT_TOKEN": "one",
        "INPUT_TRACKER-TOKEN": "two",
        "SDD_JUDGE": "small",
    }
    tokens = take_tokens(environ)
    assert tokens == ("one", "two")
    assert environ == {"SDD_JUDGE": "small"}
    assert take_tokens(environ) == ("", "")

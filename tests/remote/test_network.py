"""The client and its process: proxies and certificates of the environment, logs, an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.http2 import certificate, serving_http2
from tests.support.loopback import CannedResponse, Request, serving
from tests.support.programs import run_python
from tests.support.signals import default_signals, killed_on_failure
from tests.support.waiting import TIMEOUT

TOKEN = "t0p-s3cret"
SCRIPT = """
import json, logging, sys
from sdd_hooks.errors import SddError
from sdd_hooks.remote.client import Access, Client, Waiting
from sdd_hooks.remote.credentials import Secret

logging.basicConfig(level=logging.DEBUG)
url, token, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
headers = {"PRIVATE-TOKEN": token}
try:
    client = Client(
        url,
        label="Forge",
        access=Access(headers, Secret(token, "FORGE_TOKEN")),
        waiting=Waiting(sleep=lambda seconds: print("waited", round(seconds, 1))),
    )
    found = client.map_concurrently(lambda n: client.get(f"x/{n}").json(), range(count))
    print(json.dumps(list(found)))
    client.close()
except SddError as error:
    print(error)
"""


def run_client(url: str, count: int = 1, **environ: str) -> tuple[str, str]:
    """The output and the log of another process that sends requests to the server at `url`."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith("SSL_")
    }
    done = run_python(SCRIPT, url, TOKEN, str(count), env={**inherited, **environ}, timeout=120)
    assert TOKEN not in done.stdout + done.stderr
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost and its key."""
    return certificate(tmp_path_factory.mktemp("trusted"))


def test_a_server_with_http2(trusted: tuple[Path, Path]) -> None:
    with serving_http2(*trusted) as server:
        printed, _ = run_client(server.url, 100, SSL_CERT_FILE=str(trusted[0]))
    assert printed == str([f"/x/{n}" for n in range(100)]).replace("'", '"')
    assert set(server.protocols) == {"h2"}
    # Concurrent requests share a connection, except for the first ones.
    assert len(server.protocols) <= 8
    assert {headers["private-token"] for headers in server.requests} == {TOKEN}


def test_an_invalid_http2_response(trusted: tuple[Path, Path]) -> None:
    with serving_http2(*trusted, status="fine") as server:
        printed, _ = run_client(server.url, SSL_CERT_FILE=str(trusted[0]))
    assert printed.splitlines()[:3] == [f"waited {n}.0" for n in (1, 2, 4)]
    assert printed.endswith(": its answer makes no sense: try again later")


def test_a_certificate_that_is_not_trusted(trusted: tuple[Path, Path]) -> None:
    with serving_http2(*trusted) as server:
        printed, _ = run_client(server.url)
    # OpenSSL 1 writes it without the hyphen.
    assert printed.replace("self signed", "self-signed") == (
        f"Forge cannot be reached at {server.url.removeprefix('https://')}: "
        "its certificate is not trusted (self-signed certificate): "
        "set SSL_CERT_FILE to a file with the certificate of its authority"
    )
    assert not server.requests


def test_the_certificate_of_another_host(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, "other.example")
    with serving_http2(cert, key) as server:
        printed, _ = run_client(server.url, SSL_CERT_FILE=str(cert))
    assert "its certificate is not trusted (Hostname mismatch" in printed
    assert len(printed.splitlines()) == 1
    assert not server.requests


def test_a_server_without_tls() -> None:
    with serving(lambda request: CannedResponse()) as server:
        printed, _ = run_client(server.url.replace("http:", "https:"))
    assert printed.startswith("Forge cannot be reached at 127.0.0.1:")
    assert ": TLS fails (" in printed
    assert len(printed.splitlines()) == 1


def test_a_proxy_of_the_environment() -> None:
    def answer(request: Request) -> CannedResponse:
        return CannedResponse(data="from the proxy")

    with serving(answer) as proxy:
        printed, _ = run_client("http://forge.invalid/api", HTTP_PROXY=proxy.url)
        assert printed == '["from the proxy"]'
        assert proxy.requests[0].headers["host"] == "forge.invalid"


def test_hosts_without_a_proxy() -> None:
    with serving(lambda request: CannedResponse(data=1)) as server:
        printed, _ = run_client(server.url, HTTP_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1")
    assert printed == "[1]"


def test_a_proxy_that_refuses_the_connection() -> None:
    with serving(lambda request: CannedResponse(407)) as proxy:
        proxy.faults.append(lambda _: CannedResponse(407))
        printed, _ = run_client("https://forge.invalid", HTTPS_PROXY=proxy.url)
    assert printed == (
        "Forge cannot be reached at forge.invalid: the proxy refuses the connection: "
        "check HTTPS_PROXY and ALL_PROXY"
    )


@pytest.mark.parametrize(
    "environ",
    [
        {"ALL_PROXY": "strange://me:pa55word@proxy"},
        {"HTTPS_PROXY": "http://me:pa55word@[::1"},
        {"ALL_PROXY": "socks5://me:pa55word@127.0.0.1:9"},
        {"SSL_CERT_FILE": "/nonexistent/pa55word.pem"},
        {"SSL_CERT_FILE": os.devnull},
    ],
)
def test_an_invalid_proxy_or_certificate(environ: dict[str, str]) -> None:
    printed, logged = run_client("https://127.0.0.1:9", **environ)
    # Older releases of httpx ignore a missing file.
    message = printed.splitlines()[-1]
    assert message.startswith("Forge")
    assert "check HTTP_PROXY" in message or "cannot be reached" in message
    assert "pa55word" not in printed + logged


def test_plain_http_needs_no_certificates() -> None:
    with serving(lambda request: CannedResponse(data=1)) as server:
        printed, _ = run_client(server.url, SSL_CERT_FILE="/nonexistent/authorities.pem")
    assert printed == "[1]"


WAIT = """
import sys
from contextlib import closing
from sdd_hooks.remote.client import Client, Waiting

waiting = Waiting(on_wait=lambda line: print(line, flush=True))
with closing(Client(sys.argv[1], label="Forge", waiting=waiting)) as client:
    list(client.map_concurrently(client.get, map(str, range(100))))
"""


def test_an_interrupt_ends_the_waits_of_threads() -> None:
    with serving(lambda _: CannedResponse(429, None, {"Retry-After": "55"})) as server:
        with default_signals():
            process = subprocess.Popen(
                [sys.executable, "-c", WAIT, server.url],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        with killed_on_failure(process):
            assert process.stdout is not None
            assert "waiting 55 s" in process.stdout.readline()
            before = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=TIMEOUT)
    assert time.monotonic() - before < 50
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert len(server.requests) <= 8

"""Real servers of git on loopback: git's own daemon, and `git http-backend` behind TLS."""

from __future__ import annotations

import os
import shutil
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.repos import ISOLATION, Repo

GIT = shutil.which("git") or "git"


def publish(repo: Repo, base: Path, path: str, *, filters: bool = True) -> Path:
    """Publish a repository below the directory `base` of a server. Returns the bare clone.

    With `filters`, the server sends single files, as forges do.
    """
    target = base / f"{path}.git"
    if target.exists():
        repo.git("push", "--quiet", "--force", str(target), "HEAD:refs/heads/main")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        repo.git("clone", "--quiet", "--bare", str(repo.root), str(target))
        repo.git("-C", str(target), "symbolic-ref", "HEAD", "refs/heads/main")
    repo.git("-C", str(target), "config", "uploadpack.allowFilter", str(filters).lower())
    return target


@contextmanager
def git_daemon(base: Path) -> Iterator[str]:
    """Serve the repositories below `base` by `git://`. Yields the address without a slash."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            command = [GIT, "daemon", "--inetd", "--export-all", f"--base-path={base}", str(base)]
            subprocess.run(
                command,
                stdin=self.request.fileno(),
                stdout=self.request.fileno(),
                stderr=subprocess.DEVNULL,
                env=_environment(),
                check=False,
            )

    class Daemon(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Daemon(("127.0.0.1", 0), Handler) as server, _serving(server):
        yield f"git://127.0.0.1:{server.server_address[1]}"


@dataclass
class HttpsServer:
    """A running server: its address, and the path and `Authorization` of each request.

    `redirect` returns where a path is redirected to, None for nowhere.
    """

    url: str
    certificate: Path
    requests: list[tuple[str, str]] = field(default_factory=list)
    redirect: Callable[[str], str | None] = lambda _: None

    @property
    def variables(self) -> dict[str, str]:
        """git's variables that make it accept the certificate."""
        return {"GIT_SSL_CAINFO": str(self.certificate)}


@contextmanager
def https_server(base: Path, identity: tuple[Path, Path]) -> Iterator[HttpsServer]:
    """Serve the repositories below `base` by `https://`, with a certificate and its key."""
    certificate_file, key_file = identity
    running = HttpsServer("", certificate_file)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._respond()

        def do_POST(self) -> None:
            self._respond()

        def _respond(self) -> None:
            running.requests.append((self.path, self.headers.get("Authorization", "")))
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            target = running.redirect(self.path)
            if target is not None:
                self.send_response(301)
                self.send_header("Location", target)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            head, _, content = self._run(body).partition(b"\r\n\r\n")
            fields = [line.partition(b": ") for line in head.split(b"\r\n")]
            status = next((value for key, _, value in fields if key == b"Status"), b"200")
            self.send_response(int(status[:3]))
            for key, _, value in fields:
                self.send_header(key.decode(), value.decode())
            # A client of TLS takes a connection that ends without a length for a broken one.
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _run(self, body: bytes) -> bytes:
            address = urlsplit(self.path)
            variables = {
                "GIT_PROJECT_ROOT": str(base),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": address.path,
                "QUERY_STRING": address.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            done = subprocess.run(
                [GIT, "http-backend"],
                input=body,
                capture_output=True,
                env={**_environment(), **variables},
                check=False,
            )
            return done.stdout

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        running.url = f"https://localhost:{server.server_address[1]}"
        with _serving(server):
            yield running


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


def _environment() -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")}, **ISOLATION}

"""A fake model hub on loopback with one model: the part of the protocol that the client uses."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

COMMIT = "a" * 40


@dataclass
class ModelHub:
    """A running hub. `paths` are the requested paths, in order."""

    endpoint: str
    paths: list[str] = field(default_factory=list)

    @property
    def fetched(self) -> list[str]:
        """The requested files, each once."""
        files = [path.partition("/resolve/main/")[2] for path in self.paths]
        return list(dict.fromkeys(file for file in files if file))


@contextmanager
def serving(folder: Path, name: str) -> Iterator[ModelHub]:
    """Serve the files of `folder` as the model `name`."""
    hub = ModelHub("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            hub.paths.append(path)
            if path == f"/api/models/{name}":
                files = [p.relative_to(folder) for p in sorted(folder.rglob("*")) if p.is_file()]
                siblings = [{"rfilename": file.as_posix()} for file in files]
                self._answer(200, json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}))
            elif path.startswith(f"/{name}/resolve/main/"):
                content = (folder / path.partition("/resolve/main/")[2]).read_bytes()
                self._answer(200, content, ETag=f'"{hashlib.sha256(content).hexdigest()}"')
            else:
                self._answer(404, "{}", **{"X-Error-Code": "RepoNotFound"})

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, body: str | bytes, **headers: str) -> None:
            content = body.encode() if isinstance(body, str) else body
            self.send_response(status)
            for key, value in {"X-Repo-Commit": COMMIT, **headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.endpoint = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()

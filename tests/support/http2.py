"""An HTTP/2 server over TLS on loopback, with a self-signed certificate."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded


@dataclass
class Http2Server:
    """A running server.

    `protocols` are the negotiated protocols, by connection; `requests` are headers, by request.
    """

    url: str
    protocols: list[str | None] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)


def certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """A self-signed certificate for `name`, and its key, in PEM."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl on PATH")
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = f"req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN={name}".split()
    files = ["-keyout", str(key), "-out", str(cert)]
    names = ["-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([openssl, *command, *files, *names], check=True, capture_output=True)
    return cert, key


@contextmanager
def serving_http2(cert: Path, key: Path, status: str = "200") -> Iterator[Http2Server]:
    """Respond to every request with its path as JSON, over HTTP/2 only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.set_alpn_protocols(["h2"])
    lock = threading.Lock()
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Http2Server(f"https://localhost:{listener.getsockname()[1]}")

        def accept() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                threads.append(threading.Thread(target=serve_connection, args=(peer,)))
                threads[-1].start()

        def serve_connection(peer: socket.socket) -> None:
            # A client that rejects the certificate, or has its response, disconnects.
            with peer, suppress(OSError), context.wrap_socket(peer, server_side=True) as stream:
                with lock:
                    server.protocols.append(stream.selected_alpn_protocol())
                _respond(stream, server, lock, status)

        accept_thread = threading.Thread(target=accept)
        accept_thread.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accept_thread.join()
            for thread in threads:
                thread.join()


def _respond(stream: ssl.SSLSocket, server: Http2Server, lock: threading.Lock, status: str) -> None:
    connection = H2Connection(
        H2Configuration(client_side=False, header_encoding="utf-8", validate_outbound_headers=False)
    )
    connection.initiate_connection()
    stream.sendall(connection.data_to_send())
    paths: dict[int, str] = {}
    while received := stream.recv(65536):
        for event in connection.receive_data(received):
            if isinstance(event, RequestReceived):
                headers = dict(event.headers)
                paths[event.stream_id] = headers[":path"]
                with lock:
                    server.requests.append(headers)
            elif isinstance(event, DataReceived):
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                body = json.dumps(paths.pop(event.stream_id)).encode()
                connection.send_headers(event.stream_id, [(":status", status)])
                connection.send_data(event.stream_id, body, end_stream=True)
        stream.sendall(connection.data_to_send())

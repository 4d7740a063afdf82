"""The real Gitea, started on loopback with SQLite in a temporary directory."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from getpass import getuser
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT, until

NEEDED = "needs Gitea: scripts/install-gitea .cache/gitea"
PASSWORD = "open sesame 1"

_ROOT = Path(__file__).resolve().parents[2]
_CONFIGURATION = """
RUN_MODE = prod
RUN_USER = {user}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = {url}/
STATIC_ROOT_PATH = {static}
DISABLE_SSH = true
OFFLINE_MODE = true
{encrypted}
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
PASSWORD_HASH_ALGO = pbkdf2$1$8
[service]
REQUIRE_SIGNIN_VIEW = {strict}
[repository.pull-request]
ADD_CO_COMMITTER_TRAILERS = false
[actions]
ENABLED = {actions}
[cron]
ENABLED = false
[log]
LEVEL = Error
"""


def gitea_program() -> Path | None:
    """The Gitea program for tests; None if there is none.

    `SDD_GITEA` may name the program, or the directory that `scripts/install-gitea` created; empty
    disables these tests. Otherwise it is searched in `.cache/gitea`, then on `PATH`.
    """
    named = os.environ.get("SDD_GITEA")
    if named == "":
        return None
    location = Path(named) if named else _ROOT / ".cache/gitea"
    program = location / "bin/gitea" if location.is_dir() else location
    program_path = str(program) if named or program.is_file() else shutil.which("gitea")
    return Path(program_path).absolute() if program_path else None


@dataclass(frozen=True)
class RealGitea:
    """A running server with the users alice, an administrator, and bob, and their tokens."""

    url: str
    tokens: Mapping[str, str]
    http: httpx.Client
    numbers: Iterator[int]

    def call(self, method: str, path: str, body: object = None, *, user: str = "alice") -> Any:
        """Call the API as that user. Fails for an error status."""
        answer = self.answer(method, path, body, user=user)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def answer(
        self, method: str, path: str, body: object = None, *, user: str = "alice"
    ) -> httpx.Response:
        """The response of the API to that user, "" for no user."""
        headers = {"Authorization": f"token {self.tokens[user]}"} if user else {}
        url = f"{self.url}/api/v1{path}"
        return self.http.request(method, url, json=body, headers=headers)

    def repository(self, **settings: Any) -> str:
        """Create a repository of alice with a branch `main`. Returns its name."""
        body = {"name": f"r{next(self.numbers)}", "auto_init": True, "default_branch": "main"}
        self.call("POST", "/user/repos", {**body, **settings})
        return str(body["name"])

    def change(
        self,
        repository: str,
        branch: str,
        path: str,
        content: str = "changed\n",
        *,
        owner: str = "alice",
    ) -> None:
        """Add a file to a new branch of the repository, as its owner."""
        encoded = b64encode(content.encode()).decode()
        change = {"content": encoded, "message": f"Add {path}", "new_branch": branch}
        self.call("POST", f"/repos/{owner}/{repository}/contents/{path}", change, user=owner)

    def merge(self, repository: str, number: int) -> None:
        """Merge a pull request and delete its branch, once the server has found it mergeable."""
        path = f"/repos/alice/{repository}/pulls/{number}/merge"
        body = {"Do": "merge", "delete_branch_after_merge": True}
        until(lambda: self.answer("POST", path, body).is_success)


@contextmanager
def running_gitea(
    program: Path,
    folder: Path,
    *,
    strict: bool = False,
    actions: bool = False,
    identity: tuple[Path, Path] | None = None,
) -> Iterator[RealGitea]:
    """Run a Gitea with its data in `folder`.

    A `strict` one refuses requests without a token; one with `actions` accepts runners; one with
    the certificate and the key of `localhost` serves by `https://`.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, encrypted, trust = f"http://127.0.0.1:{port}", "", None
    if identity is not None:
        url = f"https://localhost:{port}"
        certificate_file, key_file = identity
        encrypted = f"PROTOCOL = https\nCERT_FILE = {certificate_file}\nKEY_FILE = {key_file}"
        trust = ssl.create_default_context(cafile=str(certificate_file))
    # Files that a program without embedded assets reads, as scripts/install-gitea creates them.
    static = program.resolve().parent.parent / "share"
    configuration = folder / "custom/conf/app.ini"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(
        _CONFIGURATION.format(
            user=getuser(),
            port=port,
            url=url,
            static=static,
            encrypted=encrypted,
            strict=str(strict).lower(),
            actions=str(actions).lower(),
        )
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "USER": getuser(),
        "GITEA_WORK_DIR": str(folder),
    }

    def gitea(*args: str) -> str:
        done = run_program(program, *args, cwd=folder, env=environment)
        return done.stdout

    gitea("migrate")
    tokens = {}
    for name, rights in (("alice", ["--admin"]), ("bob", [])):
        gitea(
            "admin", "user", "create", "--username", name, "--password", PASSWORD,
            "--email", f"{name}@example.invalid", "--must-change-password=false", *rights,
        )  # fmt: skip
        printed = gitea(
            "admin", "user", "generate-access-token", "--username", name, "--scopes", "all", "--raw"
        )
        tokens[name] = re.findall(r"\b[0-9a-f]{40}\b", printed)[-1]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [program, "web"], env=environment, cwd=folder, stdout=log, stderr=log
        )
    try:
        with httpx.Client(timeout=60, verify=trust or True) as http:
            until(lambda: _answers(http, url, server, folder))
            yield RealGitea(url, tokens, http, count(1))
    finally:
        server.terminate()
        server.wait(TIMEOUT)


def _answers(http: httpx.Client, url: str, server: subprocess.Popen[bytes], folder: Path) -> bool:
    assert server.poll() is None, (folder / "log").read_text()[-2000:]
    try:
        return http.get(f"{url}/api/v1/version").status_code in {200, 403}
    except httpx.TransportError:
        return False

"""Private PostgreSQL servers in temporary directories, without a TCP port unless a test needs one.

Servers are found by what is installed: `pgserver` (PostgreSQL 16 with pgvector 0.6, a dependency of
the tests), and `debian` (Debian's PostgreSQL with the pgvector and Citus that
`scripts/install-postgres` built, or with the package of pgvector).
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT, until

SUPERUSER = "postgres"
NAMES = ("pgserver", "debian")

_ROOT = Path(__file__).resolve().parents[2]
_UNPRIVILEGED = 65534
_PORT = 5432
_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "80",
    "log_min_messages": "warning",
}


@dataclass(frozen=True)
class Installation:
    """The programs of a server, and the extensions that it can create."""

    name: str
    programs: Path

    @property
    def extensions(self) -> frozenset[str]:
        """The names of the extensions that are installed beside the programs."""
        done = _output(self.programs / "pg_config", "--sharedir")
        return frozenset(path.stem for path in Path(done, "extension").glob("*.control"))


def installed_postgres(name: str) -> Installation:
    """The server of that name, one of `NAMES`. Skips the test, and says what is missing."""
    if name == "pgserver":
        spec = find_spec("pgserver")
        if spec is None or spec.origin is None:
            pytest.skip("needs pgserver, which has no wheel for this Python or platform")
        return Installation(name, Path(spec.origin).parent / "pginstall/bin")
    named = os.environ.get("SDD_POSTGRES")
    if named == "":
        pytest.skip("SDD_POSTGRES is empty")
    built = Path(named) if named else _ROOT / ".cache/postgres"
    for top in (built, Path("/")):
        for programs in sorted(top.glob("usr/lib/postgresql/*/bin"), reverse=True):
            found = Installation(name, programs)
            if (programs / "initdb").exists() and "vector" in found.extensions:
                return found
    pytest.skip("needs Debian's PostgreSQL with pgvector: scripts/install-postgres .cache/postgres")


@dataclass
class PostgresServer:
    """A running server. Each connection through the socket may take any role without a password."""

    name: str
    programs: Path
    folder: Path
    port: int = _PORT
    certificate: Path | None = None
    start: Callable[[], subprocess.Popen[bytes]] | None = None
    process: subprocess.Popen[bytes] | None = None
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def begin(self) -> None:
        """Start it, and wait until it answers."""
        assert self.start
        self.process = self.start()
        until(lambda: _answers(self))

    def kill(self) -> None:
        """Kill it, as the kernel does that has no memory left, with what it does for clients."""
        assert self.process
        found = run_program("pgrep", "-P", str(self.process.pid), check=False)
        for pid in (self.process.pid, *map(int, found.stdout.split())):
            # A part of it may have ended.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(TIMEOUT)

    def dsn(self, database: str, user: str = SUPERUSER) -> str:
        """The address of a database, for that role."""
        return f"host={self.folder} port={self.port} dbname={database} user={user}"

    def database(self, template: str = "template0") -> str:
        """Create a database, a copy of `template`. Returns its name."""
        name = f"d{next(self.numbers)}"
        self.sql(f'CREATE DATABASE {name} TEMPLATE "{template}"')
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database, and end its connections."""
        self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    def sql(self, *statements: str, database: str = SUPERUSER, user: str = SUPERUSER) -> str:
        """Run the statements, each in a transaction. Returns the rows, columns between bars.

        Fails with the message of the server.
        """
        commands = [part for statement in statements for part in ("--command", statement)]
        psql = [self.programs / "psql", "--no-psqlrc", "--tuples-only", "--no-align", "--quiet"]
        options = ["--set=ON_ERROR_STOP=1", *commands, self.dsn(database, user)]
        done = run_program(*psql, *options, env=_environment(), check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def running_postgres(
    installation: Installation, settings: Mapping[str, str] | None = None, *, tcp: bool = False
) -> Iterator[PostgresServer]:
    """Start a server with an empty cluster, and stop it at the end. It ends with this process.

    With `tcp` it listens on loopback too, where it asks for passwords and encrypts with
    `certificate`, which it makes itself for the name `localhost`.
    """
    folder = Path(tempfile.mkdtemp(prefix="sdd-pg-", dir=_fast_directory()))
    try:
        folder.chmod(0o755)
        programs = _readable_programs(installation, folder)
        data = folder / "data"
        data.mkdir()
        if os.geteuid() == 0:
            os.chown(folder, _UNPRIVILEGED, _UNPRIVILEGED)
            os.chown(data, _UNPRIVILEGED, _UNPRIVILEGED)
        options = ["--auth=trust", "--auth-host=scram-sha-256", "--no-sync", "--no-instructions"]
        encoding = ["--encoding=UTF8", "--locale=C", f"--username={SUPERUSER}"]
        _run(folder, programs / "initdb", "--pgdata", data, *options, *encoding)
        port = _PORT
        chosen = {**_SETTINGS, "unix_socket_directories": str(folder), "listen_addresses": ""}
        chosen.update(settings or {})
        certificate = None
        if tcp:
            port = _free_port()
            certificate = _make_certificate(folder)
            chosen.update(listen_addresses="localhost", ssl="on")
            chosen.update(ssl_cert_file=f"{folder}/server.crt", ssl_key_file=f"{folder}/server.key")
        arguments = [f"--{key.replace('_', '-')}={value}" for key, value in chosen.items()]
        begin = _ends_with_this_process()

        def start() -> subprocess.Popen[bytes]:
            with (folder / "log").open("ab") as log:
                return subprocess.Popen(
                    [*begin, programs / "postgres", "-D", data, f"--port={port}", *arguments],
                    stdout=log,
                    stderr=log,
                    cwd=folder,
                    env=_environment(),
                    **_user(),
                )

        server = PostgresServer(installation.name, programs, folder, port, certificate, start)
        try:
            server.begin()
            yield server
        finally:
            if server.process:
                # Fast shutdown: open connections end.
                server.process.send_signal(signal.SIGINT)
                server.process.wait(TIMEOUT)
    finally:
        shutil.rmtree(folder)


def _answers(server: PostgresServer) -> bool:
    assert server.process
    assert server.process.poll() is None, (server.folder / "log").read_text()[-2000:]
    command = [server.programs / "pg_isready", "--quiet", "--dbname", server.dsn(SUPERUSER)]
    return subprocess.run(command, check=False, env=_environment()).returncode == 0


def _readable_programs(installation: Installation, folder: Path) -> Path:
    """The programs, copied into `folder` if the user of the server may not read them there."""
    programs = installation.programs
    if os.geteuid():
        return programs
    command = [programs / "postgres", "--version"]
    try:
        # The user of the server, without what only this user may read.
        done = subprocess.run(command, **_user(), capture_output=True, check=False, cwd="/")
        if done.returncode == 0:
            return programs
    except PermissionError:
        pass
    assert installation.name == "pgserver", f"{programs}: not readable for other users"
    package = programs.parents[1]
    shutil.copytree(package / "pginstall", folder / "pgserver/pginstall")
    shutil.copytree(package.with_name("pgserver.libs"), folder / "pgserver.libs")
    return folder / "pgserver/pginstall/bin"


def _user() -> dict[str, Any]:
    """The arguments of a process that runs as another user than root, which PostgreSQL refuses."""
    if os.geteuid():
        return {}
    return {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []}


def _ends_with_this_process() -> list[str]:
    """The start of a command that is terminated even if the tests are killed."""
    program = shutil.which("setpriv")
    return [program, "--pdeathsig", "QUIT"] if program else []


def _run(folder: Path, *command: str | Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        **_user(),
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _output(*command: str | Path) -> str:
    return run_program(*command).stdout.strip()


def _environment() -> dict[str, str]:
    """Without the PG* variables of the user, in a locale that every machine has."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def _fast_directory() -> str | None:
    """A directory in memory with room for some clusters of 100 MB; None for the usual one."""
    memory = "/dev/shm"
    fits = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return memory if fits else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _make_certificate(folder: Path) -> Path:
    """A certificate for `localhost` in `folder`, with its key. Skips without openssl."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("needs openssl")
    key, certificate = folder / "server.key", folder / "server.crt"
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-nodes"]
    files = ["-days", "30", "-keyout", key, "-out", certificate]
    _run(folder, program, *request, *names, *files)
    return certificate


@pytest.fixture(scope="session")
def pgserver() -> Iterator[PostgresServer]:
    """The server of the package `pgserver`, started once."""
    with running_postgres(installed_postgres("pgserver")) as server:
        yield server


@pytest.fixture(scope="session")
def debian_postgres() -> Iterator[PostgresServer]:
    """Debian's server, started once."""
    with running_postgres(installed_postgres("debian")) as server:
        yield server


@pytest.fixture(params=NAMES)
def postgres(request: pytest.FixtureRequest) -> PostgresServer:
    """Each server that is installed."""
    name = {"pgserver": "pgserver", "debian": "debian_postgres"}[request.param]
    server: PostgresServer = request.getfixturevalue(name)
    return server

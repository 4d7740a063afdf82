"""Where the server of the organisation is: from the environment, never from a repository.

`SDD_POSTGRES_DSN` has a connection string of libpq, or `PGSERVICE` names a section of its service
file (https://www.postgresql.org/docs/current/libpq-pgservice.html).
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.named_tuple import NamedTuple

DSN = "SDD_POSTGRES_DSN"
"""The environment variable with the connection string."""

_CONNECT_SECONDS = "10"


class Address(NamedTuple):
    """The parameters of a connection, by their names in libpq. `repr` leaves the password out."""

    parameters: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Address({self.place})"

    @property
    def place(self) -> str:
        """The server and the database, for messages: `db.example:5432/sdd`."""
        host = self.parameters.get("host") or self.parameters.get("hostaddr") or "local socket"
        port = self.parameters.get("port", "")
        name = self.parameters.get("dbname") or self.parameters.get("user", "")
        return f"{host}{':' if port else ''}{port}/{name}"


def is_configured(environ: Mapping[str, str]) -> bool:
    """Whether the environment names a server."""
    return bool(environ.get(DSN) or environ.get("PGSERVICE"))


def find_address(environ: Mapping[str, str]) -> Address:
    """Return the address in the environment, with TLS that verifies the server by default.

    A unix socket and loopback need no TLS. Raises EngineUnavailable without a usable address; no
    message repeats the connection string, which may contain a password.
    """
    if environ.get(DSN):
        parameters = _parse_dsn(environ[DSN])
        # libpq adds the section that PGSERVICE names to a string without one.
        name = parameters.pop("service", "") or environ.get("PGSERVICE", "")
        parameters = {**(_read_service(name, environ) if name else {}), **parameters}
    elif environ.get("PGSERVICE"):
        parameters = _read_service(environ["PGSERVICE"], environ)
    else:
        raise EngineUnavailable(
            f"the engine postgres has no server: set {DSN} to its connection string,"
            " or PGSERVICE to a section of your service file"
        )
    return Address({**_defaults(parameters, environ), **parameters})


def _defaults(parameters: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    chosen = {"connect_timeout": _CONNECT_SECONDS, "application_name": "sdd"}
    # libpq reads these itself; here they are for messages.
    named = {"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE"}
    chosen |= {key: environ[name] for key, name in named.items() if environ.get(name)}
    hosts = [
        host
        for key in ("host", "hostaddr")
        for host in (parameters.get(key) or environ.get(f"PG{key.upper()}", "")).split(",")
    ]
    if not all(map(_is_here, hosts)) and not environ.get("PGSSLMODE"):
        chosen["sslmode"] = "verify-full"
        # The certificates of the system; libpq reads a file of the user's where there is one.
        certificate = Path(environ.get("HOME", "/")) / ".postgresql/root.crt"
        if "sslmode" not in parameters and not environ.get("PGSSLROOTCERT"):
            chosen |= {} if certificate.is_file() else {"sslrootcert": "system"}
    return chosen


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a unix socket, or loopback."""
    if not host or host.startswith(("/", "@")) or host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _parse_dsn(dsn: str) -> dict[str, str]:
    import_driver()
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        return {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value}
    except ProgrammingError:
        # The message of libpq repeats parts of the string.
        raise EngineUnavailable(
            f"{DSN} is no connection string: use postgresql://USER@HOST/DATABASE"
        ) from None


def _read_service(name: str, environ: Mapping[str, str]) -> dict[str, str]:
    for path in _service_files(environ):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if (found := parse_service(text, name)) is not None:
            return found
    raise EngineUnavailable(
        f"no service file has a section [{name}]: write it to ~/.pg_service.conf, or set {DSN}"
    )


def _service_files(environ: Mapping[str, str]) -> list[Path]:
    own = environ.get("PGSERVICEFILE") or str(Path(environ.get("HOME", "/")) / ".pg_service.conf")
    shared = environ.get("PGSYSCONFDIR")
    return [Path(own), *([Path(shared) / "pg_service.conf"] if shared else [])]


def parse_service(text: str, name: str) -> dict[str, str] | None:
    """Return the parameters of a section of a service file; None without such a section.

    Blank lines and lines that begin with `#` do not count; the first section of a name does.
    """
    found: dict[str, str] | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            if found is not None:
                break
            found = {} if line == f"[{name}]" else None
        elif found is not None and line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            if equals:
                found.setdefault(key.strip(), value.strip())
    return found


def import_driver() -> None:
    """Raise EngineUnavailable if psycopg is not installed."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(
            f"the engine postgres needs psycopg: {advise_extra('postgres')}"
        ) from None

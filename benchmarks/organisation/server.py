"""A PostgreSQL server in a folder on disk, for one measurement."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_UNPRIVILEGED = 65534
_PORT = 5432
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "80",
    "shared_buffers": "2GB",
    "effective_cache_size": "8GB",
    "maintenance_work_mem": "3GB",
    "max_parallel_maintenance_workers": str(max(1, (os.cpu_count() or 2) - 1)),
    "max_wal_size": "2GB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "random_page_cost": "1.1",
    "dynamic_shared_memory_type": "mmap",
}


@contextmanager
def running_server(programs: Path, folder: Path) -> Iterator[str]:
    """Start a server with an empty cluster in `folder`. Yields the DSN without a database."""
    folder.mkdir(parents=True)
    data = folder / "data"
    data.mkdir()
    if os.geteuid() == 0:
        for path in (folder, data):
            os.chown(path, _UNPRIVILEGED, _UNPRIVILEGED)
    try:
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--username=postgres"]
        _run(programs / "initdb", "--pgdata", data, *options)
        settings = {**SETTINGS, "unix_socket_directories": str(folder), "port": str(_PORT)}
        with (data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        control: list[str | Path] = [programs / "pg_ctl", "--pgdata", data, "--silent", "--wait"]
        _run(*control, "--log", folder / "log", "start")
        try:
            yield f"host={folder} port={_PORT} user=postgres"
        finally:
            _run(*control, "--mode", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(*command: str | Path) -> None:
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        who = {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []}
    subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, **who)

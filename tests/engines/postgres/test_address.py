"""The address comes from the environment; no message or `repr` has the password."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.postgres.address import DSN, find_address, is_configured, parse_service
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.errors import EngineUnavailable

pytest.importorskip("psycopg")


def parameters(dsn: str, **environ: str) -> dict[str, str]:
    return dict(find_address({DSN: dsn, **environ}).parameters)


@pytest.mark.parametrize(
    "host", ["db.example", "localhost.evil.example", "127.evil.example", "10.0.0.1"]
)
def test_another_machine_is_verified(host: str) -> None:
    assert parameters(f"postgresql://ada@{host}/sdd")["sslmode"] == "verify-full"


@pytest.mark.parametrize("host", ["/run/postgresql", "localhost", "127.0.0.1", "::1"])
def test_this_machine_needs_no_tls(host: str) -> None:
    assert "sslmode" not in parameters(f"host={host} dbname=sdd")


def test_one_host_of_several_elsewhere_needs_tls() -> None:
    assert parameters("host=localhost,db.example")["sslmode"] == "verify-full"


def test_the_address_that_libpq_connects_to_decides() -> None:
    """An address beside a name, or in a variable that libpq reads itself."""
    assert parameters("host=localhost hostaddr=10.0.0.1")["sslmode"] == "verify-full"
    assert parameters("dbname=sdd", PGHOSTADDR="10.0.0.1")["sslmode"] == "verify-full"
    assert parameters("dbname=sdd", PGHOST="db.example")["sslmode"] == "verify-full"
    assert "sslmode" not in parameters("host=localhost hostaddr=127.0.0.1")


def test_a_section_beside_a_string_is_read(tmp_path: Path) -> None:
    file = tmp_path / "services"
    file.write_text("[org]\nhost=db.example\ndbname=other\n")
    found = parameters("dbname=sdd", PGSERVICE="org", PGSERVICEFILE=str(file))
    assert (found["host"], found["dbname"], found["sslmode"]) == (
        "db.example",
        "sdd",
        "verify-full",
    )


def test_a_message_names_the_server_of_the_environment() -> None:
    found = find_address({DSN: "user=ada", "PGHOST": "db.example", "PGPORT": "6432"})
    assert found.place == "db.example:6432/ada"


def test_a_chosen_mode_stays() -> None:
    assert parameters("host=db.example sslmode=require")["sslmode"] == "require"
    assert "sslmode" not in parameters("host=db.example", PGSSLMODE="verify-ca")


def test_a_service_file_has_the_parameters(tmp_path: Path) -> None:
    file = tmp_path / "services"
    file.write_text("# ours\n[other]\nhost=x\n\n[org]\nhost=db.example\npassword=hunter2\n[z]\n")
    environ = {"PGSERVICE": "org", "PGSERVICEFILE": str(file)}
    assert is_configured(environ)
    address = find_address(environ)
    assert address.parameters["host"] == "db.example"
    assert "hunter2" not in repr(address) + address.place
    with pytest.raises(EngineUnavailable, match=r"no service file has a section \[none\]"):
        find_address({**environ, "PGSERVICE": "none"})


def test_without_a_server_the_error_names_the_variable() -> None:
    assert not is_configured({})
    with pytest.raises(EngineUnavailable, match="SDD_POSTGRES_DSN"):
        find_address({})


@pytest.mark.parametrize("dsn", ["hunter2", "postgresql://a:hunter2@[/x", "password=hunter2 x"])
def test_a_wrong_string_is_not_repeated(dsn: str) -> None:
    with pytest.raises(EngineUnavailable) as error:
        find_address({DSN: dsn})
    assert "hunter2" not in str(error.value)


def test_no_server_there_is_one_line_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as error:
        connect(find_address({DSN: f"host={tmp_path} dbname=sdd user=a password=hunter2"}))
    assert str(error.value).startswith(f"cannot connect to {tmp_path}/sdd (")
    assert "\n" not in str(error.value)
    assert "hunter2" not in str(error.value)


@given(st.text(), st.text(max_size=5))
def test_any_text_is_a_service_file(text: str, name: str) -> None:
    for key, value in (parse_service(text, name) or {}).items():
        assert key == key.strip()
        assert value == value.strip()


NAME = st.text("abcdef", min_size=1)


@given(NAME, st.dictionaries(NAME, st.text("abc=# [", max_size=8)))
def test_a_written_section_is_read(name: str, values: dict[str, str]) -> None:
    lines = "".join(f"{key}={value}\n" for key, value in values.items())
    found = parse_service(f"[x1]\nq=1\n[{name}]\n{lines}[x2]\nq=2\n", name)
    assert found == {key: value.strip() for key, value in values.items()}

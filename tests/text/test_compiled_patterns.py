"""Patterns that were kept by another process are those that `re` compiles."""

import importlib
import marshal
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sdd_hooks
from sdd_hooks.text import compiled_patterns
from sdd_hooks.text.lazy_regex import _LazyPattern

_TABLE = f"compiled_patterns.{sys.implementation.cache_tag}.patterns"
_PRINT = (
    "import re; from sdd_hooks.text.lazy_regex import lazy_regex;"
    "print(lazy_regex(r'(?P<letter>[äé])+', re.I).sub('-', 'Ä é'))"
)

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 keeps no patterns")


def _every_pattern() -> set[tuple[str | bytes, int]]:
    found = set()
    for module in pkgutil.walk_packages(sdd_hooks.__path__, "sdd_hooks."):
        try:
            members = vars(importlib.import_module(module.name))
        except ImportError:  # an extra is not installed
            continue
        for value in members.values():
            if isinstance(value, _LazyPattern):
                text = value._pattern
                found.add((text() if callable(text) else text, int(value._flags)))
    return found


def test_each_pattern_of_the_package_is_restored_as_it_was() -> None:
    patterns = _every_pattern()
    assert len(patterns) > 400
    for pattern, flags in patterns:
        rows = marshal.loads(marshal.dumps(compiled_patterns._compile(pattern, flags)))
        # Patterns are equal if their texts, flags and codes are.
        assert compiled_patterns._restore(pattern, rows) == re.compile(pattern, flags)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the modules, without byte code."""
    for name in (
        "__init__.py",
        "text/__init__.py",
        "text/lazy_regex.py",
        "text/compiled_patterns.py",
    ):
        copy = tmp_path / "sdd_hooks" / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(Path(sdd_hooks.__path__[0]) / name, copy)
    return tmp_path


def _run(package: Path, **environ: str) -> str:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", _PRINT]
    done = subprocess.run(
        command, cwd=package, env={**kept, **environ}, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout


def test_a_process_keeps_what_it_compiled_for_the_next(package: Path) -> None:
    assert _run(package) == "- -\n"
    table = package / "sdd_hooks/text/__pycache__" / _TABLE
    before = table.read_bytes()
    _key, rows = marshal.loads(before[4:])
    assert [pattern for pattern, _flags in rows] == [r"(?P<letter>[äé])+"]
    assert _run(package) == "- -\n"
    assert table.read_bytes() == before


def test_nothing_is_written_where_python_writes_no_byte_code(package: Path) -> None:
    _run(package, PYTHONDONTWRITEBYTECODE="1")
    assert not [*package.rglob("*.patterns*")]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: b"\0" * len(data),
        lambda data: _sealed((("3.0", 0, "little"), marshal.loads(data[4:])[1])),
        lambda data: _sealed((compiled_patterns._KEY, {(r"(?P<letter>[äé])+", 2): (0, b"abc")})),
        lambda data: _sealed(
            (compiled_patterns._KEY, {(r"(?P<letter>[äé])+", 2): (0, b"\xff" * 64, 1, {}, ())})
        ),
    ],
)
def test_a_damaged_table_is_not_read(package: Path, damage) -> None:  # type: ignore[no-untyped-def]
    _run(package)
    table = package / "sdd_hooks/text/__pycache__" / _TABLE
    table.write_bytes(damage(table.read_bytes()))
    assert _run(package) == "- -\n"


def _sealed(content: object) -> bytes:
    data = marshal.dumps(content)
    return compiled_patterns._checksum(data) + data

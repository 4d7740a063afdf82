"""docs/licences.md names every dependency with a licence."""

from __future__ import annotations

import re
from importlib.machinery import SourceFileLoader
from importlib.metadata import distribution
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
MIT = "License :: OSI Approved :: MIT License"
ROW = re.compile(r"\| ([a-z0-9-]+) \| (\S+) \| ([^|]+) \| ([^|]+) \|")
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


@pytest.fixture(scope="module")
def table() -> dict[str, tuple[str, str]]:
    """The licence and the installing extras of each package of the page."""
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    matches = [ROW.fullmatch(line) for line in rows]
    assert all(matches)
    return {match[1]: (match[3], match[4]) for match in matches if match}


@pytest.fixture(scope="module")
def script() -> Any:
    """`scripts/licences` as a module."""
    loader = SourceFileLoader("licences", str(ROOT / "scripts/licences"))
    module = module_from_spec(spec_from_loader("licences", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


def test_the_table_names_every_direct_dependency(table: dict[str, tuple[str, str]]) -> None:
    required = [Requirement(line) for line in distribution("sdd-hooks").requires or []]
    assert len(required) > 15
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    for requirement in required:
        name = canonicalize_name(requirement.name)
        if 'sys_platform == "win32"' in str(requirement.marker):
            assert f"and {name}, both under" in page
        elif "python_version" in str(requirement.marker):
            assert f"{name}, under the MIT" in page
        elif not requirement.url:
            assert name in table
    core = {canonicalize_name(one.name) for one in required if one.marker is None}
    assert {name for name, (_, extras) in table.items() if extras == "core"} >= core


def test_the_table_names_what_the_locks_install(table: dict[str, tuple[str, str]]) -> None:
    """Except packages for other systems and Pythons, and those of the build."""
    text = (ROOT / "locks/review.txt").read_text(encoding="utf-8")
    locked = {canonicalize_name(name) for name in LOCKED.findall(text)}
    build = {"hatchling", "pathspec", "trove-classifiers", "packaging", "pluggy", "tomlkit"}
    others = {"colorama", "portalocker", "exceptiongroup", "tomli", "typing-extensions"}
    assert locked - build - others <= table.keys()


def test_every_package_states_a_licence(table: dict[str, tuple[str, str]]) -> None:
    # It has no files and only requires others.
    assert [name for name, (licence, _) in table.items() if licence == "not stated"] == [
        "cuda-toolkit"
    ]
    assert all(extras for _, extras in table.values())


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"license_expression": "MIT", "license": "other"}, "MIT"),
        ({"license": "Apache Software License"}, "Apache-2.0"),
        ({"license": "Copyright\n\nlong", "classifier": [MIT]}, "MIT"),
        ({"classifier": ["Topic :: Text", "License :: OSI Approved"]}, "not stated"),
        ({"classifier": ["License :: Public Domain"]}, "Public Domain"),
        ({"license": "  ", "classifier": []}, "not stated"),
    ],
)
def test_the_licence_that_metadata_state(
    script: Any, metadata: dict[str, Any], expected: str
) -> None:
    assert script.licence(metadata) == expected


def test_packages_are_followed_through_their_requirements(script: Any) -> None:
    releases = {
        "sdd-hooks": {"requires_dist": ["a", "b[x] ; extra == 'local'", "c ; extra == 'llm'"]},
        "a": {"requires_dist": ["a"]},
        "b": {"requires_dist": ["d ; extra == 'x'", "e ; python_version < '3'"]},
        "c": {},
        "d": {"requires_dist": ["b"]},
    }
    assert script.installed_by(releases, "") == {"a"}
    assert script.installed_by(releases, "local") == {"a", "b", "d"}

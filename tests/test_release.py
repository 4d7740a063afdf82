"""`scripts/release` writes a version, and refuses a tag of another one."""

from __future__ import annotations

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CHANGELOG = """\
# Changelog

## [Unreleased]

These changes will be released as 0.2.0.

### Added

- A thing.

## [0.1.0] - 2026-01-02

- The first.
"""

README = """\
# sdd

## Not there yet

- A release: what is here becomes 0.2.0.
- Hooks on Windows.
"""


@pytest.fixture(scope="module")
def release() -> Any:
    loader = SourceFileLoader("release", str(ROOT / "scripts/release"))
    module = module_from_spec(spec_from_loader("release", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "sdd_hooks").mkdir()
    (tmp_path / "sdd_hooks/__init__.py").write_text('"""Doc."""\n\n__version__ = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "README.md").write_text(README)
    return tmp_path


def test_a_prepared_version_has_the_unreleased_changes(release: Any, checkout: Path) -> None:
    release.prepare(checkout, "0.2.0", "2026-03-04")
    assert release.current(checkout) == "0.2.0"
    assert release.notes(checkout, "v0.2.0") == "### Added\n\n- A thing."
    changelog = (checkout / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n### Added" in changelog
    readme = (checkout / "README.md").read_text()
    assert readme.endswith("## Not there yet\n\n- Hooks on Windows.\n")
    assert changelog.endswith("- A thing.\n\n## [0.1.0] - 2026-01-02\n\n- The first.\n")


def test_the_readme_has_the_line_that_a_release_removes(release: Any) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    is_released = re.search(r"^## \[\d", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert len(release._NO_RELEASE.findall(readme)) == (0 if is_released else 1)


def test_nothing_to_release_is_refused(release: Any, checkout: Path) -> None:
    release.prepare(checkout, "0.2.0", "2026-03-04")
    before = (checkout / "CHANGELOG.md").read_text()
    with pytest.raises(release.ReleaseError, match=r"\[Unreleased\] is empty"):
        release.prepare(checkout, "0.3.0", "2026-03-05")
    with pytest.raises(release.ReleaseError, match=r"section \[0\.1\.0\] exists"):
        release.prepare(checkout, "0.1.0", "2026-03-05")
    assert (checkout / "CHANGELOG.md").read_text() == before


@pytest.mark.parametrize(
    "version", ["v0.2.0", "0.2", "0.2.0-1", "00.2.0", "0.2.0\n", "", "0.2.0/.."]
)
def test_another_form_is_no_version(release: Any, checkout: Path, version: str) -> None:
    with pytest.raises(release.ReleaseError, match="is no version"):
        release.prepare(checkout, version, "2026-03-04")


def test_a_tag_of_another_version_is_refused(release: Any, checkout: Path) -> None:
    assert release.notes(checkout, "v0.1.0") == "- The first."
    for tag in ("v0.2.0", "0.1.0", "v0.1.0rc1", ""):
        with pytest.raises(release.ReleaseError, match=r"is not v0\.1\.0"):
            release.notes(checkout, tag)


def test_a_version_without_a_section_is_refused(release: Any, checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text(CHANGELOG.replace("## [0.1.0] - 2026-01-02", "## 0.1"))
    with pytest.raises(release.ReleaseError, match="no section"):
        release.notes(checkout, "v0.1.0")


def test_the_changelog_of_this_checkout_can_be_released(release: Any, checkout: Path) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if "## [Unreleased]\n\n## [" in changelog:
        # The commit of a release: its section is that of its tag.
        assert release.notes(ROOT, f"v{release.current(ROOT)}")
        return
    (checkout / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    release.prepare(checkout, "7.8.9", "2026-03-04")
    assert "### Added" in release.notes(checkout, "v7.8.9")

"""The packages that a manifest declares, each with its line.

Manifests are parsed line by line, so that an invalid one is parsed as far as possible.
"""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from itertools import islice

from sdd_hooks.code.dependency_readers import (
    MAX_LINE,
    PackageDeclaration,
    Reader,
    is_for_development,
    read_composer,
    read_development_requirements,
    read_gemfile,
    read_gemspec,
    read_go_mod,
    read_gradle,
    read_maven,
    read_nuget,
    read_nuget_config,
    read_package_json,
    read_requirements,
    read_setup_cfg,
    read_setup_py,
    read_toml,
    read_version_catalogue,
)
from sdd_hooks.text.lines import NumberedLine

__all__ = [
    "MAX_LINE",
    "MAX_NAMES",
    "PackageDeclaration",
    "find_unread",
    "is_manifest",
    "parse_declarations",
    "parse_dependencies",
]

MAX_NAMES = 20_000
"""Names that are read of one manifest."""


def is_manifest(path: str) -> bool:
    """Whether a file is, by its name, a manifest of a known format."""
    return _reader(path) is not None


def parse_dependencies(path: str, text: str) -> tuple[NumberedLine, ...]:
    """The packages that a manifest declares, by line; none if the file is not a manifest.

    A package of Maven or Gradle is listed as `group:artifact` and as `artifact`. Never raises.
    """
    return tuple(NumberedLine(one.number, one.name) for one in parse_declarations(path, text))


def parse_declarations(path: str, text: str) -> tuple[PackageDeclaration, ...]:
    """Like `parse_dependencies`, with what each package is for."""
    reader = _reader(path)
    return tuple(islice(reader(text), MAX_NAMES)) if reader else ()


def find_unread(path: str, text: str) -> str:
    """The reason why packages of a manifest may be missing, with an advice; "" for none."""
    if len(parse_declarations(path, text)) == MAX_NAMES:
        return f"a manifest with more than {MAX_NAMES:,} packages: divide it"
    reads_lines = _reader(path) not in (read_package_json, read_composer)
    if reads_lines and any(len(line) > MAX_LINE for line in text.split("\n")):
        return f"the text beyond {MAX_LINE:,} characters of a line of a manifest: break the line"
    return ""


def _reader(path: str) -> Reader | None:
    folder, _, name = path.lower().rpartition("/")
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.endswith((".csproj", ".fsproj", ".vbproj")):
        return read_nuget
    if name.endswith(".gemspec"):
        return read_gemspec
    if name.endswith(".versions.toml"):
        return read_version_catalogue
    if name.endswith(".txt") and (
        name.startswith(("requirements", "constraints"))
        or name.endswith("requirements.txt")
        or folder.endswith("requirements")
    ):
        is_development = is_for_development(name.removesuffix(".txt"))
        return read_development_requirements if is_development else read_requirements
    return None


_BY_NAME: dict[str, Reader] = {
    "build.gradle": read_gradle,
    "build.gradle.kts": read_gradle,
    "cargo.toml": read_toml,
    "composer.json": read_composer,
    "directory.packages.props": read_nuget,
    "gemfile": read_gemfile,
    "go.mod": read_go_mod,
    "package.json": read_package_json,
    "packages.config": read_nuget_config,
    "pipfile": read_toml,
    "pom.xml": read_maven,
    "pyproject.toml": read_toml,
    "setup.cfg": read_setup_cfg,
    "setup.py": read_setup_py,
}

"""The packages that a manifest declares, each with its line."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from sdd_hooks.code import dependency_readers as readers
from sdd_hooks.code import python_dependencies as python
from sdd_hooks.code.languages import describe_any
from sdd_hooks.code.package_declarations import MAX_LINE, PackageDeclaration, Reader
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lines import NumberedLine

MAX_NAMES = 20_000
"""Names that are read of one manifest."""


class Manifest(NamedTuple):
    """The packages of a manifest, and the reason why some may be missing, with an advice, or ""."""

    declared: tuple[PackageDeclaration, ...] = ()
    unread: str = ""


def is_manifest(path: str) -> bool:
    """Whether a file is, by its name, a manifest of a known format."""
    return _reader(path) is not None


def may_declare(path: str) -> bool:
    """Whether a file may declare packages: a manifest, or a script of Python."""
    language = describe_any(path)
    return is_manifest(path) or (language is not None and language.name == "python")


def may_change_declarations(path: str, lines: str) -> bool:
    """Whether a file whose changed lines these are may declare other packages than before."""
    return is_manifest(path) or _SCRIPT_LINE.search(lines) is not None


def parse_dependencies(path: str, text: str) -> tuple[NumberedLine, ...]:
    """The packages that a manifest declares, by line; none if the file is not a manifest.

    A package of Maven or Gradle is listed as `group:artifact` and as `artifact`. Never raises.
    """
    return tuple(NumberedLine(one.number, one.name) for one in parse_declarations(path, text))


def parse_declarations(path: str, text: str) -> tuple[PackageDeclaration, ...]:
    """Like `parse_dependencies`, with what each package is for."""
    return read_manifest(path, text).declared


@lru_cache(4)
def read_manifest(path: str, text: str) -> Manifest:
    """The packages of a manifest, and of a script of Python; an invalid one is read as far as it
    is valid. Never raises."""
    reader = _reader(path) or (python.read_script if may_declare(path) else None)
    if reader is None or not text.strip():
        return Manifest()
    found: list[PackageDeclaration] = []
    unread = ""
    try:
        for one in reader(text):
            found.append(one)
            if len(found) == MAX_NAMES:
                unread = f"a manifest with more than {MAX_NAMES:,} packages: divide it"
                break
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, AttributeError):
        unread = "it is a manifest that cannot be parsed: repair it"
    if reader in _BY_LINE and any(len(line) > MAX_LINE for line in text.split("\n")):
        unread = f"the text beyond {MAX_LINE:,} characters of a line of a manifest: break the line"
    return Manifest(tuple(found), unread or _find_unknown(path, reader, text))


def _find_unknown(path: str, reader: Reader, text: str) -> str:
    """A file that a requirements file includes and that is, by its name, no manifest."""
    if reader not in (python.read_requirements, python.read_development_requirements):
        return ""
    for name in python.find_included(text):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if "://" in name or not is_manifest(target):
            return f"it includes {name[:100]!a}, which is not read: name it `…-requirements.txt`"
    return ""


def _reader(path: str) -> Reader | None:
    folder, _, name = path.lower().rpartition("/")
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.endswith((".csproj", ".fsproj", ".vbproj", ".props", ".targets")):
        return readers.read_nuget
    if name.endswith(".gemspec"):
        return readers.read_gemspec
    if name.endswith(".versions.toml"):
        return readers.read_version_catalogue
    if _REQUIREMENTS.search(name) or (
        name.endswith((".txt", ".in", ".pip")) and folder.endswith("requirements")
    ):
        is_development = python.is_for_development(name.rpartition(".")[0])
        return python.read_development_requirements if is_development else python.read_requirements
    return None


# The comment `# /// script`, and lines of TOML in it.
_SCRIPT_LINE = re.compile(r"^#[ \t]*(?:///|[\"'\]]|[\w-]+[ \t]*=)", re.MULTILINE)
_REQUIREMENTS = re.compile(
    r"^(?:requirements|constraints|dev-requirements)[^/]*\.(?:txt|in|pip|lock)$|requirements\.(?:txt|in|pip)$"
)
_BY_LINE = (readers.read_gemfile, readers.read_gemspec, readers.read_go_mod, readers.read_gradle)
_BY_NAME: dict[str, Reader] = {
    "build.gradle": readers.read_gradle,
    "build.gradle.kts": readers.read_gradle,
    "cargo.toml": python.read_toml,
    "composer.json": readers.read_composer,
    "deno.json": readers.read_deno,
    "deno.jsonc": readers.read_deno,
    "environment.yaml": readers.read_yaml,
    "environment.yml": readers.read_yaml,
    "gemfile": readers.read_gemfile,
    "go.mod": readers.read_go_mod,
    "package.json": readers.read_package_json,
    "go.work": readers.read_go_mod,
    "import_map.json": readers.read_deno,
    "packages.config": readers.read_nuget,
    "pipfile": python.read_toml,
    "pixi.toml": python.read_toml,
    "pnpm-workspace.yaml": readers.read_yaml,
    "pom.xml": readers.read_maven,
    "pyproject.toml": python.read_toml,
    "setup.cfg": python.read_setup_cfg,
    "setup.py": python.read_setup_py,
}

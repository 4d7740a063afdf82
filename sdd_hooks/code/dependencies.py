"""The packages that a manifest declares, each with its line."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from sdd_hooks.code import dependency_readers as readers
from sdd_hooks.code import python_dependencies as python
from sdd_hooks.code.languages import describe_any
from sdd_hooks.code.package_declarations import PackageDeclaration, Reader
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
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
    """Whether a file may declare packages: a manifest, or a script of Python, of any name."""
    language = describe_any(path)
    is_script = language.name == "python" if language else "." not in path.rpartition("/")[2]
    return is_script or is_manifest(path)


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
    return Manifest(tuple(found), unread or _find_unknown(path, reader, text, found))


def _find_unknown(
    path: str, reader: Reader, text: str, declared: Iterable[PackageDeclaration]
) -> str:
    """A file that a manifest includes and that is, by its name, no manifest."""
    names = [one.name for one in declared if one.name.endswith((".txt", ".in", ".pip"))]
    if reader in (python.read_requirements, python.read_development_requirements):
        names += python.find_included(text)
    elif reader is readers.read_yaml:
        names += python.find_included(re.sub(r"(?m)^[ \t]*-[ \t]+", "", text))
    elif reader is readers.read_gemfile:
        names += _INCLUDED_GEMS.findall(text)
    for name in names:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if "://" in name or not is_manifest(target):
            return f"it includes {name[:100]!a}, which is no manifest by its name: rename it"
    return ""


@lru_cache(10_000)
def _reader(path: str) -> Reader | None:
    folder, _, name = path.lower().rpartition("/")
    inside = f"{folder.rpartition('/')[2]}/{name}"
    globs = (glob for glob in _GLOBS if fnmatchcase(inside if "/" in glob else name, glob))
    found = _ENTRIES.get(name) or _ENTRIES.get(next(globs, ""))
    if found is python.read_requirements and python.is_for_development(name.rpartition(".")[0]):
        return python.read_development_requirements
    return found


# The comment `# /// script`, and lines of TOML in it.
_SCRIPT_LINE = lazy_regex(r"^#[ \t]*(?:///|[\"'\]]|[\w-]+[ \t]*=)", re.MULTILINE)
_INCLUDED_GEMS = lazy_regex(r"\beval_gemfile[\s(]*[\"']([^\"'\n]+)")

MANIFESTS: Mapping[str, Reader] = {
    "package.json bower.json": readers.read_package_json,
    "pnpm-workspace.yaml package.yaml pubspec.yaml environment*.yml environment*.yaml conda*.yml"
    " conda*.yaml": readers.read_yaml,
    "deno.json deno.jsonc jsr.json import_map.json importmap.json": readers.read_deno,
    "pyproject.toml cargo.toml pixi.toml": python.read_toml,
    "pipfile": python.read_pipfile,
    "setup.cfg": python.read_setup_cfg,
    "setup.py": python.read_setup_py,
    "requirements*.txt requirements*.in requirements*.pip requirements*.lock constraints*.txt"
    " constraints*.in *requirements.txt *requirements.in *requirements.pip dev-requirements*.txt"
    " dev-requirements*.in *requirements/*.txt *requirements/*.in *requirements/*.pip": (
        python.read_requirements
    ),
    "go.mod go.work": readers.read_go_mod,
    "gemfile gems.rb podfile importmap.rb": readers.read_gemfile,
    "*.gemspec": readers.read_gemspec,
    "*.csproj *.fsproj *.vbproj *.props *.targets *.nuspec packages.config": readers.read_nuget,
    "pom.xml": readers.read_maven,
    "*.gradle *.gradle.kts *.sbt build.mill build.sc": readers.read_gradle,
    "*.versions.toml": readers.read_version_catalogue,
    "composer.json": readers.read_composer,
}
"""The manifests that are read, by their names in lower case."""

UNREAD_MANIFESTS = (
    "package.swift cartfile mix.exs rebar.config conanfile.txt conanfile.py vcpkg.json stack.yaml"
    " *.cabal *.opam dune-project deps.edn project.clj shard.yml *.rockspec project.toml ivy.xml"
    " paket.dependencies meta.yaml package.json5 cpanfile description build.zig.zon"
)
"""Manifests that are not read, by their names in lower case."""

_ENTRIES = {name: one for names, one in MANIFESTS.items() for name in names.split()}
_GLOBS = [name for name in _ENTRIES if "*" in name]


def unread_manifest(path: str) -> str | None:
    """The name of a manifest that is not read, "" for one that is, None for another file."""
    name = path.lower().rpartition("/")[2]
    if is_manifest(path):
        return ""
    return name if any(fnmatchcase(name, one) for one in UNREAD_MANIFESTS.split()) else None

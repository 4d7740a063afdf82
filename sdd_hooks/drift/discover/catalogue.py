"""The technologies that are decisions: what their packages, imports and files are called.

They are data, in `technologies/*.yml`, which `technologies/README.md` describes.
"""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Catalogue"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

Ecosystem = Literal["python", "npm", "go", "jvm", "rust", "ruby", "nuget", "php"]
"""A family of languages that share packages."""

Proof = Literal["imported", "declared", "tests"]
"""What shows that a technology is in use."""

ECOSYSTEMS: tuple[Ecosystem, ...] = get_args(Ecosystem)

_FOLDER = Path(__file__).parent / "technologies"
_MAJOR_VERSION = lazy_regex(r"/v\d+$")


class Category(NamedTuple):
    """A kind of decision. `title` has `{}` for the names, `weight` is in 0..100.

    With `grouped`, the technologies of one ecosystem are one decision, and `roles` has the word
    before those of each role; those of a role in `additions` are no decision alone. `least` is how
    many files have to use a technology. With `development`, a package for development counts.
    """

    id: str
    title: str
    weight: int
    grouped: bool
    proof: Proof
    roles: Mapping[str, str]
    additions: frozenset[str]
    least: int
    development: bool


class Package(NamedTuple):
    """A package of an ecosystem, "" for the standard library, and what it is imported as."""

    ecosystem: Ecosystem
    name: str
    imports: tuple[str, ...]

    def matches(self, declared: str) -> bool:
        """Whether this is the package that a manifest declares, by its normalized name."""
        if self.name.endswith("*"):
            return declared.startswith(self.name[:-1])
        return bool(self.name) and declared == self.name


class Marker(NamedTuple):
    """A glob of paths. One line of the file matches the expression; None: the name is enough."""

    glob: str
    line: re.Pattern[str] | None


class Technology(NamedTuple):
    """A technology. `common` names are ordinary words, too. `declared`: a manifest is enough, if a
    line of the code or of its configuration matches `confirm`."""

    name: str
    category: Category
    role: str
    aliases: tuple[str, ...]
    common: bool
    declared: bool
    confirm: re.Pattern[str] | None
    packages: tuple[Package, ...]
    images: tuple[str, ...]
    markers: tuple[Marker, ...]


def normalize_package(ecosystem: Ecosystem, name: str) -> str:
    """The name of a package as manifests are compared: PEP 503 for Python, lower case, no major
    version of Go."""
    if ecosystem == "python":
        return re.sub(r"[-_.]+", "-", name).lower()
    if ecosystem == "go":
        return _MAJOR_VERSION.sub("", name)
    return name.lower() if ecosystem in ("nuget", "rust", "npm") else name


@lru_cache(maxsize=1)
def load_catalogue() -> tuple[Technology, ...]:
    """Return every technology, in the order of the files."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[Technology] = []
    for path in sorted(_FOLDER.glob("*.yml")):
        for entry in yaml.load(path.read_text("utf-8"), loader):  # noqa: S506 (a safe loader)
            category = _category(entry)
            for name, technology in entry["technologies"].items():
                found.append(_technology(name, category, technology or {}))
    return tuple(found)


def _category(entry: Mapping[str, Any]) -> Category:
    roles: Mapping[str, str] = entry.get("roles", {})
    return Category(
        entry["category"],
        entry["title"],
        entry["weight"],
        entry.get("group", "each") == "all",
        entry.get("proof", "imported"),
        {role: word.removeprefix("+") for role, word in roles.items()},
        frozenset(role for role, word in roles.items() if word.startswith("+")),
        entry.get("least", 1),
        entry.get("development", False),
    )


def _technology(name: str, category: Category, entry: Mapping[str, Any]) -> Technology:
    packages = (
        package
        for ecosystem in ECOSYSTEMS
        for package in _packages(ecosystem, entry.get(ecosystem, ""))
    )
    return Technology(
        name,
        category,
        entry.get("role", ""),
        tuple(entry.get("aliases", ())),
        entry.get("common", False),
        entry.get("declared", False),
        re.compile(entry["confirm"]) if "confirm" in entry else None,
        tuple(packages),
        tuple(entry.get("images", ())),
        tuple(_markers(entry.get("files", ()))),
    )


def _packages(ecosystem: Ecosystem, text: str) -> Iterator[Package]:
    for item in text.split():
        name, separator, written = item.partition("=")
        imports = tuple(written.split(",")) if separator else _derived(ecosystem, name)
        yield Package(ecosystem, normalize_package(ecosystem, name), imports)


def _derived(ecosystem: Ecosystem, name: str) -> tuple[str, ...]:
    """What a package is imported as, if its name tells."""
    if ecosystem in ("jvm", "ruby", "php"):
        return ()
    if ecosystem in ("python", "rust"):
        return (name.replace("-", "_"),)
    return (name.rstrip("*").rstrip("/."),)


def _markers(entries: Sequence[str | Mapping[str, str]]) -> Iterator[Marker]:
    for entry in entries:
        if isinstance(entry, str):
            yield Marker(entry, None)
        else:
            for glob, line in entry.items():
                yield Marker(glob, re.compile(line))

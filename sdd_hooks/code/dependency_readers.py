"""The readers of manifests, one for each format, with the parser that its ecosystem uses.

Ruby, Go and Gradle have none here, and are read line by line.
"""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sdd_hooks.code.import_readers import plain_module
from sdd_hooks.code.package_declarations import (
    FindLine,
    PackageDeclaration,
    Scope,
    line_counter,
    line_finder,
    name_in_address,
    parse_toml,
)
from sdd_hooks.code.python_dependencies import required
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_LEVELS = 8
"""Objects of JSON within each other whose keys are told apart."""

_JSON_COMMENT = lazy_regex(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*|/\*[\s\S]*?\*/|,(?=\s*[}\]])')
_PACKAGE_SECTIONS: Mapping[str, Scope] = {
    "dependencies": "runtime",
    "devDependencies": "development",
    "peerDependencies": "runtime",
    "optionalDependencies": "runtime",
}
_COMPOSER_SECTIONS: Mapping[str, Scope] = {"require": "runtime", "require-dev": "development"}
_REPLACING = frozenset({"overrides", "resolutions", "pnpm", "workspaces", "catalog", "catalogs"})
_ALIAS = lazy_regex(r"(?:npm|jsr|workspace|patch):((?:@[^/@\s]+/)?[A-Za-z][^@\s]*)")

_MAVEN = frozenset({"dependency", "plugin", "extension", "parent", "path"})
_NUGET = frozenset({"packagereference", "packageversion", "packagedownload", "reference"})
_PROPERTY = lazy_regex(r"\$\{([^{}]{1,200})\}")
_QUOTED = r"[\s(\\]{0,99}(?:%[qQ]?[^\w\s]|[\"'])([^\"'\n)\]}>]{1,200})[\"')\]}>]"
_GEM = lazy_regex(rf"\b(?:gem|pod|pin){_QUOTED}(?=([^\n]{{0,300}}))")
_GEM_SOURCE = lazy_regex(r"\b(?:git|github|gitlab|path)\b\W{1,9}([^\"'\s]{1,200})")
_GEM_GROUP = lazy_regex(
    r"\bgroup\b[^\n]*:(?:development|test|ci)\b[^\n]*\bdo\b|^\s*(end)\s*$", re.M
)
_GEM_OPTION = lazy_regex(r"\bgroups?:?\s*(?:=>)?\s*\[?\s*:(?:development|test|ci)\b")
_GEMSPEC = lazy_regex(rf"\.add_(development_|runtime_)?dependency{_QUOTED}")
_GRADLE = lazy_regex(
    r"""(?:(?<![\w.-])([a-z]\w{0,99}(?:Implementation|Api|Only|Processor|Runtime)|api|implementation
    |compile(?:Only)?|runtime(?:Only)?|annotationProcessor|kapt|ksp|classpath)["']?
    [\s(\[]{1,99}(?:(?:platform|enforcedPlatform)\s*\(\s*)?)?
    (?:["']([\w.-]{1,200})::?:?([\w.-]{1,200}):[^"'\n]
    |(?(1)["']([\w.-]{1,200}):([\w.-]{1,200})["']|(?!))
    |\b(group|name)\s*[:=]\s*["']([\w.-]+)["']\s*,\s*(?:group|name)\s*[:=]\s*["']([\w.-]+)["']
    |["']([\w.-]{1,200})["']\s{0,9}%{1,3}\s{0,9}["']([\w.-]{1,200})["'])
    """,
    re.VERBOSE,
)
_GRADLE_TEST = lazy_regex(r"test|androidTest|jmh|benchmark|classpath|functionalTest|integration")


def read_package_json(text: str) -> Iterator[PackageDeclaration]:
    """The packages of npm, also those that another name stands for."""
    find = line_finder(text)
    for path, value in _json(text):
        section, scope = path[0], _PACKAGE_SECTIONS.get(path[0], "listed")
        if value and len(path) > 1 and (section in _PACKAGE_SECTIONS or section in _REPLACING):
            yield from _alias(find, value, scope)
        elif not value and len(path) > 1:
            in_catalogue = not {"catalog", "catalogs"}.isdisjoint(path[:-1])
            if in_catalogue or (len(path) == 2 and section in _PACKAGE_SECTIONS):
                yield PackageDeclaration(find(path[-1]), path[-1], scope)


def _alias(find: FindLine, value: str, scope: Scope) -> Iterator[PackageDeclaration]:
    """The package behind `npm:name@1`, or at an address."""
    named = _ALIAS.match(value)
    name = named[1] if named else name_in_address(value) if "/" in value else ""
    if name:
        yield PackageDeclaration(find(name), name, scope)


def read_composer(text: str) -> Iterator[PackageDeclaration]:
    """The packages of Composer, without PHP itself and its extensions."""
    find = line_finder(text)
    for path, value in _json(text):
        if len(path) == 2 and path[0] in _COMPOSER_SECTIONS and "/" in path[1] and not value:
            yield PackageDeclaration(find(path[1]), path[1], _COMPOSER_SECTIONS[path[0]])


def read_deno(text: str) -> Iterator[PackageDeclaration]:
    """The packages of an import map of Deno, which may have comments."""
    find = line_finder(text)
    for path, value in _json(_JSON_COMMENT.sub(lambda one: one[1] or "", text)):
        if value and path[0] in ("imports", "scopes") and not value.startswith((".", "/")):
            name = plain_module(value)
            package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
            yield PackageDeclaration(find(package), package)


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with every value of a key that it has twice."""


def _json(text: str) -> Iterator[tuple[Sequence[str], str]]:
    """The keys of JSON behind those around them, each with "", then its values that are strings."""
    waiting: list[tuple[tuple[str, ...], Any]] = [
        ((), json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_Pairs))
    ]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, _Pairs):
            for key, inner in reversed(value):
                inside = (*path[:MAX_LEVELS], key)
                waiting += [(inside, inner), (inside, "")]
        elif isinstance(value, list):
            waiting += ((path, one) for one in reversed(value))
        elif isinstance(value, str) and path:
            yield path, value


def read_version_catalogue(text: str) -> Iterator[PackageDeclaration]:
    """The libraries of a version catalogue of Gradle."""
    libraries, find = parse_toml(text).get("libraries"), line_finder(text)
    for one in libraries.values() if isinstance(libraries, dict) else ():
        named = one if isinstance(one, dict) else {"module": one}
        group, _, artifact = str(named.get("module", "")).partition(":")
        group, artifact = str(named.get("group", group)), str(named.get("name", artifact))
        artifact = artifact.partition(":")[0]
        yield from _coordinates(find(f"{group}:{artifact}"), group, artifact)


def read_yaml(text: str) -> Iterator[PackageDeclaration]:
    """The packages of an environment of conda, and of the catalogues of pnpm."""
    import yaml

    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    find = line_finder(text)
    tables = document if isinstance(document, dict) else {}
    catalogues = tables.get("catalogs")
    inner = catalogues.values() if isinstance(catalogues, dict) else ()
    keys = ("catalog", "overrides", "dev_dependencies", *_PACKAGE_SECTIONS)
    for table in (*inner, *(tables.get(key) for key in keys)):
        if isinstance(table, list):
            pip = (one.get("pip") for one in table if isinstance(one, dict))
            lines = [*table, *(line for one in pip for line in one or ())]
            for line in (one.rpartition("::")[2] for one in lines if isinstance(one, str)):
                yield from (PackageDeclaration(find(name), name) for name in required(line))
        for name, given in table.items() if isinstance(table, dict) else ():
            yield PackageDeclaration(find(str(name)), str(name), "listed")
            yield from _alias(find, given, "listed") if isinstance(given, str) else ()


def read_gemfile(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a Gemfile."""
    line_at = line_counter(text)
    bounds = list(_GEM_GROUP.finditer(text))
    starts = [one.start() for one in bounds]
    for matched in _GEM.finditer(text):
        above = bounds[: bisect_left(starts, matched.start())][-1:]
        in_group = bool(above and not above[0][1])
        is_development = in_group or bool(_GEM_OPTION.search(matched[2]))
        source = _GEM_SOURCE.search(matched[2])
        for name in (matched[1], *([name_in_address(source[1])] if source else ())):
            yield PackageDeclaration(
                line_at(matched.start(1)), name, "development" if is_development else "runtime"
            )


def read_gemspec(text: str) -> Iterator[PackageDeclaration]:
    """The packages of the specification of a gem."""
    line_at = line_counter(text)
    for matched in _GEMSPEC.finditer(text):
        scope: Scope = "development" if matched[1] == "development_" else "runtime"
        yield PackageDeclaration(line_at(matched.start(2)), matched[2], scope)


def read_go_mod(text: str) -> Iterator[PackageDeclaration]:
    """The modules that a module of Go requires, and those that replace them."""
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = [word.strip('"`') for word in line.split("//", 1)[0].replace("(", " ( ").split()]
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        else:
            verb, *rest = [block, *words] if block else words or [""]
            name = rest[0] if verb == "require" and rest else ""
            if verb == "replace" and "=>" in rest[:-1]:
                name = rest[rest.index("=>") + 1]
            if "." in name.partition("/")[0].strip("."):
                is_indirect = line.partition("//")[2].strip().startswith("indirect")
                yield PackageDeclaration(number, name, "indirect" if is_indirect else "runtime")


def _xml(text: str) -> Iterator[Element]:
    """The elements of XML, with names and attributes in lower case and without namespaces."""
    from xml.etree import ElementTree

    if "<!ENTITY" in text:
        raise ValueError("entities may expand without end")
    for one in ElementTree.fromstring(text).iter():  # noqa: S314 (no entities)
        one.tag = str(one.tag).rpartition("}")[2].lower()
        one.attrib = {key.lower(): value for key, value in one.attrib.items()}
        yield one


def read_maven(text: str) -> Iterator[PackageDeclaration]:
    """The dependencies of a project of Maven, by `group:artifact` and by `artifact`."""
    find, elements = line_finder(text), list(_xml(text))
    properties = {
        inner.tag: (inner.text or "").strip()
        for one in elements
        if one.tag == "properties"
        for inner in one
    }
    for one in elements:
        parts = {inner.tag: (inner.text or "").strip() for inner in one}
        if one.tag in _MAVEN and "artifactid" in parts:
            group, artifact = (
                _PROPERTY.sub(lambda name: properties.get(name[1].lower(), name[0]), written)
                for written in (parts.get("groupid", ""), parts["artifactid"])
            )
            is_program = one.tag == "dependency" and parts.get("scope") != "test"
            scope: Scope = "runtime" if is_program else "development"
            yield from _coordinates(find(artifact), group, artifact, scope)


def read_gradle(text: str) -> Iterator[PackageDeclaration]:
    """The dependencies of a project of Gradle, by `group:artifact` and by `artifact`."""
    line_at = line_counter(text)
    for matched in _GRADLE.finditer(text):
        *order, group, artifact = filter(None, matched.groups()[1:])
        if order == ["name"]:
            group, artifact = artifact, group
        scope: Scope = "development" if _GRADLE_TEST.match(matched[1] or "") else "runtime"
        yield from _coordinates(line_at(matched.start()), group, artifact, scope)


def _coordinates(
    number: int, group: str, artifact: str, scope: Scope = "runtime"
) -> Iterator[PackageDeclaration]:
    if group:
        yield PackageDeclaration(number, f"{group}:{artifact}", scope)
    yield PackageDeclaration(number, artifact, scope)


def read_nuget(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a project of .NET, and those whose versions are managed centrally."""
    find = line_finder(text)
    for one in _xml(text):
        given = one.attrib.get("include") or one.attrib.get("update", "")
        if one.tag in ("package", "dependency"):
            given = one.attrib.get("id", "")
        elif one.tag.removeprefix("global") not in _NUGET:
            continue
        given = given.partition(",")[0] if one.tag == "reference" else given
        scope: Scope = "listed" if one.tag == "packageversion" else "runtime"
        for package in filter(None, map(str.strip, given.split(";"))):
            yield PackageDeclaration(find(package), package, scope)

"""The readers of manifests, one for each format, with the parser that its ecosystem uses.

Ruby, Go and Gradle have none here, and are read line by line.
"""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from sdd_hooks.code.import_readers import plain_module
from sdd_hooks.code.package_declarations import (
    MAX_LINE,
    PackageDeclaration,
    Scope,
    line_finder,
    name_in_address,
    parse_toml,
)
from sdd_hooks.code.python_dependencies import required
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LEVELS = 8
"""Objects of JSON within each other whose keys are told apart."""

# JSON: strings, brackets, and the separators that distinguish keys from values. An unclosed string
# matches, too, which keeps the pattern linear.
_JSON_TOKEN = lazy_regex(r'"((?:[^"\\\n]|\\.)*)"?|[{}\[\],:\n]')
_JSON_COMMENT = lazy_regex(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*|/\*[\s\S]*?\*/|,(?=\s*[}\]])')
_PACKAGE_SECTIONS: Mapping[str, Scope] = {
    "dependencies": "runtime",
    "devDependencies": "development",
    "peerDependencies": "runtime",
    "optionalDependencies": "runtime",
}
_COMPOSER_SECTIONS: Mapping[str, Scope] = {"require": "runtime", "require-dev": "development"}
_REPLACING = frozenset({"overrides", "resolutions", "pnpm", "workspaces", "catalog", "catalogs"})
_ALIAS = lazy_regex(r"(?:npm|jsr|workspace):((?:@[^/@\s]+/)?[A-Za-z][^@\s]*)")

_PROPERTY = lazy_regex(r"\$\{([^{}]{1,200})\}")
_GEM = lazy_regex(r"\bgem\s*(?:\(\s*)?[\"']([^\"'\n]{1,200})[\"']")
_GEM_GROUP = lazy_regex(r"\s*group\b[^\n]*:(?:development|test|ci)\b[^\n]*\bdo\b")
_GEM_OPTION = lazy_regex(r"\bgroups?:?\s*(?:=>)?\s*\[?\s*:(?:development|test|ci)\b")
_GEMSPEC = lazy_regex(
    r"\.add_(development_|runtime_)?dependency\s*\(?\s*[\"']([^\"'\n]{1,200})[\"']"
)
_GRADLE = lazy_regex(
    r"""(?<![\w.-])([a-z]\w*(?:Implementation|Api|Only|Processor|Runtime)|api|implementation
    |compile(?:Only)?|runtime(?:Only)?|annotationProcessor|kapt|ksp|classpath)
    [\s(]{1,10}(?:(?:platform|enforcedPlatform)\s*\(\s*)?
    (?:["']([\w.-]+):([\w.-]+)|group\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["'])
    """,
    re.VERBOSE,
)
_GRADLE_TEST = lazy_regex(r"test|androidTest|jmh|benchmark|classpath|functionalTest|integration")


def read_package_json(text: str) -> Iterator[PackageDeclaration]:
    """The packages of npm, also those that another name stands for."""
    for line, path, value in _json(text):
        section = path[0]
        if len(path) == 2 and section in _PACKAGE_SECTIONS and not value:
            yield PackageDeclaration(line, path[1], _PACKAGE_SECTIONS[section])
        elif value and (section in _REPLACING or (section in _PACKAGE_SECTIONS and path[1:])):
            yield from _alias(line, value, _PACKAGE_SECTIONS.get(section, "listed"))
        elif not value and any(one in ("catalog", "catalogs") for one in path[:-1]):
            yield PackageDeclaration(line, path[-1], "listed")
    json.loads(text.removeprefix("\ufeff"))


def _alias(line: int, value: str, scope: Scope) -> Iterator[PackageDeclaration]:
    """The package behind `npm:name@1`, or at an address."""
    if named := _ALIAS.match(value):
        yield PackageDeclaration(line, named[1], scope)
    elif "/" in value:
        yield PackageDeclaration(line, name_in_address(value), scope)


def read_composer(text: str) -> Iterator[PackageDeclaration]:
    """The packages of Composer, without PHP itself and its extensions."""
    for line, path, value in _json(text):
        if len(path) == 2 and path[0] in _COMPOSER_SECTIONS and "/" in path[1] and not value:
            yield PackageDeclaration(line, path[1], _COMPOSER_SECTIONS[path[0]])
    json.loads(text.removeprefix("\ufeff"))


def read_deno(text: str) -> Iterator[PackageDeclaration]:
    """The packages of an import map of Deno, which may have comments."""
    text = _JSON_COMMENT.sub(lambda one: one[1] or re.sub(r"[^\n]", " ", one[0]), text)
    for line, path, value in _json(text):
        if value and path[0] in ("imports", "scopes") and not value.startswith((".", "/")):
            name = plain_module(value)
            parts = name.split("/", 2 if name.startswith("@") else 1)
            yield PackageDeclaration(line, "/".join(parts[: 2 if name.startswith("@") else 1]))
    json.loads(text.removeprefix("\ufeff"))


def _json(text: str) -> Iterator[tuple[int, Sequence[str], str]]:
    """The keys of JSON, each behind those around it, then its value or values that are strings."""
    line = 1
    above: list[str] = []
    key = last = ""
    is_value = False
    lists: list[bool] = []
    for token in _JSON_TOKEN.finditer(text):
        sign = token[0]
        if token[1] is not None:
            last = _json_string(token[1])
            if last and key and (is_value or lists[-1:] == [True]):
                yield line, (*above[1:MAX_LEVELS], key), last
        elif sign == "\n":
            line += 1
        elif sign == ":":
            key, is_value = last, True
            yield line, (*above[1:MAX_LEVELS], key), ""
        elif sign in "{[":
            above.append(key)
            lists.append(sign == "[")
            is_value = False
        elif sign in "}]" and above:
            key, is_value = above.pop(), False
            lists.pop()
        else:
            is_value = False


def _json_string(text: str) -> str:
    """The value of a string of JSON; the text itself if an escape is invalid."""
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


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
    """The packages of an environment of conda, of Dart, and of the catalogues of pnpm."""
    import yaml

    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    find = line_finder(text)
    tables = document if isinstance(document, dict) else {}
    catalogues = tables.get("catalogs")
    inner = catalogues.values() if isinstance(catalogues, dict) else ()
    keys = ("catalog", "dependencies", "dev_dependencies", "overrides")
    for table in (*inner, *(tables.get(key) for key in keys)):
        if isinstance(table, list):
            pip = (one.get("pip") for one in table if isinstance(one, dict))
            lines = [*table, *(line for one in pip for line in one or ())]
            for line in (one.rpartition("::")[2] for one in lines if isinstance(one, str)):
                yield from (PackageDeclaration(find(name), name) for name in required(line))
        for name, given in table.items() if isinstance(table, dict) else ():
            yield PackageDeclaration(find(str(name)), str(name), "listed")
            yield from _alias(find(str(name)), given, "listed") if isinstance(given, str) else ()


def read_gemfile(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a Gemfile."""
    in_group = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        if _GEM_GROUP.match(line):
            in_group = True
        elif line.strip() == "end":
            in_group = False
        is_development = in_group or bool(_GEM_OPTION.search(line))
        for matched in _GEM.finditer(line):
            yield PackageDeclaration(
                number, matched[1], "development" if is_development else "runtime"
            )


def read_gemspec(text: str) -> Iterator[PackageDeclaration]:
    """The packages of the specification of a gem."""
    for number, line in enumerate(text.split("\n"), 1):
        for matched in _GEMSPEC.finditer(line[:MAX_LINE]):
            is_development = matched[1] == "development_"
            yield PackageDeclaration(
                number, matched[2], "development" if is_development else "runtime"
            )


def read_go_mod(text: str) -> Iterator[PackageDeclaration]:
    """The modules that a module of Go requires, and those that replace them."""
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = [word.strip('"`') for word in line[:MAX_LINE].split("//", 1)[0].split()]
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


class _Element(NamedTuple):
    """An element of XML: the line of its start, the names of it and those around it, its values."""

    line: int
    path: tuple[str, ...]
    attributes: Mapping[str, str]
    text: str


def _xml(text: str) -> Iterator[_Element]:
    """The elements of XML, each at its end, until one is invalid."""
    from xml.parsers import expat

    parser = expat.ParserCreate("utf-8")
    found: list[_Element] = []
    stack: list[tuple[int, str, Mapping[str, str], list[str]]] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        name = name.rpartition(":")[2].lower()
        folded = {key.lower(): value for key, value in attributes.items()}
        stack.append((parser.CurrentLineNumber, name, folded, []))

    def end(_: str) -> None:
        path = tuple(one[1] for one in stack[-5:])
        line, _name, attributes, pieces = stack.pop()
        found.append(_Element(line, path, attributes, "".join(pieces).strip()))

    def data(text: str) -> None:
        stack[-1][3].append(text)

    def refuse(*_: object) -> None:
        raise ValueError("it declares an entity")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = data
    parser.EntityDeclHandler = refuse
    problem = ""
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        problem = str(error)
    yield from found
    if problem:
        raise ValueError(problem)


def read_maven(text: str) -> Iterator[PackageDeclaration]:
    """The dependencies of a project of Maven, by `group:artifact` and by `artifact`."""
    properties: dict[str, str] = {}
    parts: dict[str, _Element] = {}
    found: list[tuple[_Element, str, bool]] = []
    problem = ""
    elements = _xml(text)
    try:
        for one in elements:
            if one.path[-2:-1] == ("properties",):
                properties[one.path[-1]] = one.text
            elif one.path[-2:-1] == ("dependency",):
                parts[one.path[-1]] = one
            elif one.path[-1] == "dependency":
                if artifact := parts.get("artifactid"):
                    group = parts["groupid"].text if "groupid" in parts else ""
                    scope = parts["scope"].text if "scope" in parts else ""
                    found.append((artifact, group, scope == "test"))
                parts = {}
    except ValueError as error:
        problem = str(error)

    def written(value: str) -> str:
        return _PROPERTY.sub(lambda one: properties.get(one[1].lower(), one[0]), value)

    for artifact, group, is_test in found:
        scope_found: Scope = "development" if is_test else "runtime"
        yield from _coordinates(artifact.line, written(group), written(artifact.text), scope_found)
    if problem:
        raise ValueError(problem)


def read_gradle(text: str) -> Iterator[PackageDeclaration]:
    """The dependencies of a project of Gradle, by `group:artifact` and by `artifact`."""
    for number, line in enumerate(text.split("\n"), 1):
        for matched in _GRADLE.finditer(line[:MAX_LINE]):
            group, artifact = matched[2] or matched[4], matched[3] or matched[5]
            scope: Scope = "development" if _GRADLE_TEST.match(matched[1]) else "runtime"
            yield from _coordinates(number, group, artifact, scope)


def _coordinates(
    number: int, group: str, artifact: str, scope: Scope = "runtime"
) -> Iterator[PackageDeclaration]:
    if group:
        yield PackageDeclaration(number, f"{group}:{artifact}", scope)
    yield PackageDeclaration(number, artifact, scope)


def read_nuget(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a project of .NET, and those whose versions are managed centrally."""
    for one in _xml(text):
        name = one.path[-1]
        if name in ("packagereference", "packageversion", "globalpackagereference"):
            given = one.attributes.get("include") or one.attributes.get("update", "")
            for package in filter(None, map(str.strip, given.split(";"))):
                scope: Scope = "listed" if name == "packageversion" else "runtime"
                yield PackageDeclaration(one.line, package, scope)
        elif name == "package" and "id" in one.attributes:
            yield PackageDeclaration(one.line, one.attributes["id"])

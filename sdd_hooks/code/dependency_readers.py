"""The readers of manifests: one for each format, line by line."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_LINE = 2_000
"""Characters that are read of a line, except in JSON."""

Scope = Literal["runtime", "development", "indirect", "listed"]
"""What a package is for: the program, its development and tests, another package, or any manifest
that chooses it from a list of versions."""


class PackageDeclaration(NamedTuple):
    """A package that a manifest declares at a line, counted from 1."""

    number: int
    name: str
    scope: Scope = "runtime"


Reader = Callable[[str], Iterator[PackageDeclaration]]

# JSON: strings, brackets, and the separators that distinguish keys from values. An unclosed string
# matches, too, which keeps the pattern linear.
_JSON_TOKEN = lazy_regex(r'"((?:[^"\\\n]|\\.)*)"?|[{}\[\],:\n]')
_PACKAGE_SECTIONS: Mapping[str, Scope] = {
    "dependencies": "runtime",
    "devDependencies": "development",
    "peerDependencies": "runtime",
    "optionalDependencies": "runtime",
}
_COMPOSER_SECTIONS: Mapping[str, Scope] = {"require": "runtime", "require-dev": "development"}

_TOML_TABLE = lazy_regex(r"\s*\[{1,2}([^\[\]]{1,300})\]{1,2}\s*(?:#.*)?$")
_TOML_KEY = lazy_regex(r"\s*(?:\"([^\"]{1,200})\"|'([^']{1,200})'|([\w.-]{1,200}))\s*=\s*(.*)")
_TOML_STRING = lazy_regex(r"\"([^\"\n]{0,1000})\"|'([^'\n]{0,1000})'")
# A table in a list of requirements includes another list.
_TOML_INLINE = lazy_regex(r"\{[^{}]*\}")
_TOML_RENAMED = lazy_regex(r"\bpackage\s*=\s*[\"']([^\"'\n]{1,200})[\"']")
_REQUIREMENT = lazy_regex(r"\s*([A-Za-z0-9][\w.-]*)")
_LISTS = lazy_regex(
    r"project(?:\.optional-dependencies)?$|dependency-groups$|build-system$|tool\.uv$"
    r"|tool\.pdm\.dev-dependencies$|tool\.hatch\.envs\."
)
_LIST_KEYS = {"dependencies", "requires", "dev-dependencies", "extra-dependencies"}
_EVERY_KEY = lazy_regex(r"project\.optional-dependencies$|dependency-groups$|tool\.pdm\.")
_TABLES = lazy_regex(
    r"(?:tool\.poetry\.(?:group\.[^.]+\.)?(?:dev-)?dependencies"
    r"|(?:.+\.)?(?:dev-|build-)?dependencies|(?:dev-)?packages)$"
)
_TABLE_OF_ONE = lazy_regex(r"(?:.+\.)?(?:dev-|build-)?dependencies\.([^.]+)$")
_DEVELOPMENT_TABLE = lazy_regex(
    r"(?:.*\.)?(?:dev|build)-dependencies(?:\..*)?$|dev-packages$|dependency-groups$|build-system$"
    r"|tool\.poetry\.group\.|tool\.(?:uv|pdm|hatch)\b"
)
_DEVELOPMENT = lazy_regex(
    r"(?:^|[._/-])(?:dev|develop|development|tests?|testing|docs?|lint|linting|typing|ci|build"
    r"|benchmarks?)(?:[._/-]|$)"
)
_CATALOGUE_MODULE = lazy_regex(
    r"\bmodule\s*=\s*[\"']([\w.-]+):([\w.-]+)[\"']"
    r"|\bgroup\s*=\s*[\"']([\w.-]+)[\"']\s*,\s*name\s*=\s*[\"']([\w.-]+)[\"']"
    r"|^\s*[\w.-]{1,200}\s*=\s*[\"']([\w.-]+):([\w.-]+):"
)

_GO_REQUIRE = lazy_regex(r"\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+(?:/[\w.~-]+)*)\s+v[0-9]")
_GEM = lazy_regex(r"\bgem\s*(?:\(\s*)?[\"']([^\"'\n]{1,200})[\"']")
_GEM_GROUP = lazy_regex(r"\s*group\b[^\n]*:(?:development|test|ci)\b[^\n]*\bdo\b")
_GEM_OPTION = lazy_regex(r"\bgroups?:?\s*(?:=>)?\s*\[?\s*:(?:development|test|ci)\b")
_GEMSPEC = lazy_regex(
    r"\.add_(development_|runtime_)?dependency\s*\(?\s*[\"']([^\"'\n]{1,200})[\"']"
)
_NUGET = lazy_regex(
    r"<(Package(?:Reference|Version)|GlobalPackageReference)\s[^<>\n]{0,500}?"
    r"\b(?:Include|Update)\s*=\s*\"([^\"\n]{1,200})\"",
    re.IGNORECASE,
)
_NUGET_CONFIG = lazy_regex(r"<package\s[^<>\n]{0,500}?\bid\s*=\s*\"([^\"\n]{1,200})\"", re.I)
_MAVEN = lazy_regex(r"<(/?dependency|groupId|artifactId|scope|/?exclusions?)>\s*([^<\n]{0,200})")
_GRADLE = lazy_regex(
    r"""(?<![\w.-])([a-z]\w*(?:Implementation|Api|Only|Processor|Runtime)|api|implementation
    |compile(?:Only)?|runtime(?:Only)?|annotationProcessor|kapt|ksp|classpath)
    [\s(]{1,10}(?:(?:platform|enforcedPlatform)\s*\(\s*)?
    (?:["']([\w.-]+):([\w.-]+)|group\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["'])
    """,
    re.VERBOSE,
)
_GRADLE_TEST = lazy_regex(r"test|androidTest|jmh|benchmark|classpath|functionalTest|integration")
_SETUP_LIST = lazy_regex(r"\b(install_requires|extras_require|tests_require|setup_requires)\s*=")


def read_package_json(text: str) -> Iterator[PackageDeclaration]:
    """The packages of npm."""
    return _json(text, _PACKAGE_SECTIONS)


def read_composer(text: str) -> Iterator[PackageDeclaration]:
    """The packages of Composer, without PHP itself and its extensions."""
    return (one for one in _json(text, _COMPOSER_SECTIONS) if "/" in one.name)


def _json(text: str, sections: Mapping[str, Scope]) -> Iterator[PackageDeclaration]:
    """The keys of the objects that list packages, at the second level of a JSON object."""
    line = 1
    depth = 0
    section = last = ""
    for token in _JSON_TOKEN.finditer(text):
        sign = token[0]
        if token[1] is not None:
            last = _json_string(token[1])
        elif sign == "\n":
            line += 1
        elif sign == ":":
            if depth == 1:
                section = last
            elif depth == 2 and section in sections:
                yield PackageDeclaration(line, last, sections[section])
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1


def _json_string(text: str) -> str:
    """The value of a string of JSON; the text itself if an escape is invalid."""
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def read_toml(text: str) -> Iterator[PackageDeclaration]:
    """Requirements in lists of pyproject.toml, and the keys of tables of dependencies."""
    table = ""
    in_list = False
    scope: Scope = "runtime"
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        if not in_list and (heading := _TOML_TABLE.match(line)):
            table = heading[1].replace('"', "").replace("'", "").replace(" ", "")
            one = _TABLE_OF_ONE.match(table)
            if one:
                yield PackageDeclaration(number, one[1], _scope_of(table))
            continue
        value = line
        if not in_list:
            assigned = _TOML_KEY.match(line)
            if not assigned:
                continue
            key = assigned[1] or assigned[2] or assigned[3]
            value = assigned[4]
            if _TABLES.match(table):
                renamed = _TOML_RENAMED.search(value)
                if key.lower() != "python":
                    name = renamed[1] if renamed else key.partition(".")[0]
                    yield PackageDeclaration(number, name, _scope_of(table))
                continue
            listed = _LISTS.match(table) and (key in _LIST_KEYS or _EVERY_KEY.match(table))
            if not listed or not value.startswith("["):
                continue
            in_list = True
            scope = _scope_of(table, key)
        bare = _TOML_STRING.sub("", value)
        names = _TOML_INLINE.sub("", value.split(" #", 1)[0])
        for string in _TOML_STRING.finditer(names):
            if name_found := _REQUIREMENT.match(string[1] or string[2] or ""):
                yield PackageDeclaration(number, name_found[1], scope)
        in_list = "]" not in bare.split("#", 1)[0]


def _scope_of(table: str, key: str = "") -> Scope:
    is_extra = table == "project.optional-dependencies" and _DEVELOPMENT.search(key)
    if table.startswith("workspace.dependencies"):
        return "listed"
    return "development" if is_extra or _DEVELOPMENT_TABLE.match(table) else "runtime"


def read_version_catalogue(text: str) -> Iterator[PackageDeclaration]:
    """The libraries of a version catalogue of Gradle."""
    is_library = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        if heading := _TOML_TABLE.match(line):
            is_library = heading[1].strip() == "libraries"
        elif is_library and (found := _CATALOGUE_MODULE.search(line)):
            group, artifact = found[1] or found[3] or found[5], found[2] or found[4] or found[6]
            yield from _coordinates(number, group, artifact)


def read_requirements(text: str, scope: Scope = "runtime") -> Iterator[PackageDeclaration]:
    """The packages of a requirements file of pip."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith(("#", "-")) and (name := _REQUIREMENT.match(line)):
            yield PackageDeclaration(number, name[1], scope)


def read_development_requirements(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a requirements file for development."""
    return read_requirements(text, "development")


def is_for_development(name: str) -> bool:
    """Whether the path of a file, in lower case, says that it is for development or tests."""
    return bool(_DEVELOPMENT.search(name))


def read_setup_cfg(text: str) -> Iterator[PackageDeclaration]:
    """The requirements of `[options]` and its extras in setup.cfg."""
    section = key = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        if line.startswith("["):
            section, key = line.strip().strip("[]").strip(), ""
            continue
        value = line
        if line[:1].strip() and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            key = key.strip()
        is_list = key == "install_requires" if section == "options" else key
        if not is_list or section not in ("options", "options.extras_require"):
            continue
        name = _REQUIREMENT.match(value)
        if name and not value.lstrip().startswith("#"):
            is_extra = section != "options" and is_for_development(key)
            yield PackageDeclaration(number, name[1], "development" if is_extra else "runtime")


def read_setup_py(text: str) -> Iterator[PackageDeclaration]:
    """The strings in the lists of requirements of setup.py, if they are written there."""
    keyword = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        found = _SETUP_LIST.search(line)
        if found:
            keyword, line = found[1], line[found.end() :]
        if not keyword:
            continue
        bare = _TOML_STRING.sub("", line)
        code = bare.split("#", 1)[0]
        for string in _TOML_STRING.finditer(line if "#" not in bare else line.split(" #", 1)[0]):
            name = _REQUIREMENT.match(string[1] or string[2] or "")
            is_extra = line[string.end() :].lstrip().startswith(":")
            if name and not is_extra:
                is_own = keyword in ("install_requires", "extras_require")
                yield PackageDeclaration(number, name[1], "runtime" if is_own else "development")
        if ("}" if keyword == "extras_require" else "]") in code:
            keyword = ""


def _by_line(pattern: re.Pattern[str]) -> Reader:
    def read(text: str) -> Iterator[PackageDeclaration]:
        for number, line in enumerate(text.split("\n"), 1):
            for matched in pattern.finditer(line[:MAX_LINE]):
                yield PackageDeclaration(number, matched[1])

    return read


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
    """The required modules of a module of Go."""
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split("//", 1)[0].split()
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        elif (block or (words[0] if words else "")) == "require" and (
            name := _GO_REQUIRE.match(line[:MAX_LINE])
        ):
            is_indirect = line.partition("//")[2].strip().startswith("indirect")
            yield PackageDeclaration(number, name[1], "indirect" if is_indirect else "runtime")


def read_maven(text: str) -> Iterator[PackageDeclaration]:
    """The dependencies of a project of Maven, by `group:artifact` and by `artifact`."""
    group = ""
    inside = excluded = False
    pending: list[PackageDeclaration] = []
    for number, line in enumerate(text.split("\n"), 1):
        for tag, value in _MAVEN.findall(line[:MAX_LINE]):
            if tag.endswith("dependency"):
                yield from pending
                pending = []
                inside, group = tag == "dependency", ""
            elif "exclusion" in tag:
                excluded = not tag.startswith("/")
            elif not inside or excluded:
                continue
            elif tag == "groupId":
                group = value.strip()
            elif tag == "scope":
                if value.strip() == "test":
                    pending = [one._replace(scope="development") for one in pending]
            else:
                pending += _coordinates(number, group, value.strip())
    yield from pending


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
    for number, line in enumerate(text.split("\n"), 1):
        for matched in _NUGET.finditer(line[:MAX_LINE]):
            is_listed = matched[1].lower() == "packageversion"
            yield PackageDeclaration(number, matched[2], "listed" if is_listed else "runtime")


read_nuget_config = _by_line(_NUGET_CONFIG)

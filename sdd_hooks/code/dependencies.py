"""The packages that a manifest declares, each with its line.

Manifests are parsed line by line, so that an invalid one is parsed as far as possible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine

MAX_NAMES = 20_000
"""Names that are read of one manifest."""
MAX_LINE = 2_000
"""Characters that are read of a line, except in JSON."""

_Reader = Callable[[str], Iterator[NumberedLine]]

# JSON: strings, brackets, and the separators that distinguish keys from values. An unclosed string
# matches, too, which keeps the pattern linear.
_JSON_TOKEN = lazy_regex(r'"((?:[^"\\\n]|\\.)*)"?|[{}\[\],:\n]')
_JSON_KEYS = {
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
}

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
    r"|(?:.+\.)?(?:dev-|build-)?dependencies)$"
)
_TABLE_OF_ONE = lazy_regex(r"(?:.+\.)?(?:dev-|build-)?dependencies\.([^.]+)$")

_GO_REQUIRE = lazy_regex(r"\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+(?:/[\w.~-]+)*)\s+v[0-9]")
_GEM = lazy_regex(r"\bgem\s*(?:\(\s*)?[\"']([^\"'\n]{1,200})[\"']")
_NUGET = lazy_regex(
    r"<(?:Package(?:Reference|Version)|GlobalPackageReference)\s[^<>\n]{0,500}?"
    r"\b(?:Include|Update)\s*=\s*\"([^\"\n]{1,200})\"",
    re.IGNORECASE,
)
_MAVEN = lazy_regex(r"<(/?dependency|groupId|artifactId|/?exclusions?)>\s*([^<\n]{0,200})")
_GRADLE = lazy_regex(
    r"""(?<![\w.-])(?:[a-z]\w*(?:Implementation|Api|Only|Processor|Runtime)|api|implementation
    |compile(?:Only)?|runtime(?:Only)?|annotationProcessor|kapt|ksp|classpath)
    [\s(]{1,10}(?:(?:platform|enforcedPlatform)\s*\(\s*)?
    (?:["']([\w.-]+):([\w.-]+)|group\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["'])
    """,
    re.VERBOSE,
)


def is_manifest(path: str) -> bool:
    """Whether a file is, by its name, a manifest of a known format."""
    return _reader(path) is not None


def parse_dependencies(path: str, text: str) -> tuple[NumberedLine, ...]:
    """The packages that a manifest declares, by line; none if the file is not a manifest.

    A package of Maven or Gradle is listed as `group:artifact` and as `artifact`. Never raises.
    """
    found = []
    reader = _reader(path)
    for one in reader(text) if reader else ():
        found.append(one)
        if len(found) == MAX_NAMES:
            break
    return tuple(found)


def find_unread(path: str, text: str) -> str:
    """The reason why packages of a manifest may be missing, with an advice; "" for none."""
    if len(parse_dependencies(path, text)) == MAX_NAMES:
        return f"a manifest with more than {MAX_NAMES:,} packages: divide it"
    reads_lines = _reader(path) is not _package_json
    if reads_lines and any(len(line) > MAX_LINE for line in text.split("\n")):
        return f"the text beyond {MAX_LINE:,} characters of a line of a manifest: break the line"
    return ""


def _reader(path: str) -> _Reader | None:
    folder, _, name = path.lower().rpartition("/")
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.endswith((".csproj", ".fsproj", ".vbproj")):
        return _nuget
    if name.endswith(".txt") and (
        name.startswith(("requirements", "constraints"))
        or name.endswith("requirements.txt")
        or folder.endswith("requirements")
    ):
        return _requirements
    return None


def _package_json(text: str) -> Iterator[NumberedLine]:
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
            elif depth == 2 and section in _JSON_KEYS:
                yield NumberedLine(line, last)
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


def _toml(text: str) -> Iterator[NumberedLine]:
    """Requirements in lists of pyproject.toml, and the keys of tables of dependencies."""
    table = ""
    in_list = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:MAX_LINE]
        if not in_list and (heading := _TOML_TABLE.match(line)):
            table = heading[1].replace('"', "").replace("'", "").replace(" ", "")
            one = _TABLE_OF_ONE.match(table)
            if one:
                yield NumberedLine(number, one[1])
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
                    yield NumberedLine(number, renamed[1] if renamed else key.partition(".")[0])
                continue
            listed = _LISTS.match(table) and (key in _LIST_KEYS or _EVERY_KEY.match(table))
            if not listed or not value.startswith("["):
                continue
            in_list = True
        bare = _TOML_STRING.sub("", value)
        names = _TOML_INLINE.sub("", value.split(" #", 1)[0])
        for string in _TOML_STRING.finditer(names):
            if name := _REQUIREMENT.match(string[1] or string[2] or ""):
                yield NumberedLine(number, name[1])
        in_list = "]" not in bare.split("#", 1)[0]


def _requirements(text: str) -> Iterator[NumberedLine]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith(("#", "-")) and (name := _REQUIREMENT.match(line)):
            yield NumberedLine(number, name[1])


def _by_line(pattern: re.Pattern[str]) -> _Reader:
    def read(text: str) -> Iterator[NumberedLine]:
        for number, line in enumerate(text.split("\n"), 1):
            for matched in pattern.finditer(line[:MAX_LINE]):
                yield NumberedLine(number, matched[1])

    return read


def _go_mod(text: str) -> Iterator[NumberedLine]:
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
            yield NumberedLine(number, name[1])


def _maven(text: str) -> Iterator[NumberedLine]:
    group = ""
    inside = excluded = False
    for number, line in enumerate(text.split("\n"), 1):
        for tag, value in _MAVEN.findall(line[:MAX_LINE]):
            if tag.endswith("dependency"):
                inside, group = tag == "dependency", ""
            elif "exclusion" in tag:
                excluded = not tag.startswith("/")
            elif not inside or excluded:
                continue
            elif tag == "groupId":
                group = value.strip()
            else:
                yield from _coordinates(number, group, value.strip())


def _gradle(text: str) -> Iterator[NumberedLine]:
    for number, line in enumerate(text.split("\n"), 1):
        for matched in _GRADLE.finditer(line[:MAX_LINE]):
            group, artifact = matched[1] or matched[3], matched[2] or matched[4]
            yield from _coordinates(number, group, artifact)


def _coordinates(number: int, group: str, artifact: str) -> Iterator[NumberedLine]:
    if group:
        yield NumberedLine(number, f"{group}:{artifact}")
    yield NumberedLine(number, artifact)


_nuget = _by_line(_NUGET)

_BY_NAME: dict[str, _Reader] = {
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "cargo.toml": _toml,
    "directory.packages.props": _nuget,
    "gemfile": _by_line(_GEM),
    "go.mod": _go_mod,
    "package.json": _package_json,
    "pom.xml": _maven,
    "pyproject.toml": _toml,
}

"""The packages that the manifests of Python and Rust declare: TOML, requirements, setuptools."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sdd_hooks.code.package_declarations import (
    FindLine,
    PackageDeclaration,
    Scope,
    line_finder,
    name_in_address,
    parse_toml,
)
from sdd_hooks.code.python_imports import parse_python
from sdd_hooks.text.lazy_regex import lazy_regex

_REQUIREMENT = lazy_regex(r"\s*([A-Za-z0-9][\w.-]*)")
_DIRECT = lazy_regex(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?@(?=.*[:/])\s*")
_EGG = lazy_regex(r"[#&]egg=([\w.-]+)")
_EDITABLE = lazy_regex(r"(?:-e|--editable)[\s=]\s*")
_FILE = lazy_regex(r"\.{0,2}/|file:|\S+(?:://|\.(?:whl|zip|tgz|tar\.\w+)(?=[\s#;]|$))")
_NOTE = lazy_regex(r"(?:^|\s)#.*")
_INCLUDED = lazy_regex(r"(?:-r|-c|--requirement|--constraint)[\s=]?\s*(\S+)")
_CONTINUED = lazy_regex(r"\\\r?\n")
_LISTS = lazy_regex(r"(?:[\w-]+[-_])?dependencies|requires|deps|dependency-groups", re.IGNORECASE)
_DEVELOPMENT_TABLE = lazy_regex(
    r"(?:.*\.)?(?:dev|build)-dependencies\b|dev-packages\b|dependency-groups\b|build-system\b"
    r"|tool\.poetry\.group\.|tool\.(?:uv|pdm|hatch)\b"
)
_DEVELOPMENT = lazy_regex(
    r"(?:^|[._/-])(?:dev|develop|development|tests?|testing|docs?|lint|linting|typing|ci|build"
    r"|benchmarks?)(?:[._/-]|$)"
)
_SCRIPT = lazy_regex(r"^# /// script\r?\n((?:#(?:| [^\n]*)\n)+?)# ///\r?$", re.MULTILINE)
_SETUP_LISTS: Mapping[str, Scope] = {
    "install_requires": "runtime",
    "extras_require": "runtime",
    "tests_require": "development",
    "setup_requires": "development",
}


def read_toml(text: str) -> Iterator[PackageDeclaration]:
    """Requirements in lists of pyproject.toml, and the keys of tables of dependencies."""
    document, find = parse_toml(text), line_finder(text)
    yield from _in_table(document, "", find)
    for tables in [document.get("patch"), {"": document.get("replace")}]:
        for packages in tables.values() if isinstance(tables, dict) else ():
            yield from _listed(packages, "patch", find)


def read_pipfile(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a Pipfile, in tables of any name."""
    find = line_finder(text)
    for path, table in parse_toml(text).items():
        if path not in ("source", "requires", "pipenv", "scripts"):
            yield from _listed(table, path, find)


def _in_table(table: Mapping[str, Any], path: str, find: FindLine) -> Iterator[PackageDeclaration]:
    for key, value in table.items():
        inside = f"{path}.{key}" if path else key
        if _LISTS.fullmatch(key) or path == "project.optional-dependencies":
            yield from _listed(value, inside, find)
        elif isinstance(value, dict):
            yield from _in_table(value, inside, find)
        elif isinstance(value, list):
            for one in value:
                yield from _in_table(one, inside, find) if isinstance(one, dict) else ()


def _listed(value: object, path: str, find: FindLine) -> Iterator[PackageDeclaration]:
    """The packages of a list of requirements, of a table of such lists, or of one by name."""
    scope = _scope_of(path)
    if isinstance(value, list):
        for one in value:
            for name in required(one) if isinstance(one, str) else ():
                yield PackageDeclaration(find(name), name, scope)
    elif isinstance(value, dict):
        for name, given in value.items():
            if isinstance(given, list) and any(isinstance(one, str) for one in given):
                yield from _listed(given, f"{path}.{name}", find)
            elif name.lower() != "python":
                options = given if isinstance(given, dict) else {}
                addresses = (options.get(key) for key in ("git", "url", "file"))
                names = [name_in_address(one) for one in addresses if isinstance(one, str)]
                renamed = options.get("package")
                for package in (renamed if isinstance(renamed, str) else name, *names):
                    yield PackageDeclaration(find(package), package, scope)


def _scope_of(path: str) -> Scope:
    extra = path.removeprefix("project.optional-dependencies.")
    if path.startswith("workspace.dependencies"):
        return "listed"
    is_extra = extra != path and _DEVELOPMENT.search(extra)
    return "development" if is_extra or _DEVELOPMENT_TABLE.match(path) else "runtime"


def read_script(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a script of Python, in a comment `# /// script`."""
    for block in _SCRIPT.finditer(text) if "# /// script" in text else ():
        inner = "\n".join(line[2:] for line in block[1].split("\n"))
        above = text.count("\n", 0, block.start(1))
        for one in read_toml(inner.replace("\r", "")):
            yield one._replace(number=one.number + above)


def read_requirements(text: str, scope: Scope = "runtime") -> Iterator[PackageDeclaration]:
    """The packages of a requirements file of pip."""
    for number, line in _pip_lines(text):
        for name in required(line):
            yield PackageDeclaration(number, name, scope)


def find_included(text: str) -> Iterator[str]:
    """The files that a requirements file of pip includes."""
    for _, line in _pip_lines(text):
        if included := _INCLUDED.match(line):
            yield included[1]


def _pip_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a requirements file, continued ones as one, without comments."""
    number = 1
    for line in _CONTINUED.sub("\0", text).split("\n"):
        yield number, _NOTE.sub("", line.replace("\0", "")).strip()
        number += 1 + line.count("\0")


def required(line: str) -> Iterator[str]:
    """The package of a requirement: its name, or that of the file or address that it comes from."""
    line = _EDITABLE.sub("", line.strip(), count=1)
    if direct := _DIRECT.match(line):
        yield direct[1]
    elif not line.startswith("-"):
        is_file = _FILE.match(line)
        name = _EGG.search(line) or (None if is_file else _REQUIREMENT.match(line))
        if name:
            yield name[1]
        elif is_file:
            yield name_in_address(line.split()[0])


def read_development_requirements(text: str) -> Iterator[PackageDeclaration]:
    """The packages of a requirements file for development."""
    return read_requirements(text, "development")


def is_for_development(name: str) -> bool:
    """Whether the path of a file, in lower case, says that it is for development or tests."""
    return bool(_DEVELOPMENT.search(name))


def read_setup_cfg(text: str) -> Iterator[PackageDeclaration]:
    """The requirements of `[options]` and its extras in setup.cfg."""
    from configparser import Error, RawConfigParser

    parser, find = RawConfigParser(strict=False), line_finder(text)
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(str(error)) from None
    options = parser.items("options") if parser.has_section("options") else ()
    lists = [(key.replace("-", "_"), value.removeprefix("file:")) for key, value in options]
    lists = [one for one in lists if one[0] in _SETUP_LISTS]
    extras = "options.extras_require"
    lists += parser.items(extras) if parser.has_section(extras) else ()
    for key, value in lists:
        is_extra = is_for_development(key) or _SETUP_LISTS.get(key) == "development"
        for name in (name for line in value.split("\n") for name in required(line)):
            yield PackageDeclaration(find(name), name, "development" if is_extra else "runtime")


def read_setup_py(text: str) -> Iterator[PackageDeclaration]:
    """The strings in the lists of requirements of setup.py, also in what these are made of."""
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    lists: list[tuple[str, ast.expr]] = []
    tree = parse_python(text.encode("utf-8", "replace"))
    if tree is None:
        raise ValueError("no valid Python")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in map(_target, targets):
                assigned[name].append(node.value)
                lists += [(name, node.value)] if name in _SETUP_LISTS else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assigned[_target(node.func.value)] += node.args
        if isinstance(node, ast.keyword) and node.arg in _SETUP_LISTS:
            lists.append((str(node.arg), node.value))
        elif isinstance(node, ast.Dict):
            keys = (one.value if isinstance(one, ast.Constant) else "" for one in node.keys)
            pairs = zip(keys, node.values, strict=True)
            lists += [(str(key), value) for key, value in pairs if key in _SETUP_LISTS]
    last = text.count("\n") + 1
    for keyword, value in lists:
        for one in _strings(value, assigned):
            for number, line in enumerate(str(one.value).split("\n"), one.lineno):
                for name in required(_NOTE.sub("", line)):
                    yield PackageDeclaration(min(number, last), name, _SETUP_LISTS[keyword])


def _target(node: ast.expr) -> str:
    """The name that is assigned to: `a`, also in `a[0]`; the key in `a["key"]` of setup."""
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else ""
        return str(key) if key in _SETUP_LISTS else _target(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def _strings(value: ast.expr, assigned: Mapping[str, Iterable[ast.expr]]) -> Iterator[ast.Constant]:
    """The strings of an expression and of the names in it, in order, without the keys of dicts."""
    seen: set[str] = set()
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += reversed([*assigned.get(node.id, ())])
        elif isinstance(node, ast.Dict):
            waiting += reversed(node.values)
        else:
            waiting += reversed([*ast.iter_child_nodes(node)])

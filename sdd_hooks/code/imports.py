"""The modules that a source file imports."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from sdd_hooks.code.import_readers import READERS, ImportReader, TooComplex
from sdd_hooks.code.import_scanner import SourceText
from sdd_hooks.code.languages import LANGUAGES, describe_any
from sdd_hooks.code.notebooks import Cell, is_notebook, read_notebook, without_magics
from sdd_hooks.code.python_imports import PythonImport, read_python_imports
from sdd_hooks.code.source_files import blank_comments
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_IMPORTS = 20_000
"""Names that are read of one file."""

_BY_PROGRAM = {
    program: one.imports for one in LANGUAGES if one.imports for program in one.programs.split()
}
_SHEBANG = lazy_regex(rf"#![^\n]{{0,200}}\b({'|'.join(_BY_PROGRAM)})(?![a-z])".encode())
_SCRIPTS = frozenset({"", "cgi", "fcgi", "command"})
_BY_NAME = {one.name: one.imports for one in LANGUAGES}


class Import(NamedTuple):
    """A name that is imported at `line`, by a statement on the lines `first` to `last`.

    Names are spelled as in the language (`a.b`, `a/b`, `a::b`). A relative name is resolved to the
    repository's root: `../db` in `src/web/app.ts` is `src/db`. `ignores_case` is true where the
    language does not distinguish `a.b` from `A.B`.
    """

    name: str
    line: int
    first: int
    last: int
    ignores_case: bool = False


class Imports(NamedTuple):
    """The imports of a file; `unread` is the reason why some may be missing, or ""."""

    found: tuple[Import, ...] = ()
    unread: str = ""


def supports_imports(path: str) -> bool:
    """Whether a file is, by its name, in a language whose imports are read.

    A file without a suffix may be a script.
    """
    return is_notebook(path) or bool(_reader(path, b"#!/bin/python"))


def unread_language(path: str) -> str | None:
    """The language of a file whose imports are not read, "" if they are, None for no code."""
    language = describe_any(path)
    if is_notebook(path) or (language and language.imports):
        return ""
    return language.name if language and not language.is_data else None


def find_imports(path: str, data: bytes, *, parse: bool = True, comments: bool = True) -> Imports:
    """The imports of the file at `path` with this content; none in an unsupported language.

    Without `parse`, Python is scanned as well, which is faster and takes strings for code. Without
    `comments`, what seems to be in a comment is left out as well. Never raises.
    """
    if is_notebook(path):
        return _notebook_imports(path, data, parse=parse)
    reader = _reader(path, data)
    if not comments and reader in READERS:
        data = blank_comments(reader, decode(data)).encode("utf-8", "replace")
    return _source_imports(path, data, reader, parse=parse)


def _notebook_imports(path: str, data: bytes, *, parse: bool) -> Imports:
    """The imports of every cell as Python, and as the language that the notebook names."""
    try:
        notebook = read_notebook(decode(data))
    except ValueError:
        return Imports((), "it is a notebook, but no valid JSON: repair it")
    found: dict[Import, None] = {}
    unread = ""
    named = sorted(name for name in notebook.languages if _BY_NAME.get(name, "") in READERS)
    for reader in ("python", *map(_BY_NAME.__getitem__, named)):
        for cell in notebook.cells:
            if len(found) > MAX_IMPORTS or (reader == "python" and "import" not in cell.text):
                continue
            text = without_magics(cell.text) if reader == "python" else cell.text
            source = text.encode("utf-8", "replace")
            read = _source_imports(path, source, reader, parse=parse)
            unread = unread or read.unread
            found.update(dict.fromkeys(_moved(one, cell) for one in read.found))
    return _limited(tuple(found), unread)


def _moved(one: Import, cell: Cell) -> Import:
    """An import of a cell, with the lines of the file."""
    line, first, last = (
        cell.lines[min(number, len(cell.lines)) - 1] for number in (one.line, one.first, one.last)
    )
    return one._replace(line=line, first=first, last=last)


def _source_imports(path: str, data: bytes, reader: str, *, parse: bool) -> Imports:
    if reader == "python":
        python = read_python_imports(data, parse=parse)
        found = tuple(_unique(_resolve_python(path, one) for one in python.found))
        return _limited(found, python.unread)
    if reader not in READERS:
        return Imports()
    unread = ""
    names: list[Import] = []
    try:
        for one in _scan(path, data, READERS[reader]):
            names.append(one)
            if len(names) > MAX_IMPORTS:
                break
    except TooComplex as error:
        unread = f"{error}: write shorter ones"
    return _limited(tuple(_unique(names)), unread)


def _limited(found: tuple[Import, ...], unread: str) -> Imports:
    if len(found) > MAX_IMPORTS:
        unread = f"it has more than {MAX_IMPORTS:,} imports: divide it"
    return Imports(found[:MAX_IMPORTS], unread)


def _reader(path: str, data: bytes) -> str:
    """The name of what reads the imports of a file, by its name or its first line; "" for none."""
    language = describe_any(path)
    name = path.rpartition("/")[2].lstrip(".")
    if language is None and name.partition(".")[2].lower() in _SCRIPTS:
        script = _SHEBANG.match(data)
        return _BY_PROGRAM[script[1].decode()] if script else ""
    return language.imports if language else ""


def _scan(path: str, data: bytes, reader: ImportReader) -> Iterator[Import]:
    text = decode(data)
    # What a program makes of a null character, and of bytes that are no UTF-8, is unknown.
    mixed = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "")
    for stripped in dict.fromkeys((text.replace("\0", ""), text.replace("\0", " "), mixed)):
        written = stripped
        if reader.decode is not None and "\\u" in stripped:
            written = reader.decode.sub(_decoded, stripped)
        source = SourceText(written, reader.comments)
        for keyword in _keywords(reader, written):
            first = 0
            for one in reader.read(source, keyword):
                first = first or source.line_at(keyword.start())
                line = source.line_at(one.position)
                name = _resolve(path, one.name) if one.is_relative else one.name
                if name and "\n" not in name:
                    yield Import(name, line, min(first, line), line, reader.ignores_case)


def _keywords(reader: ImportReader, text: str) -> Iterator[re.Match[str]]:
    """The keywords of a text, and the names that it gives to a function that imports."""
    yield from reader.keywords.finditer(text)
    if reader.aliases is not None:
        named = (found[1] or found[2] for found in reader.aliases.finditer(text))
        aliases = dict.fromkeys(map(re.escape, named))
        for start in range(0, len(aliases), 100):
            names = "|".join([*aliases][start : start + 100])
            yield from re.finditer(rf"(?<![\w$.])(?:{names})(?![\w$])", text)


def _decoded(escape: re.Match[str]) -> str:
    sign = chr(int(escape[1] or escape[2], 16))
    # The number of lines stays the same.
    return "\r" if sign == "\n" else sign


def _resolve(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _resolve_python(path: str, one: PythonImport) -> Import:
    module = one.module
    if one.dots:
        # A folder `src` at the root is not part of a module's name.
        parts = path.removeprefix("src/").split("/")[: -one.dots]
        module = ".".join((*parts, *filter(None, [one.module])))
    name = f"{module}.{one.name}" if one.name and one.name != "*" and module else module
    return Import(name, one.line, one.first, one.last)


def _unique(imports: Iterator[Import] | list[Import]) -> Iterator[Import]:
    yield from dict.fromkeys(one for one in imports if one.name and "\n" not in one.name)

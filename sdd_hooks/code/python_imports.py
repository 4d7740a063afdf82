"""The imports of Python code: by Python's own parser, or else by a scanner.

The parser needs much memory and time for some texts, and some versions of it crash on deep nesting.
What it might not stand, and what is no Python of this version, is scanned.
"""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import ast
import re
import sys
import unicodedata
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from sdd_hooks.code.import_scanner import Comments, SourceText
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex

# Before 3.11, the conversion of a syntax tree is not guarded against deep nesting.
MAX_PARSED = 256_000 if sys.version_info >= (3, 11) else 16_000
"""Bytes of a file that are parsed; a larger one is scanned."""
MAX_DOTS = 1_000
"""Dots in a row of names: the time of the parser grows with their square."""

_DOTTED = lazy_regex(rb"[^\w.\s\\\x80-\xff]+")
_COOKIE = lazy_regex(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_FIRST_LINES = lazy_regex(rb"\r\n|\r|\n")
_LINE_END = lazy_regex(rb"\r\n|\r|\n")
# Others transform the text: a comment may contain code.
_ENCODINGS = lazy_regex(
    r"(?:utf_?8(?:_sig)?|ascii|latin_?1|iso8859_?\d+|cp\d+|koi8_[rtu]|mac_\w+|gb\w+|big5\w*"
    r"|euc_\w+|shift_jis\w*|johab|kz1048|ptcp154|hp_roman8|tis_620)"
)
_STATEMENT = lazy_regex(
    r"(?:(?<=[\n\r;:])|\A|\b(?:exec|compile)\s{0,9}\(?\s{0,9}\w{0,2}[\"']{1,3})[ \t\f]*"
    r"(?:lazy[ \t\f]+)?(?P<keyword>c?import(?![\w])|from(?![\w]))",
    re.UNICODE,
)
_CALLS = frozenset(
    {"import_module", "__import__", "run_module", "importorskip", "resolve_name"}
    | {"import_string", "load_module"}
)
_CODE = frozenset({"exec", "eval", "compile"})
_KEYWORDS = frozenset({"name", "modname", "mod_name", "source", "package"})
_CALL = lazy_regex(r"\b(\w+)(?:[\"'][\])]{1,3})?\s*\(\s*(?:\w{1,9}\s*=\s*)?[rRuU]?(?=[\"'])")
_ALIAS = lazy_regex(
    rf"\b(?:{'|'.join(sorted(_CALLS))})\s+as\s+(\w+)"
    rf"|(?<![\w.])(\w+)\s*=\s*(?:\w+\.)?(?:{'|'.join(sorted(_CALLS))})\b(?!\s*\()"
)
_NAME = lazy_regex(r"[^\W\d]\w*")
_IMPORT = lazy_regex(r"c?import(?!\w)")
_AS = lazy_regex(r"as(?!\w)")
_BLANK = lazy_regex(r"[ \t\f]*")
_BLANK_LINES = lazy_regex(r"(?:[ \t\f\r\n]+|\#[^\r\n]*)*")
_COMMENTS = Comments("#", block=False, closers="\"'")


class PythonImport(NamedTuple):
    """A module, after as many dots as its import has, and a name in it or ""; its lines."""

    dots: int
    module: str
    name: str
    line: int
    first: int
    last: int


class PythonImports(NamedTuple):
    """The imports of a file; `unread` is the reason why it cannot be read, or ""."""

    found: tuple[PythonImport, ...]
    unread: str = ""


def read_python_imports(data: bytes, *, parse: bool = True) -> PythonImports:
    """The imports of a file. Without `parse` it is scanned. Never raises."""
    encoding = _declared_encoding(data)
    if encoding and not _ENCODINGS.fullmatch(encoding):
        return PythonImports((), f"it declares the encoding {encoding!a}: write UTF-8")
    if parse and (tree := parse_python(data)):
        return PythonImports(tuple(_in_tree(tree, data)))
    return PythonImports(tuple(_scan(data, encoding)))


def _declared_encoding(data: bytes) -> str:
    """The encoding that a comment in the first two lines declares, "" for none."""
    import codecs

    for line in _FIRST_LINES.split(data[:4_000], maxsplit=2)[:2]:
        if cookie := _COOKIE.match(line.removeprefix(b"\xef\xbb\xbf")):
            name = cookie[1].decode("ascii", "replace")
            try:
                return codecs.lookup(name).name.replace("-", "_")
            except (LookupError, ValueError, ImportError):
                return name
        if line.strip(b" \t\f\xef\xbb\xbf") and not line.lstrip().startswith(b"#"):
            break
    return ""


def _is_simple(data: bytes) -> bool:
    return not any(part.count(b".") > MAX_DOTS for part in _DOTTED.split(data))


def parse_python(data: bytes) -> ast.AST | None:
    """The syntax tree of a file; None for an invalid one, and one that Python might not stand."""
    if len(data) > MAX_PARSED or not _is_simple(data):
        return None
    try:
        with warnings.catch_warnings():
            # It warns of escapes in strings.
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError, OverflowError):
        return None


def _in_tree(tree: ast.AST, data: bytes) -> Iterator[PythonImport]:
    number = _line_numbers(data)
    names = _aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                line = number(alias.lineno)
                yield PythonImport(
                    0, alias.name, "", line, line, number(alias.end_lineno or alias.lineno)
                )
        elif isinstance(node, ast.ImportFrom):
            first, module = number(node.lineno), node.module or ""
            last = number(node.names[0].lineno)
            yield PythonImport(node.level, module, "", first, first, last)
            for alias in node.names:
                line = number(alias.lineno)
                yield PythonImport(node.level, module, alias.name, line, line, line)
        elif isinstance(node, ast.Call) and (called := _importer(node.func, names)):
            first, last = number(node.lineno), number(node.end_lineno or node.lineno)
            for module in _modules(node, called):
                yield PythonImport(0, module, "", first, first, last)


def _modules(node: ast.Call, called: str) -> Iterator[str]:
    """The modules that a call with a constant imports, or that the code in it imports."""
    # `import_module(".a", "package")`
    values = [
        *node.args[: 1 + (called == "import_module")],
        *(one.value for one in node.keywords if one.arg in _KEYWORDS),
    ]
    for value in filter(None, map(_constant, values)):
        if called in _CALLS:
            yield value.partition(":")[0]
        elif "import" in value:
            # Code within code is scanned once, however deep it is.
            yield from (one.module for one in _scan_text(value) if not one.dots)


def _aliases(tree: ast.AST) -> Mapping[str, str]:
    """The names that a file gives to functions that import, with the names of the functions."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {one.asname: one.name for one in node.names if one.asname}
        elif isinstance(node, ast.Assign) and (name := _importer(node.value, names)):
            names |= {one.id: name for one in node.targets if isinstance(one, ast.Name)}
    return names


def _importer(function: ast.expr, names: Mapping[str, str]) -> str:
    """The name of a function that imports or runs code, "" for any other expression."""
    name = function.id if isinstance(function, ast.Name) else ""
    name = function.attr if isinstance(function, ast.Attribute) else names.get(name, name)
    if isinstance(function, ast.Subscript):
        name = _constant(function.slice)
    if isinstance(function, ast.Call) and getattr(function.func, "id", "") == "getattr":
        name = _constant(function.args[1]) if len(function.args) > 1 else ""
    return name if name in _CALLS or name in _CODE else ""


def _constant(node: ast.expr) -> str:
    """The value of a string, also of one with parts that are strings; else ""."""
    if isinstance(node, ast.JoinedStr):
        parts = [_constant(one) for one in node.values]
        return "".join(parts) if all(parts) else ""
    value = node.value if isinstance(node, ast.Constant) else ""
    value = value.decode("latin-1") if isinstance(value, bytes) else value
    return value if isinstance(value, str) else ""


class _LineNumbers:
    """Converts the line numbers of Python, for which a carriage return ends a line, to git's."""

    def __init__(self, data: bytes) -> None:
        self._starts: list[int] = []
        self._feeds: list[int] = []
        if b"\r" in data.replace(b"\r\n", b""):
            self._starts = [0, *(found.end() for found in _LINE_END.finditer(data))]
            self._feeds = [found.start() for found in re.finditer(b"\n", data)]

    def __call__(self, number: int) -> int:
        if not 0 < number <= len(self._starts):
            return number
        return bisect_right(self._feeds, self._starts[number - 1] - 1) + 1


def _line_numbers(data: bytes) -> _LineNumbers:
    return _LineNumbers(data)


def _scan(data: bytes, encoding: str) -> Iterator[PythonImport]:
    text = data.decode(encoding, "replace") if encoding else decode(data)
    # Without a null character, and with a blank for each: which one a version takes is unknown.
    for written in dict.fromkeys((text.replace("\0", ""), text.replace("\0", " "))):
        yield from _scan_text(written)


def _scan_text(text: str) -> Iterator[PythonImport]:
    # A blank for each character of a continued line keeps the positions.
    joined = re.sub(r"\\(\r?\n|\r)", lambda found: " " * len(found[0]), text)
    source = SourceText(joined, _COMMENTS)
    lines = SourceText(text, _COMMENTS)
    for found in _STATEMENT.finditer(joined):
        if source.is_comment(found.start("keyword")):
            continue
        read = _read_from if found["keyword"] == "from" else _read_import
        for dots, module, name, start, end in read(joined, found.end()):
            first = lines.line_at(found.start("keyword") if not name else start)
            line = lines.line_at(start)
            yield PythonImport(dots, module, name, line, first, lines.line_at(end))
    called = {found[1] or found[2] for found in _ALIAS.finditer(joined)} | _CALLS
    for found in _CALL.finditer(joined):
        value = source.string_at(found.end()) if found[1] in called else None
        if value and not source.is_comment(found.start(), call=True):
            first, last = lines.line_at(found.start()), lines.line_at(found.end())
            yield PythonImport(0, value[0], "", first, first, last)
            position = source.skip(value[1])
            # `import_module(".a", "package")`
            if package := source.string_at(
                source.skip(position + joined.startswith(",", position))
            ):
                yield PythonImport(0, package[0], "", first, first, last)


_Names = Iterator[tuple[int, str, str, int, int]]
_Blank = Callable[[str, int], int]


def _read_import(text: str, position: int) -> _Names:
    """`import a.b as c, d`: dots, module, name, and the positions of each."""
    while True:
        start = _blank(text, position)
        module, position = _dotted(text, start)
        if not module:
            return
        yield 0, module, "", start, position
        position = _skip_alias(text, position, _blank)
        if text[position : position + 1] != ",":
            return
        position += 1


def _read_from(text: str, position: int) -> _Names:
    """`from .a import (b as c, d)`: the module, and each name in it."""
    dots = 0
    start = position = _blank(text, position)
    while text[position : position + 1] == ".":
        dots += 1
        position = _blank(text, position + 1)
    module, position = _dotted(text, position)
    if module == "import" and dots:
        module, position = "", position - len("import")
    position = _blank(text, position)
    if not (module or dots) or not _IMPORT.match(text, position):
        return
    yield dots, module, "", start, position
    position = _blank(text, position + len("import"))
    inside = text[position : position + 1] == "("
    position += inside
    blank = _blank_lines if inside else _blank
    while True:
        position = blank(text, position)
        name = _NAME.match(text, position)
        if not name:
            return
        yield dots, module, _plain(name[0]), position, name.end()
        position = blank(text, _skip_alias(text, name.end(), blank))
        if text[position : position + 1] != ",":
            return
        position += 1


def _dotted(text: str, position: int) -> tuple[str, int]:
    """The dotted name at a position, with blanks around its dots, and the position behind it."""
    parts = []
    while name := _NAME.match(text, position):
        parts.append(_plain(name[0]))
        position = _blank(text, name.end())
        if text[position : position + 1] != ".":
            return ".".join(parts), position
        position = _blank(text, position + 1)
    return ".".join(parts), position


def _skip_alias(text: str, position: int, blank: _Blank) -> int:
    position = blank(text, position)
    if _AS.match(text, position):
        alias = _NAME.match(text, blank(text, position + 2))
        if alias:
            return blank(text, alias.end())
    return position


def _blank(text: str, position: int) -> int:
    matched = _BLANK.match(text, position)
    return matched.end() if matched else position


def _blank_lines(text: str, position: int) -> int:
    matched = _BLANK_LINES.match(text, position)
    return matched.end() if matched else position


def _plain(name: str) -> str:
    """The name as Python compares it."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)

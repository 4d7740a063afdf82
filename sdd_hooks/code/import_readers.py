"""The imports of languages other than Python, read forward from their keywords."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from sdd_hooks.code.import_scanner import Comments, SourceText
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_DEPTH = 100
"""Braces within each other, in an import of Rust or Scala."""
MAX_PREFIX = 1_000
"""Characters of a name: each name in braces repeats those before it."""


class ReadImport(NamedTuple):
    """A name, whether it is that of a file (`./a`), and its position."""

    name: str
    position: int
    is_relative: bool = False


class TooComplex(ValueError):
    """An import that is nested too deeply, or whose names are too long."""


_Read = Callable[[SourceText, "re.Match[str]"], Iterator[ReadImport]]


class ImportReader(NamedTuple):
    """How languages import: the keywords, what reads behind one, and the comments.

    `aliases` finds the names that a text gives to a function that imports. `ignores_case` says that
    `a` and `A` are one name.
    """

    keywords: re.Pattern[str]
    read: _Read
    comments: Comments
    aliases: re.Pattern[str] | None = None
    decode: re.Pattern[str] | None = None
    ignores_case: bool = False


_IDENTIFIER = lazy_regex(r"(?:r\#|@)?[^\W\d][\w$]*|``[^`\n]{1,300}``|`[^`\n]{1,300}`")
_BASIC_NAME = lazy_regex(r"\[([^\]\n]{1,300})\]|([^\W\d]\w*)")
_SCRIPT_ALIAS = lazy_regex(
    r"""(?<![\w$.])([\w$]{1,100})\s{0,9}=\s{0,9}(?:[\w$]{1,99}\.)?
    (?:require\s{0,9}(?=[;,\n])|createRequire\s{0,9}\()
    |(?<![\w$.])createRequire\s{1,9}as\s{1,9}([\w$]{1,100})""",
    re.VERBOSE,
)
# The rest of `createRequire(import.meta.url)(`.
_MADE_REQUIRE = lazy_regex(r"(?![\"'`\[])[^;]{0,300}?\)\s{0,9}\(")
# A module by another name: `node:fs`, `npm:axios@1`, `axios?raw`, `raw-loader!axios`, on a CDN.
_SPECIFIER = lazy_regex(
    r"""(?:\S{0,300}!)?(?:(?:node|npm|jsr|bun):/?
    |https?://(?:esm\.sh|esm\.run|cdn\.skypack\.dev|unpkg\.com|ga\.jspm\.io/npm:|deno\.land/x
    |cdn\.jsdelivr\.net/npm)/?(?:(?:v[0-9]+|stable|pin)/|\*)?)?
    (?P<name>(?:@[^/\s@]{1,200}/)?[^/\s@?\#!:]{1,200})(?:@[^/\s?]{0,100})?(?P<path>/[^\s?]{0,300})?
    (?:\?\S*)?""",
    re.VERBOSE,
)
# Behind `method(:require`.
_RUBY_CALLED = lazy_regex(r"\)\s{0,9}(?:&?\.\s{0,9}(?:call)?\s{0,9}\(?|\[)")
_RUBY_QUOTED = lazy_regex(
    r"%[qQ]?(?:\(([^()\n]{1,300})\)|\[([^\[\]\n]{1,300})\]|\{([^{}\n]{1,300})\}|<([^<>\n]{1,300})>"
    r"|([^\w\s(\[{<])([^\n]{1,300}?)\5)"
)


def _script(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    text, keyword = source.text, found[0]
    position = source.skip(found.end())
    if keyword in ("from", "import") or keyword[0] == "/":
        value = source.string_at(position)
        if value and (keyword[0] == "/" or not source.is_comment(found.start())):
            yield from _file_or_module(value[0], found.start())
            return
    if keyword == "from":
        return
    # `(0, require)("x")`, `require?.("x")`, `module["require"]("x")`, `define(["x"])`
    while text.startswith((")", "?.", '"]', "']"), position):
        position = source.skip(position + (1 if text[position] == ")" else 2))
    if not text.startswith("(", position) or source.is_comment(found.start(), call=True):
        return
    position = source.skip(position + 1)
    if made := _MADE_REQUIRE.match(text, position):
        position = source.skip(made.end())
    if keyword == "define" and (value := source.string_at(position)):
        # The name of the module itself.
        position = source.skip(value[1])
        position = source.skip(position + text.startswith(",", position))
    if text.startswith("[", position):
        position = source.skip(position + 1)
    elif keyword == "define":
        return
    while value := source.string_at(position):
        yield from _file_or_module(value[0], found.start())
        position = source.skip(value[1])
        if not text.startswith(",", position):
            return
        position = source.skip(position + 1)


def _file_or_module(name: str, position: int) -> Iterator[ReadImport]:
    is_relative = name.startswith(("./", "../")) or name in (".", "..")
    installed = name.rpartition("node_modules/")[2]
    if is_relative and installed == name:
        yield ReadImport(name.partition("?")[0], position, is_relative)
        return
    name = installed
    yield ReadImport(name, position)
    if (plain := plain_module(name)) != name:
        yield ReadImport(plain, position)


def plain_module(specifier: str) -> str:
    """The module that a specifier of JavaScript means: `axios/x` for `npm:axios@1/x?raw`."""
    matched = _SPECIFIER.fullmatch(specifier)
    return f"{matched['name']}{matched['path'] or ''}" if matched else specifier


def _go(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    if source.is_comment(found.start()):
        return
    text = source.text
    position = source.skip(found.end())
    in_list = text.startswith("(", position)
    position = source.skip(position + 1) if in_list else position
    while True:
        while text.startswith(";", position):
            position = source.skip(position + 1)
        alias = _IDENTIFIER.match(text, position)
        if alias and not alias[0].startswith("`"):
            position = source.skip(alias.end())
        elif text.startswith((".", "_"), position):
            position = source.skip(position + 1)
        value = source.string_at(position)
        if not value:
            return
        yield ReadImport(value[0], position)
        if not in_list:
            return
        position = source.skip(value[1])


def _rust(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    if source.is_comment(found.start()):
        return
    position = source.skip(found.end())
    if found[0] != "use":
        name, _ = _name(source, position)
        if name:
            yield ReadImport(name, found.start())
        return
    yield from _use_tree(source, position)


def _php(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    """`use A\\{B, function c as d};`."""
    if not source.is_comment(found.start()):
        yield from _use_tree(source, source.skip(found.end()), "\\")


def _use_tree(source: SourceText, position: int, mark: str = "::") -> Iterator[ReadImport]:
    """The names of `a::{b, c::*}`, with a stack of the prefixes of the open braces."""
    text = source.text
    above: list[str] = []
    prefix = ""
    start = position
    while position < len(text):
        name, end = _name(source, position)
        sign = text[position]
        if text.startswith(mark, position):
            prefix += mark if prefix else ""
            position = source.skip(position + len(mark))
        elif mark == "\\" and name.lower() in ("function", "const"):
            position = source.skip(end)
        elif name.lower() == "as":
            _, end = _name(source, source.skip(end))
            position = source.skip(end)
        elif name and (not prefix or prefix.endswith(mark)):
            prefix, start, position = _longer(prefix, name), position, source.skip(end)
        else:
            if not name and prefix != _top(above) and not prefix.endswith(mark):
                yield ReadImport(prefix.removesuffix("::self"), start)
            if not _open_or_close(above, prefix, sign) or not (
                above or sign == "*" or (mark, sign) == ("\\", ",")
            ):
                return
            prefix = _top(above) if sign != "*" else prefix.removesuffix("::")
            position = source.skip(position + 1)


def _open_or_close(above: list[str], prefix: str, sign: str) -> bool:
    """Whether the use tree goes on behind the sign; updates the prefixes of the open braces."""
    if sign == "{":
        _push(above, prefix)
    elif sign == "}" and above:
        above.pop()
    return sign in "{},*"


def _top(above: list[str]) -> str:
    return above[-1] if above else ""


def _push(above: list[str], prefix: str) -> None:
    if len(above) == MAX_DEPTH:
        raise TooComplex(f"an import has more than {MAX_DEPTH} levels")
    above.append(prefix)


def _longer(prefix: str, name: str) -> str:
    if len(prefix) + len(name) > MAX_PREFIX:
        raise TooComplex(f"the name of an import has more than {MAX_PREFIX:,} characters")
    return prefix + name


def _name(source: SourceText, position: int) -> tuple[str, int]:
    """The identifier at a position without the marks around it, and the position behind it."""
    matched = _IDENTIFIER.match(source.text, position)
    if not matched:
        return "", position
    return matched[0].strip("`").removeprefix("r#").removeprefix("@"), matched.end()


def _dotted(source: SourceText, position: int) -> tuple[str, int]:
    """The dotted name at a position, and the position behind it."""
    text, name = source.text, ""
    while True:
        part, end = _name(source, position)
        if not part:
            return name, position
        name = _longer(name, part)
        position = source.skip(end)
        if not text.startswith(".", position):
            return name, position
        name += "."
        position = source.skip(position + 1)


def _loaded(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    """`forName("a.B")`, `Assembly.Load("A.B")`."""
    position = source.skip(found.end())
    if source.text.startswith("(", position):
        value = source.string_at(source.skip(position + 1))
        if value:
            yield ReadImport(value[0].partition(",")[0], found.start())


def _java(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    if source.is_comment(found.start(), call=True):
        return
    if found[0] not in ("import", "requires"):
        yield from _loaded(source, found)
        return
    text = source.text
    position = source.skip(found.end())
    while True:
        start = position
        name, position = _dotted(source, position)
        while name in ("static", "module", "transitive") and _name(source, position)[0]:
            # A keyword in front of the name.
            start = position
            name, position = _dotted(source, position)
        name = name.removeprefix("_root_.")
        if not name or (found[0] == "requires" and not text.startswith(";", position)):
            return
        if name.endswith(".") and text.startswith("{", position):
            yield from _selected(source, name, position)
            position = _behind_braces(source, position)
        else:
            yield ReadImport(name.rstrip("."), start)
        # Scala: `import a.b, c.d`.
        if not text.startswith(",", position):
            return
        position = source.skip(position + 1)


def _selected(source: SourceText, prefix: str, position: int) -> Iterator[ReadImport]:
    """The names in the braces of Scala: `a.{b, c => d, _}`."""
    text = source.text
    yield ReadImport(prefix.rstrip("."), position)
    position = source.skip(position + 1)
    selects = True
    while position < len(text):
        name, end = _name(source, position)
        if name:
            # `b => c` and `b as c` give a name, and select none.
            if selects:
                yield ReadImport(_longer(prefix, name), position)
            selects, position = False, source.skip(end)
        elif text[position] in ",=>*":
            selects = selects or text[position] == ","
            position = source.skip(position + 1)
        else:
            return


def _behind_braces(source: SourceText, position: int) -> int:
    end = source.text.find("}", position, position + MAX_PREFIX)
    return source.skip(end + 1) if end >= 0 else position


def _csharp(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    if source.is_comment(found.start()):
        return
    if found[0] in _CSHARP_LOADERS:
        yield from _loaded(source, found)
        return
    text = source.text
    position = source.skip(found.end())
    for _ in range(3):
        name, end = _name(source, position)
        after = source.skip(end)
        if name in ("static", "unsafe") and not text.startswith((".", ";", "="), after):
            position = after
        elif name and text.startswith("=", after) and not text.startswith("==", after):
            position = source.skip(after + 1)
        elif name == "global" and text.startswith("::", after):
            position = source.skip(after + 2)
    name, position = _dotted(source, position)
    # A directive of Razor ends with its line.
    if name and (found[0][0] == "@" or text.startswith((";", "<", "[", "?", "*"), position)):
        yield ReadImport(name.rstrip("."), found.start())


def _fsharp(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    """`open A.B`, `open type A.B`, `module M = A.B`."""
    if source.is_comment(found.start()):
        return
    position = source.skip(found.end())
    if found[0] == "module":
        _, position = _dotted(source, position)
        if not source.text.startswith("=", position):
            return
        position = source.skip(position + 1)
    name, end = _name(source, position)
    if name == "type" and found[0] == "open":
        position = source.skip(end)
    name, _ = _dotted(source, position)
    name = name.removeprefix("global.").rstrip(".")
    # `module M = begin … end` defines a module.
    if name not in ("", "begin", "struct"):
        yield ReadImport(name, found.start())


def _basic(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    """`Imports A.B, X = C.[D]`, in any case."""
    if source.is_comment(found.start()):
        return
    text = source.text
    position = found.end()
    while True:
        start = _basic_skip(source, position)
        name, position = _basic_name(source, start)
        if text.startswith("=", position):
            name, position = _basic_name(source, _basic_skip(source, position + 1))
        if name[:7].lower() == "global.":
            name = name[7:]
        if name:
            yield ReadImport(name, start)
        if not name or not text.startswith(",", position):
            return
        position += 1


def _basic_name(source: SourceText, position: int) -> tuple[str, int]:
    text, name = source.text, ""
    while matched := _BASIC_NAME.match(text, position):
        name = _longer(name, matched[1] or matched[2])
        position = _basic_skip(source, matched.end())
        if not text.startswith(".", position):
            return name, position
        name += "."
        position = _basic_skip(source, position + 1)
    return name.rstrip("."), position


def _basic_skip(source: SourceText, position: int) -> int:
    """The position behind white space, and behind the `_` that continues a line."""
    text = source.text
    position = source.skip(position)
    while text.startswith("_", position) and text[position + 1 : position + 2].isspace():
        position = source.skip(position + 1)
    return position


def _ruby(source: SourceText, found: re.Match[str]) -> Iterator[ReadImport]:
    text, keyword = source.text, found[0]
    if source.is_comment(found.start(), call=True):
        return
    position = source.skip(found.end())
    if called := _RUBY_CALLED.match(text, position if keyword[0] == ":" else len(text)):
        position = source.skip(called.end())
    # Behind a comma in `send(:require, "a")`.
    if text.startswith((",",) if keyword[0] == ":" else ("(",), position):
        position = source.skip(position + 1)
    if keyword == "autoload":
        comma = text.find(",", position, position + 300)
        position = source.skip(comma + 1) if comma >= 0 else position
    value = source.string_at(position)
    name = value[0] if value else ""
    quoted = None if value else _RUBY_QUOTED.match(text, position)
    if quoted:
        name = quoted[1] or quoted[2] or quoted[3] or quoted[4] or quoted[6]
    if not name:
        return
    if keyword == "require_relative":
        name = f"./{name}"
    yield ReadImport(name, found.start(), is_relative=name.startswith(("./", "../")))


_CSHARP_LOADERS = frozenset({"GetType", "Load", "LoadFrom", "LoadWithPartialName"})
_UNICODE = lazy_regex(r"\\u+(?:([0-9a-fA-F]{4})|\{0*([0-9a-fA-F]{2,4})\})")
_JAVA = ImportReader(
    lazy_regex(r"(?<![\w$.@])(?:import|requires)(?![\w$])|(?<=\.)(?:forName|loadClass)(?!\w)"),
    _java,
    Comments("//", block=True, closers="\"'"),
    decode=_UNICODE,
)
_SCRIPT = ImportReader(
    # A string, a bracket or an operator can be next to a keyword.
    lazy_regex(
        r"(?<![\w$])(?:from|import|require|resolve|(?:do|un)?[mM]ock|importScripts|define|requirejs"
        r"|require(?:Actual|Mock)|import(?:Actual|Mock)|createRequire|getBuiltinModule|proxyquire"
        r"|///[ \t]{0,9}<reference[ \t]{1,9}types[ \t]{0,9}=)"
        r"(?![\w$])"
    ),
    _script,
    Comments("//", block=True, closers="`"),
    _SCRIPT_ALIAS,
    decode=_UNICODE,
)

_CSHARP = ImportReader(
    lazy_regex(r"(?<![\w@.])using(?!\w)|(?<=\.)(?:GetType|Load(?:From|WithPartialName)?)(?!\w)"),
    _csharp,
    Comments("//", block=True, closers='"'),
    decode=_UNICODE,
)

READERS: Mapping[str, ImportReader] = {
    "script": _SCRIPT,
    "java": _JAVA,
    "groovy": _JAVA._replace(comments=Comments("//", block=True, closers="\"'/$")),
    "csharp": _CSHARP,
    "razor": _CSHARP._replace(
        keywords=lazy_regex(
            r"@(?:using|inject|inherits|implements|model)(?!\w)|(?<![\w@.])using(?!\w)"
        )
    ),
    # A line that begins with `//` may be in a comment `(* … *)`, and end it.
    "fsharp": ImportReader(
        lazy_regex(r"(?<![\w@.`'])(?:open|module)(?![\w'])"),
        _fsharp,
        Comments("//", block=False, closers='")`'),
    ),
    "vb": ImportReader(
        lazy_regex(r"(?<![\w.\[])imports(?![\w\]])", re.IGNORECASE),
        _basic,
        Comments("'", block=False, closers='"'),
        ignores_case=True,
    ),
    "php": ImportReader(
        lazy_regex(r"(?<![\w$\\>:])use(?!\w)", re.IGNORECASE),
        _php,
        Comments("//", block=True, closers="\"'?"),
        ignores_case=True,
    ),
    "go": ImportReader(
        lazy_regex(r"(?<![\w.])import(?!\w)"), _go, Comments("//", block=True, closers="`")
    ),
    "ruby": ImportReader(
        lazy_regex(
            r"(?<![\w@$:])(?:require|require_dependency|require_relative|load|autoload)(?![\w:?!])"
            r"|(?<![\w:]):(?:require|load)(?=\s*[,)])"
        ),
        _ruby,
        Comments("#", block=False, closers="\"'`/)]}>|%-,.;:!*+=~^&"),
    ),
    "rust": ImportReader(
        lazy_regex(r"(?<![\w#.])(?:use|extern\s+crate)(?!\w)"),
        _rust,
        Comments("//", block=True, closers='"'),
    ),
}
"""The readers, by the names that `languages.LANGUAGES` has for them. Python has its own."""

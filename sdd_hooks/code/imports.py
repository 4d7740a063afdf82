"""The modules that a line of source code imports, in languages with imports of one line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from sdd_hooks.code.languages import find_language
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_NAMES = 100
"""Names that are read of one line."""

_Reader = Callable[[str, str], Iterator[str]]

_PYTHON_IMPORT = lazy_regex(r"\s*import\s+(\S.*)")
_PYTHON_FROM = lazy_regex(r"\s*from\s+(\.*)([\w.]*)\s+import\s+(.*)")
_PYTHON_CALL = lazy_regex(r"\b(?:import_module|__import__)\(\s*[\"']([\w.]+)[\"']")
_PYTHON_NAME = lazy_regex(r"\s*([\w.]+)")
_SCRIPT = lazy_regex(
    r"""(?:\bfrom\s*|^\s*import\s*|\b(?:import|require|require\.resolve|mock)\s*\(\s*)
    (?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|`([^`$\n]{1,300})`)""",
    re.VERBOSE,
)
_GO = lazy_regex(r'\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\s]{1,300})"\s*(?://.*)?$')
_RUST = lazy_regex(r"\s*(?:pub(?:\([^)]{0,100}\))?\s+)?(?:use|extern\s+crate)\s+([^;]+)")
_RUST_PIECE = lazy_regex(r"[{},]|[^{},]+")
_JAVA = lazy_regex(r"\s*import\s+(?:static\s+)?([A-Za-z_][\w.]*)")
_CSHARP = lazy_regex(
    r"\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?:global::)?([A-Za-z_][\w.]*)\s*;"
)
_RUBY = lazy_regex(
    r"\s*(?:require|require_dependency|load|autoload\s*\(?\s*:\w+\s*,)\s*\(?\s*"
    r"[\"']([^\"'\n]{1,300})[\"']"
)
_RUBY_RELATIVE = lazy_regex(r"\s*require_relative\s*\(?\s*[\"']([^\"'\n]{1,300})[\"']")


def supports_imports(path: str) -> bool:
    """Whether a file is, by its name, in a language whose imports are parsed."""
    return (find_language(path) or "") in _READERS


def parse_imports(path: str, line: str) -> tuple[str, ...]:
    """The modules that a line of the file at `path` imports; none in an unsupported language.

    Names are spelled as in the language (`a.b`, `a/b`, `a::b`). A relative name is resolved to the
    repository's root: `../db` in `src/web/app.ts` is `src/db`.
    """
    reader = _READERS.get(find_language(path) or "")
    if not reader:
        return ()
    found: dict[str, None] = {}
    for name in reader(path, line):
        found[name] = None
        if len(found) == MAX_NAMES:
            break
    return tuple(found)


def _python(path: str, line: str) -> Iterator[str]:
    if matched := _PYTHON_IMPORT.match(line):
        for part in matched[1].split(","):
            if name := _PYTHON_NAME.match(part):
                yield name[1]
    elif matched := _PYTHON_FROM.match(line):
        module = _python_module(path, len(matched[1]), matched[2])
        if module:
            yield module
        for part in matched[3].split("#", 1)[0].strip("( )\\").split(","):
            if (name := _PYTHON_NAME.match(part)) and module:
                yield f"{module}.{name[1]}"
    for call in _PYTHON_CALL.finditer(line):
        yield call[1]


def _python_module(path: str, dots: int, name: str) -> str:
    """The module from the repository's root. A folder `src` there is not part of its name."""
    if not dots:
        return name
    parts = path.removeprefix("src/").split("/")[:-dots]
    return ".".join((*parts, *filter(None, [name])))


def _script(path: str, line: str) -> Iterator[str]:
    if line.lstrip().startswith(("//", "*", "/*")):
        return
    for matched in _SCRIPT.finditer(line):
        yield _resolve(path, matched[matched.lastindex or 1])


def _resolve(path: str, name: str) -> str:
    if not name.startswith(("./", "../")) and name not in (".", ".."):
        return name
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _go(_: str, line: str) -> Iterator[str]:
    if matched := _GO.match(line):
        yield matched[1]


def _rust(_: str, line: str) -> Iterator[str]:
    if not (matched := _RUST.match(line)):
        return
    above: list[str] = []
    prefix = ""
    for piece in _RUST_PIECE.findall(matched[1]):
        if piece == "{":
            above.append(prefix)
            if len(above) > MAX_NAMES:
                return
        elif piece == "}":
            prefix = above.pop() if above else ""
        elif piece != ",":
            name = piece.split(" as ")[0].strip().removeprefix("::")
            prefix = (above[-1] if above else "") + name
            if name and not prefix.endswith("::"):
                yield prefix.removesuffix("::self").removesuffix("::*")
    if prefix.endswith("::"):
        # The rest of the group is on the lines below.
        yield prefix.removesuffix("::")


def _java(_: str, line: str) -> Iterator[str]:
    if matched := _JAVA.match(line):
        yield matched[1].rstrip(".")


def _csharp(_: str, line: str) -> Iterator[str]:
    if matched := _CSHARP.match(line):
        yield matched[1]


def _ruby(path: str, line: str) -> Iterator[str]:
    if matched := _RUBY.match(line):
        yield matched[1]
    elif matched := _RUBY_RELATIVE.match(line):
        yield _resolve(path, f"./{matched[1]}")


_READERS: Mapping[str, _Reader] = {
    **dict.fromkeys(("astro", "javascript", "svelte", "typescript", "vue"), _script),
    **dict.fromkeys(("groovy", "java", "kotlin", "scala"), _java),
    "csharp": _csharp,
    "go": _go,
    "python": _python,
    "ruby": _ruby,
    "rust": _rust,
}

"""The kinds of decision rules: what a rule forbids or requires, each in one entry of a table.

An entry says how a block names the kind, which files can have it, what of them is compared, and how
a report words it. Everything else about a kind follows from its entry.
"""

# Governing: ADR-0021 (a decision's own rules run in linear time), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.changes.patch import MAX_LINE
from sdd_hooks.code.dependencies import (
    is_manifest,
    may_change_declarations,
    may_declare,
    parse_dependencies,
    read_manifest,
    unread_manifest,
)
from sdd_hooks.code.imports import Import, find_imports, supports_imports, unread_language
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.linear_regex import Pattern, PatternError, compile_pattern
from sdd_hooks.text.lines import NumberedLine, join_lines, split_lines

IGNORING_CASE = "\x1e"
"""In front of a module of a language that ignores case; the module is then in small letters."""

# Where a comment or a string of several lines may begin or end.
_MARK = lazy_regex(r"""/\*|\*/|\(\*|\*\)|`|\"{3}|'{3}|^=(?:begin|end)""")

_SOURCES = (
    *("a.py", "a.js", "a.ts", "a.go", "a.java", "a.kt", "a.scala", "a.groovy", "a.cs", "a.rs"),
    *("a.fs", "a.vb", "a.ipynb"),
    *("a.rb", "a.vue", "a.c", "a.php", "a.html", "a.sql", "src/a.py", "src/a.ts", "lib/a.rb"),
)
_MANIFESTS = ("package.json", "pyproject.toml", "go.mod", "Cargo.toml", "pom.xml", "Gemfile")


class FileContents(NamedTuple):
    """A file with its contents at the head and at the base, None for none or a large one.

    `may_parse` says whether there is time left to parse a text: more is scanned, which is faster.
    """

    file: ChangedFile
    after: bytes | None
    before: bytes | None
    may_parse: Callable[[bytes], bool]


class FoundLines(NamedTuple):
    """What a change adds to a file and all of it, as lines to compare a pattern with.

    `unread` is the reason that a part could not be read, or "".
    """

    added: tuple[NumberedLine, ...]
    whole: tuple[NumberedLine, ...]
    unread: str = ""


class RuleKind(NamedTuple):
    """A kind of decision rule.

    `named` is how a message calls a name of a rule. With `splits`, a value is divided at commas.
    `pattern` compiles a name; it raises ValueError for one that cannot be used. `may_have` decides
    by the path whether a file can have what is searched, and `paths` are such files of a directory
    of which nothing is known. `find` finds what is compared in a file; None in one that has nothing
    of the kind. `may_change` says whether a changed file can have other things than before. With
    `needs_base`, it needs the whole file and that of the base to tell what a change adds; otherwise
    the lines of the diff are enough. With `needs_text`, an empty file need not have what a rule
    requires. `unread` names the language or format of a file that could have it and is not read; ""
    for one that is read, None for other files.
    """

    named: str
    splits: bool
    pattern: Callable[[str], Pattern]
    may_have: Callable[[str], bool]
    paths: tuple[str, ...]
    find: Callable[[FileContents], FoundLines | None]
    needs_base: bool
    needs_text: bool
    may_change: Callable[[ChangedFile], bool]
    unread: Callable[[str], str | None]


def _find_lines(contents: FileContents) -> FoundLines:
    """The lines of a text."""
    whole: tuple[NumberedLine, ...] = ()
    if contents.after is not None:
        lines = split_lines(_text(contents.after))
        whole = tuple(NumberedLine(number, line) for number, line in enumerate(lines, 1))
    added = contents.file.added
    if whole and any(len(line.text) >= MAX_LINE for line in added):
        added = tuple(
            whole[line.number - 1] if line.number <= len(whole) else line for line in added
        )
    return FoundLines(tuple(_variants(added)), tuple(_variants(whole)))


def _variants(lines: Iterable[NumberedLine]) -> Iterator[NumberedLine]:
    """The lines as they are, and as a program reads them that ends lines at carriage returns."""
    for line in lines:
        yield line
        if "\0" in line.text:
            yield NumberedLine(line.number, line.text.replace("\0", ""))
        if "\r" in line.text:
            yield from (NumberedLine(line.number, part) for part in line.text.split("\r") if part)


def _find_imports(contents: FileContents) -> FoundLines:
    """The imported modules. One is new on an added line, or if the base did not have it."""
    if contents.after is None:
        return FoundLines((), ())
    file, may_parse = contents.file, contents.may_parse
    after = find_imports(file.path, contents.after, parse=may_parse(contents.after))
    if not after.found:
        return FoundLines((), (), after.unread)
    before = contents.before
    known: set[str] | None = None
    shown = frozenset[str]()
    if before is not None or not file.was_file:
        before = before or b""
        # A link has no path at the base.
        parsed = find_imports(file.before or file.path, before, parse=may_parse(before))
        known = {one.name for one in parsed.found}
        if any(_MARK.search(line.text) for line in (*file.added, *file.removed)):
            shown = _code_names(file.path, contents.after) - _code_names(file.before, before)
    added = {line.number for line in file.added}
    new: list[NumberedLine] = []
    for one in after.found:
        touched = [n for n in range(one.first, one.last + 1) if n in added]
        # A change may end the comment around an import that it does not touch.
        if touched or (known is not None and one.name not in known) or one.name in shown:
            number = one.line if one.line in added or not touched else touched[0]
            new.append(NumberedLine(number, _compared(one)))
    whole = (NumberedLine(one.line, _compared(one)) for one in after.found)
    return FoundLines(tuple(new), tuple(whole), after.unread)


def _code_names(path: str, data: bytes) -> frozenset[str]:
    """The imports of a file that are in no comment, as far as a look at its marks tells."""
    return frozenset(
        one.name for one in find_imports(path, data, parse=False, comments=False).found
    )


def _compared(one: Import) -> str:
    return f"{IGNORING_CASE}{one.name.lower()}" if one.ignores_case else one.name


def _find_dependencies(contents: FileContents) -> FoundLines | None:
    """The packages of a manifest. One is new if the base did not have it."""
    file = contents.file
    manifest = read_manifest(file.path, _text(contents.after or b""))
    if not (manifest.declared or manifest.unread or is_manifest(file.path)):
        return None
    added = {line.number: line.text.lower() for line in file.added}
    known = set[str]()
    if contents.before is not None:
        known = {one.text for one in parse_dependencies(file.before, _text(contents.before))}
    whole = tuple(NumberedLine(one.number, one.name) for one in manifest.declared)
    new = (one for one in whole if one.text not in known)
    is_cut = file.was_file and contents.before is None
    found = tuple(_at_added(one, added) for one in new if one.number in added or not is_cut)
    return FoundLines(found, whole, manifest.unread)


def _may_change_dependencies(file: ChangedFile) -> bool:
    lines = f"{join_lines(file.added)}\n{join_lines(file.removed)}"
    return may_change_declarations(file.path, lines)


def _at_added(found: NumberedLine, added: Mapping[int, str]) -> NumberedLine:
    """A package at an added line that names it, where the one that was found is not added."""
    if found.number in added:
        return found
    named = (number for number, text in added.items() if found.text.lower() in text)
    return found._replace(number=next(named, found.number))


def _text(data: bytes) -> str:
    return decode(data).replace("\0", "")


def _module_pattern(name: str) -> Pattern:
    """The module, and every module below it."""
    parts = [re.escape(part) for part in _name_parts(name.removeprefix("node:"))]
    lowered = [part.lower() for part in parts]
    names = f"(?:node:)?{'.*'.join(parts)}|{IGNORING_CASE}{'.*'.join(lowered)}"
    return compile_pattern(f"^(?:{names})(?:$|[./:\\\\])")


def _package_pattern(name: str) -> Pattern:
    """A package, in whose name `-`, `_` and `.` are equal."""
    parts = [re.sub(r"\\[-.]|_", "[-_.]", re.escape(part)) for part in _name_parts(name)]
    return compile_pattern(f"^{'.*'.join(parts)}(?:/v[0-9]+)?$", ignore_case=True)


def _name_parts(name: str) -> list[str]:
    if any(c.isspace() for c in name):
        raise PatternError("a name has no spaces")
    if not name.strip("*./:\\"):
        raise PatternError("it is every name: say which")
    return name.split("*")


KINDS: Mapping[str, RuleKind] = {
    "regex": RuleKind(
        named="/{}/",
        splits=False,
        pattern=compile_pattern,
        may_have=lambda _: True,
        paths=(*_SOURCES, *_MANIFESTS),
        find=_find_lines,
        needs_base=False,
        needs_text=True,
        may_change=lambda _: True,
        unread=lambda _: None,
    ),
    "import": RuleKind(
        named="the import of {}",
        splits=True,
        pattern=_module_pattern,
        may_have=supports_imports,
        paths=_SOURCES,
        find=_find_imports,
        needs_base=True,
        needs_text=True,
        may_change=lambda _: True,
        unread=unread_language,
    ),
    "dependency": RuleKind(
        named="the dependency {}",
        splits=True,
        pattern=_package_pattern,
        may_have=may_declare,
        paths=_MANIFESTS,
        find=_find_dependencies,
        needs_base=True,
        needs_text=False,
        may_change=_may_change_dependencies,
        unread=unread_manifest,
    ),
}
"""Every kind by its name, which follows `forbid` or `require` in a block."""

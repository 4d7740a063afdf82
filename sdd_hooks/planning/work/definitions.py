"""The definitions that a branch adds, and which ones another file can import instead."""

# Governing: SPEC-0026 REQ "Check of a branch", REQ "Existing code first"

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.definition_patterns import LanguagePatterns, find_patterns
from sdd_hooks.code.paths import is_external, is_generated, is_production_code, is_test
from sdd_hooks.code.source_files import is_hand_written
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.planning.work.likeness import compare, split_name, take_fingerprint
from sdd_hooks.text.lazy_regex import lazy_regex

# A language, a framework or a build tool gives these names; each file defines its own.
_GIVEN_NAME = lazy_regex(
    r"__\w+__|constructor|main|init|new|default|set_?up|tear_?down|describe|it|it_should\w*",
    re.IGNORECASE,
)
_TEST_NAME = lazy_regex(r"(?:test|Test|Benchmark|Example|Fuzz)(?:_|[A-Z0-9]|$)\w*")
_TYPE = lazy_regex(
    r"^(?:[\w@()]+[ \t]+){0,5}"
    r"(?:class|struct|interface|enum|type|trait|record|protocol|union|typealias|message)[ \t]+\w"
)
_TEST_OWNERS = frozenset({"test", "tests"})
_OVERLOADING = (".cc", ".cpp", ".cu", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".kt", ".swift")
# `text:` in `text: String`, `s` in `const std::string& s`.
_PARAMETER = lazy_regex(
    r"(?:\w+\s+)?\w+\s*:(?!:)\s*|(?:(?<=[&*])\s*|(?<=[\w>\]])\s+)\w+(?=\s*[,)=])"
)

MOVED = 0.8
"""How alike the code of a definition and of a removed one of its name are, if it was moved."""


def is_shareable(symbol: Symbol) -> bool:
    """Whether a definition has a name that it alone chose, and is no test case."""
    *owners, name = symbol.name.split(".")
    if _GIVEN_NAME.fullmatch(name) or _TEST_NAME.fullmatch(name) or not name.strip("_"):
        return False
    return not (_TEST_OWNERS & set(owners)) and name != "".join(owners[-1:])


def is_named_function(symbol: Symbol) -> bool:
    """Whether it is a function of a file, in use, whose name of several words says what it does."""
    is_function = "(" in symbol.signature and not (symbol.is_type or declares_type(symbol))
    has_words = len(split_name(symbol.name)) > 1 and "." not in symbol.name
    return is_function and has_words and is_production_code(symbol.path)


def is_overload(symbol: Symbol, other: Symbol) -> bool:
    """Whether two functions of one name have other parameters, in a language that allows both."""
    heads = (one.signature.replace(one.simple_name, "", 1) for one in (symbol, other))
    types = {"".join(_PARAMETER.sub("", head).split()) for head in heads}
    return len(types) > 1 and symbol.path.lower().endswith(_OVERLOADING)


def code_family(path: str) -> LanguagePatterns | None:
    """What files that can import from each other have in common; None for no source code."""
    if is_generated(path) or is_external(path):
        return None
    return find_patterns(path, "")


def can_import(user: str, path: str) -> bool:
    """Whether the file `user` could import from `path`, by their languages and purposes."""
    family = code_family(path)
    return family is not None and family is code_family(user) and (is_test(user) >= is_test(path))


def declares_type(symbol: Symbol) -> bool:
    """Whether a definition is a type, by its signature."""
    return _TYPE.search(symbol.signature) is not None


def find_added_symbols(base: Tree, head: Tree, change: Change) -> list[Symbol]:
    """The definitions that the change adds, in the order of its files.

    One that the change moves or renames is not new, and none in generated or vendored code is.
    """
    added: list[Symbol] = []
    removed: dict[tuple[str, ...], list[Symbol]] = defaultdict(list)
    files = [one for one in change.files if code_family(one.path) is not None]
    texts_before = base.texts(Blob(one.before, one.blob_before) for one in files if one.was_file)
    texts_after = head.texts(Blob(one.path, one.blob) for one in files if one.is_file)
    for file in files:
        before = _symbols(file.before, texts_before)
        after = _symbols(file.path, texts_after)
        known, kept = ({one.name for one in symbols} for symbols in (before, after))
        added += [one for one in after if one.name not in known]
        for one in before:
            if one.name not in kept:
                removed[split_name(one.simple_name)].append(one)
    return [one for one in added if not _is_moved(one, removed[split_name(one.simple_name)])]


def _symbols(path: str, texts: Mapping[str, str]) -> list[Symbol]:
    text = texts.get(path, "")
    return list(find_symbols(path, text)) if is_hand_written(text) else []


def _is_moved(symbol: Symbol, removed: Sequence[Symbol]) -> bool:
    if not removed:
        return False
    fingerprint = take_fingerprint(symbol)
    return any(compare(fingerprint, take_fingerprint(one)).code >= MOVED for one in removed)

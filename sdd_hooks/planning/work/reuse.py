"""Which definitions another file can import instead of writing them again."""

from __future__ import annotations

import re

from sdd_hooks.code.definition_patterns import LanguagePatterns, find_patterns
from sdd_hooks.code.paths import is_external, is_generated, is_test
from sdd_hooks.code.symbols import Symbol
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


def is_shareable(symbol: Symbol) -> bool:
    """Whether a definition has a name that it alone chose, and is no test case."""
    *owners, name = symbol.name.split(".")
    if _GIVEN_NAME.fullmatch(name) or _TEST_NAME.fullmatch(name) or not name.strip("_"):
        return False
    return not (_TEST_OWNERS & set(owners)) and name != "".join(owners[-1:])


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

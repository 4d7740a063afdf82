"""How alike two definitions are."""

from __future__ import annotations

from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.planning.work.likeness import (
    Likeness,
    compare,
    split_name,
    take_fingerprint,
)

PARSE = """\
def parse_user_id(text):
    number = int(text.strip())
    if number < 0:
        raise ValueError(text)
    return number
"""


def likeness(first: str, second: str) -> Likeness:
    return compare(take_fingerprint(symbol(first)), take_fingerprint(symbol(second)))


def symbol(text: str) -> Symbol:
    (found,) = find_symbols("a.py", text)
    return found


def test_a_copy_is_the_same_whatever_it_is_called_and_commented() -> None:
    commented = PARSE.replace("    number =", "    # reads it\n    number =")
    assert likeness(PARSE, commented) == Likeness(1.0, 1.0, 1.0)
    renamed = likeness(PARSE, PARSE.replace("parse_user_id", "parseUserID"))
    assert renamed == Likeness(1.0, 1.0, 1.0)
    other = likeness(PARSE, PARSE.replace("parse_user_id", "read"))
    assert other == Likeness(0.0, 1.0, 1.0)


def test_other_variables_change_the_code_but_not_its_shape() -> None:
    other = likeness(PARSE, PARSE.replace("number", "value").replace("text", "raw"))
    assert other.shape == 1.0
    assert other.exact < 0.5
    assert 0.7 < other.code < 0.85


def test_other_code_is_not_alike() -> None:
    other = likeness(PARSE, "def parse_user_id(text):\n    return cache.get(text, default=None)\n")
    assert other.name == 1.0
    assert other.code < 0.3


def test_too_few_tokens_are_like_no_other() -> None:
    nothing = Symbol("a.py", "A", "", 1, 1, "#")
    assert compare(take_fingerprint(nothing), take_fingerprint(nothing)).code == 0.0


def test_the_words_of_names() -> None:
    assert split_name("parseUserID") == split_name("parse_user_id") == ("parse", "user", "id")
    assert split_name("HTTPServer2") == ("http", "server", "2")
    assert split_name("parseURLs") == split_name("parse_urls") == ("parse", "urls")
    assert split_name("_") == ()

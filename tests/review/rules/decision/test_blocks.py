"""The `sdd-rule` blocks of a record: valid rules and errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.rules.decision.blocks import (
    MAX_BLOCKS,
    DecisionRule,
    read_rules,
)


def block(*lines: str) -> str:
    return "\n".join(["# ADR-0001: X", "", "```sdd-rule", *lines, "```", ""])


def rule(*lines: str) -> DecisionRule:
    rules, errors = read_rules(block(*lines))
    assert errors == ()
    return rules[0]


def test_a_block_with_every_key() -> None:
    assert rule(
        "# All SQL goes through storage.",
        "forbid import: sqlalchemy, psycopg2",
        "",
        "in: src/**, {a,b}/*.py",
        "except:",
        "  - src/storage/**",
        "  - '*_test.py'",
        "message: All SQL goes",
        "  through storage.",
        "severity: MUST NOT",
    ) == DecisionRule(
        "forbid",
        "import",
        ("sqlalchemy", "psycopg2"),
        ("src/**", "{a,b}/*.py"),
        ("src/storage/**", "*_test.py"),
        "All SQL goes through storage.",
        "critical",
        5,
    )


def test_a_block_with_one_line() -> None:
    expected = DecisionRule("require", "regex", ("^# SPDX",), severity="warning", line=4)
    assert rule("require regex: ^# SPDX") == expected


@pytest.mark.parametrize(
    "source",
    [
        r"\beval\(",
        "a: b",
        "[a-z]+, [0-9]",
        "'a'|'b'",
        "x # y",
        "* *",
        "{{ x }}",
        "- a",
        "%s @x",
        '"',
    ],
)
def test_a_regex_is_the_rest_of_the_line(source: str) -> None:
    if source == "* *":
        assert "no argument for repetition" in read_rules(block(f"forbid regex: {source}"))[1][0][1]
    else:
        assert rule(f"forbid regex: {source}").names == (source,)
        assert rule("forbid regex:", f"  - {source}").names == (source,)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("'a b'", ("a b",)),
        ('"a b"', ("a b",)),
        ("`x`", ("x",)),
        ("''x''", ("''x''",)),
    ],
)
def test_quotes_around_a_value_are_removed(written: str, names: tuple[str, ...]) -> None:
    assert rule(f"forbid regex: {written}").names == names


@pytest.mark.parametrize(
    ("written", "severity"),
    [
        ("critical", "critical"),
        ("must", "critical"),
        ("SHALL  NOT", "critical"),
        ("Required", "critical"),
        ("SHOULD", "warning"),
        ("NOT RECOMMENDED", "warning"),
        ("MAY", "info"),
        ("'info'", "info"),
    ],
)
def test_a_severity_can_be_a_keyword_of_rfc_2119(written: str, severity: str) -> None:
    assert rule("forbid regex: x", f"severity: {written}").severity == severity


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ((), 3, "it says neither what it forbids nor what it requires"),
        (("message: x",), 3, "begin with `forbid regex:`"),
        (("forbid: x",), 4, "there is no key `forbid`: did you mean `forbid "),
        (("forbids import: x",), 4, "did you mean `forbid import`?"),
        (("colour: red",), 4, "there is no key `colour`: the keys are `forbid regex`,"),
        (("just words",), 4, "`just words` is no `key: value`"),
        (("forbid regex:x",), 4, "is no `key: value`"),
        (("forbid regex:",), 4, "`forbid regex:` has no value"),
        (("forbid regex: a", "require regex: b"), 5, "a block is one rule"),
        (("forbid regex: a", "forbid regex: b"), 5, "`forbid regex` is said twice"),
        (("forbid regex: a", "in:"), 5, "`in` has no glob"),
        (("forbid regex: (?=a)",), 4, "`(?=a)` cannot be used: RE2 has no lookahead"),
        (("forbid regex:", "- ok", "- (a"), 6, "`(a` cannot be used: missing ): (a"),
        (("forbid import: two words",), 4, "a name has no spaces"),
        (("forbid dependency: '*'",), 4, "it is every name"),
        (("forbid regex: a", f"in: {'{a,b}' * 9}"), 5, "expands to more than 100 patterns"),
        (("forbid regex: a", "severity: fatal"), 5, "`fatal` is no severity"),
        (("forbid regex: a", f"message: {'x' * 501}"), 5, "longer than 500 characters"),
        (("forbid regex: " + "x" * 2_000,), 4, "more than 2,000 characters"),
        (("forbid regex: a", "in: " + "a," * 101), 5, "more than 100 items"),
        (("forbid regex:", *["- a"] * 101), 105, "more than 100 items"),
    ],
)
def test_an_error_has_the_line_that_causes_it(
    lines: tuple[str, ...], line: int, message: str
) -> None:
    rules, errors = read_rules(block(*lines))
    assert rules == ()
    assert [error.line for error in errors] == [line]
    assert message in errors[0].message


def test_an_invalid_block_leaves_the_other_blocks_valid() -> None:
    text = block("forbid regex: a") + block("nonsense") + block("forbid regex: b")
    rules, errors = read_rules(text)
    assert [block_rule.names for block_rule in rules] == [("a",), ("b",)]
    assert [error.text for error in errors] == ["nonsense"]


@pytest.mark.parametrize(
    "text",
    [
        "````md\n```sdd-rule\nforbid regex: a\n```\n````\n",
        "<!--\n```sdd-rule\nforbid regex: a\n```\n-->\n",
        "```sdd-rules\nforbid regex: a\n```\n",
        "```yaml\nsdd-rule: x\n```\n",
        "    ```sdd-rule\n    forbid regex: a\n    ```\n",
        "sdd-rule\n",
    ],
)
def test_text_that_is_not_a_block(text: str) -> None:
    assert read_rules(text) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "~~~ sdd-rule\nforbid regex: a\n~~~\n",
        "```sdd-rule forbids eval\r\nforbid regex: a\r\n```\r\n",
        "- ```sdd-rule\n  forbid regex: a\n  ```\n",
        "```sdd-rule\nforbid regex: a",
    ],
)
def test_other_forms_of_a_block(text: str) -> None:
    rules, errors = read_rules(text)
    assert errors == ()
    assert [block_rule.names for block_rule in rules] == [("a",)]


def test_the_blocks_of_a_record_are_limited() -> None:
    rules, errors = read_rules(block("forbid regex: a") * (MAX_BLOCKS + 9))
    assert len(rules) == MAX_BLOCKS
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("within", "outside", "path", "applies"),
    [
        ("", "", "any/thing.txt", True),
        ("src/**", "", "src/a/b.py", True),
        ("src/**", "", "lib/src/a.py", False),
        ("src/", "", "src/a/b.py", True),
        ("./src/", "", "src/a/b.py", True),
        ("*.py", "", "a/b/c.py", True),
        ("/*.py", "", "a/c.py", False),
        ("/*.py", "", "c.py", True),
        ("package.json", "", "web/package.json", True),
        ("src/**", "src/gen/, *_test.py", "src/gen/x.py", False),
        ("src/**", "src/gen/, *_test.py", "src/a_test.py", False),
        ("src/**", "src/gen/, *_test.py", "src/a.py", True),
        ("[src/**, lib/**]", "", "lib/a.py", True),
    ],
)
def test_a_rule_applies_to_the_paths_of_its_globs(
    within: str, outside: str, path: str, applies: bool
) -> None:
    lines = [f"in: {within}"] * bool(within) + [f"except: {outside}"] * bool(outside)
    assert rule("forbid regex: x", *lines).path_filter()(path) is applies


@pytest.mark.parametrize(
    ("kind", "name", "text", "matches"),
    [
        ("import", "requests", "requests", True),
        ("import", "requests", "requests.adapters", True),
        ("import", "requests", "requests_mock", False),
        ("import", "a/b", "a/b/c", True),
        ("import", "a::b", "a::b::c", True),
        ("import", "src/db", "src/db.js", True),
        ("import", "@aws-sdk/*", "@aws-sdk/client-s3", True),
        ("import", "a.b", "axb", False),
        ("import", "requests", "x.requests", False),
        ("dependency", "Foo_Bar.baz", "foo-bar-baz", True),
        ("dependency", "github.com/a/b", "github.com/a/b/v2", True),
        ("dependency", "moment", "moment-timezone", False),
        ("dependency", "moment*", "moment-timezone", True),
        ("dependency", "org.hibernate:*", "org.hibernate:core", True),
        ("dependency", "été", "été", True),
    ],
)
def test_a_name_matches_modules_or_packages(kind: str, name: str, text: str, matches: bool) -> None:
    (pattern,) = rule(f"forbid {kind}: {name}").patterns()
    assert (pattern.find(text.encode()) is not None) is matches


def test_the_substance_excludes_message_and_line() -> None:
    first = rule("forbid regex: a", "message: x")
    other = rule("# later", "forbid regex: a", "message: y")
    assert first != other
    assert first.substance == other.substance
    assert first.substance != rule("forbid regex: a", "severity: MAY").substance


WORDS = st.sampled_from(
    ["forbid regex:", "require import:", "in:", "except:", "message:", "severity:", "- ", " ", "#"]
)
TEXTS = st.lists(WORDS | st.text("ab*{}[],\\(:'\"` \n\r-", max_size=6), max_size=12).map("".join)


@given(TEXTS)
def test_every_block_is_a_rule_or_an_error(text: str) -> None:
    rules, errors = read_rules(f"```sdd-rule\n{text}\n```\n")
    assert len(rules) + len(errors) >= 1
    for block_rule in rules:
        assert block_rule.names
        assert len(block_rule.patterns()) == len(block_rule.names)
        assert block_rule.path_filter()("a/b") in (True, False)
    for error in errors:
        assert error.line >= 1
        assert error.message


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_rules(f"sdd-rule {text}")
    read_rules(f"```sdd-rule\n{text}")


NAMES = st.lists(st.from_regex(r"[a-z][a-z0-9_./-]{0,12}", fullmatch=True), min_size=1, max_size=5)


@given(NAMES, NAMES, st.booleans())
def test_written_names_and_globs_are_read_back(
    names: list[str], globs: list[str], listed: bool
) -> None:
    lines = ["forbid dependency:", *(f"  - {name}" for name in names)]
    if not listed:
        lines = [f"forbid dependency: {', '.join(names)}"]
    read = rule(*lines, f"in: {', '.join(globs)}")
    assert (read.names, read.within) == (tuple(names), tuple(globs))

import contextlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.keys import (
    ValueParser,
    one_of,
    parse_flag,
    parse_fraction,
    parse_ref_part,
    parse_seconds,
    parse_text,
    parse_word,
    whole_number,
)

PARSERS = (
    parse_text,
    parse_word,
    parse_flag,
    whole_number(1, 100),
    parse_seconds,
    parse_fraction,
    one_of("int8", "float32"),
    parse_ref_part,
)


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_text, "Part of", "Part of"),
        (parse_word, "GitHub", "github"),
        (parse_flag, "Yes", True),
        (parse_flag, "enabled", True),
        (parse_flag, "OFF", False),
        (parse_flag, "true (the default)", True),
        (whole_number(1, 100), "50", 50),
        (whole_number(0, 1), "0", 0),
        (parse_seconds, "30m", 1800.0),
        (parse_seconds, "`120m` (2 hours)", 7200.0),
        (parse_fraction, "40%", 0.4),
        (parse_fraction, "40", 0.4),
        (parse_fraction, "0.4", 0.4),
        (parse_fraction, "1", 1.0),
        (parse_fraction, "1%", 0.01),
        (parse_fraction, "12.5 %", 0.125),
        (one_of("per-epic", "single"), "Per Epic", "per-epic"),
        (parse_ref_part, "feature", "feature"),
        (parse_ref_part, "users/ada/", "users/ada"),
    ],
)
def test_parse(parse: ValueParser, text: str, value: Any):
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "must"),
    [
        (parse_flag, "maybe", "true or false"),
        (whole_number(1, 100), "0", "a whole number from 1 to 100"),
        (whole_number(1, 100), "101", "a whole number from 1 to 100"),
        (whole_number(1, 100), "-1", "a whole number from 1 to 100"),
        (whole_number(1, 100), "٣", "a whole number from 1 to 100"),
        (whole_number(1, 100), "9" * 5000, "a whole number from 1 to 100"),
        (parse_seconds, "soon", "a duration such as 30m, 4h or 1h30m"),
        (parse_fraction, "101%", "a percentage such as 50%"),
        (parse_fraction, "half", "a percentage such as 50%"),
        (one_of("int8", "float32"), "int4", "int8 or float32"),
        (one_of("a", "b", "c"), "d", "a, b or c"),
        (parse_ref_part, "--upload-pack=x", "letters, digits"),
        (parse_ref_part, "a..b", "letters, digits"),
        (parse_ref_part, "a b", "letters, digits"),
        (parse_ref_part, "x.lock", "letters, digits"),
        (parse_ref_part, "a\n", "letters, digits"),
    ],
)
def test_parse_refuses(parse: ValueParser, text: str, must: str):
    with pytest.raises(ValueError, match=re.escape(must)):
        parse(text)


@given(st.text(max_size=40), st.sampled_from(PARSERS))
def test_any_text_parses_or_raises_value_error(text: str, parse: ValueParser):
    with contextlib.suppress(ValueError):
        parse(text)

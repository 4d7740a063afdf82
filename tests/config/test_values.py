import contextlib
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config import values

READERS = (
    values.text,
    values.word,
    values.flag,
    values.count(1, 100),
    values.duration,
    values.share,
    values.choice("int8", "float32"),
    values.words,
    values.ref_part,
)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (values.text, "Part of", "Part of"),
        (values.word, "GitHub", "github"),
        (values.flag, "Yes", True),
        (values.flag, "enabled", True),
        (values.flag, "OFF", False),
        (values.flag, "true (the default)", True),
        (values.count(1, 100), "50", 50),
        (values.count(0, 1), "0", 0),
        (values.duration, "30m", 1800.0),
        (values.duration, "`120m` (2 hours)", 7200.0),
        (values.share, "40%", 0.4),
        (values.share, "40", 0.4),
        (values.share, "0.4", 0.4),
        (values.share, "1", 1.0),
        (values.share, "1%", 0.01),
        (values.share, "12.5 %", 0.125),
        (values.choice("per-epic", "single"), "Per Epic", "per-epic"),
        (values.words, "Todo, `In Progress`,, Done", ("Todo", "In Progress", "Done")),
        (values.words, "", ()),
        (values.ref_part, "feature", "feature"),
        (values.ref_part, "users/ada/", "users/ada"),
    ],
)
def test_read(read: values.Reader, text: str, value: Any):
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "must"),
    [
        (values.flag, "maybe", "true or false"),
        (values.count(1, 100), "0", "a whole number from 1 to 100"),
        (values.count(1, 100), "101", "a whole number from 1 to 100"),
        (values.count(1, 100), "-1", "a whole number from 1 to 100"),
        (values.count(1, 100), "٣", "a whole number from 1 to 100"),
        (values.count(1, 100), "9" * 5000, "a whole number from 1 to 100"),
        (values.duration, "soon", "a duration such as 30m, 4h or 1h30m"),
        (values.share, "101%", "a percentage such as 50%"),
        (values.share, "half", "a percentage such as 50%"),
        (values.choice("int8", "float32"), "int4", "int8 or float32"),
        (values.choice("a", "b", "c"), "d", "a, b or c"),
        (values.ref_part, "--upload-pack=x", "letters, digits"),
        (values.ref_part, "a..b", "letters, digits"),
        (values.ref_part, "a b", "letters, digits"),
        (values.ref_part, "x.lock", "letters, digits"),
        (values.ref_part, "a\n", "letters, digits"),
    ],
)
def test_refuse(read: values.Reader, text: str, must: str):
    with pytest.raises(ValueError, match=re.escape(must)):
        read(text)


@given(st.text(max_size=40), st.sampled_from(READERS))
def test_anything_is_a_value_or_a_value_error(text: str, read: values.Reader):
    with contextlib.suppress(ValueError):
        read(text)

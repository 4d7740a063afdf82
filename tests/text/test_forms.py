from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.forms import decompose, equal_spellings, fold_forms


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain ß-less text", "plain ss-less text"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("ＰｏｓｔｇｒｅＳＱＬ　１６", "PostgreSQL 16"),
        ("conﬁguration, ﬂow, Straße, STRAẞE", "configuration, flow, Strasse, STRASSE"),
        ("Kafka™ x² ½ ㎏", "Kafka  x2 1⁄2 kg"),
        (normalize("NFD", "한글 プログラム Zürich"), "한글 プログラム Zürich"),
    ],
)
def test_the_characters_that_people_type(text: str, folded: str) -> None:
    assert fold_forms(text) == folded


@given(st.text(max_size=60))
def test_canonically_equal_texts_are_equal(text: str) -> None:
    folded = fold_forms(text)
    assert fold_forms(folded) == folded
    assert fold_forms(decompose(text)) == fold_forms(normalize("NFC", text)) == folded
    assert {fold_forms(path) for path in equal_spellings(text)} == {folded}

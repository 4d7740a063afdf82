from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.decoding import decode, decode_unicode, is_text, split_mark


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain\r\ntext\r", "plain\r\ntext\r"),
        ("Grüße, 日本".encode(), "Grüße, 日本"),
        ("Grüße".encode("utf-8-sig"), "Grüße"),
        (b"\xff\xfe" + "Grüße\r\n".encode("utf-16-le"), "Grüße\r\n"),
        (b"\xfe\xff" + "Grüße".encode("utf-16-be"), "Grüße"),
        (b"\xff\xfe\x00\x00" + "Grüße".encode("utf-32-le"), "Grüße"),
        (b"\x00\x00\xfe\xff" + "Grüße".encode("utf-32-be"), "Grüße"),
        ("Grüße – “so”".encode("cp1252"), "Grüße – “so”"),
        (b"undefined \x81 in Windows-1252", "undefined \x81 in Windows-1252"),
        (b"\xff\xfeo\x00d", "o\ufffd"),
        (b"nul \x00 stays", "nul \x00 stays"),
    ],
)
def test_decode(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text",
    [
        "# Grüße\n\nUse it.\n",
        "# 決定\n\n我々は word を使用する。\n",
        "Статус: принято\n\nРешение\n",
    ],
)
def test_zero_bytes_tell_wide_encodings_without_a_mark(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text
    assert is_text(text.encode(codec))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", True),
        ("Grüße".encode("latin-1"), True),
        (b"A paragraph with a zero \0 byte in it.\n", True),
        ("数据库的决定是使用这个\0数据库。".encode(), True),
        (b"a\0b", False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", False),
        (b"\x1f\x8b\x08\0\1\2\3" * 2000, False),
    ],
)
def test_text_is_what_people_can_have_written(data: bytes, expected: bool) -> None:
    assert is_text(data) is expected


@given(st.binary())
def test_decode_never_raises(data: bytes) -> None:
    assert isinstance(decode(data), str)
    assert is_text(data) in (True, False)


@given(st.text().filter(lambda text: not text.startswith("\ufeff")))
def test_utf8_round_trips(text: str) -> None:
    assert decode(text.encode()) == text
    assert decode(text.encode("utf-8-sig")) == text


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_decode_unicode(codec: str) -> None:
    assert decode_unicode("Größe".encode(codec)) == "Größe"


def test_decode_unicode_never_raises() -> None:
    assert decode_unicode(b"\xff\xfe\x00") == "\ufffd"
    assert decode_unicode("Größe".encode("latin-1")) == "Gr\ufffd\ufffde"


def test_the_mark_of_utf_8_is_split_off():
    assert split_mark(b"\xef\xbb\xbfa") == (b"\xef\xbb\xbf", b"a")
    assert split_mark(b"a\xef\xbb\xbf") == (b"", b"a\xef\xbb\xbf")
    assert split_mark(b"") == (b"", b"")

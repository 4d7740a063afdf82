from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.decoding import decode, decode_unicode, split_mark


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


@given(st.binary())
def test_decode_never_raises(data: bytes) -> None:
    assert isinstance(decode(data), str)


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

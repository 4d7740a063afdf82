"""Decode the bytes of a file that a user or another program wrote."""

# Governing: SPEC-0002 REQ "Any encoding"

from __future__ import annotations

_BYTE_ORDER_MARKS = (
    # UTF-32 first: its little-endian mark begins with the one of UTF-16.
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

_UTF8_MARK = b"\xef\xbb\xbf"


def decode(data: bytes) -> str:
    """Decode `data` in its most likely encoding, without a byte order mark. Never raises.

    A byte order mark selects UTF-16 or UTF-32. Without one the encodings are tried in this order:
    UTF-8, Windows-1252, and Latin-1 for the five bytes that Windows-1252 leaves undefined. Line
    endings stay.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    if data.startswith(_UTF8_MARK):
        data = data[len(_UTF8_MARK) :]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def split_mark(data: bytes) -> tuple[bytes, bytes]:
    """The byte order mark of UTF-8 that `data` begins with, empty for none, and the rest."""
    mark = _UTF8_MARK if data.startswith(_UTF8_MARK) else b""
    return mark, data[len(mark) :]


def decode_unicode(data: bytes) -> str:
    """Decode `data` as UTF-8, or as UTF-16 after its byte order mark. Never raises.

    Configuration is Unicode: a byte that is not becomes U+FFFD and is visible in a message, where
    `decode` would guess a legacy encoding.
    """
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")

"""Bytes of a file somebody wrote, as text."""

# Governing: SPEC-0002 REQ "Any encoding"

from __future__ import annotations

_BYTE_ORDER_MARKS = (
    # UTF-32 first: its little-endian mark begins with UTF-16's.
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

_UTF8_MARK = b"\xef\xbb\xbf"


def decode(data: bytes) -> str:
    """The text of `data`, without its byte-order mark and with its line ends as they are.

    UTF-16 and UTF-32 are known by their mark; UTF-8 is tried next; what is not UTF-8 is read as
    Windows-1252, and the five bytes which that leaves undefined as Latin-1. Never raises.
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

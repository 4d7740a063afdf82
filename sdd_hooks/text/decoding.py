"""Decode the bytes of a file that a user or another program wrote."""

# Governing: SPEC-0002 REQ "Any encoding"

from __future__ import annotations

from sdd_hooks.text.lazy_regex import lazy_regex

_BYTE_ORDER_MARKS = (
    # UTF-32 first: its little-endian mark begins with the one of UTF-16.
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

_UTF8_MARK = b"\xef\xbb\xbf"

_SAMPLE = 8000
"""Bytes that tell text from other data."""

_WIDE = (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))
_CONTROL = lazy_regex("[\\0-\\x08\\x0e-\\x19\\x1c-\\x1f\\x7f]")
_PLAIN = lazy_regex("[\\n -~]")


def decode(data: bytes) -> str:
    """Decode `data` in its most likely encoding, without a byte order mark. Never raises.

    A byte order mark selects UTF-16 or UTF-32, and so do zero bytes where these have them. Else the
    encodings are tried in this order: UTF-8, Windows-1252, and Latin-1 for the five bytes that
    Windows-1252 leaves undefined. Line endings stay.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    if data.startswith(_UTF8_MARK):
        data = data[len(_UTF8_MARK) :]
    elif b"\0" in data and len(data) > 7 and (wide := _find_wide(data[:_SAMPLE])):
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _find_wide(sample: bytes) -> str:
    """Return the encoding of UTF-16 or UTF-32 that gives most line feeds and ASCII; "" for none."""
    narrow = sample.replace(b"\0", b"").decode("utf-8", "ignore").encode()
    # A text of UTF-8 with a zero byte is ideographs in UTF-16, without any line feeds and spaces.
    is_narrow = len(sample) - len(narrow) < len(sample) / 4 and not _CONTROL.search(narrow.decode())
    found, share = "", 0.4 if is_narrow else 0.02
    for encoding, width in _WIDE:
        text = sample[: len(sample) // width * width].decode(encoding, "replace")
        plain = len(_PLAIN.findall(text)) / max(len(text), 1)
        if plain > share and text.count("\ufffd") < 2 and not _CONTROL.search(text):
            found, share = encoding, plain
    return found


def is_text(data: bytes) -> bool:
    """Whether people can have written `data`: a zero byte alone makes no text binary."""
    sample = data[:_SAMPLE]
    if b"\0" not in sample:
        return True
    return len(_CONTROL.findall(decode(sample))) * 20 < len(sample)


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

"""Text that counts the characters that its operations read or copy.

The operations of `str` run at the speed of memory: work that is quadratic only in them hides behind
slower linear work, up to sizes that a test cannot use. Their counts are the same on every machine.
Patterns read metered text without counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex, overload


class Meter:
    """How many characters were read or copied."""

    def __init__(self) -> None:
        self.characters = 0


class MeteredText(str):
    """A `str` whose operations add to `meter`. Texts that they return are metered, too."""

    meter: Meter

    def __new__(cls, text: str, meter: Meter) -> MeteredText:
        metered = super().__new__(cls, text)
        metered.meter = meter
        return metered

    @overload
    def __getitem__(self, key: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> str: ...
    def __getitem__(self, key: SupportsIndex | slice) -> str:
        found = super().__getitem__(key)
        self.meter.characters += len(found)
        return MeteredText(found, self.meter) if isinstance(key, slice) else found

    def __contains__(self, part: object) -> bool:
        return isinstance(part, str) and self.find(part) >= 0

    def __iter__(self) -> Iterator[str]:
        for character in super().__iter__():
            self.meter.characters += 1
            yield character

    def __add__(self, other: str) -> str:
        found: str = self._counted(super().__add__(other))
        return found

    def __radd__(self, other: str) -> str:
        found: str = self._counted(str.__add__(other, self))
        return found

    def find(self, part: str, *bounds: Any) -> int:
        return self._forwards(super().find(part, *bounds), *bounds)

    def index(self, part: str, *bounds: Any) -> int:
        return self._forwards(super().index(part, *bounds), *bounds)

    def rfind(self, part: str, *bounds: Any) -> int:
        return self._backwards(super().rfind(part, *bounds), *bounds)

    def rindex(self, part: str, *bounds: Any) -> int:
        return self._backwards(super().rindex(part, *bounds), *bounds)

    def count(self, part: str, *bounds: Any) -> int:
        self._forwards(-1, *bounds)
        return super().count(part, *bounds)

    def _forwards(self, found: int, *bounds: Any) -> int:
        start, end, _ = slice(*bounds, *(None,) * (2 - len(bounds))).indices(len(self))
        self.meter.characters += max((found if found >= 0 else end) - start, 0)
        return found

    def _backwards(self, found: int, *bounds: Any) -> int:
        start, end, _ = slice(*bounds, *(None,) * (2 - len(bounds))).indices(len(self))
        self.meter.characters += max(end - (found if found >= 0 else start), 0)
        return found

    def _counted(self, result: Any) -> Any:
        """Count the characters of a result, and meter the texts in it."""
        if isinstance(result, str):
            self.meter.characters += len(result)
            return MeteredText(result, self.meter)
        if isinstance(result, (list, tuple)):
            self.meter.characters += len(self)
            return type(result)([MeteredText(part, self.meter) for part in result])
        self.meter.characters += len(self)
        return result


class MeteredBytes(bytes):
    """`bytes` that are decoded to a metered text."""

    meter: Meter

    def __new__(cls, data: bytes, meter: Meter) -> MeteredBytes:
        metered = super().__new__(cls, data)
        metered.meter = meter
        return metered

    def decode(self, *args: Any, **options: Any) -> str:
        return MeteredText(super().decode(*args, **options), self.meter)


def meter_texts(value: Any, meter: Meter) -> Any:
    """The same value with metered texts, if it is a text, bytes, or a list or tuple of them."""
    if isinstance(value, str):
        return MeteredText(value, meter)
    if isinstance(value, bytes):
        return MeteredBytes(value, meter)
    kind = type(value)
    return kind(meter_texts(part, meter) for part in value) if kind in (list, tuple) else value


def _metered(name: str) -> Callable[..., Any]:
    operation = getattr(str, name)

    def run(self: MeteredText, *args: Any, **options: Any) -> Any:
        return self._counted(operation(self, *args, **options))

    return run


for _name in (
    *("casefold", "lower", "upper", "title", "swapcase", "capitalize", "translate", "replace"),
    *("strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "expandtabs", "zfill"),
    *("center", "ljust", "rjust", "split", "rsplit", "splitlines", "partition", "rpartition"),
    *("join", "format", "encode", "__mod__", "__mul__", "__rmul__"),
):
    setattr(MeteredText, _name, _metered(_name))

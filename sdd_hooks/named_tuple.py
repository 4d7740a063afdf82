"""`typing.NamedTuple` at half of its cost.

`typing` compiles the annotation of each field to check it, which takes about as long as the rest of
the definition. A command defines a hundred of these classes, so that it would be a tenth of a
search. Modules that every command or hook imports define their tuples with this one; type checkers
check them as those of `typing`.
"""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Definition(type):
        """Makes a named tuple out of the body of a class."""

        def __new__(cls, name, _bases, body):
            types = body.get("__annotations__", {})
            defaults = [body[field] for field in types if field in body]
            made = namedtuple(name, types, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in types and key != "__module__":
                    setattr(made, key, value)
            return made

    class NamedTuple:
        """The base of a named tuple, as in `typing`."""

        @staticmethod
        def __mro_entries__(_bases):
            return (_BASE,)

    _BASE = type.__new__(_Definition, "NamedTuple", (), {})
    NamedTuple = NamedTuple()

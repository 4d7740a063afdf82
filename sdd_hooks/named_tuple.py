"""`typing.NamedTuple` at a fifth of its cost.

`typing` compiles the annotation of each field to check it, and `collections` compiles a constructor
for each class. A command defines a hundred of these classes, which would be a sixth of a hook.
Modules that every command or hook imports define their tuples with this one; type checkers check
them as those of `typing`.
"""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple
    from types import FunctionType

    _new_tuple = tuple.__new__
    # What reads the first field, the second one, … of any tuple.
    _READERS = [
        value
        for name, value in vars(namedtuple("Most", [f"field{at}" for at in range(40)])).items()
        if name.startswith("field")
    ]
    _constructors = {}

    class _Record(tuple):
        """The methods of all named tuples."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = _new_tuple(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **fields):
            made = self._make(map(fields.pop, self._fields, self))
            if fields:
                raise TypeError(f"Got unexpected field names: {list(fields)!r}")
            return made

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{name}={one!r}' for name, one in fields)})"

        def __getnewargs__(self):
            return tuple(self)

    class _Definition(type):
        """Makes a named tuple out of the body of a class."""

        def __new__(cls, name, _bases, body):
            fields = _fields(body)
            defaults = {field: body[field] for field in fields if field in body}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError(f"a field of {name} without a default follows one that has it")
            members = {
                **body,
                **dict(zip(fields, _READERS)),  # noqa: B905
                "__new__": _constructor(name, fields, tuple(defaults.values())),
                "__slots__": (),
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
            }
            return type(name, (_Record,), members)

    def _fields(body):
        """The names of the fields. On Python 3.14, a function has them unless they are texts."""
        if "__annotate_func__" in body:
            # 1 is Format.VALUE of annotationlib, a module that is slow to import.
            return tuple(body["__annotate_func__"](1))
        return tuple(body.get("__annotations__", ()))

    def _constructor(name, fields, defaults):
        """The `__new__` for these fields: code that is compiled once for each number of them."""
        code = _constructors.get(len(fields))
        if code is None:
            values = "".join(f"value{at}, " for at in range(len(fields)))
            source = f"lambda _cls, {values}: _new_tuple(_cls, ({values}))"
            code = _constructors[len(fields)] = eval(source).__code__  # noqa: S307
        code = code.replace(co_varnames=("_cls", *fields))
        made = FunctionType(code, globals(), "__new__", defaults)
        made.__qualname__ = f"{name}.__new__"
        return made

    class NamedTuple:
        """The base of a named tuple, as in `typing`."""

        @staticmethod
        def __mro_entries__(_bases):
            return (_BASE,)

    _BASE = type.__new__(_Definition, "NamedTuple", (), {})
    NamedTuple = NamedTuple()

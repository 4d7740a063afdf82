"""The cheap named tuples behave like those of `typing`."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from sdd_hooks.named_tuple import NamedTuple


class Cheap(NamedTuple):
    """A hit."""

    path: str
    score: float = 0.5

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.path}: {self.score}"


class Usual(typing.NamedTuple):
    """A hit."""

    path: str
    score: float = 0.5

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.path}: {self.score}"


def test_it_is_a_tuple_with_fields() -> None:
    cheap, usual = Cheap("a/b"), Usual("a/b")
    assert cheap == usual == ("a/b", 0.5)
    assert (cheap.path, cheap.name, str(cheap)) == ("a/b", "b", "a/b: 0.5")
    assert repr(cheap) == "Cheap(path='a/b', score=0.5)"
    assert cheap._replace(score=1.0) == Cheap("a/b", score=1.0)
    assert cheap._asdict() == {"path": "a/b", "score": 0.5}
    assert hash(cheap) == hash(usual)


@pytest.mark.parametrize(
    "attribute",
    ["_fields", "_field_defaults", "__doc__", "__module__", "__slots__", "__match_args__"],
)
def test_it_says_the_same_about_itself(attribute: str) -> None:
    assert getattr(Cheap, attribute) == getattr(Usual, attribute)
    assert Cheap.__qualname__ == Cheap.__name__ == "Cheap"
    assert typing.get_type_hints(Cheap) == typing.get_type_hints(Usual)


def test_it_can_be_copied_and_pickled() -> None:
    one = Cheap("a", 1.0)
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_its_fields_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        Cheap("a").path = "b"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Cheap()  # type: ignore[call-arg]


def test_its_fields_are_named_in_errors() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'path'"):
        Cheap()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"Cheap.__new__\(\) got an unexpected .* 'other'"):
        Cheap("a", other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"unexpected field names: .'other'"):
        Cheap("a")._replace(other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 2 arguments, got 1"):
        Cheap._make(["a"])


def test_a_field_with_a_default_precedes_none_without() -> None:
    with pytest.raises(TypeError, match="without a default"):

        class Wrong(NamedTuple):
            path: str = ""
            score: float  # type: ignore[misc]


def test_annotations_that_are_not_texts_are_fields() -> None:
    """A module without `from __future__ import annotations`, which Python 3.14 reads otherwise."""
    source = (
        "from sdd_hooks.named_tuple import NamedTuple\n"
        "class Hit(NamedTuple):\n"
        "    path: str\n"
        "    score: float = 0.5\n"
        "class Empty(NamedTuple):\n"
        "    pass\n"
    )
    found: dict[str, Any] = {"__name__": "hits"}
    exec(compile(source, "hits.py", "exec", dont_inherit=True), found)
    assert found["Hit"]("a/b") == ("a/b", 0.5)
    assert found["Hit"]._fields == ("path", "score")
    assert found["Hit"].__annotations__ == {"path": str, "score": float}
    assert found["Empty"]() == ()

"""The file name of an id: the id if that is safe, else an escaped form that can be parsed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.files import escaped_name, is_safe, parse_id, plain_name

IDS = st.one_of(
    st.text(min_size=1, max_size=30), st.text("aA%./\\ -_:é\0\n~con", min_size=1, max_size=12)
)


@pytest.mark.parametrize(
    "id", ["142", "PROJ-123", "bd-a1b2.1", "tasks-auth-3", "TEAM_2-9", "0", "c"]
)
def test_a_safe_id_is_its_file_name(id: str) -> None:
    assert is_safe(id)
    assert plain_name(id) == f"{id}.md"
    assert parse_id(f"{id}.md") == id


@pytest.mark.parametrize(
    "id",
    [
        *(
            "",
            ".",
            "..",
            ".lock",
            "a/b",
            "../x",
            "/etc",
            "a\\b",
            "a b",
            "a\nb",
            "a\0b",
            "é",
            "_meta",
        ),
        *("con", "NUL", "com1", "LPT9.x", "aux.md", "-x", "%41", "a:b", "/" * 300, "~", "\ud800"),
    ],
)
def test_other_ids_have_an_escaped_name(id: str) -> None:
    assert not is_safe(id)
    name = escaped_name(id)
    if 0 < len(id) < 80:
        assert name is not None
        assert parse_id(name) == id
    else:
        assert name is None


@given(IDS)
def test_an_escaped_name_is_safe_and_can_be_parsed(id: str) -> None:
    name = escaped_name(id)
    if name is None:
        assert len(id.encode("utf-8", "surrogatepass")) > 70
        return
    assert name.isascii()
    assert name.isprintable()
    assert name == name.lower()
    assert not set(name) & set('/\\:*?"<>| ')
    assert name.startswith("%")
    assert len(name) < 250
    assert parse_id(name) == id


@given(IDS, IDS)
def test_two_ids_have_different_names(a: str, b: str) -> None:
    names = [
        {
            name.lower()
            for name in (escaped_name(id), plain_name(id) if is_safe(id) else None)
            if name
        }
        for id in (a, b)
    ]
    if a != b:
        # Plain names may differ in case alone: then one of the two is escaped.
        assert escaped_name(a) is None or escaped_name(a) not in names[1]
        assert a.lower() == b.lower() or not names[0] & names[1]


@given(st.text())
def test_any_name_has_its_id_or_none(name: str) -> None:
    id = parse_id(f"{name}.md")
    assert id is None or f"{name}.md" in {plain_name(id), escaped_name(id)}
    assert parse_id(name.removesuffix(".md")) is None or name.endswith(".md.md")


@pytest.mark.parametrize(
    "name", ["_meta.json", ".lock", "%%zz.md", "%41.MD", "%%61.md", "%%2F.md", "%.md", ".md"]
)
def test_names_without_an_id(name: str) -> None:
    assert parse_id(name) is None

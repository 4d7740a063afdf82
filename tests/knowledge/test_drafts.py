"""Drafts are completed from what is known, and hostile ones are refused with a reason."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.drafts import (
    Surroundings,
    derive_tags,
    make_id,
    make_trigger,
    parse_draft,
    parse_drafts,
    words_of,
)
from sdd_hooks.knowledge.entries import EntryRefused, check_id, entry_text

ADVICE = "Avoid using FLOAT for currency, use DECIMAL instead"
AROUND = Surroundings("design", "user-auth", ("user-auth",))


def test_what_is_left_out_is_derived():
    draft = parse_draft(None, {"advice": ADVICE}, AROUND)
    assert draft.entry.id == "float-currency-decimal"
    assert draft.entry.tags == ("float", "currency", "decimal")
    assert draft.entry.trigger == "designing-float"
    assert (draft.has_id, draft.has_tags, draft.feature) == (False, False, "user-auth")


def test_what_is_stated_is_kept():
    fields = {
        "id": "x",
        "tags": ["A b"],
        "trigger": "Guard-check-code",
        "advice": "y",
        "context": "z",
    }
    draft = parse_draft("lesson", {**fields, "type": "Lesson", "action": "skip"}, AROUND)
    assert draft.entry == ("x", ("a-b",), "guard-check-code", "z", "y", ())
    assert (draft.answer, draft.has_id, draft.has_tags) == ("SKIP", True, True)


@pytest.mark.parametrize(
    ("stage", "trigger"),
    [
        ("design", "designing-auth"),
        ("designing", "designing-auth"),
        ("planning", "planning-auth"),
        ("Implementation", "implementing-auth"),
        ("guard-check", "guard-check-auth"),
        ("review", "guard-check-auth"),
        ("", "implementing-auth"),
    ],
)
def test_the_trigger_is_the_phase_and_the_domain(stage, trigger):
    assert make_trigger(Surroundings(stage), ["auth", "jwt"]) == trigger


def test_ids_are_unique_where_branches_add_entries_apart():
    plain = make_id("lesson", ADVICE, unique=False)
    one, other = (make_id("lesson", f"{ADVICE} {x}", unique=True) for x in "ab")
    assert one != other
    assert one.startswith(plain)
    assert make_id("lesson", "日本語", unique=False).startswith("lesson-")


def test_drafts_come_as_one_a_list_or_lists():
    lesson, pattern = {"advice": "a b"}, {"name": "c d"}
    for value, count in (
        (lesson, 1),
        ([lesson, pattern], 2),
        ({"drafts": [pattern]}, 1),
        ({"patterns": [pattern], "lessons": [lesson]}, 2),
        ([], 0),
    ):
        assert len(parse_drafts(json.dumps(value).encode(), AROUND)) == count


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "no JSON"),
        ("3", "no JSON object or list"),
        ('{"drafts": {}}', "is no list"),
        ("[3]", "draft 1 is no JSON object"),
        ('[{"advice": "x"}, {"tags": []}]', "draft 2 is neither"),
        ('{"advice": "x", "colour": "red"}', "the unknown field 'colour'"),
        ('{"advice": "x", "level": "vast"}', "the level 'vast'"),
        ('{"advice": "x", "action": 1}', "the action 1"),
        ('{"advice": "x", "type": "pattern"}', "the unknown field 'advice'"),
        ('{"advice": "x", "type": "rule"}', "it is pattern or lesson"),
        ('{"advice": "x", "id": "../x"}', "is no id"),
        ('{"advice": ""}', "advice is empty"),
        ('{"advice": "x", "feature": 1}', "feature is no text"),
        (json.dumps([{"advice": "x"}] * 1001), "1001 drafts"),
    ],
)
def test_other_input_is_refused(text, reason):
    with pytest.raises(EntryRefused, match=reason):
        parse_drafts(text.encode(), AROUND)


@given(st.binary(max_size=200))
def test_bytes_are_drafts_or_refused(data):
    try:
        drafts = parse_drafts(b'{"advice": "' + data, AROUND)
    except EntryRefused as error:
        assert str(error)
    else:
        assert all(json.loads(entry_text(draft.entry)) for draft in drafts)


@given(st.text(st.characters(), min_size=1, max_size=80))
def test_any_text_has_an_id_and_tags(text):
    assert check_id(make_id("lesson", text, unique=False))
    assert check_id(make_id("pattern", text, unique=True))
    assert len(derive_tags(text)) <= 4
    assert all(words_of(text))


def test_words_of_paths_are_tags():
    assert words_of("src/auth/user-login.go") == (
        "src",
        "auth",
        "user-login.go",
        "user",
        "login",
        "go",
    )

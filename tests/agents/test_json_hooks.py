"""Hooks in a JSON file of settings: added, kept, and removed with all else byte for byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.agents.json_hooks import MAX_DEPTH, add_hooks, find_spans, remove_hooks, value_of
from sdd_hooks.agents.programs import PROGRAMS

WANTED = {name: one.hooks(False) for name, one in PROGRAMS.items() if one.hooks}
CLAUDE = WANTED["claude"]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
USERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["true", "echo sdd agent", "x"])}
)
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(USERS, max_size=2)}, optional={"matcher": st.sampled_from(["Edit", ".*"])}
)
HOOKS = st.dictionaries(
    st.sampled_from([*CLAUDE, "Stop"]), st.lists(GROUPS, max_size=2), max_size=4
)
SETTINGS = st.builds(
    lambda others, hooks: {**others, **({} if hooks is None else {"hooks": hooks})},
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), VALUES, max_size=3),
    st.none() | HOOKS,
)

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A file of settings, formatted like any tool or person does."""
    settings = draw(SETTINGS)
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    text = json.dumps(settings, indent=indent, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\n", "  \n\n"])) + text + draw(st.sampled_from(["", "\n"]))
    if draw(st.booleans()) and settings == {}:
        text = text.replace("{}", "{ \n }")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents(), st.sampled_from(sorted(WANTED)))
def test_what_is_added_is_removed_whole(text, program):
    wanted = WANTED[program]
    before = json.loads(text)
    added = add_hooks(text, wanted, PROGRAMS[program].version)
    after = json.loads(added)
    for event, entries in wanted.items():
        listed = before.get("hooks", {}).get(event, [])
        assert after["hooks"][event] == [*listed, *entries]
    others = {key: value for key, value in after.items() if key != "hooks"}
    assert others == {key: value for key, value in before.items() if key != "hooks"}
    assert add_hooks(added, wanted, PROGRAMS[program].version) == added
    assert remove_hooks(added) == text


@pytest.mark.parametrize("program", sorted(WANTED))
def test_a_file_that_was_created_is_deleted(program):
    version = PROGRAMS[program].version
    created = add_hooks(None, WANTED[program], version)
    assert json.loads(created)["hooks"] == WANTED[program]
    assert json.loads(created).get("version") == version
    assert remove_hooks(created) is None


def test_a_file_with_only_a_version_stays():
    text = '{\n  "version": 1\n}\n'
    assert remove_hooks(add_hooks(text, WANTED["cursor"], 1)) == text


def test_entries_of_an_older_release_are_replaced():
    old = add_hooks(None, {"PreToolUse": [{"hooks": [{"command": "sdd agent hook claude old"}]}]})
    assert add_hooks(old, CLAUDE) == add_hooks(None, CLAUDE)
    kept = old.replace('{\n  "hooks"', '{\n  "a": 1,\n  "hooks"')
    assert json.loads(add_hooks(kept, CLAUDE)) == {"a": 1, "hooks": CLAUDE}


def test_a_hook_of_the_user_beside_one_of_sdd_stays():
    added = json.loads(add_hooks(None, CLAUDE))
    own = {"type": "command", "command": "make lint"}
    added["hooks"]["PreToolUse"][0]["hooks"].append(own)
    text = json.dumps(added, indent=2)
    kept = json.loads(remove_hooks(text))
    assert kept == {
        "hooks": {"PreToolUse": [{"matcher": "Edit|MultiEdit|Write|NotebookEdit", "hooks": [own]}]}
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "// a\n{}",
        "{'a': 1}",
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": {}}}',
        "[]",
        "[" * 500,
    ],
)
def test_a_file_of_another_form_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        add_hooks(text, CLAUDE)


def rebuilt(text, span):
    """The value of a span, from the values of its parts."""
    if span.kind == "array":
        return [rebuilt(text, one) for one in span.items]
    if span.kind == "object":
        return {one.key: rebuilt(text, one) for one in span.items}
    return value_of(text, span)


@given(DOCUMENTS, st.sampled_from([None, 0, 2, "\t"]), st.sampled_from(["", " \r\n"]))
def test_the_spans_are_those_of_the_values(value, indent, space):
    text = space + json.dumps(value, indent=indent) + space
    span = find_spans(text)
    assert text[span.start : span.end] == text.strip(" \r\n\t") or space == ""
    assert rebuilt(text, span) == value


def test_the_last_of_two_members_with_a_key_counts():
    text = '{"a": 1, "\\u0061": [2]}'
    found = find_spans(text).member("a")
    assert value_of(text, found) == [2]
    assert find_spans(text).member("b") is None


@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"a" 1}', "[" * 200 + "]" * 200, "[" * 100_000])
def test_what_is_no_json_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        find_spans(text)


def test_the_deepest_document_is_read():
    assert find_spans("[" * MAX_DEPTH + "]" * MAX_DEPTH)

"""The input of hooks, of any form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.agents.handover import quotable
from sdd_hooks.agents.messages import (
    EDIT_TOOLS,
    EVENTS,
    MAX_PATHS,
    MAX_WRITTEN,
    READ_TOOLS,
    parse_event,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        *("session_id", "sessionId", "cwd", "tool_name", "toolName", "tool", "tool_input"),
        *("toolArgs", "args", "prompt", "source", "workspace_roots", "file_path", "path"),
    ]
)
TOOLS = st.sampled_from(sorted(EDIT_TOOLS | READ_TOOLS | {"Bash"}))


@given(
    st.sampled_from(EVENTS),
    st.dictionaries(FIELDS, JSON | TOOLS | st.dictionaries(FIELDS, JSON), max_size=8),
)
def test_fields_of_any_type_are_no_error(event, payload):
    told = parse_event(event, json.dumps(payload).encode())
    assert told is not None
    texts = (told.session, told.directory, told.prompt, *told.paths)
    assert all(isinstance(text, str) for text in texts)
    assert len(told.paths) <= MAX_PATHS


@given(st.binary(max_size=40))
def test_bytes_of_any_kind_are_no_error(data):
    parse_event("before", data)


@pytest.mark.parametrize(
    ("patch", "paths"),
    [
        ("*** Begin Patch\n*** Add File: a b.py\n+x\n*** End Patch", ("a b.py",)),
        ("*** Update File: a.py\n*** Move to: c/b.py\n@@\n", ("a.py", "c/b.py")),
        ("*** Delete File: a.py\n*** Delete File: a.py\n", ("a.py",)),
        ("+*** Update File: a.py\n", ()),
        ("*** Update File: \n", ()),
    ],
)
@pytest.mark.parametrize("field", ["command", "patchText", "input"])
def test_the_files_of_a_patch_are_found(patch, paths, field):
    payload = {"tool_name": "apply_patch", "tool_input": {field: patch}}
    assert parse_event("before", json.dumps(payload).encode()).paths == paths
    # GitHub's program passes the arguments as text.
    payload = {"toolName": "apply_patch", "toolArgs": json.dumps({field: patch})}
    assert parse_event("before", json.dumps(payload).encode()).paths == paths
    assert parse_event("before", json.dumps({**payload, "toolArgs": patch}).encode()).paths == paths


@pytest.mark.parametrize(
    ("tool", "given", "written"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y\nz"}, "y\nz"),
        ("Write", {"file_path": "a", "content": "w" * (MAX_WRITTEN + 1)}, "w" * MAX_WRITTEN),
        ("MultiEdit", {"edits": [{"new_string": "a"}, 3, {"new_string": "b"}]}, "a\nb"),
        ("apply_patch", {"input": "*** Update File: a\n-x\n+y\n+++ b/a\n+\n"}, "y\n"),
        ("str_replace_editor", {"command": "create", "file_text": "y"}, "y"),
        ("Edit", {"new_string": 3, "edits": "x"}, ""),
        ("Read", {"file_path": "a", "content": "y"}, ""),
    ],
)
def test_what_an_edit_writes(tool, given, written):
    data = json.dumps({"tool_name": tool, "tool_input": given}).encode()
    assert parse_event("before", data).written == written


@given(st.text(max_size=80), st.integers(1, 40))
def test_a_quotation_is_one_printable_line(text, limit):
    quoted = quotable(text, limit)
    assert len(quoted) <= limit
    assert quoted.isprintable()
    assert not {*'<>"“”'} & {*quoted}
    assert "```" not in quoted

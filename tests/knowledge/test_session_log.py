"""The session log keeps events until lessons are drawn from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import StorageError
from sdd_hooks.knowledge.drafts import Surroundings, parse_draft
from sdd_hooks.knowledge.session_log import (
    EVENT_KINDS,
    GAPS,
    EmptyEvent,
    SessionLog,
    append_events,
    clear_log,
    lesson_drafts,
    log_path,
    make_event,
    parse_events,
    read_log,
)

NOW = 1_700_000_000.0
DONE = make_event("task", "Task 1.2 is done", {}, NOW)
GAP = make_event(
    "correction",
    "Assumed password-only login,\nbut the project requires SSO",
    {"advice": "Support SSO", "tags": "auth, sso", "trigger": "designing-auth"},
    NOW,
)


def test_events_are_appended_as_markdown(tmp_path):
    append_events(tmp_path, (DONE,))
    append_events(tmp_path, (GAP,))
    assert log_path(tmp_path).read_text() == (
        "# Session log\n\n"
        "- 2023-11-14T22:13:20Z task: Task 1.2 is done\n"
        "- 2023-11-14T22:13:20Z correction: Assumed password-only login, but the project requires"
        " SSO\n"
        "  - advice: Support SSO\n"
        "  - tags: auth, sso\n"
        "  - trigger: designing-auth\n"
    )
    assert read_log(tmp_path).events == (DONE, GAP)


def test_only_gaps_become_drafts_of_lessons():
    events = tuple(make_event(kind, f"about {kind}", {}, NOW) for kind in EVENT_KINDS)
    drafts = lesson_drafts(SessionLog((*events, GAP)))
    assert [draft["context"] for draft in drafts[:-1]] == [f"about {kind}" for kind in GAPS]
    lesson = parse_draft(None, drafts[-1], Surroundings()).entry
    assert (lesson.advice, lesson.tags, lesson.trigger) == (
        "Support SSO",
        ("auth", "sso"),
        "designing-auth",
    )
    guard = parse_draft(None, drafts[2], Surroundings()).entry
    assert guard.trigger.startswith("guard-check")


def test_what_was_read_is_cleared_and_nothing_else(tmp_path):
    append_events(tmp_path, (DONE,))
    content = read_log(tmp_path).content
    append_events(tmp_path, (GAP,))
    clear_log(tmp_path, content)
    assert read_log(tmp_path).events == (GAP,)
    # Another process read the same events and finishes later.
    clear_log(tmp_path, content)
    assert read_log(tmp_path).events == (GAP,)
    clear_log(tmp_path, read_log(tmp_path).content)
    assert log_path(tmp_path).read_text() == ""
    append_events(tmp_path, (DONE,))
    assert log_path(tmp_path).read_text().startswith("# Session log\n\n- ")


def test_the_rest_of_a_line_that_a_killed_process_began_is_no_event(tmp_path):
    append_events(tmp_path, (DONE,))
    with log_path(tmp_path).open("a") as file:
        file.write("- 2023-11-14T22:13:20Z corr")
    append_events(tmp_path, (GAP,))
    assert read_log(tmp_path).events == (DONE, GAP)


def test_a_log_that_is_not_there_is_empty(tmp_path):
    assert read_log(tmp_path) == ((), b"")
    clear_log(tmp_path, b"x")
    assert not (tmp_path / ".sdd").exists()


def test_a_link_is_not_followed(tmp_path):
    log_path(tmp_path).parent.mkdir(parents=True)
    log_path(tmp_path).symlink_to(tmp_path / "outside")
    with pytest.raises(StorageError, match="symbolic link"):
        append_events(tmp_path, (DONE,))
    assert not (tmp_path / "outside").exists()


def test_an_event_needs_a_text():
    with pytest.raises(EmptyEvent, match="say what happened"):
        make_event("note", " \n", {}, NOW)


fields = st.dictionaries(st.sampled_from(["advice", "tags", "trigger"]), st.text(st.characters()))


@given(st.sampled_from(EVENT_KINDS), st.text(st.characters(), min_size=1), fields)
def test_every_event_is_read_as_it_was_logged(tmp_path_factory, kind, text, given):
    try:
        event = make_event(kind, text, given, NOW)
    except EmptyEvent:
        return
    root = tmp_path_factory.mktemp("log")
    append_events(root, (event, DONE))
    assert read_log(root).events == (event, DONE)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_a_log(text):
    for event in parse_events(text):
        assert event.kind in EVENT_KINDS

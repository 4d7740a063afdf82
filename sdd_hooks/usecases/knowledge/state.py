"""The state of the project and the session log: save, load, log, and draw lessons at the end."""

# Governing: SPEC-0028 REQ "State", REQ "Session log"

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.knowledge.drafts import Draft, Surroundings, parse_draft
from sdd_hooks.knowledge.session_log import (
    Event,
    SessionLog,
    append_events,
    clear_log,
    lesson_drafts,
    read_log,
)
from sdd_hooks.knowledge.state import (
    CONTEXT_FILE,
    EMPTY,
    LISTS,
    NothingSaved,
    check_fields,
    context_directory,
    read_state_of_project,
    render_summary,
    write_state_of_project,
)
from sdd_hooks.knowledge.store import read_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, writing
from sdd_hooks.usecases.knowledge.record import Recorded, RecordRequest, record


class ProjectState(NamedTuple):
    """The fields of the state, its page of Markdown, and warnings about it."""

    fields: Mapping[str, object]
    summary: str
    warnings: tuple[str, ...] = ()


def save_state(
    base: KnowledgeBase, given: Mapping[str, object], added: Mapping[str, object]
) -> ProjectState:
    """Save the state with the given fields in place of those that were saved.

    What is `added` to a list or an object leaves the rest of it. Where nothing is given, what is
    empty becomes what the repository shows. Raises StateRefused, StorageError and GitError.
    """
    given, added = check_fields(given), check_fields(added)
    shown: Mapping[str, object] = {}
    if not given and not added:
        from sdd_hooks.drift.discover.candidates import show_state

        shown = check_fields(show_state(base.repository))
    with writing(base):
        saved = read_state_of_project(base.own_root)
        before: Mapping[str, object] = saved.fields if saved else EMPTY
        fields = {**before, **given}
        for name, value in added.items():
            fields[name] = _combined(name, fields.get(name), value)
        for name, value in shown.items():
            fields[name] = _combined(name, value, fields[name] or value)
        if not fields["project_name"]:
            fields["project_name"] = base.repository.slug
        damage = saved.damage if saved else ""
        aside = write_state_of_project(base.own_root, fields, damaged=bool(damage))
    warnings = [f"{CONTEXT_FILE} {damage}: it was renamed to {aside}"] if damage else []
    return ProjectState(fields, render_summary(fields), (*warnings, *_unknown_ids(base, fields)))


def load_state(base: KnowledgeBase) -> ProjectState:
    """Load the state. Raises NothingSaved."""
    saved = read_state_of_project(base.own_root)
    if saved is None:
        raise NothingSaved("no state of the project was saved: run `sdd knowledge save`")
    if saved.damage:
        path = context_directory(base.own_root) / CONTEXT_FILE
        raise NothingSaved(f"{path} {saved.damage}: correct it, or run `sdd knowledge save`")
    return ProjectState(
        saved.fields, render_summary(saved.fields), _unknown_ids(base, saved.fields)
    )


def log_events(base: KnowledgeBase, events: Sequence[Event]) -> None:
    """Append events to the session log. Raises StorageError."""
    with writing(base):
        append_events(base.own_root, tuple(events))


def read_session(base: KnowledgeBase) -> SessionLog:
    """Read the session log. Raises StorageError."""
    return read_log(base.own_root)


def finish(base: KnowledgeBase, request: RecordRequest) -> Recorded:
    """Draw lessons from the session log, record them, and clear what was read of the log.

    The drafts of `request` come after those of the log. Nothing is cleared unless the actions were
    carried out. Raises what `record` raises.
    """
    log = read_log(base.own_root)

    def drafts(around: Surroundings) -> list[Draft]:
        drawn = [parse_draft("lesson", one, around) for one in lesson_drafts(log)]
        return [*drawn, *request.drafts(around)]

    done = record(base, request._replace(drafts=drafts))
    if done.written and log.content:
        with writing(base):
            clear_log(base.own_root, log.content)
    return done


def _combined(name: str, before: object, value: object) -> object:
    if name in LISTS and isinstance(before, list) and isinstance(value, list):
        return list(dict.fromkeys((*before, *value)))
    if isinstance(before, dict) and isinstance(value, dict):
        return {**before, **value}
    return value


def _unknown_ids(base: KnowledgeBase, fields: Mapping[str, object]) -> tuple[str, ...]:
    """Warnings about patterns and lessons of the state that the knowledge base does not have."""
    index = read_index(base.repository, base.place).known
    known = (("active_patterns", index.patterns), ("applied_lessons", index.lessons))
    warnings = []
    for name, entries in known:
        listed = fields.get(name)
        for one in listed if isinstance(listed, list) else ():
            if one not in entries:
                warnings.append(f"{name}: there is no {one!a} in the knowledge base")
    return tuple(warnings)

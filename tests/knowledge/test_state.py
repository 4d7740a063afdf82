"""The state of the project has the fields of the seed, and survives damage."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.state import (
    EMPTY,
    StateRefused,
    check_fields,
    read_state_of_project,
    render_summary,
    write_state_of_project,
)

FULL = {
    "project_name": "shop",
    "tech_stack": {"language": "Go", "database": {"name": "PostgreSQL"}},
    "architecture_style": "layered",
    "project_structure_convention": "one package for each domain",
    "current_stage": "design",
    "current_feature": "user-auth",
    "completed_features": ["health-monitoring"],
    "active_patterns": ["auth-jwt-flow"],
    "applied_lessons": ["db-index-fk"],
}


def test_the_fields_are_those_of_the_seed(tmp_path):
    assert list(EMPTY) == list(FULL)
    assert write_state_of_project(tmp_path, FULL, damaged=False) == ""
    path = tmp_path / ".sdd/context/context.json"
    assert json.loads(path.read_text()) == FULL
    assert read_state_of_project(tmp_path).fields == FULL
    assert (tmp_path / ".sdd/context/summary.md").read_text() == render_summary(FULL)


def test_the_summary_is_for_people():
    assert render_summary(FULL).splitlines() == [
        "# shop",
        "",
        "- **Tech stack**: language: Go, database: name: PostgreSQL",
        "- **Architecture style**: layered",
        "- **Project structure convention**: one package for each domain",
        "- **Current stage**: design",
        "- **Current feature**: user-auth",
        "- **Completed features**: health-monitoring",
        "- **Active patterns**: auth-jwt-flow",
        "- **Applied lessons**: db-index-fk",
    ]
    assert render_summary(EMPTY) == "# Project\n"


def test_fields_of_others_are_kept(tmp_path):
    write_state_of_project(tmp_path, {**FULL, "owner": {"name": "x"}}, damaged=False)
    assert read_state_of_project(tmp_path).fields["owner"] == {"name": "x"}


def test_a_damaged_file_is_set_aside_when_it_is_written(tmp_path):
    assert read_state_of_project(tmp_path) is None
    path = tmp_path / ".sdd/context/context.json"
    path.parent.mkdir(parents=True)
    for text in ("{", "[]", '{"current_stage": 1}'):
        path.write_text(text)
        assert read_state_of_project(tmp_path).damage
    aside = write_state_of_project(tmp_path, FULL, damaged=True)
    assert (path.parent / aside).read_text() == '{"current_stage": 1}'


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"current_stage": 1}, "current_stage is no text"),
        ({"active_patterns": "x"}, "active_patterns is no list"),
        ({"tech_stack": []}, "tech_stack is no JSON object"),
        ({"colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_other_types_are_refused(fields, reason):
    with pytest.raises(StateRefused, match=reason):
        check_fields(fields)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "project_name": st.text(st.characters(), max_size=20),
            "completed_features": st.lists(st.text(st.characters(), max_size=9), max_size=4),
        },
    )
)
def test_any_text_becomes_valid_json(fields):
    checked = {**EMPTY, **check_fields(fields)}
    assert json.loads(json.dumps(checked, ensure_ascii=False).encode()) == checked
    assert render_summary(checked).startswith("# ")

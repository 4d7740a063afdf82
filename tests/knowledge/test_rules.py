"""Rules are added under "Evolved Conventions", after a comparison with those that are there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.rules import (
    EmptyRule,
    add_rules,
    analyse_rule,
    clean_rule,
    list_rules,
    read_rules_file,
)
from sdd_hooks.knowledge.same_advice import Judge

FILE = b"""\
# Rules

- Use tabs.

## Evolved Conventions

- Always use camelCase for JSON fields.

## Others

1. Log in English.
<!-- - Hidden rule -->
```
- an example
```
"""


def test_a_new_file():
    edit = add_rules(None, ["Use UTC."])
    assert edit.after == b"# Project Rules\n\n## Evolved Conventions\n\n- Use UTC.\n"


def test_a_rule_is_added_to_the_section_and_nothing_else_changes():
    after = add_rules(FILE, ["Use UTC.", "Use SI units."]).after
    assert after == FILE.replace(b"fields.\n", b"fields.\n- Use UTC.\n- Use SI units.\n")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_file_without_the_section_gets_it_at_the_end(newline):
    lines = [b"# Rules", b"", b"- Use tabs."]
    after = add_rules(newline.join(lines), ["Use UTC."]).after
    assert after == newline.join([*lines, b"", b"## Evolved Conventions", b"", b"- Use UTC.", b""])


def test_rules_are_items_and_lines_outside_of_code_and_comments():
    assert [(rule.text, rule.line) for rule in list_rules(FILE)] == [
        ("Use tabs.", 3),
        ("Always use camelCase for JSON fields.", 7),
        ("Log in English.", 11),
    ]
    assert list_rules(None) == []


def test_a_rule_is_compared_with_those_that_are_there():
    rules = list_rules(FILE)
    assert analyse_rule("JSON fields use camelCase", rules, Judge()).same == rules[1]
    found = analyse_rule("Never use camelCase for JSON fields", rules, Judge())
    assert (found.same, found.conflicts) == (None, (rules[1],))
    assert analyse_rule("Use UTC", rules, Judge()) == ("Use UTC", None, ())


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (" - Use\nUTC ", "Use UTC"),
        ("# Heading", "Heading"),
        ("<!-- hides the rest", "&lt;!-- hides the rest"),
        ("```sh", "\\```sh"),
        ("1. First", "First"),
    ],
)
def test_a_rule_is_one_line_of_text(text, rule):
    assert clean_rule(text) == rule


@pytest.mark.parametrize("text", ["", " \n", "- ", "x" * 1001])
def test_an_empty_or_endless_rule_is_refused(text):
    with pytest.raises(EmptyRule, match="the rule"):
        clean_rule(text)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.sampled_from(["# A", "## Evolved Conventions", "- b", "", "text", "```", "  * c"])),
)
def test_every_rule_is_found_again(text, lines):
    try:
        rule = clean_rule(text)
    except EmptyRule:
        return
    before = "\n".join(lines).encode()
    after = add_rules(before, [rule]).after
    assert f"- {rule}\n".encode() in after
    for line in lines:
        assert line.encode() in after
    if "```" not in lines:
        assert rule in [one.text for one in list_rules(after)]


def test_a_link_in_place_of_the_file_is_refused(repo, tmp_path):
    assert read_rules_file(repo.root) is None
    (tmp_path / "outside").write_text("x")
    repo.link("project_rules.md", tmp_path / "outside")
    with pytest.raises(Exception, match="symlink"):
        read_rules_file(repo.root)

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import ConfigurationError
from sdd_hooks.setup.legacy import parse_legacy_settings

PATH = Path(".claude-plugin-design.json")

DOCUMENT = {
    "tracker": "github",
    "tracker_config": {"owner": "acme", "repo": "shop", "project_key": None, "team_id": 7},
    "branches": {"enabled": True, "prefix": None, "slug_max_length": 40},
    "pr_conventions": {"close_keyword": "Closes"},
    "worktrees": {"pr_mode": "draft", "base_dir": ".claude/worktrees/"},
    "projects": {"views": ["All Work", "Board"], "ids": {"SPEC-0001": 3}},
    "qmd": {"index": "x"},
}


def test_every_setting_has_a_section():
    legacy = parse_legacy_settings(json.dumps(DOCUMENT).encode(), PATH)
    assert legacy.settings == {
        "Tracker": (("Type", "github"), ("Owner", "acme"), ("Repo", "shop"), ("Team ID", "7")),
        "Branch Conventions": (("Enabled", "true"), ("Slug Max Length", "40")),
        "PR Conventions": (("Close Keyword", "Closes"),),
        "Worktrees": (("PR Mode", "draft"), ("Base Dir", ".claude/worktrees/")),
        "Projects": (("Views", "All Work, Board"),),
    }
    assert legacy.unknown_keys == ("projects.ids", "qmd")


def test_an_invalid_file_is_reported_with_its_line():
    with pytest.raises(ConfigurationError, match=r"design\.json:2: is not valid JSON"):
        parse_legacy_settings(b'{"tracker": "github",\n oops}', PATH)
    with pytest.raises(ConfigurationError, match="holds no JSON object"):
        parse_legacy_settings(b"[]", PATH)
    with pytest.raises(ConfigurationError, match="is not valid JSON"):
        parse_legacy_settings(b"[" * 100_000, PATH)
    with pytest.raises(ConfigurationError, match="is not valid JSON"):
        parse_legacy_settings(b"\xff\xff{", PATH)


def test_a_value_is_one_line():
    legacy = parse_legacy_settings(json.dumps({"tracker": "git\n## Evil\x1b[31m"}).encode(), PATH)
    assert legacy.settings == {"Tracker": (("Type", "git ## Evil [31m"),)}


TEXT = st.text("ab_*,\n\x1b é", max_size=5)
VALUE = st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT | st.integers())
SECTION = VALUE | st.dictionaries(TEXT, VALUE | st.dictionaries(TEXT, VALUE))


@given(st.dictionaries(st.sampled_from([*DOCUMENT, "other"]), SECTION))
def test_any_object_becomes_single_lines(document):
    legacy = parse_legacy_settings(json.dumps(document).encode(), PATH)
    for pairs in legacy.settings.values():
        for key, value in pairs:
            assert key == " ".join(key.split())
            assert value.isprintable()
            assert "*" not in key

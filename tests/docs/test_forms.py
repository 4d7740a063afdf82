"""The forms of issues are those that GitHub and Gitea accept."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.docs.pages import TOP

FORMS = sorted((TOP / ".github/ISSUE_TEMPLATE").glob("*.yml"))
# GitHub refuses other keys, such as Gitea's `about`, in whose place Gitea reads `description`.
KEYS = {"name", "description", "labels", "body"}
TYPES = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


@pytest.mark.parametrize(
    "path", [path for path in FORMS if path.stem != "config"], ids=lambda path: path.stem
)
def test_a_form_has_the_keys_that_both_hosts_read(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) == KEYS
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in form["body"]} <= TYPES
    ids = [field["id"] for field in fields]
    assert len(set(ids)) == len(ids) >= 3
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_the_forms_are_in_one_folder_that_both_hosts_read() -> None:
    """Gitea prefers `.gitea`, which would hide the forms of the other folder."""
    assert {path.stem for path in FORMS} == {"bug", "config", "finding", "proposal"}
    assert not (TOP / ".gitea/ISSUE_TEMPLATE").exists()

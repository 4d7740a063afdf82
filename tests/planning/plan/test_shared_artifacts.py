from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.shared_artifacts import artifact_keys, find_shared
from tests.planning.plan.specs import planned


def named(*statements: str, exists: str = "") -> list[tuple[str, str, int | None]]:
    """The name, the kind and the defining requirement of the shared artifacts."""
    requirements = planned(*((f"Part {n}", text) for n, text in enumerate(statements)))
    found = find_shared(requirements, lambda name, _kind: name == exists)
    return [(one.artifact.name, one.artifact.kind, one.defined_in) for one in found]


@pytest.mark.parametrize(
    ("span", "name", "kind"),
    [
        ("`SessionStore`", "SessionStore", "type"),
        ("`parse_user()`", "parse_user", "helper"),
        ("`SESSION_KEY`", "SESSION_KEY", "setting"),
        ("`GET /api/v1/links`", "/api/v1/links", "route"),
        ("`references/qmd-helpers.md`", "references/qmd-helpers.md", "file"),
        ("the `links` table", "links", "table"),
        ("the `auth` middleware", "auth", "middleware"),
    ],
)
def test_kinds_of_artifacts(span: str, name: str, kind: str) -> None:
    assert named(f"It MUST use {span}.", f"It MUST use {span}, too.") == [(name, kind, None)]


@pytest.mark.parametrize(
    "span", ["`true`", "`sdd plan --create`", "`--json`", "`/sdd:plan`", "Store"]
)
def test_other_names_are_no_artifacts(span: str) -> None:
    assert named(f"It MUST use {span}.", f"It MUST use {span}, too.") == []


def test_an_artifact_of_one_requirement_is_not_shared() -> None:
    assert named("It MUST use `SessionStore` and `SessionStore`.", "It MUST not.") == []


def test_an_artifact_that_exists_is_not_missing() -> None:
    assert named("Use `SessionStore`.", "Use `SessionStore`.", exists="SessionStore") == []


def test_the_requirement_with_the_name_defines_the_artifact() -> None:
    requirements = planned(
        ("Export", "It MUST use `SessionStore`."),
        ("Session Store", "`SessionStore` MUST keep it."),
    )
    (one,) = find_shared(requirements, lambda _name, _kind: False)
    assert (one.named_in, one.defined_in) == ((0, 1), 1)
    assert one.artifact.requirements == (requirements[0].key, requirements[1].key)


def test_the_keys_of_artifacts_are_those_of_their_names() -> None:
    requirements = planned(("A", "Use `SessionStore`."))
    assert artifact_keys(requirements) == artifact_keys((), ["SessionStore"])
    assert artifact_keys((), ["sessionstore"]) != artifact_keys((), ["Session Store"])

"""The links between records of other tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.document import read_document
from sdd_hooks.authoring.foreign.links import MAX_LINKS, read_links
from tests.support.cpu_time import assert_linear

STATUS = "# 9. X\n\n## Status\n\nAccepted\n\n{}\n\n## Context\n\nSupersedes [1](0001-x.md)\n"
LINKS = "# X\n\n- Status: accepted\n\n## Links\n\n- {}\n"


def links(text: str):
    found = read_links(read_document(text, "ADR"))
    return [(one.kind, one.is_inverse, one.targets[0]) for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Supercedes [1. Use REST](0001-use-rest.md)", [("supersedes", False, "0001-use-rest.md")]),
        ("Superceded by [12. Y](0012-y.md)", [("supersedes", True, "0012-y.md")]),
        ("Amended by [9. Help](0009-help.md)", [("extends", True, "0009-help.md")]),
        ("Superseded (never built) by ADR-32", [("supersedes", True, "ADR-32")]),
        ("Superseded 2020-01-02 by ADR-32", [("supersedes", True, "ADR-32")]),
        ("**Superseded by**: [A](a.md) and [B](b.md)", [("supersedes", True, "a.md")] * 1),
        ("Parts of it were superseded by [2](0002-y.md)", [("", True, "0002-y.md")]),
        ("Superseded in part by ADR-32", [("", True, "ADR-32")]),
        ("Supersedes ADR-10's retry rule only", [("", False, "ADR-10")]),
        ("Partially supersedes ADR-10", [("", False, "ADR-10")]),
        ("Supersedes section 3 of [10](0010-z.md)", [("", False, "0010-z.md")]),
        ("Replaces the retry rule in ADR-10; the rest holds", [("", False, "ADR-10")]),
        ("Supersedes ADR-9, ADR-10 §3", [("supersedes", False, "ADR-9"), ("", False, "ADR-10")]),
        ("Superseded ADR-12", [("", False, "ADR-12")]),
        ("Depends upon [3. Z](0003-z.md)", [("", False, "0003-z.md")]),
        ("It is not superseded by [3. Z](0003-z.md)", []),
        ("Accepted [in May](notes.md)", []),
        ("In May we talked about it again, and [3. Z](0003-z.md)", []),
    ],
)
def test_lines_of_a_status(line: str, expected: list[tuple[str, bool, str]]) -> None:
    assert links(STATUS.format(line))[: len(expected) or 1] == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("Refined by [20200101-x](20200101-x.md)", [("extends", True, "20200101-x.md")]),
        ("Supersedes 20200101-use-x", [("supersedes", False, "20200101-use-x")]),
        (
            "Relates to [ADR-5](5.md), [ADR-6](6.md)",
            [("related", False, n) for n in ("5.md", "6.md")],
        ),
        ("[ADR-0005](0005-example.md)", [("related", False, "0005-example.md")]),
        ("[Link type] [Link to ADR]", [("related", False, "Link type")]),
        ("A book that supersedes [4](4.md)", []),
    ],
)
def test_items_of_a_list_of_links(item: str, expected: list[tuple[str, bool, str]]) -> None:
    assert links(LINKS.format(item)) == expected


def test_keys_and_fields() -> None:
    text = (
        "---\nsupersededBy:\n  - id: use-webhooks\n    version: 1.0.0\namends: ADR-0003\n"
        "related: [0004-x.md, 5]\n---\n# X\n\n- Supersedes: 12, 13\n- Superseded: 2019-12-19 by"
        " [ADR 14](14.md)\n"
    )
    assert links(text) == [
        ("supersedes", True, "use-webhooks"),
        ("extends", False, "ADR-0003"),
        ("related", False, "0004-x.md"),
        ("related", False, "5"),
        ("supersedes", False, "12"),
        ("supersedes", False, "13"),
        ("supersedes", True, "14.md"),
    ]


def test_the_text_of_a_link_is_a_target_as_well() -> None:
    (link,) = read_links(read_document(STATUS.format("Superseded by [ADR 23](/adr/23)"), "ADR"))
    assert link.targets == ("/adr/23", "ADR 23")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(line: str, item: str) -> None:
    found = read_links(read_document(STATUS.format(line) + LINKS.format(item), "ADR"))
    assert len(found) <= MAX_LINKS
    assert all(one.targets and all(one.targets) for one in found)


VERBS = {"Supersedes": ("supersedes", False), "superseded by": ("supersedes", True)}
VERBS |= {"Amends": ("extends", False), "Clarified by": ("extends", True)}


@given(st.sampled_from(sorted(VERBS)), st.from_regex(r"[0-9]{4}-[a-z-]{1,20}[a-z]", fullmatch=True))
def test_every_link_is_read(verb: str, name: str) -> None:
    expected = [(*VERBS[verb], f"{name}.md")]
    assert links(STATUS.format(f"{verb} [T. {name}]({name}.md)")) == expected
    assert links(LINKS.format(f"{verb} [{name}]({name}.md)")) == expected


def test_the_cost_grows_with_the_text() -> None:
    def document(size: int):
        return read_document(STATUS.format("superseded by [" * size + "[" * size), "ADR")

    assert_linear(read_links, document, 2_000)

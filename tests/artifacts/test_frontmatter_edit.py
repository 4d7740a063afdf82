from __future__ import annotations

from contextlib import suppress

import frontmatter
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.frontmatter_edit import (
    NotEditable,
    add_list_items,
    set_field,
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("related: []", "related: [ADR-0002]"),
        ("related: [ ]", "related: [ADR-0002 ]"),
        ("related: [ADR-0001]", "related: [ADR-0001, ADR-0002]"),
        ("related: [ ADR-0001, ] # see", "related: [ ADR-0001, ADR-0002 ] # see"),
        ('related: ["[api]/ADR-0001"]', 'related: ["[api]/ADR-0001", ADR-0002]'),
        ("related:\n  - ADR-0001", "related:\n  - ADR-0001\n  - ADR-0002"),
        ("related:\n- ADR-0001\ntags: [a]", "related:\n- ADR-0001\n- ADR-0002\ntags: [a]"),
        ("related: ADR-0001", "related: [ADR-0001, ADR-0002]"),
        ("Related:", "Related: [ADR-0002]"),
        ("status: accepted", "status: accepted\nrelated: [ADR-0002]"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_item_is_added_in_the_form_of_the_list(before: str, after: str, newline: str) -> None:
    text = f"---\n{before}\n---\n\n# Title\n\n---\n".replace("\n", newline)
    wanted = f"---\n{after}\n---\n\n# Title\n\n---\n".replace("\n", newline)
    assert add_list_items(text, "related", ["ADR-0002"]) == wanted
    assert add_list_items(wanted, "related", ["ADR-0002"]) == wanted


def test_frontmatter_is_added_where_there_is_none() -> None:
    text = "# Title\n"
    wanted = '---\nextends: ["[api]/SPEC-0007"]\n---\n\n# Title\n'
    assert add_list_items(text, "extends", ["[api]/SPEC-0007"]) == wanted
    assert set_field(text, "status", "accepted") == "---\nstatus: accepted\n---\n\n# Title\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("status: proposed", "status: accepted"),
        ('status: "proposed" # old', 'status: "accepted" # old'),
        ("status : 'proposed'", "status : 'accepted'"),
        ("status:", "status: accepted"),
        ("date: 2026-01-01", "date: 2026-01-01\nstatus: accepted"),
    ],
)
def test_a_field_is_set_in_its_quotation_marks(before: str, after: str) -> None:
    text = f"---\n{before}\n---\ntext"
    assert set_field(text, "status", "accepted") == f"---\n{after}\n---\ntext"


@pytest.mark.parametrize(
    "block",
    [
        "related: [ADR-0001,\n  ADR-0003]",
        "related: {a: b}",
        "related: |\n  ADR-0001",
        "related: [ADR-0001]\nrelated: [ADR-0003]",
        "related: [ADR-0001\n",
    ],
)
def test_another_form_is_refused(block: str) -> None:
    with pytest.raises(NotEditable, match=r"^[1-3]: `related` .* edit it by hand$"):
        add_list_items(f"---\n{block}\n---\n", "related", ["ADR-0002"])


WORDS = st.text(
    st.sampled_from("abAB09 -_:#[]{}\"'\\,&*!|>%@`?=~é\u2028\t"), min_size=1, max_size=8
)
VALUES = st.one_of(WORDS, st.lists(WORDS, max_size=3))


@given(st.dictionaries(st.sampled_from(["status", "related", "tags", "date"]), VALUES), WORDS)
def test_every_edit_adds_the_item_and_nothing_else(
    fields: dict[str, str | list[str]], item: str
) -> None:
    text = frontmatter.dumps(frontmatter.Post("# Title\n", None, **fields)) + "\n"
    before = read_frontmatter(text)
    item = " ".join(item.split())
    assume(item and before.error is None)
    try:
        edited = add_list_items(text, "related", [item])
    except NotEditable:
        return
    after = read_frontmatter(edited)
    assert item in after.items("related")
    assert {k: v for k, v in after.fields.items() if k != "related"} == {
        k: v for k, v in before.fields.items() if k != "related"
    }
    assert edited.endswith("\n# Title\n")


@given(st.text(max_size=60), WORDS)
def test_any_document_is_edited_or_refused(text: str, item: str) -> None:
    for document in (text, f"---\n{text}\n---\n{text}"):
        body = document[read_frontmatter(document).end :].lstrip()
        with suppress(NotEditable):
            assert add_list_items(document, "related", [item]).endswith(body)
        with suppress(NotEditable):
            assert set_field(document, "a", item).endswith(body)

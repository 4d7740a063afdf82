"""The references in title, body and fields of an issue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.issue_references import IssueReferences, natural_key, references_of
from tests.support.cpu_time import assert_linear


def references_in(body: str, title: str = "", **fields: tuple[str, ...]) -> IssueReferences:
    url = "https://github.com/acme/shop/issues/5"
    return references_of(
        Issue("5", title, "open", (), (), "", "", "", "", url, "github", body, **fields)
    )


def test_artifacts_in_title_and_body() -> None:
    found = references_in(
        "ADR 11, [api]/SPEC-0007 and adr-0002; SPEC-3 again: SPEC-0003", "For SPEC-0003"
    )
    assert found.specs == ("SPEC-0003", "[api]/SPEC-0007")
    assert found.adrs == ("ADR-0002", "ADR-0011")
    assert references_in("Nothing special", "Advertise the road") == ((), (), (), ())


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("Blocks: #12", "12"),
        ("blocks: #12, #9 and #10", "9 10 12"),
        ("**Blocks**: PROJ-3", "PROJ-3"),
        ("**Blocks:** PROJ-3", "PROJ-3"),
        ("- Blocks: other/repo#3, #1", "1 other/repo#3"),
        ("* __BLOCKS__: #1;#2", "1 2"),
        ("> Blocks: #1", "1"),
        ("Blocks: 12, 13", "12 13"),
        ("Blocks: [#12](https://github.com/acme/shop/issues/99)", "12"),
        ("Blocks: acme/shop#8", "8"),
        ("Blocks: #012", "12"),
        ("Blocks: bd-a1b2.1, my-app-x9", "bd-a1b2.1 my-app-x9"),
        ("Blocks:\n- #1\n- #2\n\n- #3", "1 2"),
        ("Blocks:\r\n  * #1 because\r\n  * PROJ-2\r\nText #4", "1 PROJ-2"),
        ("Blocks: #5, #6", "6"),
        ("Blocks: #3 until 2026-01-01", "3"),
        ("Blocks: everything long-term", ""),
        ("Blocks: SPEC-0003", ""),
        ("Blocks: none", ""),
        ("This blocks: #4", ""),
        ("It blocks #4", ""),
        ("Blocks:", ""),
    ],
)
def test_edges_in_the_body(line: str, ids: str) -> None:
    expected = tuple(ids.split())
    assert references_in(f"Before.\n{line}\nAfter #77.").blocks == expected
    waiting = line.replace("Blocks", "Blocked by").replace("BLOCKS", "BLOCKED BY")
    waiting = waiting.replace("blocks:", "blocked by:")
    assert references_in(waiting).blocked_by == expected
    assert references_in(waiting).blocks == ()


def test_what_the_author_does_not_state_is_no_reference() -> None:
    body = (
        "<!-- e.g. ADR-0001\nBlocked by: #1 -->\n```\nBlocked by: #2\nSPEC-0001\n```\n"
        "- [ ] Do ADR-0002\n\n~~ADR-0003~~\n\nBlocked by:\n- [ ] #3\n"
    )
    assert references_in(body) == ((), ("ADR-0002",), (), ("3",))


def test_edges_of_the_body_and_of_the_tracker() -> None:
    found = references_in(
        "Blocks: #12\nBlocked by: #1\n", blocks=("9", "12", "10"), blocked_by=("5", "A-1")
    )
    assert found.blocks == ("9", "10", "12")
    assert found.blocked_by == ("1", "A-1")


def test_ids_are_sorted_by_value() -> None:
    ids = ["PROJ-10", "10", "PROJ-9", "9", "a/b#2", "100", "bd-a1.2", "bd-a1.10"]
    assert sorted(ids, key=natural_key) == [
        "9",
        "10",
        "100",
        "PROJ-9",
        "PROJ-10",
        "a/b#2",
        "bd-a1.2",
        "bd-a1.10",
    ]


@given(st.text(), st.text(st.sampled_from("Blocks:ed by#-/.1A\r\n*>[]()")))
def test_any_text_is_parsed(text: str, likely: str) -> None:
    for body in (text, likely, f"Blocks: {likely}", f"Blocked by:\n- {text}"):
        found = references_in(body, text)
        assert list(found.blocks) == sorted(set(found.blocks), key=natural_key)
        assert "5" not in found.blocks
    assert natural_key(text) == natural_key(text)


@pytest.mark.parametrize(
    "part",
    [
        "Blocks: ",
        "Blocks:\n- #1\n",
        "Blocks:" + "*",
        "- ",
        "a-",
        "a/",
        "a.",
        "#",
        "1",
        "Blocks: x-x-x-x-x-x",
        "](",
        "ADR ",
        "SPEC-",
        "[x]/SPEC-",
        " \t>",
        "\n",
        "_",
    ],
)
def test_any_text_takes_linear_time(part: str) -> None:
    def parse(body: str) -> None:
        references_in(body)
        references_in(f"Blocks: {body}")

    assert_linear(parse, lambda size: "blocks " + part * (size // len(part)), 100_000)


@pytest.mark.parametrize(
    "body",
    [
        "- Blocked by: #1\n- Blocks: #2",
        "* **Blocked by**: #1\r\n* **Blocks**: #2\r\n",
        "- Blocked by:\n  - #1\n- Blocks:\n  - #2",
        "Blocked by:\n- #1\n- **Blocks:** #2",
    ],
)
def test_edges_in_items_of_one_list(body: str) -> None:
    found = references_in(body)
    assert (found.blocked_by, found.blocks) == (("1",), ("2",))

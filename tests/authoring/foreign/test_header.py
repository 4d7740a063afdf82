"""The fields of records of other tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.document import read_document
from sdd_hooks.authoring.foreign.header import STATUSES, read_date, read_header

NYGARD = "# 9. Help scripts\n\nDate: 26/06/2018\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do.\n"
MADR_2 = """\
# Use queues

* Status: {status}
* Deciders: {people} <!-- optional -->
* Date: {date} <!-- optional -->
* Tags: {tags}

## Context and Problem Statement

It is slow.
"""
MADR_3 = "---\nstatus: accepted\ndate: 2023-01-02\ndeciders: Ada, Grace\n---\n# Use queues\n"
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)


def header(text: str, name: str = "0001-x"):
    understood, unknown = read_header(read_document(text, "ADR"), name)
    return {one.key: one.value for one in understood}, [one.reason for one in unknown]


def madr_2(status="accepted", people="Ada", date="2020-01-02", tags="a"):
    return MADR_2.format(status=status, people=people, date=date, tags=tags)


def test_the_form_of_adr_tools() -> None:
    values, unknown = header(NYGARD)
    assert values == {"status": "accepted"}
    # A day and a month that may be exchanged are no date.
    assert unknown == ["no known form of a date"]
    assert header(NYGARD.replace("26/06/2018", "2018-06-26"))[0]["date"] == "2018-06-26"


def test_a_list_of_fields() -> None:
    text = madr_2(
        "draft", "[Ada](https://a.example), Grace (lead, ops) and @linus", tags="db storage"
    )
    assert header(text) == (
        {
            "status": "proposed",
            "date": "2020-01-02",
            "decision-makers": ("Ada", "Grace (lead, ops)", "@linus"),
            "tags": ("db", "storage"),
        },
        [],
    )


def test_placeholders_of_a_template_are_nothing() -> None:
    text = madr_2(
        "[proposed | rejected | accepted]",
        "[list all people of the decision]",
        "[YYYY-MM-DD when the decision was last updated]",
        "",
    )
    assert header(text, "x") == ({}, [])


def test_frontmatter_keeps_what_it_has() -> None:
    assert header(MADR_3) == ({}, [])
    assert header(MADR_3.replace("deciders", "decision-makers")) == ({}, [])


def test_dates_in_names() -> None:
    assert header("# X\n", "20200924-use-x")[0] == {"date": "2020-09-24"}
    assert header("# X\n", "2020-09-24-use-x")[0] == {"date": "2020-09-24"}
    assert header("# X\n", "20209924-use-x")[0] == {}


def test_two_statuses_and_an_unknown_one() -> None:
    text = madr_2("accepted") + "\n## Status\n\nRejected\n"
    assert header(text)[1] == ["another line has another status"]
    assert header(madr_2("fabulous"))[1] == ["no known status"]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2020-1-2", "2020-01-02"),
        ("2020/01/31 (draft)", "2020-01-31"),
        ("31st January 2020", "2020-01-31"),
        ("Jan. 2, 2020", "2020-01-02"),
        ("on 5 Sept 2021", "2021-09-05"),
        ("01/02/2020", ""),
        ("2020-13-01", ""),
        ("30 February 2020", ""),
        ("Q3 2020", ""),
    ],
)
def test_forms_of_dates(text: str, date: str) -> None:
    assert read_date(text) == date


@given(WORDS, WORDS, WORDS, WORDS, WORDS)
def test_any_text_is_read(status: str, people: str, date: str, tags: str, name: str) -> None:
    understood, _ = read_header(read_document(madr_2(status, people, date, tags), "ADR"), name)
    for one in understood:
        assert one.value
        assert one.key != "status" or one.value in STATUSES.values()
        assert one.line >= 1


@given(st.dates())
def test_every_date_is_read_in_every_form(day) -> None:
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y"):
        # `strftime` writes years before 1000 with fewer digits.
        if day.year >= 1000:
            assert read_date(f"decided {day.strftime(form)}.") == day.isoformat()


@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True), max_size=5))
def test_every_list_of_people_is_read(people: list[str]) -> None:
    people = [one for one in people if one not in ("None", "Tbd")]
    values, _ = header(madr_2(people=", ".join(people)))
    assert values.get("decision-makers", ()) == tuple(dict.fromkeys(people))

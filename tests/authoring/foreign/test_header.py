"""The fields of records of other tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.artifacts.dates import read_date
from sdd_hooks.artifacts.document import read_document
from sdd_hooks.artifacts.frontmatter_edit import add_list_items
from sdd_hooks.authoring.foreign.header import STATUSES, read_header, read_scopes

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

PATH = "docs/adr/0001-x.md"
BODY = "# 1. X\n\n{}\n\n## Status\n\nAccepted\n"


def header(text: str, name: str = "0001-x"):
    understood, unknown = read_header(read_document(text, "ADR"), name)
    return {one.key: one.value for one in understood}, [one.reason for one in unknown]


def madr_2(status="accepted", people="Ada", date="2020-01-02", tags="a"):
    return MADR_2.format(status=status, people=people, date=date, tags=tags)


def test_the_form_of_adr_tools() -> None:
    values, unknown = header(NYGARD.replace("26/06", "06/05"))
    assert values == {"status": "accepted"}
    # A day and a month that may be exchanged are no date.
    assert unknown == ["no known form of a date"]
    assert header(NYGARD)[0]["date"] == "2018-06-26"


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


def scopes(text: str):
    record = read_adr(PATH, text)
    assert record
    understood, unknown = read_scopes(record, read_document(text, "ADR"), text)
    values = [value for one in understood for value in one.value]
    return values, [one.text for one in unknown]


@pytest.mark.parametrize(
    ("frontmatter", "paths", "unknown"),
    [
        ("affects: [src/a.py, PaymentService]", ["src/a.py"], ["PaymentService"]),
        ('files: ["src/**/*.ts", docs/x.md]', ["src/**/*.ts", "docs/x.md"], []),
        ("globs: 'src/{a,b}/*.go'", ["src/{a,b}/*.go"], []),
        ("references:\n  - path: src/a.py\n    symbol: run\n", ["src/a.py"], ["run"]),
        ("appliesTo:\n  - type: service\n    id: Pay\n", [], []),
        ("applies-to: [src/x.py]\naffects: [src/y.py]", [], []),
        ("scope: backend", [], ["backend"]),
        ("paths: [data.csv]", ["**/data.csv"], []),
    ],
)
def test_keys(frontmatter: str, paths: list[str], unknown: list[str]) -> None:
    assert scopes(f"---\n{frontmatter}\n---\n{BODY.format('')}") == (paths, unknown)


def test_a_list_below_a_field() -> None:
    text = BODY.format("**Severity**: High\n\n**Files**:\n- `src/db.ts`\n- lib/**\n- Words only")
    assert scopes(text) == (["src/db.ts", "lib/**"], ["Words"])


def test_a_section() -> None:
    text = f"{BODY.format('')}\n## Applies To\n\n- `src/a.py`: the reader\n- rust/engine/\n"
    assert scopes(text) == (["src/a.py", "rust/engine/"], [])


@given(
    st.lists(st.from_regex(r"[a-z]{1,5}/[a-z.*]{1,8}[a-z]", fullmatch=True), min_size=1, max_size=4)
)
def test_what_is_taken_over_means_the_same(paths: list[str]) -> None:
    """The record matches the same paths with `applies-to` as it did before."""
    text = BODY.format("") + "\n## Applies To\n\n" + "".join(f"- `{one}`\n" for one in paths)
    before = read_adr(PATH, text)
    values, _ = scopes(text)
    edited = add_list_items(text, "applies-to", values)
    after = read_adr(PATH, edited)
    assert before and after
    old, new = read_applies_to(before, text).entries, read_applies_to(after, edited).entries
    assert {(one.kind, one.text.removeprefix("**/")) for one in old} == {
        (one.kind, one.text.removeprefix("**/")) for one in new
    }


@given(st.text(max_size=300))
def test_scopes_of_any_text_are_read(text: str) -> None:
    scopes(BODY.format(f"**Files**:\n- {text}\n\naffects: {text}"))

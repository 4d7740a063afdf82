"""The file of an issue, read by YAML parsers and parsed back."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import frontmatter
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.issue_file import (
    StoredIssue,
    has_pulls,
    is_issue_file,
    parse,
    quoted,
    render,
    status_of,
    to_issue,
    to_stored,
    with_pulls,
)
from sdd_hooks.trackers.issue_references import natural_key

ISSUE = Issue(
    id="142",
    title="Add JWT validation to auth middleware",
    status="closed",
    labels=("story", "sprint-3"),
    assignees=("joestump",),
    author="alice",
    created="2026-04-12T10:30:00Z",
    updated="2026-05-01T14:22:00Z",
    closed="2026-05-01T14:00:00Z",
    url="https://github.com/owner/repo/issues/142",
    tracker="github",
    body="Tokens per SPEC-0010 and ADR-0011.\n\nBlocked by: #135\n",
    blocks=("140", "138"),
    pulls=(
        LinkedPull("9", "feature/9", "closed", (), "2026-04-30T00:00:00Z", ("142",)),
        LinkedPull(
            "12", "feature/142-x", "merged", ("a.py", "b.py"), "2026-05-01T14:22:00Z", ("142",)
        ),
    ),
)
FILE = """\
---
id: 142
title: "Add JWT validation to auth middleware"
status: merged
labels: ["story", "sprint-3"]
assignees: ["joestump"]
author: "alice"
created: "2026-04-12T10:30:00Z"
updated: "2026-05-01T14:22:00Z"
closed: "2026-05-01T14:00:00Z"
url: "https://github.com/owner/repo/issues/142"
tracker: "github"
references:
  specs: ["SPEC-0010"]
  adrs: ["ADR-0011"]
  blocks: [138, 140]
  blocked_by: [135]
---

# Add JWT validation to auth middleware

Tokens per SPEC-0010 and ADR-0011.

Blocked by: #135


## Associated PR

- **PR**: #9
- **Branch**: `feature/9`
- **Status**: closed
- **Last updated**: 2026-04-30T00:00:00Z

- **PR**: #12
- **Branch**: `feature/142-x`
- **Status**: merged
- **Files modified**: `a.py`, `b.py`
- **Last updated**: 2026-05-01T14:22:00Z
"""

ANY_TEXT = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.text(
        "\r\n\t \"'\\#:-`|>&*!%@[]{},?~\0\x1b\x7f\x85\u2028\ufeff\uffff\ud800é🎉a", max_size=40
    ),
    st.sampled_from(
        ["---", "\n---\n", "- ", "null", "~", "yes", "0x1F", "1e3", "2026-01-01", "a: b", "\\u0041"]
    ),
)
BODIES = st.one_of(
    ANY_TEXT,
    st.lists(
        st.sampled_from(
            [
                "## Associated PR",
                "",
                "None.",
                "- **PR**: #1",
                "- **Status**: open",
                "---",
                "\r",
                "x ",
            ]
        )
    ).map("\n".join),
)
IDS = st.one_of(st.integers(0, 10**20).map(str), st.from_regex(r"[A-Z]{1,4}-[0-9]{1,5}"), ANY_TEXT)
TIMES = st.sampled_from(["", "2026-05-01T14:22:00Z", "1999-12-31T23:59:59Z"])
STATES: Any = st.sampled_from(["open", "closed", "merged", "draft"])
PULLS = st.builds(
    LinkedPull,
    st.one_of(st.integers(1, 99).map(str), st.from_regex(r"\A[a-z!]{1,3}[0-9]{1,3}\Z")),
    ANY_TEXT,
    STATES,
    st.lists(ANY_TEXT, max_size=3).map(tuple),
    TIMES,
)
ISSUES = st.builds(
    Issue,
    id=IDS,
    title=ANY_TEXT,
    status=st.sampled_from(["open", "closed"]),
    labels=st.lists(ANY_TEXT, max_size=3).map(tuple),
    assignees=st.lists(ANY_TEXT, max_size=2).map(tuple),
    author=ANY_TEXT,
    created=TIMES,
    updated=TIMES,
    closed=TIMES,
    url=ANY_TEXT,
    tracker=st.sampled_from(["github", "tasks-md", "no"]),
    body=BODIES,
    blocks=st.lists(IDS, max_size=3).map(tuple),
    blocked_by=st.lists(IDS, max_size=3).map(tuple),
    pulls=st.lists(PULLS, max_size=3, unique_by=lambda pull: pull.number).map(tuple),
)


def test_the_file_is_as_specified() -> None:
    assert render(ISSUE).decode() == FILE


def test_empty_parts_are_left_out() -> None:
    bare = replace(ISSUE, status="open", closed="", body="", pulls=(), blocks=(), labels=())
    text = render(bare).decode()
    assert "status: open\nlabels: []\n" in text
    assert "closed: null\n" in text
    assert text.endswith("\n---\n\n# Add JWT validation to auth middleware\n")
    short = replace(bare, pulls=(LinkedPull("3", "", "open", (), ""),))
    assert (
        render(short)
        .decode()
        .endswith("\n\n## Associated PR\n\n- **PR**: #3\n- **Status**: open\n")
    )


def test_the_order_of_keys_is_fixed() -> None:
    keys = list(yaml.safe_load(FILE.split("---\n")[1]))
    assert " ".join(keys) == (
        "id title status labels assignees author created updated closed url tracker references"
    )


@pytest.mark.parametrize(
    ("status", "pulls", "becomes"),
    [
        ("open", "", "open"),
        ("closed", "", "closed"),
        ("closed", "merged", "merged"),
        ("closed", "closed merged open", "merged"),
        ("closed", "closed", "closed"),
        ("open", "draft", "draft"),
        ("open", "draft closed merged", "draft"),
        ("open", "draft open", "open"),
        ("open", "merged", "open"),
        ("closed", "draft", "closed"),
    ],
)
def test_the_status_depends_on_the_pull_requests(status: Any, pulls: Any, becomes: str) -> None:
    states = [LinkedPull(state, "", state, (), "") for state in pulls.split()]
    assert status_of(replace(ISSUE, status=status, pulls=tuple(states))) == becomes


def plain(text: str) -> str:
    """The text as a file can hold it."""
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


@given(ISSUES)
@example(replace(ISSUE, title="x\x85y\u2028\ufeff", labels=("---", "a\nb", "\0")))
def test_every_yaml_parser_reads_the_fields(issue: Issue) -> None:
    text = render(issue).decode()
    post = frontmatter.loads(text)
    parsed = yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))
    assert post.metadata == parsed
    number = issue.id.isascii() and issue.id.isdecimal() and len(issue.id) < 19
    number = number and (issue.id == "0" or not issue.id.startswith("0"))
    assert post["id"] == (int(issue.id) if number else plain(issue.id))
    assert post["title"] == plain(issue.title.strip())
    assert post["status"] == status_of(issue)
    assert post["labels"] == list(map(plain, issue.labels))
    assert post["assignees"] == list(map(plain, issue.assignees))
    assert post["author"] == plain(issue.author)
    assert post["url"] == plain(issue.url)
    assert post["tracker"] == issue.tracker
    for name in ("created", "updated", "closed"):
        assert post[name] == (getattr(issue, name) or None)
    assert list(post["references"]) == ["specs", "adrs", "blocks", "blocked_by"]
    assert set(map(str, post["references"]["blocks"])) >= {
        plain(id) for id in issue.blocks if id and id != issue.id
    }


@given(ISSUES)
@example(replace(ISSUE, title="\ud800", body="\udfff", labels=("\ud83d",), blocks=("\ud800",)))
def test_a_file_is_parsed_and_rendered_again(issue: Issue) -> None:
    data = render(issue)
    stored = parse(data, "x.md")
    assert stored is not None
    assert stored.path == "x.md"
    assert stored.body == plain(issue.body)
    assert stored.title == plain(issue.title.strip())
    assert stored.status == status_of(issue)
    assert (stored.created, stored.closed) == (issue.created, issue.closed)
    assert [one.number for one in stored.pulls] == sorted(
        (one.number for one in issue.pulls), key=natural_key
    )
    assert render(to_issue(stored)) == data
    assert render(with_pulls(stored, stored.pulls)) == data
    without = parse(render(with_pulls(stored, ())))
    assert without is not None
    assert (without.pulls, without.body) == ((), stored.body)
    assert has_pulls(data) or not issue.pulls
    assert is_issue_file(data)


@given(ISSUES)
def test_an_issue_of_a_live_query_equals_its_file(issue: Issue) -> None:
    stored = parse(render(issue))
    now = to_stored(issue)
    assert stored is not None
    assert (now.status, now.specs, now.adrs) == (stored.status, stored.specs, stored.adrs)
    assert tuple(map(plain, now.blocks)) == stored.blocks


@given(ANY_TEXT)
def test_quoted_text_is_yaml_and_json(text: str) -> None:
    import json

    assert yaml.safe_load(quoted(text)) == json.loads(quoted(text)) == plain(text)
    assert "\n" not in quoted(text)


def test_a_body_is_kept_byte_for_byte() -> None:
    body = "\r\nTabs\tand trailing blanks  \r\n\r\n---\nid: 7\n---\n\x00\x1b[31m\n\n\n"
    data = render(replace(ISSUE, body=body, pulls=()))
    assert data.partition(b"middleware\n\n")[2] == body.encode() + b"\n"


@pytest.mark.parametrize("filler", ["x", "line\n", "é\r\n", "日本", "\N{FOX FACE} "])
def test_a_large_body_is_stored_whole(filler: str) -> None:
    body = filler * (300_000 // len(filler))
    data = render(replace(ISSUE, body=body))
    assert body.encode() in data
    stored = parse(data)
    assert stored is not None
    assert stored.body == body
    assert render(to_issue(stored)) == data


@pytest.mark.parametrize("character", ["x", '"', "\n", "é", "\0", "🎉", "- "])
def test_very_long_fields_are_parsed_back(character: str) -> None:
    large = character * (40_000 // len(character))
    issue = replace(ISSUE, title=f"t{large}t", labels=(large, "b"), author=large, body=large)
    data = render(issue)
    post = frontmatter.loads(data.decode())
    assert post["title"] == issue.title
    assert post["labels"] == [large, "b"]
    heading = data.decode().partition("\n---\n\n")[2].partition("\n")[0]
    assert heading.startswith("# t")
    assert len(heading) <= 1003
    stored = parse(data)
    assert stored is not None
    assert render(to_issue(stored)) == data


def test_the_heading_is_one_line() -> None:
    for title, heading in (
        ("  two\nlines  ", "# two lines"),
        ("a\x00b\x1b[31m", "# a\\x00b\\x1b[31m"),
        ("family 👨\u200d👩\u200d👧", "# family 👨\u200d👩\u200d👧"),
        ("---", "# ---"),
        ("", "# "),
    ):
        assert f"\n---\n\n{heading}\n\n" in render(replace(ISSUE, title=title)).decode()


FOREIGN = """\
---
id: 142
title: Written by hand
status: merged
labels: [story, auth]
created: 2026-04-12T10:30:00Z
closed: null
tracker: github
references:
  specs: [SPEC-0010]
  blocks: ["#138", "140"]
---

# Written by hand

Text.
"""


def test_a_file_of_another_program_is_parsed() -> None:
    for text in (FOREIGN, FOREIGN.replace("\n", "\r\n")):
        found = parse(text.encode())
        assert found is not None
        assert (found.id, found.title, found.status) == ("142", "Written by hand", "merged")
        assert (found.labels, found.specs) == (("story", "auth"), ("SPEC-0010",))
        assert (found.blocks, found.adrs, found.closed) == (("138", "140"), (), "")
        assert found.created == "2026-04-12T10:30:00Z"
        assert found.body == "Text."
        assert render(to_issue(found)) == render(to_issue(parse(render(to_issue(found)))))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Notes\n",
        "---\ntitle: x\n---\n",
        "---\ntracker: github\n",
        "tracker: github\n",
        "---\n- tracker\n---\n",
    ],
)
def test_a_file_that_is_no_issue_is_none(text: str) -> None:
    assert parse(text.encode()) is None


@given(st.text(), st.integers(0, len(FILE)), st.integers(0, 60))
def test_any_text_is_parsed(noise: str, at: int, out: int) -> None:
    broken = (FILE[:at] + noise + FILE[at + out :]).encode("utf-8", "surrogatepass")
    found = parse(broken)
    if found is not None:
        assert isinstance(found, StoredIssue)
        assert all(isinstance(one, str) for one in (*found.labels, *found.blocks, found.id))
        assert parse(render(to_issue(found))) is not None
    assert parse(noise.encode("utf-8", "surrogatepass")) is None


@given(st.binary())
def test_any_bytes_are_parsed(data: bytes) -> None:
    assert parse(data) is None
    assert parse(FILE.encode()[:300] + data) is None or b"\n---" in data
    is_issue_file(data)


@pytest.mark.parametrize(
    "value", ["{}", "true", "1e9", "[[1]]", "NaN", "9" * 5000, "[1, null, {}]", '"x", "y"', "[]]"]
)
def test_values_of_other_types_become_text(value: str) -> None:
    for line in ("title: .+", "labels: .+", "id: 142", "  blocks: .+"):
        key = line.split(":")[0]
        found = parse(re.sub(f"(?m)^{line}$", f"{key}: {value}", FILE).encode())
        if found is not None:
            assert isinstance(found.title, str)
            assert all(isinstance(one, str) for one in (*found.labels, *found.blocks))


def test_times_are_text_to_yaml() -> None:
    """Unquoted, they would be dates in a zone that depends on the parser."""
    assert isinstance(frontmatter.loads(FILE)["created"], str)
    assert datetime.fromisoformat(ISSUE.created.replace("Z", "+00:00")).tzinfo == timezone.utc

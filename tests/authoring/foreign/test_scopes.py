"""The files that records of other tools are about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.artifacts.document import read_document
from sdd_hooks.artifacts.frontmatter_edit import add_list_items
from sdd_hooks.authoring.foreign.scopes import read_scopes

PATH = "docs/adr/0001-x.md"
BODY = "# 1. X\n\n{}\n\n## Status\n\nAccepted\n"


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
def test_any_text_is_read(text: str) -> None:
    scopes(BODY.format(f"**Files**:\n- {text}\n\naffects: {text}"))

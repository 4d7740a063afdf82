from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.truncation import END, FOLD, fitting

FOLDED = st.lists(st.text("ab", max_size=9), max_size=5).map(
    lambda lines: [f"{FOLD}<summary>a</summary>", "", *lines, "", END]
)
LINES = st.lists(st.one_of(st.text("ab", max_size=9).map(lambda line: [line]), FOLDED), max_size=9)
SAID = "Cut here."
LEAST = len(f"\n{END}\n\n{SAID}\n")


@given(LINES, st.integers(LEAST, 400))
def test_what_is_left_fits_and_is_closed(blocks: list[list[str]], longest: int) -> None:
    lines = [line for block in blocks for line in block]
    text = fitting(lines, len, longest, SAID)
    assert len(text) <= longest
    kept = text.splitlines()
    assert sum(line.startswith(FOLD) for line in kept) == kept.count(END)
    whole = "".join(f"{line}\n" for line in lines)
    assert (text == whole) == (len(whole) <= longest)
    if text != whole:
        assert kept[-1] == SAID
        body = kept[:-2]
        while body and body != lines[: len(body)]:
            body.pop()
        assert kept[len(body) : -2] in ([], ["", END], [END])


def test_nothing() -> None:
    assert fitting([], len, LEAST, SAID) == ""

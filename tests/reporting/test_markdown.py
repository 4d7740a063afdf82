from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.findings import Finding, ReportedFinding
from sdd_hooks.reporting.escape import single_line as as_line
from sdd_hooks.reporting.markdown import (
    MAX_OPEN,
    place_link,
    render_markdown,
    truncate_lines,
)
from sdd_hooks.reporting.markdown_parts import FOLD_END, FOLD_START
from sdd_hooks.reporting.outcome import References, ReviewOutcome
from sdd_hooks.reporting.registry import Links
from tests.reporting.forges import acted_on, shown
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, RETRIES, TIMEOUTS, reviews

BLOB = "https://forge.example/owner/repo/blob"
LINKS = Links(BLOB, HEAD)

WHOLE = Path(__file__).with_name("everything.md")


def many(number: int) -> tuple[ReportedFinding, ...]:
    """Warnings on lines that a change adds."""
    return tuple(
        ReportedFinding(
            Finding("a.py", at, "r", "warning", f"finding {at}", "x = 1"), f"{at:032x}", True
        )
        for at in range(1, number + 1)
    )


def test_the_whole_report() -> None:
    assert render_markdown(EVERYTHING, links=LINKS) == WHOLE.read_text(encoding="utf-8")


def test_without_links_places_are_code_spans() -> None:
    text = render_markdown(EVERYTHING)
    assert "“Decision Outcome” in `docs/adrs/ADR-0011-retries.md:42`" in text
    assert BLOB not in text


def test_a_review_without_findings() -> None:
    assert render_markdown(ReviewOutcome(BASE, HEAD, "Change", 1)) == (
        "## ✅ All clear\n\n<sub>1 changed file, from `aaaaaaaaaaaa` to `bbbbbbbbbbbb`.</sub>\n"
    )


def test_a_review_of_what_is_staged_names_no_commit() -> None:
    text = render_markdown(ReviewOutcome(BASE, "", "", 2))
    assert text.endswith("<sub>2 changed files, from `aaaaaaaaaaaa` to what is staged.</sub>\n")


def test_a_trailer_that_silences_suggestions_is_shown() -> None:
    silenced = References((TIMEOUTS,), (), "ADR-Exempt: generated code")
    text = render_markdown(ReviewOutcome(BASE, HEAD, "", 1, silenced))
    assert "## ✅ All clear\n" in text
    assert "was not asked: `ADR-Exempt: generated code`\n" in text


def test_findings_with_the_same_message_are_one_item() -> None:
    findings = tuple(
        ReportedFinding(Finding("a.py", at, "r", "critical", "no", f"x = {at}"), f"{at:032x}")
        for at in range(1, MAX_OPEN + 3)
    )
    page = render_markdown(ReviewOutcome(BASE, HEAD, "", 1, findings=(*findings, *many(1))))
    shown_first, _, folded = page.partition("<details><summary>2 more</summary>\n")
    assert "- no (`r`)\n  - `a.py:1`: `x = 1`\n  - `a.py:2`: `x = 2`\n" in shown_first
    assert "\n- no (`r`)\n  - `a.py:6`: `x = 6`\n  - `a.py:7`: `x = 7`\n\n</details>" in folded
    assert page.startswith(f"## ❌ {MAX_OPEN + 2} critical findings · ⚠️ 1 warning\n")


def test_many_findings_are_folded() -> None:
    page = render_markdown(ReviewOutcome(BASE, HEAD, "", 1, findings=many(MAX_OPEN + 3)))
    in_the_open, _, folded = page.partition("<details><summary>3 more</summary>\n")
    assert in_the_open.count("\n- ") == MAX_OPEN
    assert folded.count("\n- ") == 3
    assert "<details>" not in render_markdown(
        ReviewOutcome(BASE, HEAD, "", 1, findings=many(MAX_OPEN))
    )


def test_each_suggestion_is_one_question() -> None:
    second = RETRIES._replace(path="docs/adrs/x.md", id="ADR-0012", title="Queues")
    page = render_markdown(ReviewOutcome(BASE, HEAD, "", 1, References((RETRIES, second))))
    assert page.startswith("## 📌 2 decisions to consider\n")
    assert "### Should this PR reference ADR-0012? (Queues)" in page
    assert page.count("If so, add `Refs: ADR-0011`") == 1


def test_a_path_is_quoted_in_a_link() -> None:
    path = "docs/a b)](x)<>?#%\n\udce9.md"
    page = shown(place_link(path, 3, LINKS))
    quoted = "docs/a%20b%29%5D%28x%29%3C%3E%3F%23%25%0A%E9.md"
    assert page.links == [f"{BLOB}/{HEAD}/{quoted}?plain=1#L3"]
    assert page.codes == [r"docs/a b)](x)<>?#% \udce9.md:3"]


def test_a_path_of_white_space_is_visible() -> None:
    assert shown(place_link("\t", 0, None)).codes == [r"'\t'"]
    assert shown(place_link("\t", 3, None)).codes == [r"'\t':3"]


def test_the_query_of_a_link_depends_on_the_forge() -> None:
    gitea = Links("https://g.example/o/r/src/commit", HEAD, "display=source")
    assert place_link("a.md", 3, gitea).endswith(f"/src/commit/{HEAD}/a.md?display=source#L3)")


@given(reviews(), st.sampled_from([None, LINKS]))
def test_untrusted_text_is_inert(review: ReviewOutcome, links: Links | None) -> None:
    text = render_markdown(review, links=links)
    assert text.encode().decode() == text
    assert "\r" not in text
    page = shown(text)
    allowed = "h2 h3 p ul ol li blockquote strong a code span details summary sub br"
    assert set(page.tags) <= set(allowed.split())
    assert all(link.startswith(f"{BLOB}/{HEAD}/") for link in page.links)
    assert page.comments == []
    assert acted_on(page.texts) == []
    folds = [line for line in text.splitlines() if line.startswith("<details>")]
    assert page.tags.count("details") == len(folds) == text.splitlines().count("</details>")


@given(reviews())
@example(
    ReviewOutcome("", "", "", 0, findings=(ReportedFinding(Finding("\t", 0, "r", "info", ""), ""),))
)
def test_every_finding_is_in_the_report(review: ReviewOutcome) -> None:
    findings = [reported.finding for reported in (*review.findings, *review.suppressed)]
    codes = set(shown(render_markdown(review)).codes)
    for finding in findings:
        path = finding.path if finding.path.strip() else ascii(finding.path)
        location = as_line(f"{path}:{finding.line}" if finding.line else path)
        assert {finding.rule, location} <= codes or not finding.path


FOLDED = st.lists(st.text("ab", max_size=9), max_size=5).map(
    lambda lines: [f"{FOLD_START}<summary>a</summary>", "", *lines, "", FOLD_END]
)
LINES = st.lists(st.one_of(st.text("ab", max_size=9).map(lambda line: [line]), FOLDED), max_size=9)
NOTICE = "Cut here."
MIN_SIZE = len(f"\n{FOLD_END}\n\n{NOTICE}\n")


@given(LINES, st.integers(MIN_SIZE, 400))
def test_truncated_lines_fit_and_have_no_open_fold(blocks: list[list[str]], longest: int) -> None:
    lines = [line for block in blocks for line in block]
    text = truncate_lines(lines, len, longest, NOTICE)
    assert len(text) <= longest
    kept = text.splitlines()
    assert sum(line.startswith(FOLD_START) for line in kept) == kept.count(FOLD_END)
    whole = "".join(f"{line}\n" for line in lines)
    assert (text == whole) == (len(whole) <= longest)
    if text != whole:
        assert kept[-1] == NOTICE
        body = kept[:-2]
        while body and body != lines[: len(body)]:
            body.pop()
        assert kept[len(body) : -2] in ([], ["", FOLD_END], [FOLD_END])


def test_no_lines() -> None:
    assert truncate_lines([], len, MIN_SIZE, NOTICE) == ""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.findings import Finding, ReportedFinding, SuppressedFinding
from sdd_hooks.reporting.comment import (
    MARKER,
    MAX_OPEN,
    MAX_UNITS,
    ExistingComment,
    InlineComment,
    Reconciliation,
    has_marker,
    inline_comments,
    read_fingerprint,
    reconcile,
    render_comment,
)
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import Candidate, References, ReviewOutcome
from sdd_hooks.reporting.registry import Links
from tests.reporting.forges import acted_on, shown
from tests.reporting.reviews import BASE, DANGLING, EVERYTHING, HEAD, reviews
from tests.reporting.test_markdown import many

CUT = "**Cut here:**"

ONE, TWO, THREE = ("1" * 32, "2" * 32, "3" * 32)


def characters(text: str) -> int:
    """The upper bound of what a forge counts: UTF-16 units, and CR LF for the end of a line."""
    return len(text.replace("\n", "\r\n").encode("utf-16-le")) // 2


def huge(number: int, evidence: str) -> ReviewOutcome:
    """A review with this number of warnings, and of suppressed ones."""
    findings = [Finding(f"src/{at}.py", 1, "r", "warning", "no", evidence) for at in range(number)]
    reported = tuple(ReportedFinding(finding, f"{at:032x}") for at, finding in enumerate(findings))
    suppressed = tuple(SuppressedFinding(finding, "a reason") for finding in findings)
    return ReviewOutcome(BASE, HEAD, "", 1, findings=reported, suppressed=suppressed)


def test_the_marker_is_the_first_line() -> None:
    text = render_comment(EVERYTHING)
    assert text == f"{MARKER}\n{render_markdown(EVERYTHING)}"
    assert has_marker(text)
    assert has_marker(text.replace("\n", "\r\n"))


@pytest.mark.parametrize("body", ["", "x", f" {MARKER}\n", f"x\n{MARKER}\n", f"{MARKER} x", "\n"])
def test_a_comment_without_the_marker(body: str) -> None:
    assert not has_marker(body)


def test_a_marker_in_the_reviewed_text_is_escaped() -> None:
    finding = Finding(f"{MARKER}\n{MARKER}", 1, MARKER, "critical", MARKER, f"{MARKER}\n{MARKER}")
    record = Candidate(MARKER, MARKER, MARKER, 1, True, False, (), MARKER, f"\n{MARKER}\n", 1)
    notes, silenced = (f"\n{MARKER}",), f"\n{MARKER}"
    references = References((record,), (record,), silenced)
    suppressed = (SuppressedFinding(finding, f"\n{MARKER}"),)
    hostile = ReviewOutcome(
        BASE, HEAD, MARKER, 1, references, (ReportedFinding(finding, "f" * 32),), suppressed, notes
    )
    text = render_comment(hostile)
    assert text.count("<!--") == 1
    assert shown(text).comments == [" sdd-review "]


@pytest.mark.parametrize("evidence", ["x = 1", "𝒳" * 160, "<!--" * 50])
def test_a_long_report_is_cut_between_lines(evidence: str) -> None:
    review = huge(2_000, evidence)
    text = render_comment(review)
    assert MAX_UNITS - 2_000 < characters(text) <= MAX_UNITS
    *kept, blank, notice = text.splitlines()
    assert notice.startswith(CUT)
    assert blank == ""
    whole = f"{MARKER}\n{render_markdown(review)}".splitlines()
    assert kept[:-2] == whole[: len(kept) - 2]
    assert kept[-2:] == ["", "</details>"]
    page = shown(text)
    assert page.tags.count("details") == text.count("</details>")
    assert acted_on(page.texts) == []


def test_a_report_that_fits_is_not_cut() -> None:
    for number in range(400, 640, 10):
        review = ReviewOutcome(BASE, HEAD, "", 1, findings=many(number))
        text = render_comment(review)
        whole = f"{MARKER}\n{render_markdown(review)}"
        assert text == whole or CUT in text
        assert (CUT in text) == (characters(whole) > MAX_UNITS - 536)


@settings(max_examples=15)
@given(reviews(), st.integers(0, 200))
def test_every_comment_is_within_the_limit(review: ReviewOutcome, times: int) -> None:
    grown = ReviewOutcome(
        review.base,
        review.head,
        review.title,
        review.files,
        review.references,
        review.findings * times,
        review.suppressed * times,
        review.notes * times,
    )
    text = render_comment(grown, links=Links("https://forge.example/o/r/blob", HEAD))
    assert characters(text) <= MAX_UNITS
    assert has_marker(text)
    assert text.count("<!--") == 1
    page = shown(text)
    assert page.tags.count("details") == text.splitlines().count("</details>")
    assert acted_on(page.texts) == []


def wanted(*fingerprints: str) -> tuple[InlineComment, ...]:
    """The comments of a review with such findings."""
    findings = tuple(
        ReportedFinding(DANGLING, fingerprint, on_added_line=True) for fingerprint in fingerprints
    )
    return inline_comments(ReviewOutcome(BASE, HEAD, "", 1, findings=findings))


def posted(comment: InlineComment, id_: str = "1") -> ExistingComment:
    """The comment as sdd posted it on a pull request."""
    return ExistingComment(id_, comment.body, by_sdd=True)


def test_findings_on_changed_lines_have_comments() -> None:
    first, second = inline_comments(EVERYTHING)
    assert first == InlineComment(
        path="src/pay/client.py",
        line=12,
        side="RIGHT",
        body="<!-- sdd-review: f1 -->\n"
        "❌ **critical**: there is no ADR-0099: name one that is there (`dangling-reference`)\n",
        fingerprint="f1",
    )
    assert (second.path, second.line, second.fingerprint) == ("src/web/page.js", 7, "f4")


def test_a_finding_about_a_whole_file_has_no_line_comment() -> None:
    finding = ReportedFinding(replace(DANGLING, line=0), ONE, on_added_line=True)
    assert inline_comments(ReviewOutcome(BASE, HEAD, "", 1, findings=(finding,))) == ()


def test_the_fingerprint_is_read_from_the_marker() -> None:
    (comment,) = wanted(ONE)
    assert read_fingerprint(comment.body) == ONE
    assert read_fingerprint(comment.body.replace("\n", "\r\n")) == ONE


@pytest.mark.parametrize(
    "body",
    [
        "",
        f"<!-- sdd-review: {ONE} --> x",
        f"x\n<!-- sdd-review: {ONE} -->",
        f" <!-- sdd-review: {ONE} -->",
        "<!-- sdd-review:  -->",
        "<!-- sdd-review -->",
        "<!-- sdd-review: é -->",
    ],
)
def test_no_marker(body: str) -> None:
    assert read_fingerprint(body) == ""


def test_the_first_review_posts_everything() -> None:
    comments = wanted(ONE, TWO)
    assert reconcile(comments, []) == Reconciliation(comments, (), ())


def test_the_same_finding_is_not_posted_again() -> None:
    first, second = wanted(ONE, TWO)
    assert reconcile((first, second), [posted(first)]) == Reconciliation((second,), ("1",), ())
    assert reconcile((first, first), []) == Reconciliation((first,), (), ())


def test_a_moved_line_keeps_its_comment() -> None:
    (comment,) = wanted(ONE)
    moved = comment._replace(line=90)
    assert reconcile([moved], [posted(comment)]) == Reconciliation((), ("1",), ())


def test_the_comment_of_a_fixed_finding_is_resolved() -> None:
    first, second = wanted(ONE, TWO)
    comments = [posted(first, "1"), posted(second, "2")]
    assert reconcile((second,), comments) == Reconciliation((), ("2",), ("1",))
    assert reconcile((), comments) == Reconciliation((), (), ("1", "2"))


def test_a_comment_that_a_person_resolved_stays_resolved() -> None:
    (comment,) = wanted(ONE)
    assert reconcile([comment], [posted(comment)._replace(resolved=True)]) == Reconciliation(
        (), (), ()
    )


def test_a_comment_that_sdd_resolved_is_posted_when_its_finding_returns() -> None:
    (comment,) = wanted(ONE)
    settled = posted(comment)._replace(resolved=True, resolved_by_sdd=True)
    assert reconcile([comment], [settled]) == Reconciliation((comment,), (), ())
    assert reconcile([], [settled]) == Reconciliation((), (), ())


def test_comments_of_other_authors_are_ignored() -> None:
    (comment,) = wanted(ONE)
    forged = posted(comment)._replace(by_sdd=False)
    talk = ExistingComment("2", "I do not agree", by_sdd=True)
    assert reconcile([], [forged, talk]) == Reconciliation((), (), ())
    assert reconcile([comment], [forged, talk]) == Reconciliation((comment,), (), ())


def test_a_duplicate_comment_is_resolved() -> None:
    (comment,) = wanted(ONE)
    assert reconcile([comment], [posted(comment, "1"), posted(comment, "2")]) == Reconciliation(
        (), ("1",), ("2",)
    )


def test_the_number_of_open_comments_is_limited() -> None:
    comments = wanted(*(f"{at:032x}" for at in range(MAX_OPEN + 20)))
    first = reconcile(comments, [])
    assert first.post == comments[:MAX_OPEN]
    existing = [posted(comment, str(at)) for at, comment in enumerate(first.post)]
    assert reconcile(comments, existing).post == ()
    # The last posted finding is fixed, which makes room for the next.
    rest = comments[: MAX_OPEN - 1] + comments[MAX_OPEN:]
    assert reconcile(rest, existing).post == (comments[MAX_OPEN],)


@given(reviews())
def test_bodies_are_inert(review: ReviewOutcome) -> None:
    for comment in inline_comments(review):
        marker, _, text = comment.body.partition("\n")
        assert marker == f"<!-- sdd-review: {comment.fingerprint} -->"
        assert "<!--" not in text
        page = shown(comment.body)
        assert set(page.tags) <= {"p", "strong", "code", "span"}
        assert acted_on(page.texts) == []


FINGERPRINTS = st.sampled_from([f"{at:032x}" for at in range(8)])
PUSHES = st.lists(
    st.tuples(st.sets(FINGERPRINTS), st.sets(FINGERPRINTS), st.booleans()), max_size=6
)


@given(PUSHES)
def test_over_a_history_of_pushes(pushes: list[tuple[set[str], set[str], bool]]) -> None:
    """Each push has findings; then a person resolves some, and another author copies comments."""
    thread_comments: dict[str, ExistingComment] = {}
    dismissed: set[str] = set()
    for fingerprints, resolved, copied in pushes:
        result = reconcile(wanted(*sorted(fingerprints)), thread_comments.values())
        assert set(result.keep).isdisjoint(result.resolve)
        for id_ in (*result.keep, *result.resolve):
            assert thread_comments[id_].by_sdd
            assert not thread_comments[id_].resolved
        for id_ in result.resolve:
            thread_comments[id_] = thread_comments[id_]._replace(
                resolved=True, resolved_by_sdd=True
            )
        for comment in result.post:
            thread_comments[str(len(thread_comments))] = posted(comment, str(len(thread_comments)))
        open_ = [
            read_fingerprint(comment.body)
            for comment in thread_comments.values()
            if comment.by_sdd and not comment.resolved
        ]
        assert sorted(open_) == sorted(fingerprints - dismissed)
        for id_, known in list(thread_comments.items()):
            if known.by_sdd and not known.resolved and read_fingerprint(known.body) in resolved:
                thread_comments[id_] = known._replace(resolved=True)
                dismissed.add(read_fingerprint(known.body))
            if copied:
                thread_comments[f"copy of {id_}"] = known._replace(
                    id=f"copy of {id_}", by_sdd=False
                )

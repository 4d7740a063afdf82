from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.findings import Finding, ReportedFinding, SuppressedFinding
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import Evidence, References, ReviewOutcome
from sdd_hooks.reporting.terminal import render_terminal
from sdd_hooks.text.display import display_width
from tests.reporting.audits import CLEAN, audits
from tests.reporting.audits import EVERYTHING as AUDIT
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, MARKUP, RETRIES, reviews

REPORT = """\
Should this PR reference ADR-0011? (Retries belong to the client)
  docs/adrs/ADR-0011-retries.md:42 (Decision Outcome)
    │ Every outbound call is retried by the client, never by the caller.
  comments  a governing comment names it (src/pay/client.py:3)
  words     both are about retry, backoff, client

If so, add `Refs: ADR-0011` to a commit message. If not, `Reviewed-ADRs: none`
settles it.
Less likely: ADR-0003 (Timeouts), Queues are durable

governed by Queues are durable, referenced

prior issues
  142 Payments are sent twice (closed): the change names it

critical (1)
  src/pay/client.py:12  dangling-reference
    there is no ADR-0099: name one that is there
    │ # Governing: ADR-0099

warning (3)
  title, body or message  superseded-reference
    ADR-0002 is superseded: name ADR-0004
  docs/openspec/specs/pay/spec.md  spec-pair
    the spec has no design.md
  src/web/page.js:7  security/inner-html
    markup goes in as it is: use textContent
    │ box.innerHTML = name

suppressed (1)
  src/web/page.js:7 security/inner-html: sanitised by bleach

1 suggestion, 1 critical, 3 warnings in 14 files; 1 suppressed

note: the diff is larger than 50 MB: not all of it was read
"""
NARROW = """\
Should this PR reference ADR-0011?
(Retries belong to the client)
  docs/adrs/ADR-0011-retries.md:42
  (Decision Outcome)
    │ Every outbound call is retried by
    │ the client, never by the caller.
  comments  a governing comment names it
            (src/pay/client.py:3)
  words     both are about retry,
            backoff, client

If so, add `Refs: ADR-0011` to a commit
message. If not, `Reviewed-ADRs: none`
settles it.

1 suggestion in 14 files
"""
STYLE = re.compile("\x1b\\[[0-9;]+m")


def shown(review: ReviewOutcome, width: int = 80) -> str:
    return render_terminal(review, width=width, colour=False)


def review_of(*findings: Finding) -> ReviewOutcome:
    return ReviewOutcome(
        BASE, HEAD, "t", 2, findings=tuple(ReportedFinding(finding, "f") for finding in findings)
    )


def test_the_suggestion_comes_first_and_the_count_last():
    assert shown(EVERYTHING) == REPORT


def test_lines_fit_a_narrow_terminal():
    suggested = replace(EVERYTHING, findings=(), suppressed=(), notes=(), issues=())
    review = replace(suggested, references=References((RETRIES,)))
    assert shown(review, 40) == NARROW
    # A narrower terminal wraps the lines itself.
    assert shown(review, 10) == NARROW


def test_no_width_is_no_limit():
    message = "word " * 60
    assert f"    {message.strip()}\n" in shown(review_of(replace(MARKUP, message=message)), 0)
    # Lines stay readable on a wide terminal.
    assert max(map(len, shown(review_of(replace(MARKUP, message=message)), 300).splitlines())) == 98


def test_all_clear_is_one_line():
    assert shown(ReviewOutcome(BASE, HEAD, "t", 3)) == "all clear: 3 files reviewed\n"
    assert shown(ReviewOutcome(BASE, HEAD, "t", 0)) == "all clear: nothing has changed\n"
    suppressed = ReviewOutcome(
        BASE, HEAD, "t", 1, suppressed=(SuppressedFinding(MARKUP, "sanitised"),)
    )
    assert shown(suppressed).endswith("\n\nall clear: 1 file reviewed; 1 suppressed\n")
    silence = "nothing to compare with: no decision record in docs/adrs/"
    review = ReviewOutcome(BASE, HEAD, "t", 3, References(silence=silence))
    assert shown(review) == f"3 files reviewed, with no decision\n\n{silence}\n"
    assert silence not in render_comment(review)
    assert "✅" not in render_markdown(review)
    assert silence in render_markdown(review)


def test_a_finding_in_a_message_without_changed_files():
    review = replace(review_of(replace(MARKUP, path="", line=0)), files=0)
    assert shown(review).endswith("\n\n1 warning in 0 files\n")


def test_a_trailer_that_silences_suggestions_is_a_note():
    review = ReviewOutcome(BASE, HEAD, "t", 3, References(silenced="ADR-Exempt: generated code"))
    assert shown(review) == (
        "all clear: 3 files reviewed\n\n"
        "note: nothing is suggested, as asked for: ADR-Exempt: generated code\n"
    )


def test_findings_with_the_same_message_are_grouped():
    two = (MARKUP, replace(MARKUP, path="src/web/other.js", evidence="y.innerHTML = z" * 20))
    assert shown(review_of(*two), 60).splitlines()[:5] == [
        "warning (2)",
        "  security/inner-html",
        "    markup goes in as it is: use textContent",
        "    src/web/page.js:7  box.innerHTML = name",
        "    src/web/other.js:7  y.innerHTML = zy.innerHTML = zy.inn…",
    ]


def test_the_rest_of_many_findings_is_counted():
    many = [replace(MARKUP, message=f"no {n}") for n in range(100)]
    lines = shown(review_of(*many)).splitlines()
    assert lines[0] == "warning (100)"
    assert lines[1:4] == [
        "  src/web/page.js:7  security/inner-html",
        "    no 0",
        "    │ box.innerHTML = name",
    ]
    # Six findings of three lines each fit into twenty lines.
    assert lines[18:] == [
        "    │ box.innerHTML = name",
        "  … and 94 more",
        "",
        "100 warnings in 2 files",
    ]
    same = [replace(MARKUP, line=n) for n in range(1, 1001)]
    other = replace(MARKUP, message="another")
    lines = shown(review_of(*same, other)).splitlines()
    assert lines[0] == "warning (1,001)"
    assert lines[9:11] == ["    … and 994 more", "  src/web/page.js:7  security/inner-html"]
    left = shown(review_of(*many, *same)).splitlines()
    assert left[19] == "  … and 1,094 more"


def test_the_rest_of_evidence_and_notes_is_counted():
    evidence = tuple(Evidence("words", f"reason {n}") for n in range(30))
    references = References((RETRIES._replace(evidence=evidence),))
    notes = tuple(f"n{n}" for n in range(25))
    review = ReviewOutcome(BASE, HEAD, "t", 1, references, notes=notes)
    lines = shown(review).splitlines()
    assert "  words  reason 19" in lines
    assert "  words  reason 20" not in lines
    assert lines.count("  … and 10 more") == 1
    assert lines[-2:] == ["note: n19", "  … and 5 more"]


def test_a_place_is_not_repeated():
    evidence = (
        Evidence("comments", "src/a.py:3 names it", "src/a.py", 3),
        Evidence("title", "both say retry", RETRIES.path, 1),
        Evidence("record", "it is about files like these", RETRIES.path),
    )
    references = References((RETRIES._replace(evidence=evidence),))
    assert shown(ReviewOutcome(BASE, HEAD, "t", 1, references)).splitlines()[3:6] == [
        "  comments  src/a.py:3 names it",
        "  title     both say retry (line 1)",
        "  record    it is about files like these",
    ]


def test_control_characters_become_escapes():
    hostile = replace(
        MARKUP,
        path="a\x1b[31m\nb.js",
        message="x\x9b2Jy\u202ez",
        evidence=" " * 1000 + "caf\udce9\0\r\n end",
    )
    assert shown(review_of(hostile)).splitlines()[1:4] == [
        "  a\\u001b[31m b.js:7  security/inner-html",
        "    x\\u009b2Jy\\u202ez",
        "    │ caf\\udce9\\u0000 end",
    ]


def test_a_long_text_is_cut():
    hostile = replace(MARKUP, message="m" * 10**6, evidence="e " * 10**6)
    text = shown(review_of(hostile))
    assert len(text) < 2000
    assert text.count("…") == 2


def test_styles_are_optional():
    coloured = render_terminal(EVERYTHING, width=80, colour=True)
    assert STYLE.sub("", coloured) == REPORT
    assert "\x1b[1;31mcritical (1)\x1b[0m" in coloured
    assert "\x1b[1;33mwarning (3)\x1b[0m" in coloured
    assert "\x1b[1mShould this PR" in coloured


@given(reviews(), st.integers(0, 200))
@settings(deadline=None)
def test_the_text_of_any_review_is_harmless(review, width):
    text = shown(review, width)
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text
    )
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\n\n\n" not in text
    assert not re.search("[ \t]\n", text)
    coloured = render_terminal(review, width=width, colour=True)
    assert STYLE.sub("", coloured) == text
    # Every style ends on its line.
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b") for line in coloured.splitlines())


@given(reviews(), st.integers(40, 100))
@settings(deadline=None)
def test_every_line_without_a_path_fits(review, width):
    # Paths are not wrapped, so that a terminal can link them.
    for line in shown(replace(review, findings=()), width).splitlines():
        assert display_width(line) <= width


def test_a_quote_that_is_cut_ends_in_an_ellipsis():
    for cut in (False, True):
        review = ReviewOutcome(BASE, HEAD, "", 1, References((RETRIES._replace(cut=cut),)))
        assert ("by the caller. …" in shown(review)) is cut


def test_the_parts_around_the_findings() -> None:
    shown = render_terminal(AUDIT, width=80, colour=False)
    assert shown.startswith(
        "audit of src\n"
        "  Index was 3 hours stale — refreshed before running.\n"
        "  4 ADRs, 1 spec, 12 source files\n"
        "\n"
        "critical (1)\n"
    )
    assert shown.endswith(
        "summary\n"
        "  category       critical  warning  info  total\n"
        "  Code vs. ADR          1        0     0      1\n"
        "  Coverage Gaps         0        0     0      0\n"
        "  Security              0        2     0      2\n"
        "  total                 1        2     0      3\n"
        "\n"
        "modules\n"
        "  module       critical  warning  info  total\n"
        "  api                 1        0     0      1\n"
        "  (no module)         0        2     0      2\n"
        "  total               1        2     0      3\n"
        "\n"
        "coverage\n"
        "  code names 2 of 5 records in force, 1 name code, 0 both, 1 neither; they\n"
        "    govern 8 of 12 source files\n"
        "  neither: ADR-0003\n"
        "\n"
        "recommended actions\n"
        "  1. [critical] src/pay/client.py:12: name one that is there (1 more finding\n"
        "    of lost)\n"
        "\n"
        "1 critical, 2 warnings in 14 files\n"
        "\n"
        "note: left out: 3 findings that audit.json has\n"
    )


def test_a_report_without_findings() -> None:
    shown = render_terminal(CLEAN, width=0, colour=False)
    assert shown.startswith(
        "audit of the whole repository\n  1 ADR, 0 specs, 0 source files\n"
        "  No drift detected. All implementation aligns with governing ADRs and specs.\n"
    )


def test_an_audit_without_a_record_never_says_that_all_is_clear() -> None:
    assert CLEAN.audit
    empty = replace(CLEAN, audit=CLEAN.audit._replace(adrs=0))
    shown = render_terminal(empty, width=0, colour=False)
    assert "\n  Nothing to compare with: no decision and no specification was found." in shown
    assert "with no decision\n" in shown
    assert "clear" not in shown


@given(audits())
@settings(deadline=None, max_examples=15)
def test_any_text_is_printable(review: ReviewOutcome) -> None:
    for line in render_terminal(review, width=60, colour=False).split("\n"):
        assert "\x1b" not in line
        assert line.isprintable() or not line.isascii()

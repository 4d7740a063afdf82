"""Reviews to render: one with every kind of content, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from sdd_hooks.findings import SEVERITIES, Finding, ReportedFinding, SuppressedFinding
from sdd_hooks.reporting.outcome import (
    Candidate,
    Confidence,
    Evidence,
    References,
    ReviewOutcome,
    TouchedIssue,
)

BASE, HEAD = "a" * 40, "b" * 40

RETRIES = Candidate(
    path="docs/adrs/ADR-0011-retries.md",
    id="ADR-0011",
    title="Retries belong to the client",
    score=0.8123456789,
    suggested=True,
    evidence=(
        Evidence("comments", "a governing comment names it", "src/pay/client.py", 3),
        Evidence("words", "both are about retry, backoff, client"),
    ),
    section="Decision Outcome",
    quote="Every outbound call is retried by the client, never by the caller.",
    line=42,
    confidence=Confidence(0.7654321, 0.6, (("agreement", 1 / 3), ("chore", 0.0))),
)
TIMEOUTS = Candidate(
    "docs/adrs/ADR-0003-timeouts.md",
    "ADR-0003",
    "Timeouts",
    0.5,
    why_not="another record comes first",
)
QUEUES = Candidate("docs/adrs/queues.md", "", "Queues are durable", 0.25, referenced=True)

DANGLING = Finding(
    "src/pay/client.py",
    12,
    "dangling-reference",
    "critical",
    "there is no ADR-0099: name one that is there",
    "# Governing: ADR-0099",
)
SUPERSEDED = Finding(
    "", 0, "superseded-reference", "warning", "ADR-0002 is superseded: name ADR-0004"
)
UNPAIRED = Finding(
    "docs/openspec/specs/pay/spec.md", 0, "spec-pair", "warning", "the spec has no design.md"
)
MARKUP = Finding(
    "src/web/page.js",
    7,
    "security/inner-html",
    "warning",
    "markup goes in as it is: use textContent",
    "box.innerHTML = name",
)

OUTAGE = TouchedIssue(
    "142", "Payments are sent twice", "closed", "the change names it", ".sdd/issues/142.md"
)

EVERYTHING = ReviewOutcome(
    base=BASE,
    head=HEAD,
    title="Retry payments",
    files=14,
    references=References((RETRIES, TIMEOUTS, QUEUES), (TIMEOUTS, QUEUES), governing=(QUEUES,)),
    findings=(
        ReportedFinding(DANGLING, "f1", on_added_line=True),
        ReportedFinding(SUPERSEDED, "f2"),
        ReportedFinding(UNPAIRED, "f3"),
        ReportedFinding(MARKUP, "f4", on_added_line=True),
    ),
    suppressed=(SuppressedFinding(MARKUP, "sanitised by bleach"),),
    notes=("the diff is larger than 50 MB: not all of it was read",),
    issues=(OUTAGE,),
)

_ANY_CHARACTER = st.characters()
_HOSTILE = st.sampled_from(
    [
        "\x1b[31m",
        "\x9b2J",
        "\u202e",
        "\u2066",
        "\udce9",
        "\ud83d",
        "\r\n",
        "\0",
        "](https://example.org)",
        "{0}",
        "<!-- -->",
        "日本",
        "a" * 45,
        " " * 45,
    ]
)


def texts(most: int = 4) -> st.SearchStrategy[str]:
    """Texts of any characters, including lone surrogates, and of harmful pieces."""
    pieces = st.one_of(st.text(_ANY_CHARACTER, max_size=12), _HOSTILE)
    return st.lists(pieces, max_size=most).map("".join)


def paths() -> st.SearchStrategy[str]:
    """Paths as git has them: any bytes but NUL."""
    data = st.lists(st.binary(min_size=1, max_size=8), max_size=3).map(b"/".join)
    return data.map(lambda path: path.replace(b"\0", b"0").decode("utf-8", "surrogateescape"))


_LINES = st.integers(min_value=0, max_value=10**6)


def findings() -> st.SearchStrategy[Finding]:
    """Findings of any rule, anywhere."""
    rules = st.sampled_from(["security", "security/inner-html", "spec-pair", "drift", "a/b/c"])
    severities = st.sampled_from(SEVERITIES)
    return st.builds(Finding, paths(), _LINES, rules, severities, texts(), texts())


def reviews() -> st.SearchStrategy[ReviewOutcome]:
    """Well-formed reviews of any content."""
    evidence = st.builds(Evidence, st.sampled_from(["words", "comments"]), texts(), paths(), _LINES)
    candidates = st.builds(
        Candidate,
        path=paths(),
        id=st.sampled_from(["", "ADR-0011"]),
        title=texts(),
        score=st.floats(0, 1),
        suggested=st.booleans(),
        referenced=st.booleans(),
        evidence=st.lists(evidence, max_size=3).map(tuple),
        section=texts(),
        quote=texts(),
        line=_LINES,
        confidence=st.sampled_from([None, RETRIES.confidence]),
    )
    some = st.lists(candidates, max_size=3).map(tuple)
    reported = st.builds(ReportedFinding, findings(), st.text("0123456789abcdef"), st.booleans())
    return st.builds(
        ReviewOutcome,
        base=st.sampled_from(["", BASE]),
        head=st.sampled_from(["", HEAD]),
        title=texts(),
        files=st.integers(0, 5000),
        references=st.builds(References, some, some, texts(2), some),
        findings=st.lists(reported, max_size=5).map(tuple),
        suppressed=st.lists(st.builds(SuppressedFinding, findings(), texts()), max_size=3).map(
            tuple
        ),
        notes=st.lists(texts(), max_size=3).map(tuple),
        issues=st.lists(
            st.builds(TouchedIssue, texts(), texts(), st.just("open"), texts(), paths()), max_size=2
        ).map(tuple),
    )

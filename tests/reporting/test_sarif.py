import json
import os
import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given, settings
from jsonschema import ValidationError

import sdd_hooks
from sdd_hooks.findings import Finding, ReportedFinding, RuleDescription
from sdd_hooks.reporting.outcome import References, ReviewOutcome
from sdd_hooks.reporting.sarif import MAX_RESULTS, MAX_SIZE, render_sarif
from tests.reporting.reviews import (
    BASE,
    EVERYTHING,
    HEAD,
    MARKUP,
    RETRIES,
    SUPERSEDED,
    paths,
    reviews,
    texts,
)

RULES = [
    RuleDescription("spec-pair", "warning", "A spec without its design", "Write the design."),
    RuleDescription("security", "warning", "Patterns that are often unsafe", "Look again."),
]


def run_of(review: ReviewOutcome, rules: list[RuleDescription] = RULES) -> Any:
    log = json.loads(render_sarif(review, rules))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return run


def reported(*findings: Finding) -> ReviewOutcome:
    each = tuple(ReportedFinding(finding, f"f{number}") for number, finding in enumerate(findings))
    return ReviewOutcome(BASE, HEAD, "t", 1, findings=each)


def test_the_official_schema_rejects_an_invalid_log(official):
    with pytest.raises(ValidationError):
        official.accepts({"version": "2.1.0", "runs": [{"results": []}]})


def test_an_example_is_valid(official):
    assert official.accepts(json.loads(render_sarif(EVERYTHING, RULES)))
    assert official.accepts(json.loads(render_sarif(ReviewOutcome(BASE, "", "", 0), ())))


@given(reviews())
@settings(deadline=None)
def test_the_log_of_any_review_is_valid(official, review):
    text = render_sarif(review, RULES)
    assert official.accepts(json.loads(text))
    assert text == render_sarif(review, RULES)
    assert text.isascii()
    run = json.loads(text)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert result["message"]["text"]


def test_the_tool_and_the_commits():
    run = run_of(EVERYTHING)
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("sdd-hooks", sdd_hooks.__version__)
    assert run["properties"] == {"base": BASE, "head": HEAD}
    (invocation,) = run["invocations"]
    assert [
        notification["message"]["text"] for notification in invocation["toolExecutionNotifications"]
    ] == [
        "the diff is larger than 50 MB: not all of it was read",
        "1 suppressed finding left out",
    ]


def test_rules_have_texts():
    rules = run_of(EVERYTHING)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [
        "missing-reference",
        "security",
        "spec-pair",
        "dangling-reference",
        "superseded-reference",
        "security/inner-html",
    ]
    assert rules[2] == {
        "id": "spec-pair",
        "shortDescription": {"text": "A spec without its design"},
        "fullDescription": {"text": "Write the design."},
        "help": {"text": "Write the design."},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"problem.severity": "warning"},
    }
    # A part of a rule has the texts of the rule, an unknown rule its name.
    assert rules[5]["help"] == {"text": "Look again."}
    assert rules[3]["help"] == {"text": "dangling-reference"}


def test_the_order_of_the_rules_does_not_matter():
    assert render_sarif(EVERYTHING, RULES) == render_sarif(EVERYTHING, RULES[::-1])


def test_a_finding_is_a_result():
    _, result, *_ = run_of(EVERYTHING)["results"]
    assert result == {
        "ruleId": "dangling-reference",
        "ruleIndex": 3,
        "level": "error",
        "message": {"text": "there is no ADR-0099: name one that is there"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/pay/client.py"},
                    "region": {"startLine": 12},
                }
            }
        ],
        "properties": {"evidence": "# Governing: ADR-0099"},
        "partialFingerprints": {"sddFinding/v1": "f1"},
    }


def test_severities_are_levels():
    review = reported(
        *(replace(MARKUP, severity=severity) for severity in ("critical", "warning", "info")),
    )
    assert [result["level"] for result in run_of(review)["results"]] == ["error", "warning", "note"]


def test_a_suggestion_is_a_note_at_the_sentence_that_it_quotes():
    result = run_of(EVERYTHING)["results"][0]
    assert (result["ruleId"], result["level"]) == ("missing-reference", "note")
    assert result["message"]["text"] == (
        "Should this PR reference ADR-0011? (Retries belong to the client) Decision Outcome:"
        " Every outbound call is retried by the client, never by the caller."
    )
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "docs/adrs/ADR-0011-retries.md"},
        "region": {"startLine": 42},
    }
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "a governing comment names it"
    assert related["physicalLocation"]["region"] == {"startLine": 3}


def test_duplicate_evidence_is_one_location(official):
    twice = RETRIES._replace(evidence=RETRIES.evidence[:1] * 2)
    review = replace(EVERYTHING, references=References((twice,)))
    assert official.accepts(json.loads(render_sarif(review, RULES)))
    assert len(run_of(review)["results"][0]["relatedLocations"]) == 1


def test_a_suggestion_keeps_its_identity_when_the_record_is_edited():
    later = RETRIES._replace(line=50, quote="Other words.", score=0.7, title="Retrying")
    before, after = (
        run_of(replace(EVERYTHING, references=References((record,))))["results"][0]
        for record in (RETRIES, later)
    )
    assert before["partialFingerprints"] == after["partialFingerprints"]
    other = RETRIES._replace(path="docs/adrs/ADR-0012-other.md")
    third = run_of(replace(EVERYTHING, references=References((other,))))["results"][0]
    assert third["partialFingerprints"] != after["partialFingerprints"]


def test_a_trailer_that_silences_suggestions_is_a_notification():
    references = References((RETRIES._replace(suggested=False),), silenced="ADR-Exempt: generated")
    run = run_of(ReviewOutcome(BASE, HEAD, "t", 1, references))
    assert run["results"] == []
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == (
        "nothing is suggested, as asked for: ADR-Exempt: generated"
    )


def test_a_suppressed_finding_is_not_a_result():
    without = replace(EVERYTHING, suppressed=())
    assert run_of(EVERYTHING)["results"] == run_of(without)["results"]
    assert len(run_of(EVERYTHING)["results"]) == 1 + len(EVERYTHING.findings)


def test_a_finding_without_a_line_has_the_fingerprint_of_a_line():
    # GitHub's uploader computes the fingerprint of a line, and warns of other values.
    on_line, _, in_file = (
        result["partialFingerprints"] for result in run_of(EVERYTHING)["results"][1:4]
    )
    assert on_line == {"sddFinding/v1": "f1"}
    assert in_file == {"sddFinding/v1": "f3", "primaryLocationLineHash": "f3"}


def test_a_finding_without_a_file_has_a_location():
    # GitHub rejects a whole log for one result without a location.
    (result,) = run_of(reported(SUPERSEDED))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "title%2C%20body%20or%20message"


@given(paths())
def test_a_path_is_a_relative_uri_of_the_same_bytes(path):
    (result,) = run_of(reported(replace(MARKUP, path=f"x{path}")))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == os.fsencode(f"x{path}")
    assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri)
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")


def test_no_path_becomes_the_name_of_a_host():
    (result,) = run_of(reported(replace(MARKUP, path="//example.org/x")))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "example.org/x"


@given(texts(), texts())
def test_no_text_has_a_link_or_a_placeholder(before, after):
    hostile = f"{before}[here](https://example.org){{0}}{after}"
    review = reported(replace(MARKUP, message=hostile))
    text = run_of(replace(review, notes=(hostile,)))["results"][0]["message"]["text"]
    assert "](" not in text
    assert "{" not in text.replace("{{", "")
    assert len(text.splitlines()) == 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_the_size_of_a_log_is_limited():
    findings = [Finding("a.py", n, "security", "warning", f"m{n}") for n in range(1, 30_001)]
    run = run_of(reported(*findings))
    assert len(run["results"]) == MAX_RESULTS
    # The least severe findings, at the end of the list, are left out.
    assert run["results"][-1]["message"]["text"] == f"m{MAX_RESULTS}"
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "5,000 results left out"


def test_the_size_counts_long_texts():
    long = Finding("a" * 4000, 1, "r", "critical", "m" * 5000, "e" * 5000)
    text = render_sarif(reported(*[long] * 3000), RULES)
    assert len(text) < MAX_SIZE + 10_000
    run = json.loads(text)["runs"][0]
    assert 1000 < len(run["results"]) < 3000
    left = 3000 - len(run["results"])
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == f"{left:,} results left out"


def test_the_number_of_rules_is_limited():
    findings = [Finding("a.py", 1, f"r/{n}", "info", "m") for n in range(26_000)]
    assert len(run_of(reported(*findings))["tool"]["driver"]["rules"]) <= MAX_RESULTS + 3

"""Files with the results of scanners are hostile: each problem is one sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.sarif import (
    MAX_BYTES,
    SarifError,
    find_paths,
    parse_sarif,
    read_scans,
)
from sdd_hooks.review.scans import FAMILIES, ScanFile, ScanResult
from tests.support.sarif import Fields, result, sarif

ROOT = "/work/shop"


def parse(text: str) -> ScanFile:
    return parse_sarif(text.encode(), "a.sarif", (ROOT,))


def only(text: str) -> ScanResult:
    (found,) = parse(text).results
    return found


def test_a_result_has_its_place_its_rule_and_its_message() -> None:
    scan = parse(sarif(result("src/a.py", 3, "python.lang.eval"), tool="Semgrep OSS"))

    assert scan.tools == {"semgrep-oss"}
    assert scan.problems == ()
    assert scan.results == (
        ScanResult(
            "security",
            "semgrep-oss/python.lang.eval",
            "warning",
            "Mind python.lang.eval.",
            ("src/a.py",),
            line=3,
            last_line=3,
        ),
    )


@pytest.mark.parametrize(
    ("fields", "rule", "expected"),
    [
        ({}, {}, "warning"),
        ({"level": "error"}, {}, "critical"),
        ({"level": "note"}, {}, "info"),
        ({"level": "none"}, {}, "info"),
        ({}, {"defaultConfiguration": {"level": "error"}}, "critical"),
        ({"level": "warning"}, {"defaultConfiguration": {"level": "error"}}, "warning"),
        ({"level": "note"}, {"properties": {"security-severity": "9.8"}}, "critical"),
        ({"level": "note"}, {"properties": {"security-severity": "7.0"}}, "critical"),
        ({"level": "error"}, {"properties": {"security-severity": "6.9"}}, "warning"),
        ({"level": "error"}, {"properties": {"security-severity": 3.9}}, "info"),
        ({"level": "error"}, {"properties": {"security-severity": "high"}}, "critical"),
        ({"level": "error"}, {"properties": {"security-severity": "nan"}}, "critical"),
        (
            {"properties": {"security-severity": "1"}},
            {"properties": {"security-severity": "9"}},
            "info",
        ),
        ({"level": "error", "kind": "informational"}, {}, "info"),
    ],
)
def test_severities(fields: Fields, rule: Fields, expected: str) -> None:
    found = only(sarif(result("a.py", 1, **fields), rules=({"id": "eval", **rule},)))
    assert found.severity == expected


@pytest.mark.parametrize(
    ("fields", "rule", "expected"),
    [
        ({}, {}, "security"),
        ({"properties": {"tags": ["Templates"]}}, {}, "template"),
        ({}, {"properties": {"tags": ["x", "template"]}}, "template"),
        ({"properties": {"tags": ["security", 3]}}, {}, "security"),
    ],
)
def test_a_tag_decides_the_category(fields: Fields, rule: Fields, expected: str) -> None:
    found = only(sarif(result("a.py", 1, **fields), rules=({"id": "eval", **rule},)))
    assert found.family == expected


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ({"ruleId": "b"}, "semgrep/b"),
        ({"ruleId": "b/1"}, "semgrep/b/1"),
        ({"ruleIndex": 1}, "semgrep/b"),
        ({"rule": {"index": 1}}, "semgrep/b"),
        ({"rule": {"id": "b"}}, "semgrep/b"),
        ({"ruleIndex": 9}, "semgrep/result"),
        ({"ruleId": "@x/no-b (c)"}, "semgrep/x/no-b-c"),
        ({"ruleId": "b" * 500}, f"semgrep/{'b' * 62}"),
    ],
)
def test_the_rule_of_a_result(reference: Fields, expected: str) -> None:
    rules = ({"id": "a"}, {"id": "b", "properties": {"security-severity": "9"}})
    place = {"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}
    found = only(sarif({**reference, "locations": [place]}, rules=rules))

    assert found.rule == expected
    assert found.severity == (
        "critical" if found.rule in {"semgrep/b", "semgrep/b/1"} else "warning"
    )


@pytest.mark.parametrize(
    ("uri", "base", "expected"),
    [
        ("src/a.py", "", ("src/a.py",)),
        ("./src//a.py", "", ("src/a.py",)),
        ("src/a%20b.py", "", ("src/a b.py", "src/a%20b.py")),
        ("src\\a.py", "", ("src/a.py",)),
        ("file:///work/shop/src/a.py", "", ("src/a.py",)),
        ("file://host/work/shop/src/a.py", "", ("src/a.py",)),
        ("/work/shop/a.py", "", ("a.py",)),
        ("/work/shop2/a.py", "", ()),
        ("/work/shop/../other/a.py", "", ()),
        ("/work/shop", "", ()),
        ("../a.py", "", ()),
        ("src/../../a.py", "", ()),
        ("%2e%2e/a.py", "", ("%2e%2e/a.py",)),
        ("..\\a.py", "", ()),
        ("https://example.com/a.py", "", ()),
        ("a.py", "file:///work/shop/web/", ("web/a.py",)),
        ("a.py", "web/", ("web/a.py",)),
        ("a.py", "file:///src/", ("a.py",)),
        ("/etc/passwd", "file:///work/shop/", ()),
        ("C:\\work\\a.py", "", ()),
        ("", "", ()),
        ("a" * 5000, "", ()),
    ],
)
def test_paths(uri: str, base: str, expected: tuple[str, ...]) -> None:
    assert find_paths(uri, base, (ROOT,)) == expected


def test_a_path_on_windows() -> None:
    for uri in ("file:///C:/shop/src/a.py", "C:\\shop\\src\\a.py"):
        assert find_paths(uri, "", ("C:/shop",)) == ("src/a.py",)


def test_bases_are_relative_to_each_other_and_never_in_a_circle() -> None:
    found = result("a.py", 1)
    found["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "WEB"
    bases = {"WEB": {"uri": "web/", "uriBaseId": "TOP"}, "TOP": {"uri": f"file://{ROOT}/"}}
    assert only(sarif(found, originalUriBaseIds=bases)).paths == ("web/a.py",)

    bases["TOP"]["uriBaseId"] = "WEB"
    assert parse(sarif(found, originalUriBaseIds=bases)).results


def test_a_path_can_be_in_the_list_of_artifacts() -> None:
    found = result("", 0, locations=[{"physicalLocation": {"artifactLocation": {"index": 1}}}])
    artifacts = [{}, {"location": {"uri": "src/a.py"}}]
    assert only(sarif(found, artifacts=artifacts)).paths == ("src/a.py",)


def test_results_that_do_not_count() -> None:
    found = [
        result("a.py", 1, kind="pass"),
        result("a.py", 1, kind="notApplicable"),
        result("a.py", 1, baselineState="absent"),
        result("a.py", 2, baselineState="unchanged"),
    ]
    assert [one.line for one in parse(sarif(*found)).results] == [2]


@pytest.mark.parametrize(
    ("suppressions", "expected"),
    [
        ([], ""),
        ([{"kind": "inSource"}], "in-source"),
        ([{"kind": "external", "status": "accepted"}], "elsewhere"),
        ([{"kind": "external", "status": "rejected"}], ""),
        ([{"kind": "inSource"}, {"kind": "external", "status": "underReview"}], ""),
    ],
)
def test_suppressions(suppressions: list[Fields], expected: str) -> None:
    assert only(sarif(result("a.py", 1, suppressions=suppressions))).suppressed == expected


def test_a_message_is_found_in_the_rule_and_gets_its_arguments() -> None:
    rules = ({"id": "eval", "messageStrings": {"m": {"text": "No {0} in {1}.\nNever."}}},)
    message = {"id": "m", "arguments": ["eval", "a\x1b[31m"]}
    found = only(sarif(result("a.py", 1, message=message), rules=rules))

    assert found.message == "No eval in a\\u001b[31m. Never."
    assert only(sarif(result("a.py", 1, message={}))).message == "eval"


def test_the_evidence_that_a_scanner_hides_stays_hidden() -> None:
    found = result("a.py", 1)
    place = found["locations"][0]["physicalLocation"]
    place["region"]["snippet"] = {"text": "key = REDACTED"}
    assert only(sarif(found)).redacted == "key = REDACTED"
    place["region"]["snippet"] = {"text": "requires login"}
    assert only(sarif(found)).redacted == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON, or nested too deep"),
        ("\0\0", "no JSON, or nested too deep"),
        ("[" * 100_000, "no JSON, or nested too deep"),
        ('{"runs":' + "9" * 10_000 + "}", "no JSON, or nested too deep"),
        ("[]", "no SARIF: it has no `runs`"),
        ('{"version": "2.1.0"}', "no SARIF: it has no `runs`"),
        ('{"version": "2.1.0", "runs": {}}', "no SARIF: it has no `runs`"),
        ('{"version": "1.0.0", "runs": []}', "SARIF of version 1.0.0, and 2.1.0 is read"),
        ('{"runs": []}', "SARIF of version ?, and 2.1.0 is read"),
        ('{"version": "2.1.0", "runs": []}', "it has no run of a scanner"),
    ],
)
def test_what_is_no_sarif(text: str, reason: str) -> None:
    with pytest.raises(SarifError) as caught:
        parse(text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (sarif(invocations=[{"executionSuccessful": False}]), ("semgrep says that it failed",)),
        (sarif(results=None), ("a run of semgrep without results",)),
        (sarif(3, None), ("2 results of semgrep in another form than SARIF's",)),
        (
            sarif(
                invocations=[
                    {
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": "cannot\nparse"}},
                            {"level": "note", "message": {"text": "fine"}},
                        ]
                    }
                ]
            ),
            ("semgrep reports an error: cannot parse",),
        ),
        ('{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "ESLint"}}}]}', ()),
    ],
)
def test_what_a_run_did_not_look_at(text: str, problems: tuple[str, ...]) -> None:
    assert parse(text).problems == problems


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(
            ["runs", "results", "tool", "driver", "rules", "id", "ruleId", "ruleIndex", "rule",
             "index", "message", "text", "arguments", "locations", "physicalLocation", "region",
             "artifactLocation", "uri", "uriBaseId", "originalUriBaseIds", "startLine", "endLine",
             "snippet", "properties", "tags", "security-severity", "level", "kind", "suppressions",
             "status", "invocations", "executionSuccessful", "artifacts", "baselineState"]
        ),
        inner,
        max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(_JSON, max_size=3), st.lists(_JSON, max_size=2))
def test_no_document_makes_the_parser_fail(results: list[Any], runs: list[Any]) -> None:
    document = {"version": "2.1.0", "runs": [*runs, {"results": results}]}
    for one in parse_sarif(json.dumps(document).encode(), "a", (ROOT,)).results:
        assert one.family in FAMILIES
        assert one.severity in {"critical", "warning", "info"}
        assert 0 <= one.line <= one.last_line
        assert one.message.isprintable()
        assert all(not path.startswith(("/", "../")) for path in one.paths)


@given(st.binary(max_size=60))
def test_no_bytes_make_the_parser_fail(data: bytes) -> None:
    with pytest.raises(SarifError):
        parse_sarif(data, "a", (ROOT,))


@given(st.text("ab/.\\%2eC:file", max_size=30), st.sampled_from(["", "web/", "file:///x/"]))
def test_no_path_leaves_the_repository(uri: str, base: str) -> None:
    for path in find_paths(uri, base, (ROOT,)):
        assert os.path.normpath(f"{ROOT}/{path}").startswith(f"{ROOT}/")


def test_files_that_cannot_be_read_have_one_problem_each(tmp_path: Path) -> None:
    (tmp_path / "folder.sarif").mkdir()
    os.mkfifo(tmp_path / "pipe.sarif")
    (tmp_path / "link.sarif").symlink_to("good.sarif")
    (tmp_path / "bad.sarif").write_text("{")
    (tmp_path / "good.sarif").write_text(sarif(result("a.py", 1)))
    with (tmp_path / "large.sarif").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    names = ("missing", "folder", "pipe", "link", "bad", "large", "good")
    scans = read_scans([tmp_path / f"{name}.sarif" for name in names], tmp_path)

    assert {scan.name: scan.problems for scan in scans} == {
        "missing.sarif": ("there is no such file",),
        "folder.sarif": ("not a regular file",),
        "pipe.sarif": ("not a regular file",),
        "link.sarif": ("a symlink",),
        "bad.sarif": ("no JSON, or nested too deep",),
        "large.sarif": ("larger than 64 MB",),
        "good.sarif": (),
    }
    assert [len(scan.results) for scan in scans] == [0, 0, 0, 0, 0, 0, 1]
    assert read_scans([tmp_path / "a\0b"], tmp_path)[0].problems == ("not a path",)

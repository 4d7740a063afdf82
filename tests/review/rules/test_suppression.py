from __future__ import annotations

from pathlib import Path

from sdd_hooks.review.rules.suppression import RULE
from tests.review.repositories import subject_of
from tests.review.rules.records import run_rule


def test_a_suppression_without_a_reason_on_an_added_line(tmp_path: Path) -> None:
    before = {"a.py": "# sdd-ignore: security\nx = 1\n"}
    invisible = "# sdd-ignore: b (\u2060)\n"
    after = {"a.py": f"{before['a.py']}  # sdd-ignore: security/redirect, b\ny = 2\n{invisible}"}

    findings = run_rule(RULE, subject_of(tmp_path, before, after))

    finding = findings[0]
    assert [one.line for one in findings] == [3, 5]
    assert (finding.path, finding.line, finding.severity) == ("a.py", 3, "info")
    assert finding.message == (
        "this suppression of security/redirect, b gives no reason and is not heeded: write"
        " `sdd-ignore: security/redirect, b (reason)`"
    )
    assert finding.evidence == "# sdd-ignore: security/redirect, b"


def test_suppressions_with_a_reason_and_in_tests_or_documents_are_no_findings(
    tmp_path: Path,
) -> None:
    after = {
        "a.py": "# sdd-ignore: security (checked)\n",
        "tests/test_a.py": "text = '# sdd-ignore: security'\n",
        "a.md": "Write `sdd-ignore: RULE (reason)` in a comment.\n",
    }

    assert run_rule(RULE, subject_of(tmp_path, {}, after)) == []

from __future__ import annotations

import json
import re
from pathlib import Path

from sdd_hooks.review.rules import own, registered
from tests.cli.commands import run
from tests.support.plugins import install_distribution, install_plugin
from tests.support.repos import Repo

BROKEN = """
from sdd_hooks.api import Finding, Rule


def check(subject):
    yield Finding("a.txt", 2, "curse", "critical", "a curse", "")
    raise RuntimeError("the spell\\nfailed")


CURSE = Rule("curse", "critical", "Curses.", "Do not curse.", check)
IMPOSTOR = Rule("conflict-marker", "info", "Nothing.", "Nothing.", lambda subject: ())
TEXT = "a string"
"""
POINTS = """[sdd_hooks.rules]
curse = sdd_curse:CURSE
impostor = sdd_curse:IMPOSTOR
gone = sdd_curse:GONE
text = sdd_curse:TEXT
missing = sdd_not_there:RULE
"""


def reviewed(repo: Repo, env: dict[str, str]) -> dict[str, object]:
    done = run(repo.root, "review", "--base", "HEAD^", "--json", env=env)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert isinstance(document, dict)
    return document


def test_every_built_in_rule_is_registered_and_documented() -> None:
    rules = own()
    ids = [rule.id for rule in rules]
    folder = Path(__file__).parents[3] / "sdd_hooks/review/rules"
    defining = [
        name
        for path in folder.rglob("*.py")
        for name in re.findall(r"^([A-Z]+) = _?[Rr]ule\(", path.read_text(), re.MULTILINE)
    ]

    assert ids == sorted(set(ids))
    assert len(rules) == len(defining)
    for rule in rules:
        assert rule.id == rule.id.lower().replace("_", "-").replace(" ", "-")
        assert rule.summary.endswith(".")
        assert rule.advice.endswith(".")
        assert "\n" not in rule.summary + rule.advice
    assert set(ids) <= {rule.id for rule in registered()}


def test_a_rule_of_another_distribution_is_applied(repo: Repo, tmp_path: Path) -> None:
    env = install_plugin(tmp_path / "lib", "magic", "rules", "sdd_magic:RULE")
    repo.write("a.txt", "one\n")
    repo.commit("One")
    repo.write("a.txt", "one\nabracadabra\n")
    repo.commit("Two")

    findings = reviewed(repo, env)["findings"]

    assert isinstance(findings, list)
    assert [(one["rule"], one["path"], one["line"]) for one in findings] == [
        ("no-magic", "a.txt", 2)
    ]


def test_rules_that_fail_or_cannot_be_loaded_are_reported(repo: Repo, tmp_path: Path) -> None:
    env = install_distribution(tmp_path / "lib", "curse", POINTS, {"sdd_curse": BROKEN})
    repo.write("a.txt", "one\n")
    repo.commit("One")
    repo.write("a.txt", "<<<<<<< a\ndamn\n=======\n>>>>>>> b\n")
    repo.commit("Two")

    document = reviewed(repo, env)

    findings = document["findings"]
    assert isinstance(findings, list)
    # A finding before the failure is kept, and no plug-in replaces a built-in rule.
    assert sorted(finding["rule"] for finding in findings) == [
        "conflict-marker",
        "curse",
        "incomplete",
    ]
    messages = [finding["message"] for finding in findings]
    assert "not checked: the rule curse failed: RuntimeError: the spell failed" in messages
    assert document["notes"] == [
        "the rule 'gone' of the distribution 'curse 1.0' cannot be loaded (AttributeError: module"
        " 'sdd_curse' has no attribute 'GONE'): update or remove it",
        "the rule 'missing' of the distribution 'curse 1.0' cannot be loaded (ModuleNotFoundError:"
        " No module named 'sdd_not_there'): update or remove it",
        "the rule 'text' of the distribution 'curse 1.0' cannot be loaded (it is not of type Rule):"
        " update or remove it",
    ]

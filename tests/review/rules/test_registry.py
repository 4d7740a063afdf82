from __future__ import annotations

import json
from pathlib import Path

from sdd_hooks.review.rules import own, registered
from tests.cli.commands import run
from tests.support.repos import Repo

MODULE = """
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule


def check(subject):
    for file in subject.change.files:
        for line in file.added:
            if "abracadabra" in line.text:
                yield Finding(file.path, line.number, "no-magic", "critical", "no magic", line.text)
    if any(file.path == "boom.txt" for file in subject.change.files):
        raise RuntimeError("the spell\\nfailed")


NO_MAGIC = Rule("no-magic", "critical", "Magic.", "Use no magic.", check)
IMPOSTOR = Rule("conflict-marker", "info", "Nothing.", "Nothing.", lambda subject: ())
TEXT = "a string"
"""


def install(folder: Path, points: str) -> dict[str, str]:
    """Write a distribution with rules. Returns the environment in which Python finds it."""
    about = folder / "magic-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "sdd_magic.py").write_text(MODULE)
    (about / "METADATA").write_text("Name: magic\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[sdd_hooks.rules]\n{points}")
    return {"PYTHONPATH": str(folder)}


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
    defining = [path for path in folder.rglob("*.py") if "\nRULE = " in path.read_text()]

    assert ids == sorted(set(ids))
    assert len(rules) == len(defining)
    for rule in rules:
        assert rule.id == rule.id.lower().replace("_", "-").replace(" ", "-")
        assert rule.summary.endswith(".")
        assert rule.advice.endswith(".")
        assert "\n" not in rule.summary + rule.advice
    assert set(ids) <= {rule.id for rule in registered()}


def test_a_rule_of_another_distribution_is_applied(repo: Repo, tmp_path: Path) -> None:
    env = install(tmp_path / "lib", "no-magic = sdd_magic:NO_MAGIC\n")
    repo.write("a.txt", "one\n")
    repo.commit("One")
    repo.write("a.txt", "one\nabracadabra\n")
    repo.commit("Two")

    findings = reviewed(repo, env)["findings"]

    assert isinstance(findings, list)
    assert [(finding["rule"], finding["path"], finding["line"]) for finding in findings] == [
        ("no-magic", "a.txt", 2)
    ]


def test_rules_that_fail_or_cannot_be_loaded_are_notes(repo: Repo, tmp_path: Path) -> None:
    points = (
        "no-magic = sdd_magic:NO_MAGIC\nimpostor = sdd_magic:IMPOSTOR\n"
        "gone = sdd_magic:GONE\ntext = sdd_magic:TEXT\nmissing = sdd_not_there:RULE\n"
    )
    env = install(tmp_path / "lib", points)
    repo.write("a.txt", "one\n")
    repo.commit("One")
    repo.write("a.txt", "<<<<<<< a\nabracadabra\n=======\n>>>>>>> b\n")
    repo.write("boom.txt", "boom\n")
    repo.commit("Two")

    document = reviewed(repo, env)

    findings = document["findings"]
    assert isinstance(findings, list)
    # A finding before the failure is kept, and no plug-in replaces a built-in rule.
    assert [finding["rule"] for finding in findings] == ["conflict-marker", "no-magic"]
    assert document["notes"] == [
        "the rule 'gone' of the distribution 'magic 1.0' cannot be loaded (AttributeError: module"
        " 'sdd_magic' has no attribute 'GONE'): update or remove it",
        "the rule 'missing' of the distribution 'magic 1.0' cannot be loaded (ModuleNotFoundError:"
        " No module named 'sdd_not_there'): update or remove it",
        "the rule no-magic failed: RuntimeError: the spell failed",
        "the rule 'text' of the distribution 'magic 1.0' cannot be loaded (it is not of type Rule):"
        " update or remove it",
    ]

"""Apply the rules of records, and those of records themselves, to the lines that an edit changed.

What changed is the difference of the work tree to HEAD.
"""

# Governing: SPEC-0029 REQ "After an edit", ADR-0040 (a whole tree is checked as a change)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.changes.patch import parse_patches
from sdd_hooks.drift.whole_tree import Scope, whole_tree_rules, whole_tree_subject
from sdd_hooks.findings import Finding, worst_first
from sdd_hooks.project.project import read_project
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.rules import frontmatter
from sdd_hooks.review.rules.decision import rule as decision_rule
from sdd_hooks.system.git import Git

SECONDS = 3.0


def check_changed_lines(repository: Repository, paths: Sequence[str]) -> Sequence[Finding]:
    """The findings in what changed in the files at `paths` since HEAD, the worst first.

    A finding about a whole file counts. Raises GitError, ConfigurationError.
    """
    project = read_project(repository, "cached")
    subject = whole_tree_subject(project, Scope(tuple(paths)))
    rules = whole_tree_rules((decision_rule.RULE, frontmatter.RULE))
    found = apply_rules(subject, rules, SECONDS).findings
    changed = {path: _changed_lines(repository.git, path) for path in paths}
    kept = []
    for finding in found:
        lines = changed.get(finding.path)
        if finding.path in changed and (not lines or finding.line <= 1 or finding.line in lines):
            kept.append(finding)
    return worst_first(kept)


def _changed_lines(git: Git, path: str) -> set[int] | None:
    """The numbers of the lines that differ from HEAD; None for a new file: all of them."""
    if git.try_output("cat-file", "-e", f"HEAD:{path}") is None:
        return None
    options = ("-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    output = git.run("diff", *options, "HEAD", "--", f":(literal){path}").stdout
    patches = parse_patches(output.splitlines(keepends=True))
    return {line.number for patch in patches for line in patch.added} or {0}

"""A rule that finds a word in added lines."""

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.api import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find each added line with the word."""
    for file in subject.change.files:
        for line in file.added:
            if "abracadabra" in line.text:
                yield Finding(file.path, line.number, "no-magic", "critical", "no magic", line.text)


RULE = Rule("no-magic", "critical", "Magic.", "Use no magic.", check)

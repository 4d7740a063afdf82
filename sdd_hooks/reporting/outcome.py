"""What a review has found: plain data, that reporters turn into text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sdd_hooks.findings import SEVERITIES, ReportedFinding, Severity, SuppressedFinding


class Evidence(NamedTuple):
    """A reason to think that a record governs the change.

    `kind` is one word (`comments`), `detail` one line for people; `path` and `line` say where it
    stands, "" and 0 when it is nowhere.
    """

    kind: str
    detail: str
    path: str = ""
    line: int = 0


class Candidate(NamedTuple):
    """A record that may govern the change. `score` is from 0 to 1, `path` the record's.

    `referenced` is whether the change names it already; `suggested` whether to ask that it be.
    `section` is the heading of what says so, `quote` a sentence of the record as it stands there,
    at `line` of it. They are "" and 0 for those that are shown to nobody.
    """

    path: str
    id: str
    title: str
    score: float
    suggested: bool = False
    referenced: bool = False
    evidence: tuple[Evidence, ...] = ()
    section: str = ""
    quote: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        """What people call it: its id, else its title."""
        return self.id or self.title

    @property
    def full_name(self) -> str:
        """The same with its title, where that is not all there is."""
        return f"{self.id} ({self.title})" if self.id and self.title else self.name


@dataclass(frozen=True)
class References:
    """The records that may govern a change, best first.

    `silenced` is the trailer that asked for silence, as written, or "". `folded` are those that
    are shown to who asks for more, after the ones that are suggested.
    """

    ranked: tuple[Candidate, ...] = ()
    folded: tuple[Candidate, ...] = ()
    silenced: str = ""

    @property
    def suggested(self) -> tuple[Candidate, ...]:
        """What a reader is shown."""
        return tuple(one for one in self.ranked if one.suggested)


@dataclass(frozen=True)
class ReviewOutcome:
    """The outcome of a review.

    `base` and `head` are commit ids, `head` "" for what is staged; `files` is how many it changes.
    `findings` are the worst first, then by path and line; suggestions are not among them. `notes`
    say what was not looked at, and why.
    """

    base: str
    head: str
    title: str
    files: int
    references: References = field(default_factory=References)
    findings: tuple[ReportedFinding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    notes: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity; a suggestion is one of `info`."""
        own = sum(one.finding.severity == severity for one in self.findings)
        return own + (len(self.references.suggested) if severity == "info" else 0)

    def fails(self, fail_on: str) -> bool:
        """Whether something is as severe as `fail_on`, or worse; never for `never`."""
        if fail_on == "never":
            return False
        counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return any(self.count(severity) for severity in counted)


def question(candidate: Candidate) -> str:
    """What a reviewer is asked about a record that is suggested, in one line of plain text."""
    return f"Should this PR reference {candidate.full_name}?"

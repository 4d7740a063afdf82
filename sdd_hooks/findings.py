"""What a check has to say: a rule, how bad it is, a message, a place and the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["critical", "warning", "info"]


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """One thing that is not right. `line` is 1-based, 0 for the file as a whole.

    `evidence` is the text that shows it, as it stands in the file; `message` is one line that says
    what is wrong and what to do.
    """

    path: str
    line: int
    rule: str
    severity: Severity
    message: str
    evidence: str = ""

"""What a part of the action did: outputs for the workflow, text for people, an exit code."""

# Governing: SPEC-0012 REQ "Outputs"

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sdd_hooks.errors import EXIT_OK

OUTPUTS = (
    "findings",
    "critical",
    "report",
    "sarif",
    "chunks-embedded",
    "issues-synced",
    "device",
)
"""The outputs of the action. One that does not apply is empty."""


class Outcome(NamedTuple):
    """What one of the commands did.

    `outputs` are some of `OUTPUTS`. `summary` is Markdown for the summary of the step, whole lines
    or "". `annotations` are ready workflow commands, a line each. `notes` are plain text of a line
    each that a person should see, from whoever they come. `log` is what belongs into the log of the
    job, plain lines. `errors` are what failed, plain text of a line each.
    """

    outputs: Mapping[str, str] = MappingProxyType({})
    summary: str = ""
    annotations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    exit_code: int = EXIT_OK
    errors: tuple[str, ...] = ()

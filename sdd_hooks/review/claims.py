"""Claims: the numbers of records that other work takes before it is merged."""

# Governing: ADR-0034 (numbers that are not merged yet), SPEC-0010 REQ "Numbers"

from __future__ import annotations

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple


class Claim(NamedTuple):
    """A record whose number is new in another branch or pull request.

    `path` is its file there. `where` follows the path in messages ("in pull request 5, which is
    older"). `is_first` says that it has the number by right, and that the reviewed change takes
    another. `severity` is that of a finding about it.
    """

    id: ArtifactId
    path: str
    where: str
    is_first: bool
    severity: Severity


class Claims(NamedTuple):
    """The claims that were found, and a line about each thing that was not compared."""

    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()


NO_CLAIMS = Claims()

"""Whether to ask at all: how likely it is that the first record is one to name.

A logistic model of six facts, fitted by `python -m benchmarks.references` on 226 real changes with
known answers and 114 that name no record. Those figures that are published hold each repository out
in turn; the weights here are of all of them.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.evidence import Numbers
from sdd_hooks.review.references.ranking import Ranked

THRESHOLD = 0.5
"""Who asks is more likely right than wrong."""
STRONG = 0.8
"""A share from which a kind of evidence speaks for a record."""

_NO_CODE = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.gitlab|ci)/"
    r"|\.(?:lockb?|ya?ml|toml|json|md|txt|svg|png|css|scss|snap|csproj)$"
    r"|(?:^|/)(?:Gemfile|go\.(?:mod|sum)|Dockerfile|LICENSE|Directory\.[^/]*)$"
)
_CHORE = re.compile(
    r"(?:bump|chore|ci|docs|style|build|deps|release|revert|merge|typo|fix typo"
    r"|update dependenc|upgrade|lint|format)",
    re.IGNORECASE,
)


class Facts(NamedTuple):
    """What is known about the first record and the change.

    `margin` is by how much its score is above the next one's; `agreement` the share of the kinds
    of evidence that speak for it; `identifiers` what it has from the identifiers it names;
    `no_code` and `chore` are 1 for a change of documents and configuration only, and for a title
    that says so; `new` is the share of files that are new.
    """

    margin: float
    agreement: float
    identifiers: float
    no_code: float
    chore: float
    new: float


WEIGHTS = Facts(margin=3.62, agreement=2.87, identifiers=0.44, no_code=-0.82, chore=-1.14, new=1.35)
INTERCEPT = -2.78


def facts(change: Change, ranked: Sequence[Ranked], evidence: Mapping[str, Numbers]) -> Facts:
    """The facts about the first of `ranked`, of which there is at least one."""
    first = ranked[0]
    following = ranked[1].score if len(ranked) > 1 else 0.0
    paths = [file.path for file in change.files]
    return Facts(
        first.score - following,
        sum(share > STRONG for share in first.shares.values()) / len(first.shares),
        math.log1p(evidence["identifiers"][first.place]),
        float(all(_NO_CODE.search(path) for path in paths)),
        float(bool(_CHORE.match(change.title))),
        sum(file.status == "A" for file in change.files) / max(1, len(paths)),
    )


def probability(known: Facts) -> float:
    """How likely it is, from 0 to 1, that the author would name the record."""
    weighed = (weight * fact for weight, fact in zip(WEIGHTS, known, strict=True))
    return 1 / (1 + math.exp(-INTERCEPT - sum(weighed)))

"""The confidence that the first record is one that the author would name.

A logistic model of six features, fitted by `python -m benchmarks.references` on 226 real changes
with known records and 114 that name no record. The published figures hold out each repository in
turn; the weights here are fitted on all of them.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.ranking import RankedRecord, Scores

THRESHOLD = 0.5
"""The probability from which a record is suggested."""
STRONG_SHARE = 0.8
"""The share from which a kind of evidence supports a record."""

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


class ConfidenceFeatures(NamedTuple):
    """The features of the first record and of the change.

    `margin` is the difference of its score to the next one. `agreement` is the share of the kinds
    of evidence that support it. `identifiers` is its score of identifiers. `no_code` is 1 for a
    change of documents and configuration only, `chore` is 1 for a title of maintenance. `new` is
    the share of files that are new.
    """

    margin: float
    agreement: float
    identifiers: float
    no_code: float
    chore: float
    new: float


WEIGHTS = ConfidenceFeatures(
    margin=3.56, agreement=2.92, identifiers=0.43, no_code=-0.83, chore=-1.13, new=1.35
)
INTERCEPT = -2.78


def extract_features(
    change: Change, ranked: Sequence[RankedRecord], scores: Mapping[str, Scores]
) -> ConfidenceFeatures:
    """Extract the features of the first of `ranked`, which has at least one record."""
    first = ranked[0]
    next_score = ranked[1].score if len(ranked) > 1 else 0.0
    paths = [file.path for file in change.files]
    return ConfidenceFeatures(
        first.score - next_score,
        sum(share > STRONG_SHARE for share in first.shares.values()) / len(first.shares),
        math.log1p(scores["identifiers"][first.record_index]),
        float(all(_NO_CODE.search(path) for path in paths)),
        float(bool(_CHORE.match(change.title))),
        sum(file.status == "A" for file in change.files) / max(1, len(paths)),
    )


def predict_probability(features: ConfidenceFeatures) -> float:
    """The probability, from 0 to 1, that the author would name the record."""
    weighted = (weight * feature for weight, feature in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-INTERCEPT - sum(weighted)))

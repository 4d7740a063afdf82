"""The confidence that the first record is one that the author would name.

A logistic model of eight features. Six were fitted by `python -m benchmarks.references` on 772 real
changes with known records or none, and 238 ordinary commits with labels, of 56 repositories; their
common scale, `subject`, `cites` and the intercept on the ordinary commits, 84 more of repositories
that cite no record in their code, 90 of the former changes, and a copy of each without citations.
"""

# Governing: ADR-0039 (a question needs what sets a change apart), SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from sdd_hooks.changes.change import Change
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.ranking import RankedRecord, Scores
from sdd_hooks.review.references.words.change_words import Measures
from sdd_hooks.text.lazy_regex import lazy_regex

THRESHOLD = 0.45
"""The probability from which a record is suggested."""
STRONG_SHARE = 0.8
"""The share from which a kind of evidence supports a record."""

_CHORE = lazy_regex(
    r"(?:bump|chore|ci|docs?|deps|revert|merge|typos?|fix typos?|update dependenc\w*|upgrade|lint"
    r"|formatting|(?:style|build|release|format)(?= it\b| code\b| v?\d|\W?$|[(:!])"
    # The titles of release tools: changesets, lerna, maven-release, npm version, Renovate.
    r"|(?:version packages|publish)(?=\W?$| \(#)|\[maven-release-plugin\]|v?\d+\.\d+\.\d+\S*$"
    r"|lock ?file maintenance)(?!\w)",
    re.IGNORECASE,
)


class ConfidenceFeatures(NamedTuple):
    """The features of the first record and of the change.

    `agreement` is the share of the kinds of evidence that support it. `rare_words_lead` is the
    difference of its rare words to those of the best other record, as a part of the highest score.
    `surprise` and `subject` are those of `Measures`, and `history` its share of that kind of
    evidence. `phrase` is 1 when it contains a phrase of the title, `chore` is 1 for a title of
    maintenance. `cites` is 1 where files or commits of the repository name records.
    """

    agreement: float
    rare_words_lead: float
    surprise: float
    subject: float
    history: float
    phrase: float
    chore: float
    cites: float


WEIGHTS = ConfidenceFeatures(
    agreement=3.62,
    rare_words_lead=1.36,
    surprise=2.03,
    subject=2.54,
    history=1.06,
    phrase=0.63,
    chore=-2.00,
    cites=0.41,
)
INTERCEPT = -6.32


class EditFeatures(NamedTuple):
    """The features of a record before the first edit of a change.

    `logit` is that of the review's probability, `title` its share of the words of titles. `twice`
    is how telling a word of its title is that two of the prompt, the paths and the files with the
    edit have, from 0 to 1.
    """

    logit: float
    title: float
    twice: float


EDIT_WEIGHTS = EditFeatures(logit=0.38, title=1.57, twice=3.08)
"""`python -m benchmarks.edits` fits them."""
EDIT_INTERCEPT = -1.36


def extract_features(
    change: Change,
    ranked: Sequence[RankedRecord],
    scores: Mapping[str, Scores],
    measures: Measures,
) -> ConfidenceFeatures:
    """Extract the features of the first of `ranked`, which has at least one record."""
    first = ranked[0]
    index = first.record_index
    return ConfidenceFeatures(
        sum(share > STRONG_SHARE for share in first.shares.values()) / len(first.shares),
        _lead(measures.rare_words, index),
        measures.surprise[index],
        measures.subject[index],
        first.shares.get("history", 0.0),
        float(scores["phrases"][index] > 0),
        float(is_chore(change)),
        float(not first.shares.keys().isdisjoint(("comments", "history"))),
    )


def is_chore(change: Change) -> bool:
    """Whether the title of a change says that it is maintenance."""
    return bool(_CHORE.match(change.headline))


def _lead(scores: Scores, index: int) -> float:
    """The difference of one score to the best other one, as a part of the highest: -1 to 1."""
    others = (score for other, score in enumerate(scores) if other != index)
    highest = max(scores)
    return (scores[index] - max(others, default=0.0)) / highest if highest else 0.0


def predict_probability(features: ConfidenceFeatures) -> float:
    """The probability, from 0 to 1, that the author would name the record."""
    weighted = (weight * feature for weight, feature in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-INTERCEPT - sum(weighted)))


def extract_edit_features(
    features: ConfidenceFeatures, record: RankedRecord, twice: float
) -> EditFeatures:
    """Extract the features of a record before an edit, from its `features` in the review."""
    likely = predict_probability(features)
    return EditFeatures(math.log(likely / (1 - likely)), record.shares.get("title", 0.0), twice)


def predict_before_edit(features: EditFeatures) -> float:
    """The probability that the record governs the first edit of a change."""
    weighted = (weight * feature for weight, feature in zip(EDIT_WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-EDIT_INTERCEPT - sum(weighted)))

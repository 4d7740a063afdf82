"""The evidence of earlier commits, for records and commits without a repository."""

import math

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.evidence.commits import PastCommit
from sdd_hooks.review.references.evidence.context import (
    MAX_NAMED,
    RepositoryContext,
    count_message_words,
    score_past,
)
from sdd_hooks.review.references.evidence.kinds import score_history
from sdd_hooks.review.references.words.query import ChangeQuery
from tests.review.references.support import record_of

COUNT = MAX_NAMED + 1
RECORDS = [
    record_of(f"docs/adrs/ADR-{number:04}-x.md", f"# ADR-{number:04}: Topic {number}\n")
    for number in range(1, COUNT + 1)
]
QUERY = ChangeQuery(Change("", "", "Change", "", (), (ChangedFile("a.py", "a.py", "M"),)))


def context(*named: int, message: str = "") -> RepositoryContext:
    """The records, with a commit that names so many of the first for each number, newest first."""
    commits = [
        PastCommit(f"{at:040}", message, frozenset(one.artifact.id for one in RECORDS[:count]))
        for at, count in enumerate(named)
    ]
    touching = [commit._replace(files=("a.py",)) for commit in commits]
    return RepositoryContext((), RECORDS, (), {}, commits, touching)


def history(*named: int) -> list[float]:
    return score_history(QUERY, score_past(context(*named)), COUNT)


def test_the_latest_commit_counts_most() -> None:
    assert history(1, 0) == [1.0, *[0.0] * (COUNT - 1)]
    assert history(0, 1)[0] == pytest.approx(1 / math.sqrt(2))


def test_the_records_that_a_commit_names_share_its_vote() -> None:
    assert history(4) == [*[0.25] * 4, *[0.0] * (COUNT - 4)]
    assert history(2, 1)[:2] == pytest.approx([0.5 + 1 / math.sqrt(2), 0.5])


def test_a_commit_that_names_many_records_says_nothing_of_any() -> None:
    assert any(history(MAX_NAMED))
    assert not any(history(MAX_NAMED + 1))
    words = count_message_words(context(MAX_NAMED + 1, 1, message="Sweep the outbox"))
    assert words[0] == {"sweep": 1, "outbox": 1}
    assert not any(words[1:])


def test_a_commit_may_name_what_is_no_record() -> None:
    foreign = PastCommit("0" * 40, "", frozenset({ArtifactId("ADR", 99)}), ("a.py",))
    assert score_past(RepositoryContext((), RECORDS, (), {}, (), [foreign])) == {}

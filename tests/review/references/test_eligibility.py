from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.eligibility import Standing
from tests.review.test_successors import corpus


def asked(found: Corpus, number: int, named: int = 0) -> list[str]:
    standing = Standing(found, {ArtifactId("ADR", named)}, set())
    record = found.resolve(ArtifactId("ADR", number))[0]
    return [path[10:18] for path in standing.to_ask_about(record)]


def test_a_record_that_counts_is_asked_about_itself() -> None:
    assert asked(corpus(a1="status: accepted", a2="status: proposed"), 1) == ["ADR-0001"]
    assert asked(corpus(a1="status: accepted", a2="status: proposed"), 2) == ["ADR-0002"]


def test_one_that_no_longer_counts_gives_way_to_what_replaced_it() -> None:
    found = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0003",
        a3="status: accepted",
    )
    assert asked(found, 1) == ["ADR-0003"]
    assert asked(found, 1, named=3) == []


def test_rejected_ones_and_circles_lead_nowhere() -> None:
    assert asked(corpus(a1="status: rejected"), 1) == []
    found = corpus(a1="status: superseded by ADR-0002", a2="status: superseded by ADR-0001")
    assert asked(found, 1) == []


def test_what_the_change_touches_is_named() -> None:
    found = corpus(a1="status: accepted")
    standing = Standing(found, set(), {"docs/adrs/ADR-0001-x.md"})
    assert standing.is_named(found.artifacts[0])

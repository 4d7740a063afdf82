"""How often a score is right: the fit, and the table."""

from __future__ import annotations

from benchmarks.quality.reliability import TopHit, fit, table, unanswered


def test_the_fitted_score_is_above_those_of_unanswered_questions() -> None:
    hits = [TopHit("own", "words", 0.52, None), TopHit("own", "words", 0.9, True)]
    assert fit(hits).unanswered == 0.55
    assert fit([TopHit("own", "words", 0.55, None)]).unanswered == 0.6


def test_a_corpus_is_judged_with_the_scale_of_the_other() -> None:
    hits = [
        TopHit("own", mode, score, right)
        for mode in ("words", "hybrid")
        for score, right in ((1.0, True), (0.95, False), (0.52, None))
    ]
    others = [hit._replace(corpus="seeds", score=hit.score * 0.8) for hit in hits]
    lines = table([*hits, *others]).splitlines()
    assert lines[2] == "| 0.9 to 1.0 | 0.50 (1 of 2) | 0.50 (1 of 2) | 0 | 0 |"
    assert lines[3].startswith("| 0.7 to 0.9 | 0.50 (1 of 2)")
    assert lines[4].endswith("| 1 | 1 |")


def test_no_unanswered_question_occurs_twice() -> None:
    assert len(set(unanswered())) == len(unanswered()) == 60

"""The list of hits for people."""

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.reporting.search.listing import list_hits
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, RecordLabel, SearchReport
from sdd_hooks.system.terminal import Terminal

HIT = Hit("a.md#x", "c", "a.md", 3, 5, "A", "X", 0.756, None, "one two " * 10, "")


def lines(hit: Hit, width: int, record: RecordLabel | None = None) -> list[str]:
    report = SearchReport("q", (HitGroup("adrs", ("c",), (LabelledHit(hit, "adrs", "", record),)),))
    return list_hits(report, Terminal(width, False))


def test_a_hit_says_what_it_is_and_where() -> None:
    shown = lines(HIT, 0, RecordLabel("ADR-0001", "A", "accepted"))
    assert shown[:4] == ["ADRs", "", "0.76  ADR-0001: A · accepted", "      a.md:3-5 #x"]


def test_prose_is_wrapped_and_code_is_cut() -> None:
    assert all(len(line) <= 40 for line in lines(HIT, 40))
    code = HIT._replace(path="a.py", snippet=f"def f():\n    return {'1' * 60}")
    shown = lines(code, 40)
    assert "      def f():" in shown
    assert shown[-2].endswith("1…")
    assert len(shown[-2]) == 40


def test_a_kind_without_hits_is_left_out() -> None:
    empty = SearchReport("zebra", (HitGroup("adrs", ("c",), ()), HitGroup("code", ("d",), ())))
    assert list_hits(empty, Terminal(80, False)) == [
        "No relevant ADRs or code found for 'zebra'. Try a broader search term."
    ]

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.authoring.renumber import (
    Holder,
    ReferringFile,
    Renumbering,
    renamed_path,
    rewrite_record,
    rewrite_references,
)

PATH = "docs/adr/0012-use-queues.md"


def holder(path: str, title: str, created: float | None = None, module: str = "") -> Holder:
    artifact = read_adr(path, f"# {title}\n\n## Decision\n\nYes.\n", module)
    assert artifact
    return Holder(artifact, created)


def change(*others: Holder, module: str = "", created: float | None = None) -> Renumbering:
    new = ArtifactId("ADR", 31, "", module)
    record = holder(PATH, "Use queues", created, module)
    return Renumbering(record, new, renamed_path(PATH, record.artifact.id, new), others)


OTHER = holder("docs/adr/0012-keep-sessions.md", "Keep sessions", 100.0)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("docs/adr/0012-use-queues.md", "docs/adr/0031-use-queues.md"),
        ("ADR-12.md", "ADR-31.md"),
        ("docs/adr/adr-012-in-112-ways.md", "docs/adr/adr-031-in-112-ways.md"),
        ("docs/0012-x/README.md", "docs/0031-x/README.md"),
        ("docs/2012-01-01-x.md", "docs/2012-01-01-x.md"),
    ],
)
def test_the_number_in_the_name_changes(path: str, wanted: str) -> None:
    assert renamed_path(path, ArtifactId("ADR", 12), ArtifactId("ADR", 31)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Governing: ADR-0012 (queues), ADR-0001", "# Governing: ADR-0031 (queues), ADR-0001"),
        ("see adr 12, ADR_012 and adr-112", "see adr 31, ADR_031 and adr-112"),
        ("supersedes: [ADR-0012, ADR-0121]", "supersedes: [ADR-0031, ADR-0121]"),
        ("[12](0012-use-queues.md#decision)", "[31](0031-use-queues.md#decision)"),
        (
            "[ADR 12: Queues](../adr/0012-use-queues.md)",
            "[ADR 31: Queues](../adr/0031-use-queues.md)",
        ),
        (
            "[12. Use queues](/docs/adr/0012-use-queues)",
            "[31. Use queues](/docs/adr/0031-use-queues)",
        ),
        ("`docs/adr/0012-use-queues.md`", "`docs/adr/0031-use-queues.md`"),
        ("https://x.example/adr/0012-use-queues/", "https://x.example/adr/0031-use-queues/"),
        ("ADRs 0011/0012/0013", "ADRs 0011/0031/0013"),
        ("[api]/ADR-0012 is another", "[api]/ADR-0012 is another"),
        ("SPEC-0012 and 0012-use-queuesX", "SPEC-0012 and 0012-use-queuesX"),
        ("docs/adr/0012-other-name.md", "docs/adr/0012-other-name.md"),
        ("[12](../other/0012-use-queues.md)", "[12](../other/0012-use-queues.md)"),
        ("Twelve: 12, 0012, v12", "Twelve: 12, 0012, v12"),
    ],
)
def test_references_are_rewritten(text: str, wanted: str) -> None:
    done = rewrite_references(ReferringFile("docs/guide/a.md"), text, change())
    assert (done.text, done.leftovers) == (wanted, ())
    assert bool(done.replaced) == (text != wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("supersedes: [12, 0012, 112]", "supersedes: [31, 0031, 112]"),
        ("extends:\n  - 12\n  - '0012'\nnumber: 12", "extends:\n  - 31\n  - '0031'\nnumber: 12"),
        ("related: 12", "related: 31"),
        ("governs: [12]", "governs: [12]"),
    ],
)
def test_a_number_alone_is_an_edge(text: str, wanted: str) -> None:
    matter, result = (f"---\n{one}\n---\n# 12. X\n" for one in (text, wanted))
    assert (
        rewrite_references(ReferringFile("docs/adr/a.md", "", "ADR"), matter, change()).text
        == result
    )
    assert rewrite_references(ReferringFile("docs/a.md"), matter, change()).text == matter


def test_a_range_is_left() -> None:
    done = rewrite_references(ReferringFile("a.md"), "One\nADR-0010..0014", change())
    assert (done.text, done.replaced) == ("One\nADR-0010..0014", 0)
    (left,) = done.leftovers
    assert (left.line, left.text, left.reason) == (2, "ADR-0010..0014", "it is part of a range")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ADR-0012: use queues", "ADR-0031: use queues"),
        ("ADR-0012 (use  Queues)", "ADR-0031 (use  Queues)"),
        ("ADR-0012: Keep Sessions", "ADR-0012: Keep Sessions"),
        (
            "[ADR-12](0012-use-queues.md), [ADR-12](0012-keep-sessions.md)",
            "[ADR-31](0031-use-queues.md), [ADR-12](0012-keep-sessions.md)",
        ),
    ],
)
def test_the_line_says_which_of_two_records_it_means(text: str, wanted: str) -> None:
    done = rewrite_references(ReferringFile("docs/adr/a.md"), text, change(OTHER))
    assert (done.text, done.leftovers) == (wanted, ())


@pytest.mark.parametrize(
    ("written", "created", "wanted", "left"),
    [
        (150.0, 200.0, "ADR-0012", 0),
        (50.0, 40.0, "ADR-0031", 0),
        (250.0, 200.0, "ADR-0012", 1),
        (None, 200.0, "ADR-0012", 1),
        (150.0, None, "ADR-0012", 0),
        (10.0, 40.0, "ADR-0012", 1),
    ],
)
def test_an_id_means_the_record_that_existed(written, created, wanted, left) -> None:
    moved = change(OTHER, created=created)
    done = rewrite_references(ReferringFile("a.py"), "# see ADR-0012", moved, lambda *_: written)
    assert (done.text, len(done.leftovers)) == (f"# see {wanted}", left)


def test_a_record_of_a_module_is_named_without_it_inside() -> None:
    moved = change(module="api")
    assert rewrite_references(ReferringFile("a", "api"), "ADR-12", moved).text == "ADR-31"
    assert rewrite_references(ReferringFile("a"), "ADR-12", moved).text == "ADR-12"
    assert rewrite_references(ReferringFile("a"), "[api]/ADR-12", moved).text == "[api]/ADR-31"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# 12. Use 12 queues\n\nADR-12 says\n", "# 31. Use 12 queues\n\nADR-31 says\n"),
        (
            "---\nid: 0012\ntitle: '12. Queues'\n---\n# ADR-0012: Queues\r\n",
            "---\nid: 0031\ntitle: '31. Queues'\n---\n# ADR-0031: Queues\r\n",
        ),
        ("# Use queues\n\n12 of them\n", "# Use queues\n\n12 of them\n"),
    ],
)
def test_the_record_itself(text: str, wanted: str) -> None:
    assert rewrite_record(text, change(OTHER)) == wanted


@given(st.text(st.sampled_from("ADR-adr 0123[](){}#/.\n\r`use-queues"), max_size=60))
def test_what_is_rewritten_can_be_rewritten_back(text: str) -> None:
    forth = change()
    assert forth.record.artifact.id
    done = rewrite_references(ReferringFile("docs/adr/a.md"), text, forth)
    if "31" in text:
        return
    moved = holder(forth.new_path, "Use queues")
    back = Renumbering(moved, forth.record.artifact.id, PATH)
    assert rewrite_references(ReferringFile("docs/adr/a.md"), done.text, back).text == text


def test_a_link_whose_path_leads_elsewhere_is_listed() -> None:
    target = "../../../adr/0012-use-queues.md"
    text = f"- [ADR-0012: Use queues]({target})\n- [x]({target})\n"
    done = rewrite_references(ReferringFile("docs/specs/a/design.md"), text, change())
    (leftover,) = done.leftovers
    assert (leftover.line, leftover.reason) == (1, "its path leads to another directory")


def test_a_name_with_letters_behind_the_number_is_rewritten() -> None:
    path = "docs/adr/008adr-exceptions.md"
    record = holder(path, "Exceptions")
    new = ArtifactId("ADR", 28)
    moved = Renumbering(record, new, renamed_path(path, record.artifact.id, new))
    done = rewrite_references(
        ReferringFile("docs/a.md"), "[ADR-008](./adr/008adr-exceptions.md)", moved
    )
    assert done.text == "[ADR-028](./adr/028adr-exceptions.md)"

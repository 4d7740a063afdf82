"""What an import adds to the records of a repository."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.authoring.foreign.plan import plan_import

RECORD = "# {n}. {title}\n\nDate: 2016-02-12\n\n## Status\n\n{status}\n\n## Context\n\nWords.\n"


def record(n: int, status: str = "Accepted", title: str = "Use it") -> str:
    return RECORD.format(n=n, title=title, status=status)


def plan(texts: Mapping[str, str], *chosen: str):
    """The planned records by path."""
    corpus = load_corpus([ArtifactFile(path, text.encode(), "ADR") for path, text in texts.items()])
    wanted = {path: texts[path] for path in chosen or texts}
    return {one.artifact.path: one for one in plan_import(corpus, wanted)}


def head(text: str) -> str:
    return text[: read_frontmatter(text).end]


def test_the_body_stays_and_the_frontmatter_says_the_same() -> None:
    old, new = "docs/adr/0001-a.md", "docs/adr/0002-b.md"
    texts = {
        old: record(1, "Superseded by [2. Use it](0002-b.md)"),
        new: record(
            2, "Accepted\n\nAmends [9. Gone](0009-gone.md)\n\nDepends upon [1. A](0001-a.md)"
        ),
    }
    done = plan(texts)
    assert head(done[old].after) == ("---\nstatus: superseded by ADR-0002\ndate: 2016-02-12\n---\n")
    assert head(done[new].after) == (
        "---\nstatus: accepted\ndate: 2016-02-12\nsupersedes: [ADR-0001]\n---\n"
    )
    assert all(one.after.endswith(f"---\n\n{one.before}") for one in done.values())
    assert [(one.line, one.reason) for one in done[new].unknown] == [
        (9, "there is no such record"),
        (11, "no known kind of a link"),
    ]
    assert done[old].form == "adr-tools"


def test_a_second_import_changes_nothing() -> None:
    texts = {
        f"docs/adr/{n:04d}-x.md": record(n, "Accepted\n\nAmends [1. X](0001-x.md)\n\nSee [2](2.md)")
        for n in range(1, 4)
    }
    after = {path: one.after for path, one in plan(texts).items()}
    assert after != texts
    assert {path: one.after for path, one in plan(after).items()} == after


def test_records_that_dates_name_get_numbers_in_their_order() -> None:
    body = "# Use it\n\n- Status: accepted\n\n## Links\n\n- Supersedes [x](20200101-x.md)\n"
    texts = {
        "docs/adr/20200102-y.md": body,
        "docs/adr/20200101-x.md": body.partition("## Links")[0],
        "docs/adr/20191231-w.md": body.partition("## Links")[0],
    }
    done = plan(texts)
    assert [(path[-13:-3], one.name) for path, one in sorted(done.items())] == [
        ("20191231-w", "ADR-0001"),
        ("20200101-x", "ADR-0002"),
        ("20200102-y", "ADR-0003"),
    ]
    assert "id: ADR-0003\n" in head(done["docs/adr/20200102-y.md"].after)
    assert "supersedes: [ADR-0002]\n" in head(done["docs/adr/20200102-y.md"].after)
    assert done["docs/adr/20200102-y.md"].form == "log4brains"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"0002-b.md": record(2), "0002-c.md": record(2)}, "several records are ADR-0002"),
        ({"b/0002-b.md": record(2), "c/0002-b.md": record(3)}, "it may mean docs/adr/b/0002-b.md"),
    ],
)
def test_links_that_lead_to_several_records_or_none(files, reason) -> None:
    name = next(iter(files))
    path = "docs/adr/0001-a.md"
    target = name.rpartition("/")[2]
    texts = {path: record(1, f"Accepted\n\nAmends [B]({target})")}
    texts |= {f"docs/adr/{name}": text for name, text in files.items()}
    (problem,) = plan(texts)[path].unknown
    assert problem.reason.startswith(reason)
    assert "extends" not in head(plan(texts)[path].after)


def test_links_that_close_a_circle() -> None:
    texts = {
        f"docs/adr/000{n}-x.md": record(n, f"Accepted\n\nSupersedes [x](000{3 - n}-x.md)")
        for n in (1, 2)
    }
    done = plan(texts)
    assert all("supersedes" not in head(one.after) for one in done.values())
    assert [one.unknown[0].reason for one in done.values()] == [
        "supersedes ADR-0002 would close a circle",
        "supersedes ADR-0001 would close a circle",
    ]


def test_the_edge_of_a_record_that_is_not_chosen() -> None:
    old, new = "docs/adr/0001-a.md", "docs/adr/0002-b.md"
    texts = {old: record(1, "Superseded by [2](0002-b.md)"), new: record(2)}
    (done,) = plan(texts, old).values()
    assert [one.reason for one in done.unknown] == [
        f"the edge belongs into {new}, which is not imported"
    ]


def test_edges_that_are_read_in_the_text_stay_edges() -> None:
    texts = {f"docs/adr/000{n}-x.md": record(n) for n in (1, 2)}
    body = "# 3. X\n\n- **Status**: accepted\n- **Related ADRs**: ADR-0001, ADR-0002\n"
    texts["docs/adr/0003-x.md"] = f"---\nrelated: [ADR-0001]\n---\n{body}"
    done = plan(texts)["docs/adr/0003-x.md"]
    assert "related: [ADR-0001, ADR-0002]\n" in done.after


def test_frontmatter_that_cannot_be_edited_is_reported() -> None:
    path = "docs/adr/0001-a.md"
    text = f"---\ntitle: [a\n---\n{record(1)}"
    done = plan({path: text})[path]
    assert done.after == text
    assert {one.reason.partition(" in")[0] for one in done.unknown} >= {"1: `status`"}


NAMES = st.from_regex(r"[a-z]{1,6}", fullmatch=True)
STATEMENTS = st.tuples(
    st.sampled_from(["Supersedes", "Superseded by", "Amended by", "Clarifies", "Depends upon"]),
    st.integers(1, 4),
)


@given(
    st.lists(
        st.tuples(NAMES, st.sampled_from(["Accepted", "Draft", "?", ""]), st.lists(STATEMENTS)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "---\ntitle: X\n---\n", "---\nsupersedes: ADR-0003\n---\n"]),
)
def test_any_records(described, newline: str, matter: str) -> None:
    """Every line of the text stays, and a second import changes nothing."""
    texts = {}
    for n, (name, status, statements) in enumerate(described, 1):
        lines = "\n\n".join(f"{verb} [{to}](000{to}-x.md)" for verb, to in statements)
        text = matter + record(n, f"{status}\n\n{lines}", name)
        texts[f"docs/adr/{n:04d}-x.md"] = text.replace("\n", newline)
    done = plan(texts)
    for path, one in done.items():
        body = texts[path][read_frontmatter(texts[path]).end :]
        assert one.after.endswith(body)
        assert not read_frontmatter(one.after).error
    after = {path: one.after for path, one in done.items()}
    assert {path: one.after for path, one in plan(after).items()} == after

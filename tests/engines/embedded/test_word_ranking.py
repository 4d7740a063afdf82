"""The order of what a search by words finds: real files, a real index."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.protocol import CollectionChanges, Hit, Query, SubQuery
from sdd_hooks.engines.ranking.query_terms import parse_terms
from sdd_hooks.engines.ranking.word_ranking import MatchedChunk, TermCounts, rank_candidates
from sdd_hooks.project.collections import Collection
from tests.support.cpu_time import assert_linear

_CODE = Collection("app-code", "code", "", "", ("",), (), "", (), "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def search(root: Path, files: dict[str, str], query: str) -> list[str]:
    """Return the ids of the hits of an index of these files, best first."""
    return [hit.id for hit in hits(root, files, query)]


def hits(root: Path, files: dict[str, str], query: str) -> tuple[Hit, ...]:
    """Return the hits of an index of these files, best first."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    store = IndexFiles(root, root / ".sdd/search/index.db", root / "vectors.db")
    engine = EmbeddedEngine(store, environ={}, repair=True)
    try:
        engine.ensure([_CODE])
        engine.update(
            [CollectionChanges(_CODE, tuple(sorted(files)), bookmark=None, complete=True)]
        )
        return engine.search(Query((SubQuery("lex", query),), ("app-code",), limit=50)).hits
    finally:
        engine.close()


def paths(ids: list[str]) -> list[str]:
    return list(dict.fromkeys(one.partition("#")[0] for one in ids))


def test_ten_lists_of_imports_do_not_outrank_the_class_that_does_the_work(root: Path) -> None:
    imports = "".join(
        f"import org.shop.{name};\n"
        for name in ("InvoicePrinter", "InvoiceTotal", "TaxTotal", "Customer", "Order")
    )
    users = {
        f"src/Page{n}.java": f"package org.shop;\n\n{imports}\nclass Page{n} {{\n  void show() {{"
        f" render({n}); }}\n}}\n"
        for n in range(10)
    }
    work = (
        "package org.shop;\n\nimport java.util.List;\n\n/** Prints an invoice. */\n"
        "class InvoicePrinter {\n  String print(Order order) {\n    Money total = sum(order);\n"
        '    return "total " + total + " tax " + tax(order);\n  }\n}\n'
    )
    ids = search(root, {**users, "src/InvoicePrinter.java": work}, "print the total of an invoice")
    assert paths(ids)[0] == "src/InvoicePrinter.java"


def test_equal_chunks_beyond_the_candidates_rank_by_path_in_any_order_of_indexing(
    tmp_path: Path,
) -> None:
    """Of 400 equal chunks and 10 better ones, 300 are ranked: the same in both orders."""
    equal = {f"p{n:03}.py": "alpha = 1\n" for n in range(400)}
    better = {f"q{n}.py": "alpha = alpha = 1\n" for n in range(10)}
    found = []
    for order in (1, -1):
        files = list({**equal, **better}.items())[::order]
        found.append(_ids_of_indexed_one_by_one(tmp_path / str(order), dict(files), "alpha"))
    assert found[0] == found[1]
    assert paths(found[0])[:12] == [f"q{n}.py" for n in range(10)] + ["p000.py", "p001.py"]


def _ids_of_indexed_one_by_one(root: Path, files: dict[str, str], query: str) -> list[str]:
    root.mkdir()
    for path, text in files.items():
        (root / path).write_text(text)
    store = IndexFiles(root, root / ".sdd/search/index.db", root / "vectors.db")
    engine = EmbeddedEngine(store, environ={}, repair=True)
    try:
        engine.ensure([_CODE])
        for path in files:
            engine.update([CollectionChanges(_CODE, (path,), bookmark=None, complete=False)])
        found = engine.search(Query((SubQuery("lex", query),), ("app-code",), limit=50))
    finally:
        engine.close()
    return [hit.id for hit in found.hits]


def test_a_test_ranks_below_what_it_tests(root: Path) -> None:
    files = {
        "src/relay.go": "package relay\n\nfunc Retry(mail Mail) error {\n\treturn send(mail)\n}\n",
        "src/relay_test.go": "package relay\n\nfunc TestRetry(t *testing.T) {\n\tRetry(mail)\n"
        "\tRetry(mail)\n\tif Retry(mail) != nil {\n\t\tt.Fatal(mail)\n\t}\n}\n",
        "src/other.go": "package relay\n\nfunc Other() {}\n",
    }
    assert paths(search(root, files, "retry a mail"))[:2] == ["src/relay.go", "src/relay_test.go"]
    assert paths(search(root, files, "test of the retry of a mail"))[0] == "src/relay_test.go"


@pytest.mark.parametrize("query", ["cultural heritage", "CulturalHeritage", "cultural_heritage"])
def test_the_parts_of_a_file_name_are_words(root: Path, query: str) -> None:
    files = {
        "src/DBCulturalHeritage.java": "class X {\n  int y;\n}\n",
        "src/Tourist.java": "class T {\n  int z;\n}\n",
    }
    assert paths(search(root, files, query)) == ["src/DBCulturalHeritage.java"]


@pytest.mark.parametrize("query", ["userProfile", "user_profile"])
def test_an_identifier_also_finds_files_with_one_of_its_parts(root: Path, query: str) -> None:
    files = {
        "a.py": "def load():\n    return the_user\n",
        "b.py": "def other():\n    return 1\n",
        "c.py": "def userProfile(): ...\n",
    }
    assert paths(search(root, files, query)) == ["c.py", "a.py"]


def test_a_definition_that_the_query_names_outranks_its_uses(root: Path) -> None:
    use = "def run{n}():\n    fetch_page()\n    fetch_page()\n    return fetch_page()\n"
    files = {f"use{n}.py": use.format(n=n) for n in range(6)}
    files["web.py"] = "def fetch_page():\n    return 1\n\n\ndef close():\n    return 2\n"
    assert search(root, files, "fetch_page")[0] == "web.py#fetch_page"
    assert search(root, files, "where does fetch_page return")[0] == "web.py#fetch_page"


def test_a_decision_outranks_references_and_rejected_options(root: Path) -> None:
    head = "# {title}\n\nSome text.\n\n## {section}\n\nWe keep sessions in SQLite.\n"
    files = {
        "docs/a.md": head.format(title="A", section="References"),
        "docs/b.md": head.format(title="B", section="Considered Options"),
        "docs/c.md": head.format(title="C", section="Decision Outcome"),
    }
    assert paths(search(root, files, "sessions in SQLite")) == [
        "docs/c.md",
        "docs/b.md",
        "docs/a.md",
    ]


def test_one_document_has_at_most_five_hits(root: Path) -> None:
    sections = "".join(f"\n## Part {n}\n\nThe relay sends mail {n}.\n" for n in range(20))
    files = {"docs/long.md": f"# Long\n{sections}", "docs/short.md": "# S\n\nThe relay.\n"}
    ids = search(root, files, "relay mail")
    assert len([one for one in ids if one.startswith("docs/long.md")]) == 5
    assert "docs/short.md" in paths(ids)


def test_words_in_several_sections_of_a_document_count_together(root: Path) -> None:
    files = {
        "docs/a.md": "# A\n\n## One\n\nThe relay sends.\n\n## Two\n\nA queue for mail.\n",
        "docs/b.md": "# B\n\n## One\n\nThe relay sends.\n\n## Two\n\nA page for users.\n",
    }
    assert paths(search(root, files, "relay queue"))[0] == "docs/a.md"
    first = [one for one in search(root, files, "relay queue") if one.endswith("#one")]
    assert first == ["docs/a.md#one", "docs/b.md#one"]


def _relay(uses: int) -> str:
    """A file whose definitions use a name."""
    return "".join(
        f"def step_{n}(mail, {', '.join(f'v{i}' for i in range(9))}):\n    return relay(mail)\n\n\n"
        for n in range(uses)
    )


def test_the_file_that_uses_a_name_in_many_places_comes_first(root: Path) -> None:
    files = {
        "src/short.py": "def send(mail):\n    return relay(relay(relay(mail)))\n",
        "src/often.py": _relay(25),
        **{f"src/other{n}.py": f"def other_{n}(page):\n    return page\n" for n in range(20)},
    }
    assert paths(search(root, files, "relay"))[0] == "src/often.py"


def test_one_word_that_a_file_uses_often_does_not_answer_a_question_of_four() -> None:
    query = "relay a song to the radio of a car"
    terms = parse_terms(query)

    def strength(uses: int) -> float:
        chunk = MatchedChunk(1, 1, "src/a.py", "send", 1, TermCounts({0: float(uses)}, 1.0))
        [(found, _)] = rank_candidates(query, terms, [1.0] * len(terms), [chunk], {1: 1.0})
        return found

    assert strength(1) < strength(5) < strength(200) < 0.45


def test_scores_fall_from_hit_to_hit(root: Path) -> None:
    files = {f"src/f{n}.py": _relay(n) for n in range(1, 15)}
    scores = [hit.score for hit in hits(root, files, "relay mail")]
    assert len(scores) > 20
    assert scores == sorted(scores, reverse=True)


def test_code_writes_words_in_their_short_forms(root: Path) -> None:
    files = {
        "src/a.py": "def close(conn):\n    conn.flush()\n",
        "src/b.py": "def close(page):\n    page.flush()\n",
    }
    assert paths(search(root, files, "connection")) == ["src/a.py"]


def test_the_definition_of_a_name_outranks_implementations_of_it(root: Path) -> None:
    implementation = "impl Visitor for {name}Visitor {{\n    fn visit(&self) -> {name} {{\n"
    implementation += "        Visitor::{name}\n    }}\n}}\n"
    files = {
        f"src/{name.lower()}.rs": f"struct {name}Visitor;\n\n{implementation.format(name=name)}"
        for name in ("Unit", "Bytes", "Map")
    }
    definition = "/// Walks the values.\npub trait Visitor {\n    fn visit(&self) -> Value;\n\n"
    definition += "    fn end(&self) -> Value {\n        unreachable(self, value)\n    }\n}\n"
    ids = search(root, {**files, "src/de.rs": definition}, "Visitor")
    assert ids[0].startswith("src/de.rs#")


def test_a_capitalised_word_of_a_question_may_be_a_definition(root: Path) -> None:
    uses = "def settle(call):\n    functor = contravariant_functor(call)\n    return functor\n"
    files = {
        "src/a.py": uses.replace("settle", "functor_of"),
        "src/b.py": "class Contravariant:\n    def functor(self, call, other, third):\n"
        "        return call(self, other, third)\n",
    }
    found = paths(search(root, files, "how the Contravariant functor maps"))
    assert found[0] == "src/b.py"


def test_the_cost_is_linear_in_the_length_of_a_word() -> None:
    """A check asks with the texts of files, which can have a word of any length."""
    assert_linear(
        lambda query: rank_candidates(query, (), (), (), {}),
        lambda size: f"a {'x' * size}",
        4_000,
    )

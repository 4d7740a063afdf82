"""A sound index has no fault, whatever its documents contain."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from tests.support.repos import Repo

WORDS = st.sampled_from(["language", "content", "x", "a.b", "naïve", "数据", "the", "FooBar", "'s"])
GAPS = st.sampled_from([" ", "\n", "\t", "\u00a0", "\u3000", "\x1f", "-", "/", "\n\n# T\n\n"])
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.tuples(WORDS, GAPS), max_size=60).map(
        lambda pairs: "".join(word + gap for word, gap in pairs)
    ),
    # A chunk whose text is cut anywhere, with a word across each round number of characters.
    st.tuples(st.integers(0, 5_000), st.sampled_from(["#", ":", "é", "ab "])).map(
        lambda size: size[1] * size[0] + " language: here"
    ),
)


@settings(max_examples=25)
@given(st.lists(TEXTS, min_size=1, max_size=12))
def test_an_index_that_was_just_made_has_no_fault(texts: list[str]) -> None:
    with TemporaryDirectory() as directory:
        repo = Repo.init(Path(directory) / "repo")
        for number, text in enumerate(texts):
            name = f"docs/adrs/ADR-{number:04d}.md" if number % 2 else f"src/m{number}.css"
            path = repo.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
        repo.git("add", "-A")
        repo.commit("Start")
        project = repo.project()
        refresh(project, collections=project.collections)
        with closing(open_engine(project)) as engine:
            assert isinstance(engine, EmbeddedEngine)
            engine.verify()
            engine.sample(100)


def test_a_word_across_a_round_number_of_characters(repo: Repo) -> None:
    repo.commit("Start", {"src/a.css": "." * 1_995 + " language: it\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    with closing(open_engine(project)) as engine:
        assert isinstance(engine, EmbeddedEngine)
        engine.verify()

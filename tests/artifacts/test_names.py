"""Names of artifacts that have no number: which texts name them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, find_replacements, load_corpus
from sdd_hooks.artifacts.find_artifact import UnknownArtifact, find_artifact
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import find_id_references

BODY = "# {}\n\n- Status: {}\n\n## Decision\n\nYes.\n"
LUNR, KAFKA, LOGGING = "20201103-use-lunr", "2022-02-14-use-kafka", "logging"
TITLES = {
    f"docs/adr/{LUNR}.md": "Use Lunr for search",
    f"docs/adr/{KAFKA}/README.md": "Use Kafka",
    f"docs/adr/{LOGGING}.md": "Log JSON",
    "docs/adr/PAY-0001-retry.md": "Retry payments",
    "docs/adr/ODH-ADR-Operator-0001-crd.md": "One resource",
    "docs/adr/rfc-0012-use-go.md": "Use Go",
}


def corpus(titles: dict[str, str], module: str = "", status: str = "accepted") -> Corpus:
    return load_corpus(
        ArtifactFile(path, BODY.format(title, status).encode(), "ADR", module)
        for path, title in titles.items()
    )


CORPUS = corpus(TITLES)


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        (LUNR, LUNR),
        ("20201103-USE-LUNR.md", LUNR),
        ("use-lunr", LUNR),
        ("Use Lunr for search", LUNR),
        (KAFKA, KAFKA),
        ("use-kafka", KAFKA),
        ("PAY-0001", "PAY-0001"),
        ("pay-1", "PAY-0001"),
        ("PAY-0001-retry", "PAY-0001"),
        ("ODH-ADR-Operator-0001", "ODH-ADR-Operator-0001"),
        ("RFC-12", "ADR-0012"),
        ("docs/adr/logging.md", LOGGING),
    ],
)
def test_an_artifact_is_found_by_its_name(name: str, identifier: str) -> None:
    assert find_artifact(CORPUS, name).name == identifier
    assert find_artifact(CORPUS, identifier).name == identifier


def test_a_name_of_two_modules_is_not_unique() -> None:
    parts = [corpus({f"{module}/adr/use-kafka.md": "K"}, module) for module in ("api", "web")]
    both = Corpus(tuple(one for part in parts for one in part.artifacts))
    with pytest.raises(UnknownArtifact, match=r"not unique: name one of api/adr\S+, web/adr/"):
        find_artifact(both, "use-kafka")
    assert find_artifact(both, "use-kafka", "web").path == "web/adr/use-kafka.md"
    assert find_artifact(both, "[api]/use-kafka").path == "api/adr/use-kafka.md"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"Refs: {LUNR}", [LUNR]),
        (f"Follows docs/adr/{LUNR}.md.", [LUNR]),
        (f"see {LUNR}", [LUNR]),
        (f"https://github.com/o/r/blob/main/docs/adr/{LUNR}.md#decision", [LUNR]),
        (f"https://o.github.io/log4brains/adr/{LUNR}/", [LUNR]),
        (f"[Use Lunr](../adr/{LUNR}.md)", [LUNR]),
        ("Refs: use-lunr, PAY-1 and logging", [LUNR, "PAY-0001", LOGGING]),
        ("Decision: Use Lunr for search", [LUNR]),
        ("- **ADR**: `use-kafka`", [KAFKA]),
        (f"docs/adr/{KAFKA}/README.md", [KAFKA]),
        (f"docs/adr/{KAFKA}/", [KAFKA]),
        ("PAY-0001 and ADR-0012", ["PAY-0001", "ADR-0012"]),
        ("ODH-ADR-Operator-0001", ["ODH-ADR-Operator-0001"]),
        ("Follow `logging`, see [it](docs/adr/logging.md)", [LOGGING, LOGGING]),
        ("docs/adr/logging.md", [LOGGING]),
        ("Fix the logging of use-lunr and use-kafka", []),
        ("Change src/logging.py and lib/logging.md", []),
        ("https://docs.python.org/3/library/logging.html", []),
        ("Update logging.md", []),
        (f"x{LUNR} {LUNR}s", []),
        ("Use Lunr for search", []),
    ],
)
def test_texts_that_name_artifacts(text: str, ids: list[str]) -> None:
    assert [str(one.id) for one in find_id_references(text, CORPUS.names)] == ids


def test_governing_comments() -> None:
    text = f'# Governing: {LUNR} (search), logging, ADR-0012\n# Implements: nothing\n"{LUNR}"\n'
    found = [(str(one.id), one.reason, one.line) for one in read_governing(text, CORPUS.names)]
    assert found == [(LUNR, "search", 1), (LOGGING, "", 1), ("ADR-0012", "", 1)]


@pytest.mark.parametrize(
    ("status", "extra"),
    [
        (f"superseded by [{LUNR}]({LUNR}.md)", ""),
        (f"superseded by {LUNR}", ""),
        ("superseded by use-lunr", ""),
        ("superseded", "supersedes: [use-sql]"),
        ("superseded", "supersedes: [20190101-use-sql.md]"),
    ],
)
def test_edges_by_name(status: str, extra: str) -> None:
    old, new = "docs/adr/20190101-use-sql.md", f"docs/adr/{LUNR}.md"
    texts = {old: BODY.format("SQL", status), new: f"---\n{extra}\n---\n{BODY.format('L', 'x')}"}
    files = [ArtifactFile(path, text.encode(), "ADR") for path, text in texts.items()]
    loaded = load_corpus(files)
    replaced = find_replacements(loaded)
    assert {path: [str(one) for one in ids] for path, ids in replaced.items()} == {old: [LUNR]}


@given(st.text(max_size=200))
def test_any_text_may_name_artifacts(text: str) -> None:
    for one in find_id_references(f"{text}\n{LUNR}\n{text}", CORPUS.names):
        assert 0 <= one.start < one.end


@pytest.mark.parametrize("part", ["a", "-", "a-", "](", "`x`", "/a", "Refs: a\n", f"{LUNR} "])
def test_long_texts_take_linear_time(part: str) -> None:
    def seconds(length: int) -> float:
        started = time.process_time()
        list(find_id_references(part * (length // len(part)), CORPUS.names))
        return time.process_time() - started

    assert seconds(160_000) < 40 * max(seconds(10_000), 0.005)

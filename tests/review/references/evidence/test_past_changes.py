import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.evidence.past_changes import (
    MAX_FILES,
    Background,
    PastChange,
    parse_changes,
    read_past_changes,
)
from sdd_hooks.review.references.evidence.similarity import Similarity, section_words
from sdd_hooks.review.references.words.change_words import UNKNOWN, ChangeWords
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.text.lines import NumberedLine
from tests.review.references.support import record_of
from tests.support.repos import Repo

CACHE = ".sdd/review/past-changes.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.commit("Begin", {"README.md": "Nothing\n"})
    return repo


def any_path(path: str) -> bool:
    return bool(path)


def titles(changes: list[PastChange]) -> list[list[str]]:
    return [sorted(change.words.title) for change in changes]


def test_the_words_of_the_latest_changes(repo: Repo) -> None:
    repo.commit("Sweep the outbox", {"src/sweeper.py": "interval = 5\n"})
    repo.commit("Slower", {"src/sweeper.py": "interval = 5\nperiod = 9\n"})
    slower, sweep = read_past_changes(repo.repository, repo.head(), any_path)
    assert (sorted(slower.words.title), slower.words.added) == (["slower"], {"period": 1})
    assert sweep.words.title == {"sweep": 1, "outbox": 1}
    assert {"src", "sweeper", "py"} <= set(sweep.words.paths)
    assert sweep.words.added == {"interval": 1}


def test_the_first_commit_is_no_change(repo: Repo) -> None:
    assert read_past_changes(repo.repository, repo.head(), any_path) == []


def test_unwanted_and_generated_files_are_not_read(repo: Repo) -> None:
    repo.commit("Decide", {"docs/adrs/a.md": "Words of a record\n", "src/a.py": "sweeper\n"})
    repo.commit("Bump", {"package-lock.json": '{"left": "pad"}\n'})
    (decide,) = read_past_changes(
        repo.repository, repo.head(), lambda path: path.startswith("src/")
    )
    assert decide.words.added == {"sweeper": 1}
    assert [
        sorted(one.words.added) for one in read_past_changes(repo.repository, repo.head(), any_path)
    ] == [["record", "sweeper", "words"]]


def test_a_change_of_very_many_files_is_not_compared(repo: Repo) -> None:
    repo.commit("Move all", {f"src/f{n}.py": f"word{n}\n" for n in range(MAX_FILES + 1)})
    assert read_past_changes(repo.repository, repo.head(), any_path) == []


def test_the_cache_has_what_git_says(repo: Repo) -> None:
    repo.commit("One", {"a.py": "first\n"})
    (repo.root / ".sdd").mkdir(exist_ok=True)
    before = read_past_changes(repo.repository, repo.head(), any_path)
    assert (repo.root / CACHE).is_file()
    repo.commit("Two", {"a.py": "second\n"})
    after = read_past_changes(repo.repository, repo.head(), any_path)
    assert titles(after)[1:] == titles(before)
    (repo.root / CACHE).unlink()
    assert read_past_changes(repo.repository, repo.head(), any_path) == after


def test_a_damaged_cache_is_read_again(repo: Repo) -> None:
    repo.commit("One", {"a.py": "first\n"})
    (repo.root / ".sdd").mkdir(exist_ok=True)
    wanted = read_past_changes(repo.repository, repo.head(), any_path)
    for rows in (
        7,
        [7],
        [[repo.head(), {}, [], {"a": "b"}]],
        [[repo.head(), {"a": 1}, [7], {}]],
        [["--all", {}, [], {"a": 1}]],
    ):
        (repo.root / CACHE).write_text(json.dumps({"version": 1, "changes": rows}))
        assert read_past_changes(repo.repository, repo.head(), any_path) == wanted


def test_an_added_line_that_looks_like_a_header_is_a_line(repo: Repo) -> None:
    text = "++ b/evil.py\n\1" + "a" * 40 + " Title\ndiff --git x y\n@@ -1 +1,9 @@\n"
    repo.commit("Hide", {"a.py": text})
    (change,) = read_past_changes(repo.repository, repo.head(), any_path)
    assert (sorted(change.words.title), set(change.words.paths)) == (["hide"], {"py"})
    assert {"evil", "title", "git"} <= set(change.words.added)


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=30))


@given(st.lists(st.tuples(LINES, LINES), max_size=4))
def test_every_added_line_of_a_hunk_is_read_and_no_other(
    hunks: list[tuple[list[str], ...]],
) -> None:
    output = [b"\1" + b"a" * 40 + b"\0Title\n", b"diff --git a.py a.py\n", b"+++ a.py\n"]
    expected: Counter[str] = Counter()
    for removed, added in hunks:
        if removed or added:
            output.append(f"@@ -1,{len(removed)} +1,{len(added)} @@ def f\n".encode())
            output += [f"-{line}\n".encode() for line in removed]
            output += [f"+{line}\n".encode() for line in added]
            expected.update(added)
    (change,) = parse_changes(output, any_path)
    (reference,) = parse_changes(
        [*output[:3], f"@@ -0,0 +1,{expected.total()} @@\n".encode()]
        + [f"+{line}\n".encode() for line in expected.elements()],
        any_path,
    )
    assert change.words.added == reference.words.added


@given(st.binary(max_size=300))
def test_any_output_is_parsed(data: bytes) -> None:
    for change in parse_changes(data.splitlines(keepends=True), any_path):
        assert all(count > 0 for count in change.words.added.values())


QUEUE = "# ADR-0001: Queue\n\n## Decision\n\nA client sends messages to the durable broker queue.\n"
CACHING = "# ADR-0002: Cache\n\n## Decision\n\nA client keeps answers in the shared memory cache.\n"
WORDS = Counter(["client", "messages"])
USUAL = PastChange("a" * 40, ChangeWords(WORDS, ("src", "py"), WORDS))


def change(title: str, *lines: str) -> ChangeQuery:
    added = tuple(NumberedLine(n, line) for n, line in enumerate(lines, 1))
    file = ChangedFile("src/a.py", "src/a.py", "M", added=added)
    return ChangeQuery(Change("", "", title, "", (), (file,)))


def background(query: ChangeQuery, past: list[PastChange]) -> Background:
    return Background(past, query, [record_of("1.md", QUEUE), record_of("2.md", CACHING)])


def test_a_usual_word_is_less_rare_than_a_new_one() -> None:
    compared = background(change("Use it"), [USUAL] * 20)
    assert compared.rarity.of("broker") == 1.0
    assert compared.rarity.of("client") < 0.1
    assert background(change("Use it"), []).rarity.of("client") == 1.0


def test_a_change_unlike_past_ones_is_surprising() -> None:
    query = change("Send to the broker", "broker.queue.send(durable=True)")
    queue, cache = background(query, [USUAL] * 20).surprise()
    assert queue == 1.0
    assert cache < 0.5


def test_what_fits_every_change_is_no_surprise() -> None:
    query = change("Client messages", "client.messages()")
    queue, _ = background(query, [USUAL] * 20).surprise()
    assert queue == 0.0


@pytest.mark.parametrize("count", [0, 19])
def test_few_past_changes_say_nothing(count: int) -> None:
    assert background(change("Send"), [USUAL] * count).surprise() == [UNKNOWN, UNKNOWN]


def test_rare_words_decide_where_all_words_do_not() -> None:
    query = change("Client messages", "client.messages()", "memory.cache.shared()")
    records = [record_of("1.md", QUEUE), record_of("2.md", CACHING)]
    similarity = Similarity(query, section_words(records))
    queue, cache = similarity.by_rare_words(Background([USUAL] * 20, query, records).rarity)
    assert cache > queue


def test_what_past_changes_fit_is_cached_until_a_record_or_a_change_differs(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n"})
    (repo.root / ".sdd").mkdir()
    other = PastChange("b" * 40, ChangeWords(Counter(["broker"]), ("queue",), Counter(["broker"])))
    cache = repo.root / ".sdd/review/usual-fits.json"
    seen = []
    for past in ([USUAL] * 20, [USUAL] * 15 + [other] * 5):
        for texts in ((QUEUE, CACHING), (QUEUE, CACHING.replace("memory", "broker")), (CACHING,)):
            for title in ("Send to the broker", "Client messages"):
                query = change(title, "client.messages()", "broker.queue()")
                records = [record_of(f"{n}.md", text) for n, text in enumerate(texts)]
                expected = Background(past, query, records).surprise()
                for _ in range(2):
                    compared = Background(past, query, records, repo.repository)
                    assert compared.surprise() == expected
            seen.append(cache.read_bytes())
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-5],
        lambda text: text.replace('"fits":[', '"fits":[1.5,'),
        lambda text: re.sub(r'"fits":\[[0-9.]+', '"fits":["x"', text),
        lambda text: re.sub(r'"fits":.*', '"fits":null}', text),
    ],
)
def test_a_damaged_cache_is_made_again(repo: Repo, damage: Callable[[str], str]) -> None:
    (repo.root / ".sdd").mkdir()
    query = change("Send to the broker", "client.messages()", "broker.queue()")
    records = [record_of("1.md", QUEUE), record_of("2.md", CACHING)]
    past = [USUAL] * 20
    expected = Background(past, query, records, repo.repository).surprise()
    cache = repo.root / ".sdd/review/usual-fits.json"
    written = cache.read_text()
    cache.write_text(damage(written))
    assert cache.read_text() != written
    assert Background(past, query, records, repo.repository).surprise() == expected
    assert cache.read_text() == written

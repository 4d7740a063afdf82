import json
import os
from pathlib import Path

import pytest

from sdd_hooks.changes.tree import Tree
from sdd_hooks.project.repository import discover
from sdd_hooks.review.references.words.code_words import CodeWords, read_code_words
from tests.review.repositories import subject_of

FILES = {f"src/shop/part{number}.py": f"keeper = part_{number}\n" for number in range(30)}
RARE = {"src/shop/outbox.py": "sweeper = keeper\n", "docs/a.md": "manual\n" * 9, "a.lock": "lock\n"}


def code_words(root: Path) -> CodeWords:
    repository = discover(root, os.environ)
    return read_code_words(repository, Tree(repository.git, "HEAD"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return subject_of(tmp_path, FILES, RARE).after.root


def test_a_word_of_many_files_is_common(root: Path) -> None:
    words = code_words(root)
    assert words.files == len(FILES) + 1
    assert words.is_common("keeper")
    assert not words.is_common("sweeper")
    assert not words.is_common("manual"), "documents are no code"


def test_a_word_of_many_paths_is_common(root: Path) -> None:
    assert code_words(root).is_common("shop")


@pytest.mark.parametrize("word", ["get", "error", "fmt", "byte", "not_found", "set.value", "adr"])
def test_a_word_of_any_code_is_common_in_a_small_repository(word: str) -> None:
    assert CodeWords(0, {}).is_common(word)
    assert not CodeWords(0, {}).is_common(f"{word}_outbox")


def test_the_words_are_the_same_with_and_without_a_cache(root: Path) -> None:
    first = code_words(root)
    (root / ".sdd").mkdir()
    assert code_words(root) == first
    cache = root / ".sdd/review/code-words.json"
    stored = json.loads(cache.read_text())
    assert len(stored["blobs"]) == first.files
    assert code_words(root) == first


@pytest.mark.parametrize("rows", [[], {"a": 1}, {"a": [1]}, None, "x"])
def test_a_damaged_cache_is_not_used(root: Path, rows: object) -> None:
    first = code_words(root)
    (root / ".sdd/review").mkdir(parents=True)
    damaged = json.dumps({"version": 1, "blobs": rows})
    (root / ".sdd/review/code-words.json").write_text(damaged)
    assert code_words(root) == first

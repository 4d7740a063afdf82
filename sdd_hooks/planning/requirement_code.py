"""Find the code that a requirement, an issue or a task is about.

The words of the text are compared with the paths, the definitions and the text of the files that a
search finds or whose paths have one of them. A rare word weighs more than one that any code has
("management"), one of a name more than one of the text. A file counts if it has most of the weight
of the name, and further ones if they are nearly as good. One that the text names comes first.
"""

# Governing: ADR-0052 (existing code by its words), SPEC-0025 REQ "Existing code", SPEC-0026 REQ
# "Existing code first"

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.words.code_words import GENERIC_WORDS, CodeWords
from sdd_hooks.review.references.words.splitting import STOP_WORDS, split_words
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

# What a file needs: the weight of the shared words, and the share of that of the name that it has
# somewhere, or the score of a hit by meaning; of a further file the share of the first one's score.
MIN_SCORE, MIN_COVERED, SURE_MEANING, NEXT_SHARE = 0.5, 0.4, 0.7, 0.97
MAX_FILES = 3

_CANDIDATES = 60
_MAX_TEXT = 30_000
_MAX_QUERY = 400
_TEXT, _CONTEXT, _GENERIC, _MISSING = 0.25, 0.5, 0.4, 0.5
_CLAIMED = 2.0
# What spec-kit writes behind a name.
_PRIORITY = lazy_regex(r"\s*\(Priority: [^)]*\)")
_STEM, _FOLDER, _SYMBOL, _BODY, _SATURATION = 1.0, 0.4, 0.4, 0.3, 1.2

_generic = lru_cache(maxsize=1)(lambda: frozenset(map(stem, GENERIC_WORDS)))


class CodeQuestion(NamedTuple):
    """What code is sought for: name, text, title of what it is a part of, names in code spans."""

    name: str
    text: str = ""
    context: str = ""
    spans: tuple[str, ...] = ()


class CodeBase(NamedTuple):
    """The code that is looked through: its paths, a search that returns hits with the scores to
    show, the text of a file ("" for none), and how common its words are."""

    files: Collection[str]
    search: Callable[[str], Sequence[Hit]]
    read: Callable[[str], str]
    words: CodeWords = CodeWords(0, {})


class FoundCode(NamedTuple):
    """A file that a question is about, its score, the words that both have, and the hits in it."""

    path: str
    score: float
    words: tuple[str, ...]
    hits: tuple[Hit, ...]


def find_code(question: CodeQuestion, code: CodeBase) -> tuple[FoundCode, ...]:
    """The files that a question is about, best first, at most MAX_FILES."""
    title, body = (_PRIORITY.sub("", one) for one in question[:2])
    question = question._replace(name=title, text=body)
    hits: dict[str, list[Hit]] = {}
    for text in dict.fromkeys((question.name, f"{question.name} {question.text}")):
        for hit in code.search(text[:_MAX_QUERY]):
            if hit.path in code.files:
                hits.setdefault(hit.path, []).append(hit)
    name = _words(question.name)
    paths = {path: _path_words(path) for path in code.files}
    named = [path for path in sorted(paths) if name.keys() & paths[path].keys()]
    weights = _weights(question, paths, code)
    own = sum(weights[word] for word in name) or 1.0
    claim = f'REQ "{question.name}"'.lower()
    rated = []
    for path in dict.fromkeys((*hits, *named[:_CANDIDATES])):
        text = code.read(path)
        shared = _shared(path, paths[path], text, weights)
        near = [one.score for one in hits.get(path, ()) if one.cosine is not None]
        meaning = max(near, default=0.0)
        score = sum(shared.values()) / own + meaning
        covered = sum(weights[word] for word in name if word in shared) / own
        if claim in text.lower():
            score, covered = score + _CLAIMED, 1.0
        if score >= MIN_SCORE and (covered >= MIN_COVERED or meaning >= SURE_MEANING):
            words = sorted(name.keys() & shared.keys(), key=lambda word: (-weights[word], word))
            spelled = tuple(name[word] for word in words)
            rated.append(FoundCode(path, score, spelled, _hits(path, score, hits)))
    rated.sort(key=lambda one: (-one.score, one.path))
    stated = _named_files(question, code)
    first = [FoundCode(one, 1.0, (), _hits(one, 1.0, hits)) for one in stated]
    best = [one for one in rated[:MAX_FILES] if one.score >= NEXT_SHARE * rated[0].score]
    return (*first, *(one for one in best if one.path not in stated))[:MAX_FILES]


def _hits(path: str, score: float, hits: Mapping[str, Sequence[Hit]]) -> tuple[Hit, ...]:
    whole = Hit(f"{path}#file", "", path, 1, 0, "", "", min(score, 1.0), None, "", "")
    return tuple(hits.get(path, ())) or (whole,)


def _named_files(question: CodeQuestion, code: CodeBase) -> list[str]:
    """The files whose paths the question has in code spans, each once."""
    named: list[str] = []
    for span in question.spans:
        path = span.removeprefix("./").partition(":")[0]
        if path in code.files:
            named.append(path)
        elif "/" in path:
            ends = [one for one in code.files if one.endswith(f"/{path}")]
            named += ends if len(ends) == 1 else []
    return list(dict.fromkeys(named))


def _words(text: str) -> dict[str, str]:
    """The stems of the words of a text, with a spelling of each."""
    kept = (word for word in split_words(text) if len(word) > 1 and not word.isdigit())
    return {stem(word): word for word in kept if word not in STOP_WORDS}


@lru_cache(maxsize=8192)
def _path_words(path: str) -> Mapping[str, float]:
    *folders, file = path.split("/")
    words = dict.fromkeys(_words(" ".join(folders[-3:])), _FOLDER)
    for word in _words(file.partition(".")[0]):
        words[word] = words.get(word, 0.0) + _STEM
    return words


def _weights(
    question: CodeQuestion, paths: Mapping[str, Mapping[str, float]], code: CodeBase
) -> dict[str, float]:
    """The weight of each word of the question: how much its part says, and how rare it is."""
    parts = ((question.text, _TEXT), (question.context, _CONTEXT), (question.name, 1.0))
    weights = {word: part for text, part in parts for word in _words(text)}
    count = len(paths)
    of_paths = Counter(word for words in paths.values() for word in words)
    of_text: Counter[str] = Counter()
    for spelled, number in code.words.frequency.items():
        if (word := stem(spelled)) in weights:
            of_text[word] = max(of_text[word], number)
    for word in weights:
        share = of_text[word] / code.words.files if code.words.files else 0.0
        frequency = (of_paths[word] + share * count) / 2
        rarity = math.log(1 + count / (frequency + 0.5)) if frequency else 0.0
        weights[word] *= rarity or math.log(1 + count) * _MISSING
        weights[word] *= _GENERIC if word in _generic() else 1.0
    return weights


def _shared(
    path: str, in_path: Mapping[str, float], text: str, weights: Mapping[str, float]
) -> dict[str, float]:
    """The words of the question that a file has, with what each adds to its score."""
    symbols = _words(" ".join(one.simple_name for one in find_symbols(path, text)))
    counts = Counter(map(stem, split_words(text[:_MAX_TEXT])))
    shared = {}
    for word in weights.keys() & {*in_path, *symbols, *counts}:
        body = _BODY * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION)
        part = in_path.get(word, 0.0) + (_SYMBOL if word in symbols else 0.0) + body
        shared[word] = weights[word] * part
    return shared

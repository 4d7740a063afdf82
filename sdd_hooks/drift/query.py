"""The query for the records that may govern files: paths, governing comments, exported names."""

# Governing: SPEC-0018 REQ "Candidates"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sdd_hooks.artifacts.governing import GoverningReference, has_governing_label
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, Origins
from sdd_hooks.code.definitions import Definition, find_definitions
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_document
from sdd_hooks.drift.citations import read_comments
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.words.code_words import GENERIC_WORDS
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import parse_sections

MAX_NAMES = 24
"""Names of definitions, or headings of a document, in a query."""
MAX_WORDS = 60
"""Words of a query."""
MAX_TEXT = 400_000
"""Characters of a file in which definitions are looked for."""
MAX_WORDS_OF = 20_000
"""Characters of a file whose words are counted."""

_EXPORTED = lazy_regex(r"(?:^|\n)[ \t]*(?:export|pub|public|open)\b")
_WORD = lazy_regex(r"\w+(?:-\w+)*")
_HEAD = 300


class FileSummary(NamedTuple):
    """What says what a file is about: its path, its governing comments, and names it exports.

    `labelled` is True if a line begins a governing comment, which may name a record in another way.
    """

    path: str
    comments: tuple[GoverningReference, ...] = ()
    names: tuple[str, ...] = ()
    labelled: bool = False


def summarize_file(path: str, text: str, origins: Origins = NO_ORIGINS) -> FileSummary:
    """Summarize a file. `origins` are as in `find_id_references`. Never raises.

    Of a document the names are its headings, of a file without definitions its most frequent words.
    """
    if is_document(path):
        titles = (one.title for one in parse_sections(text) if one.title)
        return FileSummary(path, (), tuple(islice(titles, MAX_NAMES)))
    comments = tuple(read_comments(path, text, origins))
    names = tuple(_exported(path, text[:MAX_TEXT])) or tuple(_frequent_words(text[:MAX_WORDS_OF]))
    return FileSummary(path, comments, names, bool(comments) or has_governing_label(text))


def _frequent_words(text: str) -> Iterator[str]:
    counts = Counter(word for word in split_words(text) if word not in GENERIC_WORDS)
    return islice((word for word, _ in counts.most_common()), MAX_NAMES // 2)


def _exported(path: str, text: str) -> Iterator[str]:
    """The names of the outermost definitions that other files can use, MAX_NAMES at most."""
    found = list(islice(find_definitions(path, text).outermost(), 5 * MAX_NAMES))
    language = find_language(path)
    if language == "go":
        exported = [one for one in found if one.name[:1].isupper()]
    else:
        marked = [one for one in found if _EXPORTED.search(_head(text, one))]
        exported = marked or [one for one in found if not one.name.startswith("_")]
    return islice(dict.fromkeys(one.name for one in exported or found), MAX_NAMES)


def _head(text: str, definition: Definition) -> str:
    return text[definition.head : definition.head + _HEAD].partition("{")[0]


def build_query(files: Sequence[FileSummary], path: str = "") -> str:
    """The words of a query about files, of which `path` is the directory, without any syntax.

    What several files have in common comes first, since the number of words is limited.
    """
    comments = _most_common(
        text
        for one in files
        for comment in one.comments
        for text in (str(comment.id), comment.requirement, comment.reason)
    )
    names = _most_common(name for one in files for name in one.names)
    paths = [path] if path else _most_common(_without_suffix(one.path) for one in files)
    words: dict[str, None] = {}
    for text in (*comments, *paths, *names):
        words.update(dict.fromkeys(_WORD.findall(text)))
    for text in (*comments, *paths, *names):
        words.update(dict.fromkeys(split_words(text)))
    kept = [word for word in words if word.lower() not in GENERIC_WORDS]
    return " ".join((kept or list(words))[:MAX_WORDS])


def _most_common(texts: Iterable[str]) -> list[str]:
    counts = Counter(text for text in texts if text)
    return [text for text, _ in counts.most_common(MAX_NAMES)]


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)

"""The purpose of a file, judged by its path."""

# Governing: SPEC-0010 REQ "Rules"

from __future__ import annotations

import re

from sdd_hooks.code.languages import (
    DOCUMENT_SUFFIXES,
    GENERATED,
    MARKDOWN_SUFFIXES,
    VENDORED,
    find_language,
)
from sdd_hooks.text.lazy_regex import lazy_regex

_DOCUMENTS = (
    *DOCUMENT_SUFFIXES,
    ".org",
    ".txt",
    ".textile",
)

# Files that a tool writes and that no compiler reads: they are no part of GENERATED.
_GENERATED_DATA = (
    "/cargo.lock",
    "/gemfile.lock",
    "/go.sum",
    "/package-lock.json",
    "/poetry.lock",
    "/uv.lock",
    "/yarn.lock",
    ".snap",
    ".svg",
)

# `plugins/codemirror-5.17.0/` is a release of another project.
_EXTERNAL = lazy_regex(
    r"(?:^|/)(?:"
    + "|".join(map(re.escape, VENDORED))
    # What a framework compiles its templates to, and what a build copies.
    + r"|storage/framework|bootstrap/cache|templates_c|var/cache|staticfiles"
    r"|target/(?:classes|[\w.-]{1,80}-[0-9][\w.-]{0,40})|bin/[^/]{1,80}/src/main"
    r"|dist|build|[a-z][a-z.]{0,40}-v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4})/",
    re.IGNORECASE,
)
_TEST = lazy_regex(
    r"""(?:^|/)(?:tests?|__tests__|specs?|e2e|testing|[\w.-]*[._-][Tt]ests?|tests?[_-][\w.-]+
       |test(?:util|helper|support)s?)/
    | (?:^|/)(?:test[_-][^/]*|conftest\.py)$
    | [._-](?:test|tests|spec)\.[a-z]+$
    | [A-Za-z0-9]Tests?\.(?:java|kt|cs|scala|swift|groovy|php|fs)$""",
    re.VERBOSE,
)
_SAMPLE = lazy_regex(
    r"""(?:^|/)(?:__)?(?:fixtures?|test[_-]?data|snapshots?|golden|cassettes|mocks?|samples?
       |recorded|templates?|fuzz)(?:__)?/
    | (?:^|/)[^/]*template[^/]*$
    | \.(?:jsonl?|ndjson|csv|tsv|snap|svg|lock|ipynb)$""",
    re.VERBOSE | re.IGNORECASE,
)
_CHANGELOG = lazy_regex(
    r"(?:^|/)(?:change-?log|changes|history|release[-_]?notes|releases?|news|upgrading|migration)"
    r"[^/]*\.[a-z]+$|(?:^|/)(?:change-?logs?|\.?changesets?|release[-_]?notes|newsfragments)/",
    re.IGNORECASE,
)
_INDEX = lazy_regex(
    r"(?:^|/)(?:readme|index|_index|summary|_sidebar|sidebars?|toc|contents|mkdocs|llms[^/]*)"
    r"\.[a-z]+$",
    re.IGNORECASE,
)

_EXAMPLE = lazy_regex(
    r"(?:^|/)(?:(?:[\w-]{1,40}[_-])?examples?[0-9]{0,3}|demos?|samples?|fixtures?|test[_-]?data|snapshots?|playground|docs?"
    r"|benchmarks?|\.storybook)/|(?:^|/)demo\.html?$|\.(?:stories|story)\.[a-z]+$",
    re.IGNORECASE,
)

_INTERNAL = lazy_regex(r"(?:^|/)_?(?:internals?|private|detail|impl)/", re.IGNORECASE)


def is_document(path: str) -> bool:
    """Whether it is a text for people: Markdown and similar formats."""
    return path.lower().endswith(_DOCUMENTS)


def has_sections(path: str) -> bool:
    """Whether it is a document that is cut into sections, and may be a record."""
    return path.lower().endswith(DOCUMENT_SUFFIXES)


def is_markdown(path: str) -> bool:
    """Whether it is Markdown."""
    return path.lower().endswith(MARKDOWN_SUFFIXES)


def is_generated(path: str) -> bool:
    """Whether a tool writes the file, by its name: generated code, lock files, snapshots, SVG."""
    return ("/" + path.lower()).endswith((*GENERATED, *_GENERATED_DATA))


def is_external(path: str) -> bool:
    """Whether the file is vendored code, generated code or built, and not written here.

    A lock file or an SVG is not external: rules search it for mentions of records.
    """
    return ("/" + path.lower()).endswith(GENERATED) or bool(_EXTERNAL.search(path))


def is_test(path: str) -> bool:
    """Whether the file is the code of a test."""
    return not is_document(path) and bool(_TEST.search(path))


def is_example(path: str) -> bool:
    """Whether it shows or measures other code: an example, a fixture, a benchmark."""
    return bool(_EXAMPLE.search(path))


def is_internal(path: str) -> bool:
    """Whether its folder is for the use of the code beside it only.

    In Go, `internal/` often has the whole program.
    """
    return not path.endswith(".go") and bool(_INTERNAL.search(path))


def is_sample(path: str) -> bool:
    """Whether its content is an example or data: fixtures, snapshots, templates."""
    return bool(_SAMPLE.search(path))


def is_changelog(path: str) -> bool:
    """Whether it describes the past: a changelog, release notes. No code does."""
    return not (find_language(path) and not is_document(path)) and bool(_CHANGELOG.search(path))


def is_index(path: str) -> bool:
    """Whether it lists other files: an index, a table of contents."""
    return bool(_INDEX.search(path))


def is_production_code(path: str) -> bool:
    """Whether it is code in use: no document, test, example or build output."""
    return not (is_document(path) or is_external(path) or is_test(path) or _EXAMPLE.search(path))

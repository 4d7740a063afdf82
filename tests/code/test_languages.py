import pytest

from sdd_hooks.code.definitions import find_definitions
from sdd_hooks.code.imports import find_imports
from sdd_hooks.code.languages import (
    GENERATED,
    LANGUAGES,
    SUFFIXES,
    VENDORED,
    Language,
    find_language,
)
from sdd_hooks.code.source_files import find_parts
from tests.code.samples import SAMPLES


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/app.py", "python"),
        ("a/b/Main.TSX", "typescript"),
        ("Makefile", "make"),
        ("deep/down/Dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", None),
        ("README.md", None),
        ("python", None),
        (".py", "python"),
        ("a.b/c", None),
        ("", None),
    ],
)
def test_language(path: str, name: str | None):
    assert find_language(path) == name


def test_tables_have_lower_case_suffixes():
    assert all(suffix == suffix.lower() for suffix in (*SUFFIXES, *GENERATED, *VENDORED))
    assert all(suffix[0] in "./" for suffix in SUFFIXES)
    assert all(suffix[0] in "._/" for suffix in GENERATED)


READ = [one for one in LANGUAGES if one.definitions or one.imports or one.comments != "markup"]


def test_every_language_of_which_something_is_read_has_a_sample():
    assert [one.name for one in READ] == sorted(SAMPLES)
    assert [one.name for one in LANGUAGES] == sorted({one.name for one in LANGUAGES})


@pytest.mark.parametrize("language", READ, ids=lambda one: one.name)
def test_what_is_read_of_a_language_is_found_in_its_sample(language: Language):
    sample = SAMPLES[language.name]
    path = f"a{language.suffixes.split()[0]}"
    defined = [one.name for one in find_definitions(path, sample.text).outermost()]
    imported = [one.name for one in find_imports(path, sample.text.encode()).found]
    assert defined == ([sample.definition] if language.definitions else [])
    assert imported == ([sample.imported] if language.imports else [])
    assert bool(sample.comment) == (language.comments != "markup")
    if sample.comment:
        start = sample.text.index(sample.comment)
        parts = {find_parts(path, sample.text)(start + at) for at in range(len(sample.comment))}
        assert parts == {"comment"}

import pytest

from sdd_hooks.code.languages import GENERATED, LANGUAGES, VENDORED, language


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
    assert language(path) == name


def test_tables_are_in_lower_case_and_begin_as_endings_do():
    assert all(ending == ending.lower() for ending in (*LANGUAGES, *GENERATED, *VENDORED))
    assert all(ending[0] in "./" for ending in LANGUAGES)
    assert all(ending[0] in "._/" for ending in GENERATED)

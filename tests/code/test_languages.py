import pytest

from sdd_hooks.code.languages import GENERATED, LANGUAGES, VENDORED, find_language


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
    assert all(suffix == suffix.lower() for suffix in (*LANGUAGES, *GENERATED, *VENDORED))
    assert all(suffix[0] in "./" for suffix in LANGUAGES)
    assert all(suffix[0] in "._/" for suffix in GENERATED)

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.semantic_search import ExtraCollection, read_semantic_search
from sdd_hooks.errors import ConfigurationError


def read(root: Path, text: str | bytes) -> tuple[list[ExtraCollection], list[str]]:
    data = text.encode() if isinstance(text, str) else text
    (root / "semantic-search.yml").write_bytes(data)
    extras, warnings = read_semantic_search(root)
    return list(extras), [str(warning) for warning in warnings]


def refusal(root: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(root, text)
    return str(caught.value).removeprefix(f"{root}/semantic-search.yml")


def test_without_the_file_there_are_no_collections(tmp_path: Path):
    assert read_semantic_search(tmp_path) == ((), [])


def test_collections(tmp_path: Path):
    text = (
        "# a comment\ncollections:\n  notes:\n"
        f"    path: {tmp_path}/kb/notes\n    pattern: '**/*.md'\n"
        "  sources: {path: ./kb/sources/}\n  2024:\n    path: .\n    pattern: '*.txt'\n"
    )
    assert read(tmp_path, text) == (
        [
            ExtraCollection("notes", "kb/notes", "**/*.md", 3),
            ExtraCollection("sources", "kb/sources", "**/*.md", 6),
            ExtraCollection("2024", "", "*.txt", 7),
        ],
        [],
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "collections:\n", "collections: {}\n", "~\n"])
def test_an_empty_file_declares_nothing(tmp_path: Path, text: str):
    assert read(tmp_path, text) == ([], [])


def test_a_file_that_cannot_be_read_is_named_once(tmp_path: Path):
    (tmp_path / "semantic-search.yml").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        read_semantic_search(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/semantic-search.yml: not a regular file: write it anew, or remove it"
    )


def test_unknown_keys_are_warnings(tmp_path: Path):
    text = "version: 1\ncollections:\n  notes:\n    path: a\n    mask: b\n"
    extras, warnings = read(tmp_path, text)
    assert [extra.name for extra in extras] == ["notes"]
    assert warnings == [
        f"{tmp_path}/semantic-search.yml:1: unknown key 'version'",
        f"{tmp_path}/semantic-search.yml:5: unknown key 'mask' in 'notes'",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", ":1: the file must be a mapping"),
        ("collections: [a]\n", ":1: 'collections' must be a mapping"),
        ("collections:\n  notes: kb\n", ":2: 'notes' must be a mapping"),
        (
            "collections:\n  notes:\n    pattern: a\n",
            ":2: 'notes' has no 'path': add `path: DIRECTORY`",
        ),
        ("collections:\n  notes:\n", ":2: 'notes' has no 'path': add `path: DIRECTORY`"),
        ("collections:\n  notes:\n    path: [a]\n", ":3: 'path' must be text"),
        ("collections:\n  notes:\n    path:\n", ":3: 'path' must be text"),
        ("collections:\n  notes: {path: ../x}\n", ":2: '../x' is outside the repository"),
        ("collections:\n  notes: {path: /etc}\n", ":2: '/etc' is outside the repository"),
        ("collections:\n  notes: {path: out}\n", ":2: 'out' is outside the repository"),
        ("collections:\n  notes: {path: .git}\n", ":2: '.git' belongs to git"),
        (
            "collections:\n  notes: {path: a, pattern: ../*.md}\n",
            ":2: 'pattern' must stay below 'path'",
        ),
        (
            "collections:\n  n:\n    path: a\n    pattern: '" + "{a,b}" * 9 + "'\n",
            ":4: 'pattern': {…} expands to more than 100 patterns",
        ),
        (
            "collections:\n  a b: {path: a}\n",
            ":2: 'a b' cannot name a collection: letters, digits, '-', '_' and '.'",
        ),
        ("collections:\n  a: {path: a}\n  a: {path: b}\n", ":3: 'a' is declared twice"),
        ("collections:\n  ? [a]\n  : {path: a}\n", ":2: 'collections' must have text as keys"),
        ("collections: {\n", ":2: expected the node content, but found '<stream end>'"),
        ("a: b\n---\nc: d\n", ":2: but found another document"),
        ('a: "\\UFFFFFFFF"\n', ": not YAML"),
        ("a: \x00", ": not YAML"),
        ("[" * 3_000, ": nested too deeply"),
    ],
)
def test_other_shapes_are_errors_with_a_line(tmp_path: Path, text: str, message: str):
    (tmp_path / "out").symlink_to("..")
    assert refusal(tmp_path, text) == message


def test_a_large_file_and_a_link_are_errors(tmp_path: Path):
    assert "larger than" in refusal(tmp_path, "#" * 70_000)
    (tmp_path / "semantic-search.yml").unlink()
    (tmp_path / "semantic-search.yml").symlink_to("/etc/hostname")
    with pytest.raises(ConfigurationError, match="a symlink"):
        read_semantic_search(tmp_path)


def test_aliases_are_not_expanded(tmp_path: Path):
    lines = ["a: &a [x]"] + [f"b{n}: &b{n} [*a, *a, *a]" for n in range(20)]
    extras, warnings = read(tmp_path, "\n".join([*lines, "collections: {n: {path: kb}}"]))
    assert [extra.name for extra in extras] == ["n"]
    assert len(warnings) == 21


@given(st.text(alphabet=st.sampled_from("colections: \n-{}[]&*!|>'\"ab#%"), max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str):
    root = tmp_path_factory.getbasetemp() / "semantic"
    root.mkdir(exist_ok=True)
    try:
        read(root, text)
    except ConfigurationError as error:
        assert "\n" not in str(error)


keys = st.sampled_from(["collections", "notes", "path", "pattern", "x"])
shapes = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
)


@given(shapes)
def test_any_shape_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, shape: object):
    import yaml

    root = tmp_path_factory.getbasetemp() / "semantic"
    root.mkdir(exist_ok=True)
    try:
        extras, _ = read(root, yaml.safe_dump({"collections": shape}))
    except ConfigurationError as error:
        assert error.line > 0
    else:
        assert all(not extra.directory.startswith(("/", "..")) for extra in extras)

import re
from posixpath import normpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.languages import SUFFIXES
from sdd_hooks.project.collections import Collection, CollectionMap, select_paths
from tests.support.cpu_time import assert_cpu_seconds, assert_linear
from tests.support.repos import Repo

ADRS = Collection(
    name="app-adrs",
    kind="adrs",
    module="",
    repository="",
    directories=("docs/adrs", "docs/old"),
    suffixes=(".md", ".mdx"),
    pattern="",
    excluded=("docs/adrs/drafts",),
    context="Architecture decision records of app",
)
CODE = ADRS._replace(
    name="app-code",
    kind="code",
    directories=("",),
    suffixes=tuple(SUFFIXES),
    excluded=(".sdd", "docs/adrs"),
)
NOTES = ADRS._replace(
    name="notes",
    kind="notes",
    directories=("kb",),
    suffixes=(),
    pattern="**/*.md",
    excluded=(),
)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("docs/adrs/ADR-0001-x.md", True),
        ("docs/adrs/deep/down/x.MD", True),
        ("docs/old/x.mdx", True),
        ("docs/adrs/x.png", False),
        ("docs/adrs/x.py", False),
        ("docs/adrs", False),
        ("docs/adrs.md", False),
        ("docs/adrs-old/x.md", False),
        ("not/docs/adrs/x.md", False),
        ("docs/ADRs/x.md", False),
        ("docs/adrs/drafts/x.md", False),
        ("docs/adrs/drafts.md", True),
        ("x.md", False),
    ],
)
def test_directories_are_prefixes_of_paths(path: str, inside: bool):
    assert ADRS.contains(path) is inside


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("main.go", True),
        ("src/App.JAVA", True),
        ("Makefile", True),
        ("build/Dockerfile", True),
        ("src/notmakefile", False),
        ("README.md", False),
        ("docs/adrs/x.py", False),
        (".sdd/x.py", False),
        ("vendor/lib/x.go", False),
        ("web/node_modules/x/index.js", False),
        ("a/Third_Party/x.c", False),
        ("vendors/x.go", True),
        ("src/vendor.go", True),
        ("static/jquery.min.js", False),
        ("api/service_pb2.py", False),
        ("api/service.pb.go", False),
        ("api/pb.go", True),
        ("pnpm-lock.yaml", False),
        ("src/my-pnpm-lock.yaml", True),
    ],
)
def test_code_excludes_generated_and_vendored_files(path: str, inside: bool):
    assert CODE.contains(path) is inside


def test_only_code_excludes_vendored_directories():
    assert ADRS.contains("docs/adrs/vendor/x.md")


@pytest.mark.parametrize(
    ("path", "inside"),
    [("kb/a.md", True), ("kb/a/b.md", True), ("kb/a.txt", False), ("other/kb/a.md", False)],
)
def test_the_pattern_matches_below_the_directory(path: str, inside: bool):
    assert NOTES.contains(path) is inside
    assert NOTES._replace(directories=("",), pattern="kb/**/*.md").contains(path) is inside


def test_pathspecs():
    assert ADRS.pathspecs() == (":(literal)docs/adrs", ":(literal)docs/old")
    assert ADRS._replace(repository="libs/core").pathspecs() == (":(literal)libs/core",)
    assert ADRS._replace(kind="issues", directories=(".sdd/issues",)).pathspecs() == ()
    assert NOTES._replace(directories=("",)).pathspecs() == (".",)


HOSTILE = [
    "docs/adrs/a.md",
    "docs/adrs/B.MD",
    "docs/old/deep/c.mdx",
    "main.go",
    "src/App.JAVA",
    "MAKEFILE",
    "deep/Dockerfile",
    "kb/[x]*.md",
    "README",
    "image.png",
]


@pytest.mark.parametrize("collection", [ADRS, CODE, NOTES], ids=lambda c: c.name)
@pytest.mark.parametrize("path", HOSTILE)
def test_pathspecs_match_every_file_of_a_collection(repo: Repo, collection: Collection, path: str):
    before = repo.commit(files={"other.bin": "1"})
    repo.commit(files={path: "1"})
    done = repo.run("diff-index", "--quiet", before, "--", *collection.pathspecs())
    assert done.returncode in (0, 1)
    if collection.contains(path):
        assert done.returncode == 1


def test_pathspecs_match_no_other_directory(repo: Repo):
    before = repo.commit(files={"docs/adrs/a.md": "1"})
    repo.commit(files={"image.png": "1", "README": "1", "docs/x.txt": "1", "docs/adrs2/a.md": ""})
    for collection in (ADRS, CODE, NOTES):
        done = repo.run("diff-index", "--quiet", before, "--", *collection.pathspecs())
        assert done.returncode == 0, collection.name


def test_a_directory_with_wildcards_in_its_name(repo: Repo):
    collection = ADRS._replace(directories=("a*[b]",))
    before = repo.commit(files={"aXb/x.md": "1"})
    repo.commit(files={"aXb/x.md": "2"})
    command = ("diff-index", "--quiet", before, "--", *collection.pathspecs())
    assert repo.run(*command).returncode == 0
    repo.commit(files={"a*[b]/x.md": "2"})
    assert repo.run(*command).returncode == 1


def test_the_definition_depends_on_every_field():
    other = {str: "other", tuple: ("other",)}
    digests = {ADRS.definition()}
    for name in ADRS._fields:
        digests.add(ADRS._replace(**{name: other[type(getattr(ADRS, name))]}).definition())
    assert len(digests) == len(ADRS._fields) + 1
    assert re.fullmatch(r"[0-9a-f]{16}", ADRS.definition())
    assert Collection(*ADRS).definition() == ADRS.definition()


def test_the_definition_of_any_name():
    assert ADRS._replace(directories=("caf\udce9",)).definition()


def test_contains_is_fast():
    paths = [f"src/package{n % 100}/module{n}.{'py' if n % 2 else 'txt'}" for n in range(20_000)]
    assert assert_cpu_seconds(lambda: sum(map(CODE.contains, paths)), 0.5) == 10_000


def collections_of(directories: list[str]) -> list[Collection]:
    return [
        ADRS._replace(name=str(number), directories=(directory,), excluded=())
        for number, directory in enumerate(directories)
    ]


NAMES = st.text("ab/0-", max_size=6).map(normpath).filter(lambda name: name[0] in "ab0-")


@given(
    st.lists(st.just("") | NAMES, max_size=6),
    st.lists(NAMES.map("{}.md".format), max_size=12, unique=True),
)
def test_the_collections_of_a_path_and_the_paths_of_a_collection(
    directories: list[str], paths: list[str]
):
    collections = [*collections_of(directories), ADRS._replace(directories=("a", "b/a"))]
    containing = CollectionMap(collections).containing
    for path in paths:
        assert containing(path) == [c for c in collections if c.contains(path)]
    paths.sort()
    for collection in collections:
        selected = select_paths(collection, paths)
        assert selected == tuple(filter(collection.contains, paths))


def test_a_path_is_compared_with_the_collections_around_it():
    def find(collections: list[Collection]) -> None:
        containing = CollectionMap(collections).containing
        ordered = sorted(f"m{number}/a.md" for number in range(len(collections)))
        for path in ordered:
            assert len(containing(path)) == 1
        for collection in collections:
            assert len(select_paths(collection, ordered)) == 1

    assert_linear(find, lambda size: collections_of([f"m{n}" for n in range(size)]), 6_000)

from __future__ import annotations

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.find_artifact import UnknownArtifact, find_artifact


def record(path: str, title: str, module: str = "") -> ArtifactFile:
    return ArtifactFile(path, f"# {title}\n\n## Decision\n\nYes.\n".encode(), "ADR", module)


CORPUS = load_corpus(
    [
        record("docs/adrs/0001-a.md", "ADR-0001: A"),
        record("docs/adrs/0002-b.md", "ADR-0002: B"),
        record("docs/adrs/0002-c.md", "ADR-0002: C"),
        record("api/adrs/0001-d.md", "ADR-0001: D", "api"),
        record("api/adrs/0007-e.md", "ADR-0007: E", "api"),
    ]
)


@pytest.mark.parametrize(
    ("name", "module", "path"),
    [
        ("ADR-0001", "", "docs/adrs/0001-a.md"),
        ("adr 1", "", "docs/adrs/0001-a.md"),
        ("1", "", "docs/adrs/0001-a.md"),
        ("ADR-0001", "api", "api/adrs/0001-d.md"),
        ("[api]/ADR-0001", "", "api/adrs/0001-d.md"),
        ("ADR-0007", "", "api/adrs/0007-e.md"),
        ("./docs/adrs/0002-c.md", "", "docs/adrs/0002-c.md"),
    ],
)
def test_an_artifact_is_found(name: str, module: str, path: str) -> None:
    assert find_artifact(CORPUS, name, module).path == path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ADR-0002", "ADR-0002 is not unique: name one of docs/adrs/0002-b.md, docs/ad"),
        ("ADR-0011", r"ADR-0011 does not exist: did you mean .*ADR-0001"),
        ("SPEC-0099", "SPEC-0099 does not exist: `sdd list` lists them"),
        ("x\x1b.md", r"no artifact is called x\\u001b.md: `sdd list` lists them"),
    ],
)
def test_an_artifact_is_not_found(name: str, message: str) -> None:
    with pytest.raises(UnknownArtifact, match=message):
        find_artifact(CORPUS, name)


def test_an_artifact_without_an_id_has_the_name_of_its_folder() -> None:
    files = [
        ArtifactFile(f"{folder}/{name}/spec.md", f"# {name}\n".encode(), "SPEC")
        for folder, name in (("specs", "search"), ("specs", "sync"), ("more", "sync"))
    ]
    corpus = load_corpus(files)
    assert find_artifact(corpus, "search").path == "specs/search/spec.md"
    with pytest.raises(UnknownArtifact):
        find_artifact(corpus, "sync")

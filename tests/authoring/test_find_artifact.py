from __future__ import annotations

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.authoring.find_artifact import NoSuchArtifact, find_artifact


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
        ("ADR-0002", "ADR-0002 is not unique: name its file, one of docs/adrs/0002-b.md, docs/ad"),
        ("ADR-0011", r"no artifact has the id ADR-0011: did you mean .*ADR-0001"),
        ("SPEC-0099", "no artifact has the id SPEC-0099: `sdd list` lists the ids"),
        ("x\x1b.md", r"'x\\x1b.md' is no id and no file of an artifact: `sdd list` lists them"),
    ],
)
def test_an_artifact_is_not_found(name: str, message: str) -> None:
    with pytest.raises(NoSuchArtifact, match=message):
        find_artifact(CORPUS, name)

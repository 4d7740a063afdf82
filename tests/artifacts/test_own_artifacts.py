"""The decisions and specs of this project itself."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.text.decoding import decode

REPOSITORY = Path(__file__).parents[2]
FOLDERS: tuple[tuple[str, ArtifactKind], ...] = (
    ("docs/adrs", "ADR"),
    ("docs/openspec/specs", "SPEC"),
)


def own() -> Corpus:
    return load_corpus(
        ArtifactFile(path.relative_to(REPOSITORY).as_posix(), path.read_bytes(), kind)
        for folder, kind in FOLDERS
        for path in sorted((REPOSITORY / folder).glob("**/*.md"))
    )


def test_the_artifacts_of_this_repository_have_no_findings() -> None:
    assert validate_artifacts(own()) == ()
    kinds = {artifact.kind for artifact in own().artifacts if artifact.status.value}
    assert kinds == {"ADR", "SPEC"}


def test_governing_comments_of_this_package_name_existing_artifacts() -> None:
    loaded = own()
    for path in (REPOSITORY / "sdd_hooks" / "artifacts").glob("*.py"):
        text = decode(path.read_bytes())
        # The example in the docstring of the module that reads them leads to nothing.
        for governed in read_governing(
            text.partition("import annotations")[0].rpartition('"""')[2]
        ):
            (artifact,) = loaded.resolve(governed.id)
            names = {requirement.name for requirement in artifact.requirements}
            assert not governed.requirement or governed.requirement in names, path.name

"""Artifacts as resources: `sdd:///` and the path of a decision or a specification."""

# Governing: SPEC-0030 REQ "Resources", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, load_corpus
from sdd_hooks.artifacts.replacements import find_replacements
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.mcp.pages import clean
from sdd_hooks.mcp.parameters import BadArgument
from sdd_hooks.mcp.tool import Document, force_of
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.report import RecordLabel
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.display import printable_line, shortened

TEMPLATE = "sdd:///{+path}"
PAGE_SIZE = 200

_SHOWN_WIDTH = 100


class ArtifactResource(NamedTuple):
    """An artifact in the list of resources. `description` has its status."""

    uri: str
    name: str
    title: str
    description: str


def list_artifacts(project: Project) -> list[ArtifactResource]:
    """Return the artifacts of the work tree, by path, one for each file. Raises GitError."""
    corpus = _read(project)[0]
    found = []
    for artifact in corpus.artifacts:
        label = _label(corpus, artifact)
        mark = force_of(label).get("mark") or label.status
        for path in artifact.paths:
            found.append(
                ArtifactResource(
                    _uri(path), _text(label.id), _text(label.name), _text(str(mark or ""))
                )
            )
    return found


def read_artifact(project: Project, uri: str) -> Document:
    """Return an artifact, which begins with a comment if it is not in force.

    Raises BadArgument for a URI that is not one of an artifact of the repository, GitError.
    """
    parts = urlsplit(uri)
    path = unquote(parts.path, errors="surrogateescape").removeprefix("/")
    corpus, texts = _read(project)
    owner = next((one for one in corpus.artifacts if path in one.paths), None)
    if parts.scheme != "sdd" or parts.netloc or owner is None or path not in texts:
        shown = shortened(printable_line(uri), _SHOWN_WIDTH)
        raise BadArgument(f"{shown} is no decision or specification of this repository")
    label = _label(corpus, owner)
    mark = force_of(label).get("mark")
    text = decode(texts[path])
    if mark:
        text = f"<!-- {_text(str(mark)).replace('--', '—')} -->\n\n{text}"
    return Document(_uri(path), _text(label.id), _text(label.name), _text(text))


def _read(project: Project) -> tuple[Corpus, dict[str, bytes]]:
    files, _ = read_artifact_files(project.repository.git, project.select(RECORD_KINDS))
    return load_corpus(files), {file.path: file.data for file in files}


def _label(corpus: Corpus, artifact: Artifact) -> RecordLabel:
    replaced_by = find_replacements(corpus).get(artifact.path, artifact.successors)
    return RecordLabel(
        artifact.name,
        artifact.title,
        artifact.status.value,
        artifact.status.authoritative,
        tuple(map(str, replaced_by)),
        is_numbered=artifact.id is not None,
    )


def _uri(path: str) -> str:
    return f"sdd:///{quote(path, errors='surrogateescape')}"


def _text(text: str) -> str:
    return str(clean(text))

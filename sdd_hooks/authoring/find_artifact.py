"""Find the artifact that a user names by its id or its path."""

# Governing: SPEC-0024 REQ "Naming an artifact"

from __future__ import annotations

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.errors import SddError


class NoSuchArtifact(SddError):
    """No artifact has this id or path, or several do."""

    code = "artifact"


def find_artifact(corpus: Corpus, name: str, module: str = "") -> Artifact:
    """The artifact with an id in any spelling, or with a path. A number alone is that of an ADR.

    An id without a module means the artifact of `module`, or the only one of all modules. Raises
    NoSuchArtifact, whose message names the close matches, or the paths of all that have the id.
    """
    by_path = corpus.by_path.get(name.removeprefix("./"))
    if by_path is not None:
        return by_path
    identifier = parse_id(name, "ADR")
    if identifier is None:
        raise NoSuchArtifact(f"{name!a} is no id and no file of an artifact: `sdd list` lists them")
    if module and not identifier.module:
        identifier = identifier._replace(module=module)
    found = corpus.resolve(identifier)
    if not found and not identifier.module:
        found = corpus.by_id_of_any_module.get(identifier, ())
    if len(found) == 1:
        return found[0]
    if found:
        paths = ", ".join(artifact.path for artifact in found)
        raise NoSuchArtifact(f"{identifier} is not unique: name its file, one of {paths}")
    close = ", ".join(map(str, corpus.close_matches(identifier)))
    hint = f"did you mean {close}?" if close else "`sdd list` lists the ids"
    raise NoSuchArtifact(f"no artifact has the id {identifier}: {hint}")

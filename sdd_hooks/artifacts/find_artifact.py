"""Find the artifact that a user names by its id, its number or its path."""

# Governing: SPEC-0024 REQ "Naming an artifact"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    Origins,
    in_module,
    parse_reference,
)
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.text.display import printable_line

MAX_NAMED = 8
"""Ids or paths that a message names."""


class UnknownArtifact(SddError):
    """No artifact has the name that the user gives, or several have it."""

    exit_code = EXIT_USAGE
    code = "unknown-artifact"


def find_artifact(
    corpus: Corpus, name: str, module: str | None = None, origins: Origins = NO_ORIGINS
) -> Artifact:
    """The artifact with an id in any spelling, with a path, or of a specification with a directory.

    An artifact without a number has the name of its folder or file; without a date it is one, too,
    and so is its title. A number alone is that of an ADR. An id without a module means the artifact
    of `module`, else of the root, else the only one of all modules. `origins` are as in
    `identifiers.find_id_references`. Raises UnknownArtifact, whose message names the close matches,
    or the paths of all that have the id.
    """
    path = name.removeprefix("./").rstrip("/")
    for artifact in corpus.artifacts:
        directory = artifact.path.rpartition("/")[0]
        if path in artifact.paths or (artifact.kind == "SPEC" and path == directory):
            return artifact
    identifier = parse_reference(name, "ADR", origins)
    is_below = not identifier.origin and "/" in name.replace("]/", "")
    called = corpus.names.called(name.rpartition("]/")[2])
    if is_below or any(one.id.name for one in called):
        # A name before the slash that is none of a repository would be lost.
        identifier = identifier._replace(name=name.rpartition("]/")[2], number=0, suffix="")
    found = _candidates(corpus, identifier, module)
    if len(found) > 1:
        listed = ", ".join(printable_line(one.path) for one in found[:MAX_NAMED])
        name = printable_line(str(identifier))
        raise UnknownArtifact(f"{name} is not unique: name one of {listed}")
    if not found and identifier.name:
        raise UnknownArtifact(
            f"no artifact is called {printable_line(name)}{_similar(corpus, name)}"
        )
    if not found:
        raise UnknownArtifact(f"{identifier} does not exist{_close(corpus, identifier)}")
    return found[0]


def _candidates(corpus: Corpus, identifier: ArtifactId, module: str | None) -> Sequence[Artifact]:
    if module and (found := corpus.resolve(in_module(identifier, module))):
        return found
    if found := corpus.resolve(identifier):
        return found
    if identifier.module:
        return ()
    anywhere = corpus.names.called(identifier.name) if identifier.name else ()
    return anywhere or corpus.by_id_of_any_module.get(identifier, ())


def _close(corpus: Corpus, identifier: ArtifactId) -> str:
    close = [str(one) for one in corpus.close_matches(identifier)]
    if not close:
        same = [one for one in corpus.by_id if one.kind == identifier.kind and not one.name]
        nearest = sorted(same, key=lambda one: (abs(one.number - identifier.number), one))
        close = [str(one) for one in nearest[:3]]
    return f": did you mean {', '.join(close)}?" if close else ": `sdd list` lists them"


def _similar(corpus: Corpus, name: str) -> str:
    from difflib import get_close_matches

    names = {one.name.lower(): one.name for one in corpus.artifacts}
    names |= {one.title.lower(): one.name for one in corpus.artifacts}
    close = get_close_matches(name.lower()[:200], names, 3, 0.5)
    found = list(dict.fromkeys(names[one] for one in close))
    return f": did you mean {', '.join(found)}?" if found else ": `sdd list` lists them"

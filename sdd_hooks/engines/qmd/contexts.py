"""The descriptions of collections in qmd's configuration, which qmd shows with every hit.

Users may edit them. A description is outdated when it names a range of artifacts that no longer
ends with the last one (`ADR-0001 to ADR-0020`), or a status that an artifact no longer has
(`ADR-0007 is proposed`).
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Contexts"

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdd_hooks.artifacts.languages import STATUSES
from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import read_state

if TYPE_CHECKING:
    from sdd_hooks.artifacts.artifact import Artifact
    from sdd_hooks.engines.qmd.index_folder import IndexFolder
    from sdd_hooks.project.collections import Collection
    from sdd_hooks.system.git import Git

MAX_CONFIG_BYTES = 1_000_000
"""Bytes read of the configuration. The largest one that sdd writes is far smaller."""

_ID = r"(?P<kind>adr|spec)s?[- ]?(?P<number>[0-9]{1,5})"
_TO = r"(?:-{1,2}|–|—|…|\.{2,3}|to|through|until)"
_RANGE = re.compile(
    rf"\b{_ID}\s{{0,3}}{_TO}\s{{0,3}}(?:(?:adr|spec)s?[- ]?)?(?P<last>[0-9]{{1,5}})\b(?!-[0-9])",
    re.IGNORECASE,
)
_STATUS = re.compile(
    rf"\b{_ID}(?: (?:is|remains)(?: (?:still|now))? | ?[:=(] ?)(?P<status>{'|'.join(STATUSES)})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class OutdatedContext:
    """The first outdated phrase of a description, and the description with all corrections."""

    phrase: str
    corrected: str


def read_contexts(path: Path) -> dict[str, str]:
    """Read the description of each collection from a configuration; {} if it cannot be read."""
    import yaml

    try:
        tree = yaml.compose(read_state(path, MAX_CONFIG_BYTES), Loader=yaml.SafeLoader)
    except (OSError, StorageError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    contexts = {}
    for name, collection in _entries(_child(tree, "collections")):
        text = _child(_child(collection, "context"), "")
        if isinstance(text, yaml.ScalarNode) and text.value.strip():
            contexts[name] = text.value
    return contexts


def outdated_notes(
    git: Git,
    folder: IndexFolder,
    collections: Mapping[str, Collection],
    indexed: Container[str],
) -> list[str]:
    """Return a line for each indexed collection whose description is outdated.

    `collections` are all of the project. Reads its artifacts only if a description names a range or
    a status.
    """
    texts = {
        name: text
        for name, text in read_contexts(folder.config).items()
        if name in indexed and name in collections and makes_claims(text)
    }
    if not texts:
        return []
    from sdd_hooks.artifacts.work_tree import read_work_tree

    corpus, _ = read_work_tree(git, collections.values())
    artifacts = {
        name: [
            artifact for artifact in corpus.artifacts if artifact.module == collections[name].module
        ]
        for name in texts
    }
    directory = folder.path.relative_to(folder.root).as_posix()
    return describe_outdated(texts, artifacts, directory)


def makes_claims(text: str) -> bool:
    """Whether a description names a range of artifacts or the status of one."""
    shown = _printable(text)
    return bool(_RANGE.search(shown) or _STATUS.search(shown))


def find_outdated(text: str, artifacts: Sequence[Artifact]) -> OutdatedContext | None:
    """Compare a description with the artifacts of its module; None if it is up to date.

    A range is outdated if it ends below the highest number, a status if no artifact of that number
    has it.
    """
    text = _printable(text)
    phrases: list[tuple[int, str]] = []

    def extend_range(match: re.Match[str]) -> str:
        numbers = [one.id.number for one in _of_kind(artifacts, match["kind"])]
        highest = max(numbers, default=0)
        if not int(match["number"]) < int(match["last"]) < highest:
            return match[0]
        phrases.append((match.start(), match[0]))
        start = match.start("last") - match.start()
        return f"{match[0][:start]}{highest:0{len(match['last'])}d}"

    def correct_status(match: re.Match[str]) -> str:
        number = int(match["number"])
        statuses = [
            artifact.status.value
            for artifact in _of_kind(artifacts, match["kind"])
            if artifact.id.number == number and artifact.status.value in STATUSES
        ]
        if not statuses or match["status"].lower() in statuses:
            return match[0]
        phrases.append((match.start(), match[0]))
        return f"{match[0][: match.start('status') - match.start()]}{statuses[0]}"

    corrected = _STATUS.sub(correct_status, _RANGE.sub(extend_range, text))
    if not phrases:
        return None
    return OutdatedContext(min(phrases)[1], " ".join(corrected.split()))


def describe_outdated(
    contexts: Mapping[str, str], artifacts: Mapping[str, Sequence[Artifact]], directory: str
) -> list[str]:
    """Return a line for each outdated description, with the command that corrects it.

    `artifacts` are those of each collection's module. `directory` is the folder of the index,
    relative to the top of the repository, where the command is to be run.
    """
    lines = []
    for name, text in contexts.items():
        outdated = find_outdated(text, artifacts.get(name, ()))
        if outdated is not None:
            quoted = shlex.quote(directory)
            command = (
                f"QMD_CONFIG_DIR={quoted} INDEX_PATH={quoted}/index.sqlite"
                f' qmd context add "qmd://{name}/" {shlex.quote(outdated.corrected)}'
            )
            lines.append(
                f"Context for {name} still says '{outdated.phrase}' — refresh it with `{command}`"
            )
    return lines


def _printable(text: str) -> str:
    """Return the text as one line without control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def _of_kind(artifacts: Sequence[Artifact], kind: str) -> list[Artifact]:
    return [artifact for artifact in artifacts if artifact.kind == kind.upper() and artifact.id]


def _entries(node: Any) -> list[tuple[str, Any]]:
    """Return the entries of a YAML mapping; none for another node."""
    pairs = getattr(node, "value", None)
    if getattr(node, "id", "") != "mapping" or not isinstance(pairs, list):
        return []
    return [(str(key.value), value) for key, value in pairs if getattr(key, "id", "") == "scalar"]


def _child(node: Any, name: str) -> Any:
    return next((value for key, value in _entries(node) if key == name), None)

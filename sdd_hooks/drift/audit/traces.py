"""Traces of records in the rest of a repository: files and commits that name them, words of them.

They show that a record was taken up where no governing comment says so.
"""

# Governing: SPEC-0019 REQ "Right or silent", ADR-0003 (one module talks to git)

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.code.paths import is_changelog, is_document, is_index, is_sample
from sdd_hooks.project.project import Project
from sdd_hooks.review.mentions import resolve_mention
from sdd_hooks.system.git import Git, GitError, first_error_line

MAX_WORDS = 400
"""Words that are searched at once."""
MAX_COMMITS = 2_000
"""Commits whose messages name a record, and whose files are read."""

_MENTION = r"(^|[^[:alnum:]])(adr|spec)s?[-_ #/(]*[0-9]{1,5}[a-z]?"
_GREP = ("grep", "-I", "--untracked", "--no-color", "--no-recurse-submodules", "--full-name")
_LOG = ("log", "--no-renames", "--name-only", "-z", "--format=%x01%B%x00", "--no-merges")


def find_naming_files(project: Project, corpus: Corpus) -> Mapping[str, tuple[str, ...]]:
    """The files that name each record in any spelling, by the path of the record, sorted.

    Records, indexes, changelogs and data do not count. Raises GitError.
    """
    found: dict[str, set[str]] = {}
    for path, written in _mentions(project):
        if path in corpus.by_path or is_index(path) or is_changelog(path) or is_sample(path):
            continue
        for reference in find_id_references(written):
            for artifact in resolve_mention(corpus, reference.id):
                found.setdefault(artifact.path, set()).add(path)
    return {record: tuple(sorted(paths)) for record, paths in found.items()}


def _mentions(project: Project) -> Iterator[tuple[str, str]]:
    """Each file with each of the distinct texts in it that look like an id."""
    seen: set[tuple[str, str]] = set()
    for prefix, git in _repositories(project):
        for row in _grep(git, "-i", "-o", "--null", "-E", "-e", _MENTION):
            path, _, written = row.partition(b"\0")
            # Spellings of a path (`adrs/0012-…`) need what precedes the number, and no more.
            one = (prefix + os.fsdecode(path), written.decode("utf-8", "replace"))
            if one not in seen:
                seen.add(one)
                yield one


def find_words_in_code(project: Project, corpus: Corpus, words: Sequence[str]) -> frozenset[str]:
    """Those of the words that a file has which is neither a document nor a record.

    Raises GitError.
    """
    wanted = list(dict.fromkeys(words))[:MAX_WORDS]
    if not wanted:
        return frozenset()
    patterns = [argument for word in wanted for argument in ("-e", word)]
    found: set[str] = set()
    for prefix, git in _repositories(project):
        for row in _grep(git, "-o", "-w", "--null", "-F", *patterns):
            name, _, word = row.partition(b"\0")
            path = prefix + os.fsdecode(name)
            if not is_document(path) and path not in corpus.by_path:
                found.add(word.decode("utf-8", "replace"))
    return frozenset(found)


def find_ids_in_commits(git: Git, ids: Iterable[ArtifactId]) -> frozenset[ArtifactId]:
    """Those of the ids that the message of a commit names which changes more than documents.

    The last MAX_COMMITS commits that name one of them are read.
    """
    wanted = frozenset(ids)
    if not wanted:
        return frozenset()
    numbers = "|".join(sorted({f"0*{one.number}" for one in wanted}))
    search = ("-i", "-E", f"--grep=(adr|spec)s?[-_ #/(]*({numbers})($|[^0-9])")
    # git fails when a partial clone lacks an object; the output before the failure is valid.
    output = git.run(*_LOG, f"--max-count={MAX_COMMITS}", *search).stdout
    found: set[ArtifactId] = set()
    for entry in output.split(b"\x01"):
        message, _, names = entry.partition(b"\0")
        files = [os.fsdecode(name) for name in names.strip(b"\n\0").split(b"\0") if name]
        if any(not is_document(path) for path in files):
            text = message.decode("utf-8", "replace")[:4_000]
            found.update(reference.id for reference in find_id_references(text))
    return frozenset(one for one in wanted if _without_module(one) in found or one in found)


def _without_module(identifier: ArtifactId) -> ArtifactId:
    return ArtifactId(identifier.kind, identifier.number, identifier.suffix)


def _repositories(project: Project) -> Iterator[tuple[str, Git]]:
    """The repository and its submodules with a collection, with the prefixes of their paths."""
    git = project.repository.git
    yield "", git
    for path in dict.fromkeys(one.repository for one in project.collections if one.repository):
        yield f"{path}/", git.at(git.root / path)


def _grep(git: Git, *arguments: str) -> list[bytes]:
    done = git.run(*_GREP, *arguments)
    # git exits with 1 if no file matches.
    if done.returncode > 1:
        raise GitError(f"git grep: {first_error_line(done.stderr)}")
    return [row for row in done.stdout.split(b"\n") if row]

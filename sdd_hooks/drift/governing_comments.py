"""The governing comments of the source files in a work tree, read again only where files changed.

git finds the tracked files with a label. What they contain is kept in the git directory together
with the tree that was checked out, so that the next time git names the files that differ from it.
"""

# Governing: ADR-0043 (read from the work tree), SPEC-0021 REQ "Who cites what",
# SPEC-0002 REQ "Governing comments", ADR-0012 (untrusted input never leaves the repository),
# ADR-0012 (untrusted input), SPEC-0021 REQ "Size"

from __future__ import annotations

import json
import os
import re
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from sdd_hooks.artifacts.governing import GoverningReference, GoverningVerb, read_governing
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    ArtifactKind,
    NamedOrigins,
    Origins,
)
from sdd_hooks.artifacts.parsed_adrs import parser_version
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_document, is_external, is_markdown, is_sample
from sdd_hooks.code.source_files import PAGES, find_parts
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import (
    FileTooLarge,
    PathRefused,
    is_binary,
    read_inside,
    read_or_leave_out,
    write_atomically,
)
from sdd_hooks.system.git import Git, GitError, first_error_line, is_object_id, nul_split
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings

Comments = Mapping[str, Sequence[GoverningReference]]
"""The governing comments by the path of the file; a file may have none."""

MAX_UNTRACKED = 500
"""Untracked files that are read one by one. More are searched by git."""

MAX_CHANGED = 500
"""Changed files that are read one by one. More, and all files are searched again."""

_LABEL = r"(?:governing|governed by|implements)(?: (?:adrs?|specs?|artifacts?|decisions?))? ?:"
_LABEL_IN_TEXT = lazy_regex(_LABEL, re.IGNORECASE)
# POSIX expressions have no `(?:`.
_POSIX_LABEL = _LABEL.replace("?:", "")
_GREP = ("grep", "-l", "-z", "-a", "-i", "--full-name", "--no-color", "--no-recurse-submodules")
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard", "--", ".")
_DIFFERING = ("diff-index", "-z", "--name-only", "--no-renames", "--ignore-submodules")
_TEMPLATES = lazy_regex(r"(^|/)templates?/", re.IGNORECASE)
_LEADER = lazy_regex(r"[ \t]*(?:#|//|/\*|\*|--|;|%|<!--)")
_FENCE = lazy_regex(r" {0,3}(`{3,}|~{3,})")
_HTML_COMMENT = lazy_regex(r"[ \t]*<!--")
_QUOTES = lazy_regex(r"\"\"\"|'''")
_DOCSTRING = lazy_regex(r"[ \t]*[rRuU]?(?:\"\"\"|''')")

CACHE_FILE = "comments"
"""The cache, in the state directory of the work tree's git directory."""
MAX_BYTES = 32 << 20
"""A larger cache is neither written nor read."""


def read_work_tree_comments(
    repository: Repository, submodule: str, origins: Origins, left_out: list[str]
) -> Comments:
    """Read the comments of a repository, or of its submodule at that path; not those of others.

    Paths are relative to the repository's root. A note about each file that cannot be read is added
    to `left_out`. `origins` are as in `identifiers.find_id_references`. Raises GitError.
    """
    if submodule:
        inner = repository.git.at(repository.root / submodule)
        found = _read(inner.root, _search(inner, _list_untracked(inner)), origins, left_out)
        return {f"{submodule}/{path}": references for path, references in found.items()}
    git = repository.git
    untracked = _list_untracked(git)
    known = load_known(repository, origins)
    differing = _differing(git, known.tree) if known else None
    if known is None or differing is None or len(differing) > MAX_CHANGED:
        return _read_all(repository, untracked, origins, left_out)
    # The tree has their content, but what it contains was never read.
    differing |= known.unread
    kept = {
        path: references
        for path, references in known.files.items()
        if path not in differing and os.path.lexists(repository.root / path)
    }
    again = [path for path in (*sorted(differing), *_labelled(git, untracked)) if path not in kept]
    files = (path for path in again if _is_file(git, path))
    return {**kept, **_read(git.root, files, origins, left_out)}


def _read_all(
    repository: Repository, untracked: Sequence[str], origins: Origins, left_out: list[str]
) -> Comments:
    """Read all comments, and keep those of the files that are as in the tree of HEAD."""
    git = repository.git
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{tree}") or b""
    tree = head.decode().strip()
    before = _differing(git, tree)
    # `git grep` leaves out a file that took the place of a link.
    changed = (path for path in sorted(before or ()) if _is_file(git, path))
    searched = dict.fromkeys((*_search(git, untracked), *changed))
    paths = [path for path in searched if _is_source(path)]
    found = _read(git.root, paths, origins, left_out)
    after = _differing(git, tree)
    # With a sparse checkout, files may appear that do not differ from the tree.
    is_sparse = (repository.git_dir / "info/sparse-checkout").exists()
    if before is None or after is None or len(after) > MAX_CHANGED or is_sparse:
        return found
    differing = before | after
    elsewhere = {*differing, *untracked}
    kept = {path: one for path, one in found.items() if one and path not in elsewhere}
    unread = differing | {path for path in paths if path not in found}
    store_known(repository, origins, KnownComments(tree, kept, frozenset(unread)))
    return found


def _differing(git: Git, tree: str) -> set[str] | None:
    """The tracked files that differ from a tree; None without the tree."""
    if not is_object_id(tree):
        return None
    listed = git.try_output(*_DIFFERING, tree, "--")
    return None if listed is None else set(nul_split(listed))


def _list_untracked(git: Git) -> list[str]:
    return nul_split(git.output(*_UNTRACKED))


def _search(git: Git, untracked: Sequence[str]) -> Iterator[str]:
    """Yield the files with a label, tracked and untracked."""
    yield from _grep(git)
    yield from _labelled(git, untracked)


def _labelled(git: Git, untracked: Sequence[str]) -> list[str]:
    """The untracked files with a label."""
    if len(untracked) > MAX_UNTRACKED:
        new = set(untracked)
        return [path for path in _grep(git, "--untracked") if path in new]
    return [path for path in untracked if _is_source(path) and _has_label(git.root, path)]


def _grep(git: Git, *options: str) -> list[str]:
    # Perl's expressions are twice as fast, and not every git has them.
    done = git.run(*_GREP, *options, "-P", "-e", _LABEL)
    if done.returncode > 1:
        done = git.run(*_GREP, *options, "-E", "-e", _POSIX_LABEL)
    # git exits with 1 if no file matches.
    if done.returncode > 1:
        raise GitError(f"git grep: {first_error_line(done.stderr)}")
    return nul_split(done.stdout)


def _has_label(root: Path, path: str) -> bool:
    """Whether an untracked file has a label. One that cannot be read is noted when it is read."""
    try:
        data = read_inside(root, path, MAX_ARTIFACT_BYTES, follow=False)
    except (FileNotFoundError, PathRefused):
        return False
    except FileTooLarge:
        return True
    return bool(_LABEL_IN_TEXT.search(decode(data)))


def _is_file(git: Git, path: str) -> bool:
    full = git.root / path
    return full.is_file() and not full.is_symlink()


def _is_source(path: str) -> bool:
    """Whether a governing comment in the file counts, by its path."""
    is_prose = is_document(path) and not is_markdown(path)
    if is_external(path) or (is_prose and not find_language(path)):
        return False
    return not is_sample_source(path)


def is_sample_source(path: str) -> bool:
    """Whether the file is an example or data. A page in `templates/` is code, as no other file."""
    is_page = path.lower().endswith(PAGES)
    return is_sample(_TEMPLATES.sub(r"\1", path) if is_page else path)


def _read(root: Path, paths: Iterable[str], origins: Origins, left_out: list[str]) -> Comments:
    found: dict[str, Sequence[GoverningReference]] = {}
    for path in paths:
        if not _is_source(path):
            continue
        data = read_or_leave_out(root, path, MAX_ARTIFACT_BYTES, left_out, follow=False)
        if data is not None and not is_binary(data):
            found[path] = read_comments(path, decode(data), origins)
    return found


def read_comments(path: str, text: str, origins: Origins = NO_ORIGINS) -> list[GoverningReference]:
    """Return the governing comments of a source file that count. Never raises.

    In Markdown only a comment of HTML counts: other text is prose.
    """
    references = read_governing(text, origins)
    if not references:
        return []
    if is_markdown(path):
        commented = _lines_of_html_comments(text)
        return [reference for reference in references if reference.line in commented]
    lines = text.split("\n", max(reference.line for reference in references))
    lines = [line.rstrip("\r") for line in lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    # Only the text up to the last comment is scanned: most comments are at the top.
    part = find_parts(path, "\n".join(lines[: references[-1].line]) + "\n")

    def counts(number: int) -> bool:
        if number > len(lines):
            return True
        line = lines[number - 1]
        label = _LABEL_IN_TEXT.search(line)
        # A comment may continue on a line without a label.
        column = label.start() if label else max(0, len(line.rstrip()) - 1)
        is_quoted = part(starts[number - 1] + column) == "string"
        return not is_quoted or _is_in_docstring(lines, number)

    return [reference for reference in references if counts(reference.line)]


def _lines_of_html_comments(text: str) -> frozenset[int]:
    """The lines of HTML comments that begin a line of a Markdown document outside of code."""
    found: set[int] = set()
    fence = ""
    is_open = False
    for number, line in enumerate(unify_line_endings(text).split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and not is_open:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif is_open or (not fence and _HTML_COMMENT.match(line)):
            found.add(number)
            is_open = "-->" not in line
    return frozenset(found)


def _is_in_docstring(lines: Sequence[str], number: int) -> bool:
    """Whether a line of a string is a statement of a docstring, and no quoted comment."""
    if _LEADER.match(lines[number - 1]):
        return False
    for line in reversed(lines[:number]):
        if _QUOTES.search(line):
            return bool(_DOCSTRING.match(line))
    return False


class KnownComments(NamedTuple):
    """The comments of files by path, as they are in the git tree with the id `tree`.

    `unread` are the files of the tree whose content in the tree was not read.
    """

    tree: str
    files: Mapping[str, Sequence[GoverningReference]]
    unread: frozenset[str]


def load_known(repository: Repository, origins: Origins) -> KnownComments | None:
    """Load what was stored with the same parser and origins. None: nothing, or it is damaged."""
    try:
        data = read_inside(repository.private_dir, CACHE_FILE, MAX_BYTES)
        checksum, _, content = data.partition(b"\0")
        if int(checksum) != crc32(content):
            return None
        match json.loads(content):
            case [str(version), str(tree), dict(files), list(unread)]:
                if version == _version(origins):
                    read = {path: [_from_row(row) for row in rows] for path, rows in files.items()}
                    return KnownComments(tree, read, frozenset(map(str, unread)))
    except (FileNotFoundError, SddError, ValueError, TypeError, RecursionError):
        pass
    return None


def store_known(repository: Repository, origins: Origins, known: KnownComments) -> None:
    """Store the comments if `.sdd` exists. A failure to write is ignored."""
    if not repository.state.is_dir():
        return
    files = {path: [_to_row(one) for one in found] for path, found in known.files.items()}
    rows = [_version(origins), known.tree, files, sorted(known.unread)]
    content = json.dumps(rows, separators=(",", ":")).encode()
    if len(content) > MAX_BYTES - 16:
        return
    with suppress(OSError, SddError):
        directory = repository.private_dir
        directory.mkdir(exist_ok=True)
        write_atomically(directory / CACHE_FILE, b"%d\0%b" % (crc32(content), content))


def _version(origins: Origins) -> str:
    """What the comments depend on besides the files."""
    newest = 0
    with suppress(OSError), os.scandir(os.path.dirname(__file__)) as entries:  # noqa: PTH120
        newest = max(entry.stat().st_mtime_ns for entry in entries if entry.is_file())
    names = origins.spelled if isinstance(origins, NamedOrigins) else ()
    others = map("=".join, sorted(origins.items()))
    return "\0".join((parser_version(), str(newest), *others, *names))


def _to_row(one: GoverningReference) -> Sequence[Any]:
    return (one.verb, *one.id, one.requirement, one.reason, one.line)


def _from_row(row: Any) -> GoverningReference:
    """The comment of a row. Raises ValueError for a row that `_to_row` does not write."""
    match row:
        case [
            str(verb),
            str(kind),
            int(number),
            str(suffix),
            str(module),
            str(origin),
            str(name),
            str(requirement),
            str(reason),
            int(line),
        ]:
            id = ArtifactId(cast("ArtifactKind", kind), number, suffix, module, origin, name)
            return GoverningReference(cast("GoverningVerb", verb), id, requirement, reason, line)
    raise ValueError(row)

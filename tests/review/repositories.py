"""Subjects of a review from real repositories: the files before, and a change to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.review.review import subject_of as _subject_of
from sdd_hooks.review.subject import Subject
from tests.support.repos import Repo

Files = Mapping[str, str | bytes | None]
"""Contents by path; None deletes the file. Files that are not named stay unchanged."""

MEMORY_TEXT = (
    "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n"
)
"""A memory file that declares the usual folders."""

_MEMORY = "CLAUDE.md"
_SECTION = "## Architecture Context"


def subject_of(
    tmp_path: Path,
    before: Mapping[str, str | bytes],
    after: Files,
    *,
    message: str = "Change",
    title: str = "",
    body: str = "",
    adrs: str = "docs/adrs",
    specs: str = "docs/openspec/specs",
) -> Subject:
    """The subject of a commit that changes a repository with the files `before` by `after`.

    CLAUDE.md declares the folders of artifacts, below its text in `before`; "" declares no folder.
    """
    repo = _begin(tmp_path, before, adrs, specs)
    base = repo.head()
    _apply(repo, after)
    head = repo.commit(message)
    change = read_change(repo.handle, base, head).described_by(title, body)
    return _subject_of(repo.project(), change)


def staged_subject_of(
    tmp_path: Path,
    before: Mapping[str, str | bytes],
    after: Files,
    *,
    adrs: str = "docs/adrs",
    specs: str = "docs/openspec/specs",
) -> Subject:
    """The subject of the same change, staged and not committed."""
    repo = _begin(tmp_path, before, adrs, specs)
    _apply(repo, after)
    repo.git("add", "--all")
    return _subject_of(repo.project(), read_staged(repo.handle))


def _begin(tmp_path: Path, before: Mapping[str, str | bytes], adrs: str, specs: str) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    _apply(repo, before)
    memory = repo.root / _MEMORY
    text = memory.read_text() if memory.exists() else ""
    declared = [
        f"- {heading} are in `{folder}/`\n"
        for heading, folder in (("Architecture Decision Records", adrs), ("Specifications", specs))
        if folder
    ]
    if declared and _SECTION not in text:
        repo.write(_MEMORY, f"{text}\n{_SECTION}\n\n{''.join(declared)}".lstrip("\n"))
    repo.commit("Before")
    return repo


def _apply(repo: Repo, files: Files) -> None:
    for path, content in files.items():
        if content is None:
            repo.remove(path)
        else:
            repo.write(path, content)

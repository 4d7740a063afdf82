"""A repository whose set-up is costly and whose files contain its path, restored for each test."""

from __future__ import annotations

import shutil

from tests.support.repos import Repo


class Snapshot:
    """The work tree and the git directory of a repository at the creation of this object.

    A copy at another path does not serve: an index of qmd stores the paths of its collections.
    """

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._saved = repo.root.with_name(f"{repo.root.name}.saved")
        shutil.copytree(repo.root, self._saved, symlinks=True)

    def restore(self) -> None:
        """Give the repository this content again. No process may use its files."""
        shutil.rmtree(self._repo.root)
        shutil.copytree(self._saved, self._repo.root, symlinks=True)
        # Its index has the times of the files that were there before.
        self._repo.git("update-index", "-q", "--refresh")

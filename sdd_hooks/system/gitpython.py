"""Import GitPython, which starts git at its import, with a git that no repository can supply."""

# Governing: ADR-0003 (one module talks to git), ADR-0030 (a repository starts no program and names
# no file to write)

from __future__ import annotations

import os
from types import ModuleType

_PROGRAM = "GIT_PYTHON_GIT_EXECUTABLE"


def load_gitpython(program: str) -> ModuleType:
    """Return the module `git`, which runs the git at the absolute path `program`.

    GitPython reads a variable of this process at its import. Without it, git would be searched in
    all entries of PATH, also in relative ones.
    """
    before = os.environ.get(_PROGRAM)
    os.environ[_PROGRAM] = program
    try:
        import git
    finally:
        if before is None:
            del os.environ[_PROGRAM]
        else:
            os.environ[_PROGRAM] = before
    if program != git.Git.GIT_PYTHON_GIT_EXECUTABLE:
        git.refresh(program)
    return git

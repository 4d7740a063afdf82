"""Look into the work tree for what a plan has to know: its files, and whether a name exists."""

# Governing: ADR-0003 (one module talks to git), SPEC-0025 REQ "Foundation stories"

from __future__ import annotations

from collections.abc import Callable, Collection

from sdd_hooks.code.paths import is_markdown
from sdd_hooks.system.git import Git, nul_split

_NOT_CODE = (":(exclude,icase)*.md", ":(exclude,icase)*.mdx", ":(exclude)docs/")


def list_files(git: Git) -> frozenset[str]:
    """The files of the work tree that git does not ignore. Raises GitError."""
    output = git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return frozenset(nul_split(output))


def find_names(git: Git, files: Collection[str]) -> Callable[[str, str], bool]:
    """A function that tells whether the work tree has an artifact of a name and a kind.

    A file exists if a path ends with its name, anything else if code contains the name.
    """

    def exists(name: str, kind: str) -> bool:
        if kind == "file":
            return any(path == name or path.endswith(f"/{name}") for path in files)
        options = ("-F",) if kind == "route" else ("-F", "-w")
        found = git.run(
            "grep", "--untracked", "-l", "-z", "-I", *options, "-e", name, "--", ".", *_NOT_CODE
        )
        return any(not is_markdown(path) for path in nul_split(found.stdout))

    return exists

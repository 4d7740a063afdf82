"""Where the repository was cloned from."""

# Governing: ADR-0003 (one module talks to git), SPEC-0009 REQ "Detection"

from __future__ import annotations

from sdd_hooks.project.repository import Repository


def origin_url(repository: Repository) -> str | None:
    """The address of the remote `origin`, as `git fetch` uses it (`url.….insteadOf` is applied).

    The first one where it has several. None where there is no such remote.
    """
    import git

    # A hook's variables point at another repository; what is given here stands in their place.
    places = {
        "GIT_DIR": str(repository.git_dir),
        "GIT_COMMON_DIR": str(repository.common_dir),
        "GIT_WORK_TREE": str(repository.root),
    }
    try:
        url = git.Git(repository.root).remote("get-url", "origin", env=places)
    except git.GitCommandError:
        return None
    return str(url).partition("\n")[0] or None

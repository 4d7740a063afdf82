"""The web addresses of the files of a repository, by the host of its remote `origin`."""

# Governing: SPEC-0020 REQ "Artifacts", SPEC-0009 REQ "Detection"

from __future__ import annotations

from urllib.parse import quote

from sdd_hooks.errors import SddError
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.registry import Links
from sdd_hooks.trackers.detection import repository_context
from sdd_hooks.trackers.registry import find_vendor, registered_trackers

_FILES = {
    "github": ("blob", "plain=1"),
    "gitlab": ("-/blob", "plain=1"),
    "gitea": ("src/commit", "display=source"),
}
"""Of each vendor the path before the commit, and the query that shows the source of a file."""


def find_file_links(project: Project, commit: str) -> Links | None:
    """Return the addresses of the files of a commit, None for an unknown host. Asks no host."""
    if not commit:
        return None
    repository = repository_context(project, "")
    origin = repository.origin
    if origin is None:
        return None
    registered = registered_trackers()
    for name, (path, query) in _FILES.items():
        try:
            known = find_vendor(name, registered)[1].detect(repository) is not None
        except SddError:
            known = False
        if known:
            return Links(f"{origin.web_base}/{quote(origin.path)}/{path}", commit, query)
    return None

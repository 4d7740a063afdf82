"""The context of a session's start: what `sdd prime` prints, for the hook that asks for it."""

# Governing: SPEC-0016 (context of a session), SPEC-0029 REQ "Start of a session"

from __future__ import annotations

import time

from sdd_hooks.project.project import read_project
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.priming_markdown import render_markdown
from sdd_hooks.usecases.reading.prime import load_context


def prime_session(repository: Repository) -> str:
    """The context of the repository, from its work tree where it has no index. Raises SddError."""
    project = read_project(repository, "cached")
    context = load_context(project, None, time.time())
    return "\n".join(render_markdown(context.report, None))

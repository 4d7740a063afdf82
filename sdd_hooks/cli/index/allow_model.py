"""Ask on a terminal whether texts may be sent to the service of a model."""

# Governing: ADR-0012 (untrusted input), SPEC-0008 REQ "Mode"

from __future__ import annotations

import sys

from sdd_hooks.cli.shared.prompts import can_ask, confirm
from sdd_hooks.embedding.policy import in_ci
from sdd_hooks.errors import SddError
from sdd_hooks.project.project import Project


def asks_to_allow(error: SddError, project: Project) -> bool:
    """Ask whether to allow the model that was refused, and store the answer yes.

    Returns whether it is allowed. Never asks without a terminal, in CI, or about another error.
    Raises StorageError if the answer cannot be stored.
    """
    if error.code != "model-not-allowed" or in_ci(project.environ):
        return False
    if not (can_ask() and sys.stderr.isatty()):
        return False
    from sdd_hooks.models.consent import ModelNotAllowed, confirm_model

    assert isinstance(error, ModelNotAllowed)
    question = f"Send texts of this repository to the service of {error.model}, with your key?"
    if not confirm(question, err=True):
        return False
    confirm_model(error.model, project.repository.root, project.environ)
    return True

"""The configuration of a repository, read from its memory file."""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.project.settings import (
    BranchSettings,
    FreshnessSettings,
    ProjectSettings,
    PullRequestSettings,
    ReviewSettings,
    SearchSettings,
    TrackerSettings,
    WorktreeSettings,
)


@dataclass(frozen=True)
class ConfigurationWarning:
    """Something in the configuration that is not understood, and where it stands."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Configuration:
    """Every setting, with its default where nothing is said."""

    memory_file: Path | None = None
    tracker: TrackerSettings = field(default_factory=TrackerSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    branches: BranchSettings = field(default_factory=BranchSettings)
    pull_requests: PullRequestSettings = field(default_factory=PullRequestSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    worktrees: WorktreeSettings = field(default_factory=WorktreeSettings)
    projects: ProjectSettings = field(default_factory=ProjectSettings)
    warnings: tuple[ConfigurationWarning, ...] = ()


def load_configuration(root: Path) -> Configuration:
    """The configuration of the repository at `root`."""
    return Configuration()

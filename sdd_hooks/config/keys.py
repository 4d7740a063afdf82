"""The keys of the configuration: what they are called, which field they fill, how they are read."""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.config import values
from sdd_hooks.config.entries import squeezed


@dataclass(frozen=True)
class Key:
    """A setting: the field it fills, how its value is read, and what else people call it."""

    name: str
    field: str
    read: values.Reader
    aliases: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every accepted name, squeezed."""
        return tuple(squeezed(name) for name in (self.name, *self.aliases))


@dataclass(frozen=True)
class Group:
    """A section of settings: the field of Configuration it fills, and what else people call it."""

    name: str
    field: str
    keys: tuple[Key, ...]
    aliases: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every accepted name, squeezed."""
        return tuple(squeezed(name) for name in (self.name, *self.aliases))


GROUPS = (
    Group(
        "Tracker",
        "tracker",
        (
            Key("Type", "type", values.word, ("Tracker", "Name")),
            Key("Owner", "owner", values.text, ("Organization", "Organisation")),
            Key("Repo", "repo", values.text, ("Repository",)),
            Key("Project Key", "project_key", values.text, ("Project",)),
            Key("Team ID", "team_id", values.text, ("Team", "Team Key")),
            Key("URL", "url", values.text, ("Host", "Base URL", "Instance", "Server")),
        ),
        ("Issue Tracker",),
    ),
    Group(
        "Index Freshness",
        "freshness",
        (
            Key("Staleness Threshold", "staleness_threshold", values.duration, ("Staleness",)),
            Key("Prime Interval", "prime_interval", values.duration),
            Key("Issues Interval", "issues_interval", values.duration),
            Key("Backfill", "backfill", values.flag),
            Key("Backfill Limit", "backfill_limit", values.count(0, 100_000)),
            Key("Backfill Load", "backfill_load", values.share),
        ),
        ("Freshness",),
    ),
    Group(
        "Search",
        "search",
        (
            Key("Engine", "engine", values.word, ("Search Engine",)),
            Key("Embed Model", "embed_model", values.text, ("Embedding Model", "Model")),
            Key("Vector Storage", "vector_storage", values.choice("int8", "float32"), ("Vectors",)),
            Key("Share Vectors", "share_vectors", values.flag),
        ),
    ),
    Group(
        "Branch Conventions",
        "branches",
        (
            Key("Enabled", "enabled", values.flag),
            Key("Prefix", "prefix", values.ref_part, ("Story Prefix", "Feature Prefix")),
            Key("Epic Prefix", "epic_prefix", values.ref_part),
            Key("Slug Max Length", "slug_max_length", values.count(1, 200), ("Slug Length",)),
        ),
        ("Branch", "Branches", "Branch Naming"),
    ),
    Group(
        "PR Conventions",
        "pull_requests",
        (
            Key("Enabled", "enabled", values.flag),
            Key("Close Keyword", "close_keyword", values.text),
            Key("Ref Keyword", "ref_keyword", values.text, ("Reference Keyword",)),
            Key(
                "Include Spec Reference", "include_spec_reference", values.flag, ("Spec Reference",)
            ),
        ),
        ("PR", "PRs", "Pull Request Conventions", "Pull Requests"),
    ),
    Group(
        "Review",
        "review",
        (
            Key("Max Pairs", "max_pairs", values.count(1, 100)),
            Key("Merge Strategy", "merge_strategy", values.choice("squash", "merge", "rebase")),
            Key("Auto Cleanup", "auto_cleanup", values.flag),
            Key("Fail On", "fail_on", values.choice("critical", "warning", "info", "never")),
            Key("Max Suggestions", "max_suggestions", values.count(0, 100)),
        ),
        ("Reviews",),
    ),
    Group(
        "Worktrees",
        "worktrees",
        (
            Key("Base Dir", "base_dir", values.text, ("Base Directory", "Directory")),
            Key("Max Agents", "max_agents", values.count(1, 100), ("Max Parallel Agents",)),
            Key("Auto Cleanup", "auto_cleanup", values.flag),
            Key("PR Mode", "pr_mode", values.choice("ready", "draft")),
        ),
        ("Worktree",),
    ),
    Group(
        "Projects",
        "projects",
        (
            Key("Default Mode", "default_mode", values.word),
            Key("Views", "views", values.words),
            Key("Columns", "columns", values.words),
            Key("Iteration Weeks", "iteration_weeks", values.count(1, 52)),
            Key("Hotspot Threshold", "hotspot_threshold", values.share),
        ),
    ),
)

"""The settings of a repository and their defaults: plain data, one class for each section.

The sections and keys are those of `### SDD Configuration`; `configuration.py` fills them in.
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

from typing import Literal, NamedTuple

FailOn = Literal["critical", "warning", "info", "never"]


class TrackerSettings(NamedTuple):
    """`#### Tracker`: where issues live. "" is not said."""

    type: str = ""
    owner: str = ""
    repo: str = ""
    project_key: str = ""
    team_id: str = ""
    url: str = ""


class FreshnessSettings(NamedTuple):
    """`#### Index Freshness`, durations in seconds.

    With `backfill`, at most `backfill_limit` chunks a mutation leaves without a vector are embedded
    in the background while the load is under `backfill_load` of the cores.
    """

    staleness_threshold: float = 7200.0
    prime_interval: float = 60.0
    issues_interval: float = 300.0
    backfill: bool = True
    backfill_limit: int = 200
    backfill_load: float = 0.5


class SearchSettings(NamedTuple):
    """`#### Search`: the engine, and how it keeps vectors. `embed_model` "" is the default one."""

    engine: str = "embedded"
    embed_model: str = ""
    vector_storage: Literal["int8", "float32"] = "int8"
    share_vectors: bool = False


class BranchSettings(NamedTuple):
    """`#### Branch Conventions`."""

    enabled: bool = True
    prefix: str = "feature"
    epic_prefix: str = "epic"
    slug_max_length: int = 50


class PullRequestSettings(NamedTuple):
    """`#### PR Conventions`. `close_keyword` "" is the tracker's own."""

    enabled: bool = True
    close_keyword: str = ""
    ref_keyword: str = "Part of"
    include_spec_reference: bool = True


class ReviewSettings(NamedTuple):
    """`#### Review`. `fail_on` is the least severe finding that fails a review."""

    max_pairs: int = 2
    merge_strategy: Literal["squash", "merge", "rebase"] = "squash"
    auto_cleanup: bool = False
    fail_on: FailOn = "never"
    max_suggestions: int = 1


class WorktreeSettings(NamedTuple):
    """`#### Worktrees`."""

    base_dir: str = ".claude/worktrees/"
    max_agents: int = 3
    auto_cleanup: bool = False
    pr_mode: Literal["ready", "draft"] = "ready"


class ProjectSettings(NamedTuple):
    """`#### Projects`: boards and iterations, and which files are hotspots (a share of merges)."""

    default_mode: str = "per-epic"
    views: tuple[str, ...] = ("All Work", "Board", "Roadmap")
    columns: tuple[str, ...] = ("Todo", "In Progress", "In Review", "Done")
    iteration_weeks: int = 2
    hotspot_threshold: float = 0.5

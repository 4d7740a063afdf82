"""The settings of a repository and their defaults: one class for each section of the configuration.

`configuration.py` fills them from `### SDD Configuration`.
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

from typing import Literal

from sdd_hooks.named_tuple import NamedTuple

FailOn = Literal["critical", "warning", "info", "never"]


class TrackerSettings(NamedTuple):
    """`#### Tracker`: where issues live. "" means not configured."""

    type: str = ""
    owner: str = ""
    repo: str = ""
    project_key: str = ""
    team_id: str = ""
    url: str = ""


class FreshnessSettings(NamedTuple):
    """`#### Index Freshness`, durations in seconds.

    With `backfill`, a background process embeds the chunks that a write leaves without a vector, if
    they are at most `backfill_limit` and the load is below `backfill_load` of the cores.
    """

    staleness_threshold: float = 7200.0
    prime_interval: float = 60.0
    issues_interval: float = 300.0
    backfill: bool = True
    backfill_limit: int = 200
    backfill_load: float = 0.5


class SearchSettings(NamedTuple):
    """`#### Search`: the engine and its vectors. `embed_model` "" selects the default model."""

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
    """`#### PR Conventions`. `close_keyword` "" selects the keyword of the tracker."""

    enabled: bool = True
    close_keyword: str = ""
    ref_keyword: str = "Part of"
    include_spec_reference: bool = True


class ReviewSettings(NamedTuple):
    """`#### Review`. `fail_on` is the least severe finding that fails a review.

    `incomplete` is the severity of what could not be checked, "" for that of the worst rule that
    was to check it. With `suppressions` "base", a comment suppresses a finding, and a record
    supersedes rules, only if the base has it already. A proposed record that is older than
    `review_within` days is overdue; 0 is no limit.
    """

    merge_strategy: Literal["squash", "merge", "rebase"] = "squash"
    fail_on: FailOn = "never"
    max_suggestions: int = 1
    incomplete: Literal["", "critical", "warning", "info"] = ""
    suppressions: Literal["all", "base"] = "all"
    review_within: int = 0


class WorktreeSettings(NamedTuple):
    """`#### Worktrees`."""

    base_dir: str = ".claude/worktrees/"
    max_agents: int = 3


class ProjectSettings(NamedTuple):
    """`#### Projects`: boards and iterations.

    A file is a hotspot from `hotspot_threshold` on, a fraction of the merges.
    """

    hotspot_threshold: float = 0.5


class KnowledgeSettings(NamedTuple):
    """`#### Knowledge`: the committed directory of patterns and lessons. "" is `.sdd/knowledge`."""

    path: str = ""

"""Everything that a plug-in may import: engines, trackers, forges, rules and report formats.

The names below keep their meaning and their signatures within a major version; all other modules
of the package may change in any release. Type checkers read the imports; this module reads them as
text, and imports each name on its first use: a plug-in that a hook loads does not wait for an HTTP
client. Nothing in the package imports this module.
"""

# Governing: ADR-0026 (one module that plug-ins import)

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Errors
    from sdd_hooks.errors import AccessRefused as AccessRefused
    from sdd_hooks.errors import EngineUnavailable as EngineUnavailable
    from sdd_hooks.errors import IndexDamaged as IndexDamaged
    from sdd_hooks.errors import Missing as Missing
    from sdd_hooks.errors import NotIndexed as NotIndexed
    from sdd_hooks.errors import RateLimited as RateLimited
    from sdd_hooks.errors import RemoteError as RemoteError
    from sdd_hooks.errors import SddError as SddError
    from sdd_hooks.errors import StorageError as StorageError

if TYPE_CHECKING:  # The repository
    from sdd_hooks.config.configuration import Configuration as Configuration
    from sdd_hooks.config.configuration import ConfigurationWarning as ConfigurationWarning
    from sdd_hooks.config.configuration import WrittenValue as WrittenValue
    from sdd_hooks.config.settings import BranchSettings as BranchSettings
    from sdd_hooks.config.settings import FailOn as FailOn
    from sdd_hooks.config.settings import FreshnessSettings as FreshnessSettings
    from sdd_hooks.config.settings import KnowledgeSettings as KnowledgeSettings
    from sdd_hooks.config.settings import ProjectSettings as ProjectSettings
    from sdd_hooks.config.settings import PullRequestSettings as PullRequestSettings
    from sdd_hooks.config.settings import ReviewSettings as ReviewSettings
    from sdd_hooks.config.settings import SearchSettings as SearchSettings
    from sdd_hooks.config.settings import WorktreeSettings as WorktreeSettings
    from sdd_hooks.project.collections import Collection as Collection
    from sdd_hooks.project.external_sources import DeclaredSources as DeclaredSources
    from sdd_hooks.project.external_sources import ExternalSource as ExternalSource
    from sdd_hooks.project.external_sources import SourceAddress as SourceAddress
    from sdd_hooks.project.external_sources import SourceProblem as SourceProblem
    from sdd_hooks.project.project import Project as Project
    from sdd_hooks.project.repository import Repository as Repository
    from sdd_hooks.project.workspace import Module as Module
    from sdd_hooks.system.files import FileTooLarge as FileTooLarge
    from sdd_hooks.system.files import PathRefused as PathRefused
    from sdd_hooks.system.files import is_binary as is_binary
    from sdd_hooks.system.files import read_inside as read_inside
    from sdd_hooks.system.files import write_atomically as write_atomically
    from sdd_hooks.system.git import Git as Git
    from sdd_hooks.system.processes import ProgramResult as ProgramResult

if TYPE_CHECKING:  # Engines
    from sdd_hooks.chunking.chunk import Chunk as Chunk
    from sdd_hooks.chunking.document import ChunkedDocument as ChunkedDocument
    from sdd_hooks.chunking.document import chunk_document as chunk_document
    from sdd_hooks.chunking.document import chunk_hash as chunk_hash
    from sdd_hooks.chunking.document import chunker_version as chunker_version
    from sdd_hooks.chunking.document import text_to_embed as text_to_embed
    from sdd_hooks.engines.backend import Download as Download
    from sdd_hooks.engines.backend import EngineBackend as EngineBackend
    from sdd_hooks.engines.protocol import Bookmark as Bookmark
    from sdd_hooks.engines.protocol import CollectionChanges as CollectionChanges
    from sdd_hooks.engines.protocol import CollectionStatus as CollectionStatus
    from sdd_hooks.engines.protocol import Counts as Counts
    from sdd_hooks.engines.protocol import Coverage as Coverage
    from sdd_hooks.engines.protocol import EmbedReport as EmbedReport
    from sdd_hooks.engines.protocol import Engine as Engine
    from sdd_hooks.engines.protocol import Hit as Hit
    from sdd_hooks.engines.protocol import IndexedDocument as IndexedDocument
    from sdd_hooks.engines.protocol import IndexStatus as IndexStatus
    from sdd_hooks.engines.protocol import Progress as Progress
    from sdd_hooks.engines.protocol import Query as Query
    from sdd_hooks.engines.protocol import SearchResult as SearchResult
    from sdd_hooks.engines.protocol import Stopped as Stopped
    from sdd_hooks.engines.protocol import SubQuery as SubQuery
    from sdd_hooks.engines.protocol import SubQueryType as SubQueryType
    from sdd_hooks.engines.protocol import covers as covers
    from sdd_hooks.engines.protocol import read_bookmark as read_bookmark
    from sdd_hooks.engines.protocol import report_progress as report_progress
    from sdd_hooks.engines.protocol import write_bookmark as write_bookmark
    from sdd_hooks.engines.ranking.fusion import FusedMatch as FusedMatch
    from sdd_hooks.engines.ranking.fusion import RankedMatch as RankedMatch
    from sdd_hooks.engines.ranking.fusion import fuse as fuse
    from sdd_hooks.engines.ranking.fusion import weight_of as weight_of
    from sdd_hooks.engines.ranking.hits import chunk_snippet as chunk_snippet
    from sdd_hooks.engines.ranking.hits import query_words as query_words
    from sdd_hooks.engines.ranking.query_terms import Term as Term
    from sdd_hooks.engines.ranking.query_terms import parse_terms as parse_terms
    from sdd_hooks.engines.registry import not_indexed as not_indexed
    from sdd_hooks.engines.vector_exchange import ExchangesVectors as ExchangesVectors
    from sdd_hooks.engines.vector_exchange import VectorExchange as VectorExchange
    from sdd_hooks.models.embedding_model import EmbeddingModel as EmbeddingModel
    from sdd_hooks.models.embedding_model import load_model as load_model
    from sdd_hooks.models.embedding_model import model_device as model_device

if TYPE_CHECKING:  # Trackers
    from sdd_hooks.config.settings import TrackerSettings as TrackerSettings
    from sdd_hooks.trackers.hosted import HostedProject as HostedProject
    from sdd_hooks.trackers.hosted import checked_location as checked_location
    from sdd_hooks.trackers.hosted import invalid_url as invalid_url
    from sdd_hooks.trackers.hosted import missing_setting as missing_setting
    from sdd_hooks.trackers.issue import Issue as Issue
    from sdd_hooks.trackers.issue import IssueDraft as IssueDraft
    from sdd_hooks.trackers.issue import IssueStatus as IssueStatus
    from sdd_hooks.trackers.issue import LinkedPull as LinkedPull
    from sdd_hooks.trackers.protocol import GroupKind as GroupKind
    from sdd_hooks.trackers.protocol import IssueFilter as IssueFilter
    from sdd_hooks.trackers.protocol import IssuePage as IssuePage
    from sdd_hooks.trackers.protocol import Since as Since
    from sdd_hooks.trackers.protocol import TrackedRepository as TrackedRepository
    from sdd_hooks.trackers.protocol import Tracker as Tracker
    from sdd_hooks.trackers.protocol import TrackerClientFactory as TrackerClientFactory
    from sdd_hooks.trackers.protocol import TrackerEnvironment as TrackerEnvironment
    from sdd_hooks.trackers.protocol import TrackerLocation as TrackerLocation
    from sdd_hooks.trackers.protocol import TrackerVendor as TrackerVendor
    from sdd_hooks.trackers.protocol import TrackerWriter as TrackerWriter
    from sdd_hooks.trackers.protocol import Unsupported as Unsupported

if TYPE_CHECKING:  # Forges
    from sdd_hooks.forges import actions_event as actions_event
    from sdd_hooks.forges import comments as comments
    from sdd_hooks.forges.protocol import CommitStatus as CommitStatus
    from sdd_hooks.forges.protocol import FileLinks as FileLinks
    from sdd_hooks.forges.protocol import Forge as Forge
    from sdd_hooks.forges.protocol import ForgeClientFactory as ForgeClientFactory
    from sdd_hooks.forges.protocol import ForgeVendor as ForgeVendor
    from sdd_hooks.forges.protocol import JobContext as JobContext
    from sdd_hooks.forges.protocol import LineComment as LineComment
    from sdd_hooks.forges.protocol import PullRequest as PullRequest
    from sdd_hooks.forges.protocol import ReviewThread as ReviewThread
    from sdd_hooks.forges.protocol import UpsertResult as UpsertResult
    from sdd_hooks.forges.protocol import WriteDenied as WriteDenied

if TYPE_CHECKING:  # Hosts of trackers and forges
    from sdd_hooks.remote import graphql as graphql
    from sdd_hooks.remote import json_fields as json_fields
    from sdd_hooks.remote import paging as paging
    from sdd_hooks.remote.client import Client as Client
    from sdd_hooks.remote.credentials import Secret as Secret
    from sdd_hooks.remote.credentials import TokenSources as TokenSources
    from sdd_hooks.remote.credentials import TokenVariables as TokenVariables
    from sdd_hooks.remote.response import RateLimit as RateLimit
    from sdd_hooks.remote.response import RateLimitRule as RateLimitRule
    from sdd_hooks.remote.response import Response as Response
    from sdd_hooks.remote.urls import Endpoint as Endpoint
    from sdd_hooks.remote.urls import RemoteUrl as RemoteUrl
    from sdd_hooks.remote.urls import parse_endpoint as parse_endpoint
    from sdd_hooks.remote.urls import parse_remote as parse_remote

if TYPE_CHECKING:  # Rules
    from sdd_hooks.artifacts.artifact import Artifact as Artifact
    from sdd_hooks.artifacts.corpus import Corpus as Corpus
    from sdd_hooks.artifacts.corpus import IdCollision as IdCollision
    from sdd_hooks.artifacts.edges import Edge as Edge
    from sdd_hooks.artifacts.edges import EdgeOrigin as EdgeOrigin
    from sdd_hooks.artifacts.frontmatter import FrontmatterValue as FrontmatterValue
    from sdd_hooks.artifacts.identifiers import ArtifactId as ArtifactId
    from sdd_hooks.artifacts.identifiers import ArtifactKind as ArtifactKind
    from sdd_hooks.artifacts.identifiers import IdReference as IdReference
    from sdd_hooks.artifacts.identifiers import Origins as Origins
    from sdd_hooks.artifacts.names import NamesOfArtifacts as NamesOfArtifacts
    from sdd_hooks.artifacts.requirements import Requirement as Requirement
    from sdd_hooks.artifacts.requirements import RequirementKeyword as RequirementKeyword
    from sdd_hooks.artifacts.requirements import RequirementLevel as RequirementLevel
    from sdd_hooks.artifacts.requirements import Scenario as Scenario
    from sdd_hooks.artifacts.requirements import ScenarioStep as ScenarioStep
    from sdd_hooks.artifacts.status import ArtifactStatus as ArtifactStatus
    from sdd_hooks.artifacts.status import StatusOrigin as StatusOrigin
    from sdd_hooks.changes.change import Change as Change
    from sdd_hooks.changes.change import ChangedFile as ChangedFile
    from sdd_hooks.changes.change import UnreadPart as UnreadPart
    from sdd_hooks.changes.tree import Blob as Blob
    from sdd_hooks.changes.tree import Tree as Tree
    from sdd_hooks.external.records import ExternalRecords as ExternalRecords
    from sdd_hooks.external.records import SourceRecords as SourceRecords
    from sdd_hooks.external.snapshots import Snapshot as Snapshot
    from sdd_hooks.findings import SEVERITIES as SEVERITIES
    from sdd_hooks.findings import Finding as Finding
    from sdd_hooks.findings import RuleDescription as RuleDescription
    from sdd_hooks.findings import Severity as Severity
    from sdd_hooks.project.committed import Entry as Entry
    from sdd_hooks.review.mentions import Mention as Mention
    from sdd_hooks.review.mentions import MentionPlace as MentionPlace
    from sdd_hooks.review.rule import Rule as Rule
    from sdd_hooks.review.scans import Family as Family
    from sdd_hooks.review.scans import ScanFile as ScanFile
    from sdd_hooks.review.scans import ScanResult as ScanResult
    from sdd_hooks.review.subject import Claim as Claim
    from sdd_hooks.review.subject import Claims as Claims
    from sdd_hooks.review.subject import Subject as Subject
    from sdd_hooks.text.lines import NumberedLine as NumberedLine
    from sdd_hooks.text.markdown import Section as Section

if TYPE_CHECKING:  # Report formats
    from sdd_hooks.findings import ReportedFinding as ReportedFinding
    from sdd_hooks.findings import SeverityCounts as SeverityCounts
    from sdd_hooks.findings import SuppressedFinding as SuppressedFinding
    from sdd_hooks.reporting.outcome import AuditAction as AuditAction
    from sdd_hooks.reporting.outcome import AuditCategory as AuditCategory
    from sdd_hooks.reporting.outcome import AuditModule as AuditModule
    from sdd_hooks.reporting.outcome import AuditRow as AuditRow
    from sdd_hooks.reporting.outcome import AuditSummary as AuditSummary
    from sdd_hooks.reporting.outcome import Candidate as Candidate
    from sdd_hooks.reporting.outcome import CheckedTree as CheckedTree
    from sdd_hooks.reporting.outcome import Confidence as Confidence
    from sdd_hooks.reporting.outcome import DecisionCoverage as DecisionCoverage
    from sdd_hooks.reporting.outcome import Evidence as Evidence
    from sdd_hooks.reporting.outcome import References as References
    from sdd_hooks.reporting.outcome import ReviewOutcome as ReviewOutcome
    from sdd_hooks.reporting.outcome import TouchedIssue as TouchedIssue
    from sdd_hooks.reporting.outcome import UncitedRecord as UncitedRecord
    from sdd_hooks.reporting.registry import Links as Links
    from sdd_hooks.reporting.registry import ReportContext as ReportContext
    from sdd_hooks.reporting.registry import Reporter as Reporter

SUBMODULES = frozenset({"actions_event", "comments", "graphql", "json_fields", "paging"})
"""The names that are modules."""

NAMES: dict[str, dict[str, list[str]]] = {}
"""What is imported for what: the names of each module."""

for _line in Path(__file__).read_text("utf-8").splitlines():
    if _match := re.fullmatch(r"if TYPE_CHECKING:  # (.+)", _line):
        _names = NAMES.setdefault(_match[1], {})
    elif _match := re.fullmatch(r"    from (\S+) import (\w+) as \2", _line):
        _names.setdefault(_match[1], []).append(_match[2])

_MODULES = {
    name: module
    for modules in NAMES.values()
    for module, names in modules.items()
    for name in names
}


def __getattr__(name: str) -> object:
    """Import a name on its first use. Raises AttributeError for a name that is not public."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in SUBMODULES:
        value: object = import_module(f"{module}.{name}")
    else:
        value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_MODULES)

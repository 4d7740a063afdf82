"""What the page of an audit shows, as plain data."""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "One self-contained page"

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.named_code import CodePaths
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.changes.record_history import RecordOrigin
from sdd_hooks.findings import ReportedFinding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.page.links import GraphEdge
from sdd_hooks.reporting.registry import Links


class PageCitation(NamedTuple):
    """A place that names an artifact: a source file, or a synced issue.

    `line` is 0 for the file as a whole. `requirement` and `reason` may be "". `issue` is the id of
    the issue and `status` its status; both are "" for a file of code.
    """

    path: str
    line: int
    requirement: str = ""
    reason: str = ""
    issue: str = ""
    status: str = ""


class PageRequirement(NamedTuple):
    """A requirement, and the places in code and in tests that name it.

    `tested` is how many of its scenarios tests name.
    """

    requirement: Requirement
    code: tuple[PageCitation, ...] = ()
    tests: tuple[PageCitation, ...] = ()
    tested: int = 0

    @property
    def is_named(self) -> bool:
        """Whether code or a test names the requirement or one of its scenarios."""
        return bool(self.code or self.tests or self.tested)


class PageCollection(NamedTuple):
    """A collection of the index: its name, its kind, and how many documents it has."""

    name: str
    kind: str
    documents: int


class PageFreshness(NamedTuple):
    """The state of the index when the page was made.

    `indexed` is when it was last touched, in seconds since the epoch, None for a repository without
    an index. `threshold` is the age in seconds from which it is stale. `notes` are lines about its
    refresh.
    """

    engine: str = ""
    indexed: float | None = None
    threshold: float = 0
    collections: tuple[PageCollection, ...] = ()
    notes: tuple[str, ...] = ()


class AuditPage(NamedTuple):
    """Everything that the page shows.

    `name` is that of the repository, `commit` the checked-out commit or "", `edited` whether the
    work tree differs from it. `made` is the time in seconds since the epoch. `texts` has the text
    of each file of the artifacts by its path, and `edges` are those of the graph. By the path of an
    artifact, `citations` are the places that name it, `requirements` those of a spec, `applies_to`
    its globs and symbols, and `origins` since when it is there; without a decision it is overdue
    after `review_within` days, 0 for no limit. `paths` are those of code; of each of its
    `folders` there are the files, how many records govern, and the paths of these records. `rules`
    has the summary of each rule by its id. `links` are the addresses of files on the forge. `notes`
    say what the audit did not cover.
    """

    name: str
    made: float
    corpus: Corpus
    texts: Mapping[str, str]
    edges: tuple[GraphEdge, ...] = ()
    commit: str = ""
    edited: bool = False
    findings: tuple[ReportedFinding, ...] = ()
    citations: Mapping[str, tuple[PageCitation, ...]] = {}
    requirements: Mapping[str, tuple[PageRequirement, ...]] = {}
    applies_to: Mapping[str, tuple[str, ...]] = {}
    origins: Mapping[str, RecordOrigin] = {}
    review_within: int = 0
    paths: CodePaths | None = None
    folders: tuple[tuple[str, int, int, Sequence[str]], ...] = ()
    rules: Mapping[str, str] = {}
    freshness: PageFreshness = PageFreshness()
    links: Links | None = None
    notes: tuple[str, ...] = ()

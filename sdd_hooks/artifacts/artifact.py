"""An artifact: an ADR or a spec, as read from its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.artifacts.status import NO_STATUS, ArtifactStatus
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import is_folder_page
from sdd_hooks.text.markdown import Section

if TYPE_CHECKING:
    from sdd_hooks.findings import Finding


class Artifact(NamedTuple):
    """The content of one ADR, or of one spec with its design.

    The `path` (of a spec: its spec.md) is the key, because two files may have one number. `id` is
    a name without a number. `status` is the effective one of all written `statuses`. `date` is ISO
    or "". `decision` is the first and last line of the decision. `successors` are the artifacts
    that a superseded one names. `design` is the path of a spec's design.md or "". `findings` are
    the problems that the file shows without the other artifacts.
    """

    kind: ArtifactKind
    id: ArtifactId
    path: str
    title: str
    module: str = ""
    status: ArtifactStatus = NO_STATUS
    statuses: tuple[ArtifactStatus, ...] = ()
    date: str = ""
    sections: tuple[Section, ...] = ()
    edges: tuple[Edge, ...] = ()
    decision: tuple[int, int] | None = None
    successors: tuple[ArtifactId, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    design: str = ""
    frontmatter: Mapping[str, FrontmatterValue] = {}
    findings: tuple[Finding, ...] = ()

    @property
    def name(self) -> str:
        """The id as a person writes it."""
        return str(self.id)

    @property
    def place(self) -> PurePosixPath:
        """The path without suffix, of a page in a folder of its own that of the folder."""
        path = PurePosixPath(self.path)
        is_page = self.kind == "SPEC" or is_folder_page(self.path)
        return path.parent if is_page and path.parent.name else path.with_suffix("")

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the artifact."""
        return (self.path, self.design) if self.design not in ("", self.path) else (self.path,)

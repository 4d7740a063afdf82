"""A tool, a call of it, and its result. Nothing here depends on the SDK of the protocol."""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "Five tools"

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sdd_hooks.mcp.pages import PageRequest
from sdd_hooks.mcp.parameters import Parameter
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.report import RecordLabel


class Document(NamedTuple):
    """A document in a result, as a resource with its text."""

    uri: str
    name: str
    title: str
    text: str


class ToolResult(NamedTuple):
    """The result of a call.

    `data` is an object, None for a result of `texts` and `documents` only. Without `texts`, the
    text of the result is `data` as JSON.
    """

    data: Mapping[str, object] | None = None
    texts: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    is_error: bool = False


class Call(NamedTuple):
    """A call of a tool. `arguments` are checked. `now` is in seconds since the epoch.

    `page` is None for a tool without pages.
    """

    project: Project
    arguments: Mapping[str, object]
    now: float
    page: PageRequest | None = None

    @property
    def root(self) -> Path:
        """The top of the repository."""
        return self.project.repository.root

    @property
    def requested_page(self) -> PageRequest:
        """The page of a tool with pages."""
        assert self.page is not None
        return self.page

    def text(self, name: str) -> str:
        """An argument that is text; "" if it was not given."""
        value = self.arguments[name]
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """An argument that is a list of texts; none if it was not given."""
        value = self.arguments[name]
        return value if isinstance(value, tuple) else ()

    def number(self, name: str) -> int:
        """An argument that is a whole number, 0 if it was not given."""
        value = self.arguments[name]
        return value if isinstance(value, int) else 0


class Tool(NamedTuple):
    """A tool: what a client sees of it, and the function that a call runs.

    `run` raises SddError for what the client can act on.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Call], ToolResult]


def force_of(label: RecordLabel | None) -> dict[str, object]:
    """Return whether a record is in force, and its state in words where it is not.

    A superseded, deprecated or rejected record is marked, so that a model does not follow it.
    """
    if label is None or not label.is_artifact:
        return {}
    if label.authoritative and not label.replaced_by:
        return {"status": label.status or None, "in_force": True}
    return {
        "status": label.status or None,
        "in_force": False,
        "mark": f"NOT IN FORCE: {label.state or label.status}",
    }

"""The repository of a call: in a root of the client, or where the server was started.

An agent starts its servers where it likes, often in the home directory. The roots of the protocol
say which directories the user works in.
"""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "The repository"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sdd_hooks.errors import RepositoryError
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.text.display import printable_line, shortened

ROOT_PARAMETER = Parameter(
    "root", "text", "Which root of the workspace, by name or path. Default: the first repository."
)

_MAX_ROOTS = 20
_MAX_NAMED = 5
_SHOWN_WIDTH = 80


class Root(NamedTuple):
    """A directory in which the user of the client works, and its name, which may be ""."""

    directory: Path
    name: str = ""


class Workplace(NamedTuple):
    """Where a server was started: the directory that `-C` names, else None, and the current one."""

    fixed: Path | None
    current: Path
    environ: Mapping[str, str]


def read_roots(given: Sequence[tuple[str, str]]) -> tuple[Root, ...]:
    """Return the roots of a client, given as URI and name. Only local `file:` URIs count."""
    roots = []
    for uri, name in given[:_MAX_ROOTS]:
        with suppress(ValueError):
            parts = urlsplit(uri)
            path = unquote(parts.path, errors="surrogateescape")
            is_local = parts.scheme == "file" and parts.netloc in ("", "localhost")
            if is_local and path.startswith("/") and "\0" not in path:
                roots.append(Root(Path(path), name))
    return tuple(roots)


def find_project(workplace: Workplace, roots: Sequence[Root] | None, wanted: str) -> Project:
    """Load the project of a call.

    That is the directory of `-C`, else the root that is called `wanted`, else the first root in a
    repository. A client without roots (None, or none) works where the server was started.

    Raises:
        RepositoryError: none of these is in a git repository.
        BadArgument: no root is called `wanted`.
    """
    if workplace.fixed is not None or not roots:
        if wanted:
            raise BadArgument("the client has no roots to choose from: leave out root")
        return _load(workplace.fixed or workplace.current, workplace)
    if wanted:
        return _load(_named(roots, wanted).directory, workplace)
    for root in roots:
        with suppress(RepositoryError):
            return _load(root.directory, workplace)
    shown = ", ".join(_shown(str(root.directory)) for root in roots[:_MAX_NAMED])
    raise RepositoryError(
        f"no root of the client is in a git repository ({shown}):"
        " open one, or start the server with `sdd -C DIRECTORY mcp`"
    )


def _named(roots: Sequence[Root], wanted: str) -> Root:
    for root in roots:
        if wanted in (root.name, str(root.directory), root.directory.name, root.directory.as_uri()):
            return root
    names = ", ".join(_shown(root.name or str(root.directory)) for root in roots[:_MAX_NAMED])
    raise BadArgument(f"no root of the client is called {_shown(wanted)}: it has {names}")


def _load(directory: Path, workplace: Workplace) -> Project:
    try:
        return load_project(directory, workplace.environ)
    except (FileNotFoundError, NotADirectoryError):
        raise RepositoryError(f"{_shown(str(directory))} is not a directory") from None


def _shown(text: str) -> str:
    return shortened(printable_line(text), _SHOWN_WIDTH)

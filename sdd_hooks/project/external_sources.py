"""Repositories elsewhere whose decision records count here, as the memory file declares them.

    - Architecture Decision Records are also in https://github.com/acme/handbook (docs/adr)
      - **Trust**: rules

The directory in parentheses is optional, as is the line below. A source has a name for its records,
`acme/ADR-0012`: the first part of the path of its address, or more where two sources share that.

    - Architecture Decision Records are also in the organisation's index (HOST/OWNER/NAME)

names repositories in the index of an organisation, whose records a review may show. Their name is
the whole path: `OWNER/NAME/ADR-0012`.
"""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0007 (Markdown-native
# configuration), ADR-0012 (untrusted input), ADR-0064 (a review shows records of repositories that
# its base names), SPEC-0001 REQ "Decisions of other repositories"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.config.memory_file import CONTEXT, MemoryFile, MemoryLine
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SOURCES = 20
"""Sources of a repository that are used."""

MAX_ORGANISATION = 50
"""Repositories of the organisation that are used."""

MAX_URL_LENGTH = 300
"""Characters of an address."""

MAX_PATHS = 20
"""Directories of a source that are used."""

TRANSPORTS = ("https", "ssh", "git")
"""The transports that may fetch a source."""

_LINE = lazy_regex(
    r"(?P<indent>[ \t]*)(?:[-*+][ \t]+)?(?:\*\*|__)?"
    r"(?:architectur(?:e|al)[ \t]+decision[ \t]+records?|adrs)(?:[ \t]*\(\w+\))?(?:\*\*|__)?"
    r"[ \t]+(?:are|live)[ \t]+also[ \t]+(?:kept[ \t]+|stored[ \t]+)?in[ \t]*:?"
    r"[ \t]+(?P<where>\S.*)$",
    re.IGNORECASE,
)
_ADDRESS = lazy_regex(
    r"(?:`(?P<code>[^`]+)`|<(?P<angle>[^<>]+)>|\[[^\[\]]*\]\(<?(?P<link>[^)>]+)>?\)|(?P<word>\S+))"
)
_INDEX = lazy_regex(
    r"the[ \t]+organi[sz]ation(?:['’]s)?[ \t]+index\b[ \t]*:?[ \t]*(?P<names>.*)$", re.IGNORECASE
)
_DIRECTORIES = lazy_regex(r"[ \t]*\((?P<paths>[^()]*)\)")
_TRUST = lazy_regex(
    r"(?P<indent>[ \t]*)[-*+][ \t]+(?:\*\*|__)?trust(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*"
    r"[`\"']?(?P<value>[^`\"']*)[`\"']?[ \t]*$",
    re.IGNORECASE,
)

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})"
_HOST = rf"(?P<host>{_LABEL}(?:\.{_LABEL}){{0,20}})"
_USER = r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@)"
_PORT = r"(?::(?P<port>[0-9]{1,5}))?"
# No part begins with a hyphen, which a program would read as an option.
_PART = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.~][A-Za-z0-9_.~+-]{0,99}"
_PATH = rf"(?P<path>{_PART}(?:/{_PART}){{0,9}})/?"
_URL = lazy_regex(rf"(?P<scheme>https|ssh|git)://{_USER}?{_HOST}{_PORT}/{_PATH}", re.IGNORECASE)
_SCP = lazy_regex(rf"{_USER}{_HOST}:/?{_PATH}")
_IDENTITY = lazy_regex(rf"{_HOST}{_PORT}/{_PATH}", re.IGNORECASE)
_DIRECTORY = lazy_regex(r"(?!-)[^\x00-\x1f\\:*?\[\]]{1,200}")


class SourceAddress(NamedTuple):
    """The address of a repository: `url` as git gets it, and its parts.

    `scheme` is one of TRANSPORTS, `host` is in lower case, `port` "" for the default one. `path`
    has no slashes at its ends and no `.git`.
    """

    url: str
    scheme: str
    host: str
    port: str
    path: str

    @property
    def names(self) -> tuple[str, str, str]:
        """The names that its records may have, the shortest first."""
        path = self.path.replace("~", "")
        return path.partition("/")[0], path, f"{self.host}/{path}"


class ExternalSource(NamedTuple):
    """A repository elsewhere whose decision records count here.

    `name` is the one of its records. `paths` are the directories with records, none for those that
    are recognised. With `trusts_rules`, the `sdd-rule` blocks of its records are applied. `line` is
    that of the memory file.
    """

    name: str
    address: SourceAddress
    paths: tuple[str, ...] = ()
    trusts_rules: bool = False
    line: int = 0


class SourceProblem(NamedTuple):
    """A line of the memory file that declares no usable source, and the reason with an advice."""

    line: int
    text: str


class DeclaredSources(NamedTuple):
    """The sources that a memory file declares, and the lines that are refused.

    `organisation` are the repositories of the organisation's index whose records a review may show,
    as `host/owner/name`, and no sources.
    """

    sources: tuple[ExternalSource, ...] = ()
    problems: tuple[SourceProblem, ...] = ()
    organisation: tuple[str, ...] = ()

    @property
    def names(self) -> Mapping[str, str]:
        """Each name in front of an id, in lower case, with the name of the source it stands for.

        A source has its longer names, too. A name that several sources share stands for none of
        them, and for itself, so that `acme/ADR-0012` never means a record of this repository.
        """
        return {**self.organisation_names, **source_names(self.sources)}

    @property
    def organisation_names(self) -> Mapping[str, str]:
        """The names of the organisation's repositories in front of an id, as in `names`.

        A repository is called by its path, `owner/name`, and by its host, too, where that is the
        path of another repository or no more than one word.
        """
        names: dict[str, str] = {}
        taken = {name.lower() for one in self.sources for name in one.address.names}
        paths = Counter(one.partition("/")[2] for one in self.organisation)
        for one in self.organisation:
            path = one.partition("/")[2]
            name = path if "/" in path and paths[path] == 1 and path not in taken else one
            names |= {name: name, one: name}
        return names


def source_names(sources: Sequence[ExternalSource]) -> Mapping[str, str]:
    """The names of `DeclaredSources.names`."""
    names: dict[str, str] = {}
    for source in sources:
        for name in source.address.names:
            known = names.setdefault(name.lower(), source.name)
            if known != source.name:
                names[name.lower()] = name.lower()
    return names


def find_external_sources(memory: MemoryFile | None) -> DeclaredSources:
    """The sources that `## Architecture Context` declares, at most MAX_SOURCES. Never raises."""
    if memory is None:
        return DeclaredSources()
    found: dict[tuple[str, str], ExternalSource] = {}
    indexed: dict[str, int] = {}
    problems: list[SourceProblem] = []
    for group in memory.find_sections(CONTEXT):
        for section in group:
            for read in _read_lines(section.lines):
                if isinstance(read, SourceProblem):
                    problems.append(read)
                    continue
                if isinstance(read, _Indexed):
                    for one in read.repositories:
                        indexed.setdefault(one, read.line)
                    continue
                # One repository is one source, whatever the spelling of its address.
                found.setdefault((read.address.host, read.address.path.lower()), read)
    sources = list(found.values())
    problems += [
        SourceProblem(source.line, f"more than {MAX_SOURCES} repositories: this one is left out")
        for source in sources[MAX_SOURCES:]
    ]
    # What is fetched is complete, so that it counts.
    organisation = [one for one in indexed if tuple(one.split("/", 1)) not in found]
    problems += [
        SourceProblem(indexed[one], f"more than {MAX_ORGANISATION} repositories: {one} is left out")
        for one in organisation[MAX_ORGANISATION:][:1]
    ]
    return DeclaredSources(
        _with_names(sources[:MAX_SOURCES]),
        tuple(problems),
        tuple(organisation[:MAX_ORGANISATION]),
    )


class _Indexed(NamedTuple):
    """Repositories of the organisation's index that a line names."""

    repositories: tuple[str, ...]
    line: int


def parse_address(text: str) -> SourceAddress | str:
    """The address in a text; for one that is refused, the reason with an advice. Never raises.

    Accepted are `https://HOST/PATH`, `ssh://[USER@]HOST/PATH`, `git://HOST/PATH` and
    `USER@HOST:PATH`, as https://git-scm.com/docs/git-fetch#_git_urls describes them.
    """
    shown = ascii(text[:60])
    if len(text) > MAX_URL_LENGTH:
        return f"{shown} is longer than {MAX_URL_LENGTH} characters: correct the address"
    match = _URL.fullmatch(text) or _SCP.fullmatch(text)
    if match is None:
        return f"{shown} is refused: write https://HOST/PATH, ssh://HOST/PATH, git://HOST/PATH"
    fields = match.groupdict()
    scheme = (fields.get("scheme") or "ssh").lower()
    if fields["user"] and scheme != "ssh":
        return f"{fields['host']!a} has a login in its address: remove it, git has credentials"
    port = (fields.get("port") or "").lstrip("0")
    if port and int(port) > 65535:
        return f"{shown} has no valid port: correct the address"
    path = fields["path"].removesuffix(".git").rstrip("/")
    if not path or path.endswith("/."):
        return f"{shown} names no repository: correct the address"
    return SourceAddress(text, scheme, fields["host"].lower(), port, path)


def _read_lines(
    lines: Sequence[MemoryLine],
) -> Iterator[ExternalSource | SourceProblem | _Indexed]:
    for at, line in enumerate(lines):
        match = _LINE.match(line.text)
        if match is None:
            continue
        if index := _INDEX.match(match["where"]):
            yield _read_repositories(index["names"], line.number)
            continue
        read = _read_declaration(match["where"], line.number)
        if isinstance(read, ExternalSource):
            trust, problems = _read_trust(lines[at + 1 :], _width(match["indent"]))
            yield from problems
            read = read._replace(trusts_rules=trust)
        yield read


def _read_declaration(text: str, number: int) -> ExternalSource | SourceProblem:
    match = _ADDRESS.match(text)
    written = match and (match["code"] or match["angle"] or match["link"] or match["word"])
    if not match or not written:
        return SourceProblem(number, "names no address: write https://HOST/PATH behind `in`")
    if match["word"]:
        written = re.sub(r"[.,;:]$", "", written)
    address = parse_address(written.strip())
    if isinstance(address, str):
        return SourceProblem(number, address)
    directories = _DIRECTORIES.match(text, match.end())
    if directories is None and text[match.end() :].lstrip().startswith("("):
        return SourceProblem(number, "names a directory in a wrong way: write (docs/adr)")
    paths: list[str] = []
    for part in (directories["paths"] if directories else "").split(","):
        path = part.strip(" \t`\"'").strip("/")
        if not path or path == ".":
            continue
        if not _DIRECTORY.fullmatch(path) or {"", ".", ".."} & {*path.split("/")}:
            return SourceProblem(
                number, f"{path[:60]!a} is no directory of a repository: correct it"
            )
        paths.append(path)
    if len(paths) > MAX_PATHS:
        return SourceProblem(
            number, f"names more than {MAX_PATHS} directories: name one above them"
        )
    return ExternalSource("", address, tuple(dict.fromkeys(paths)), line=number)


def _read_repositories(text: str, number: int) -> _Indexed | SourceProblem:
    parts = (part.strip(" \t`\"'") for part in text.strip(" \t().").split(","))
    names = [part.lower() for part in parts if part]
    if not names:
        return SourceProblem(number, "names no repository: write (HOST/OWNER/NAME) behind `index`")
    for name in names:
        if len(name) > MAX_URL_LENGTH or not _IDENTITY.fullmatch(name):
            return SourceProblem(number, f"{name[:60]!a} is no HOST/OWNER/NAME: correct it")
    return _Indexed(tuple(dict.fromkeys(names)), number)


def _read_trust(lines: Iterable[MemoryLine], indent: int) -> tuple[bool, list[SourceProblem]]:
    """Whether the items below a declaration trust its rules, and the problems of such items."""
    for line in lines:
        if line.text.strip() and _width(line.text) <= indent:
            break
        match = _TRUST.match(line.text)
        if match is None:
            continue
        if match["value"].strip().lower() == "rules":
            return True, []
        text = (
            f"Trust {match['value'].strip()[:60]!a} is unknown: write `rules`, or remove the line"
        )
        return False, [SourceProblem(line.number, text)]
    return False, []


def _width(text: str) -> int:
    """The columns of the white space at the beginning of a line."""
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _with_names(sources: Sequence[ExternalSource]) -> tuple[ExternalSource, ...]:
    """The sources with the shortest name that no other source has."""
    counts = Counter(name.lower() for source in sources for name in {*source.address.names})
    return tuple(
        source._replace(
            name=next(
                (name for name in source.address.names if counts[name.lower()] == 1),
                source.address.names[-1],
            )
        )
        for source in sources
    )

"""An issue as a file: Markdown with frontmatter that every YAML parser reads, and back.

Frontmatter values are JSON, which is valid YAML, so that no YAML library is needed: it would take
most of the time of a sync. The file contains the whole issue, so that it can be read and rendered
again when only a pull request has changed. Its last section lists the pull requests.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull
from sdd_hooks.trackers.issue_references import natural_key, references_of

MAX_HEADING = 1_000
"""Characters of a title that are repeated as the heading."""

_ESCAPED = lazy_regex('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
# Half of a surrogate pair cannot be encoded.
_SURROGATES = lazy_regex("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NUMBER = lazy_regex(r"(?:0|[1-9][0-9]{0,17})", re.ASCII)
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}

_PULL_LINE = lazy_regex(r"- \*\*(PR|Branch|Status|Files modified|Last updated)\*\*: (.*)")
_CODE = lazy_regex(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_STATUSES = frozenset(get_args(IssueStatus))

_PULLS_HEADING = "\n## Associated PR\n\n"
_NO_PULLS = "None.\n"

_HEADER = lazy_regex(
    r"---\nid: (?P<id>.+)\ntitle: (?P<title>.+)\nstatus: (?P<status>open|closed|merged|draft)\n"
    r"labels: (?P<labels>.+)\nassignees: (?P<assignees>.+)\nauthor: (?P<author>.+)\n"
    r"created: (?P<created>.+)\nupdated: (?P<updated>.+)\nclosed: (?P<closed>.+)\n"
    r"url: (?P<url>.+)\ntracker: (?P<tracker>.+)\nreferences:\n  specs: (?P<specs>.+)\n"
    r"  adrs: (?P<adrs>.+)\n  blocks: (?P<blocks>.+)\n  blocked_by: (?P<blocked_by>.+)\n---\n"
)
_TEXTS = ("id", "title", "author", "created", "updated", "closed", "url", "tracker")
_LISTS = ("labels", "assignees", "specs", "adrs", "blocks", "blocked_by")


@dataclass(frozen=True)
class StoredIssue:
    """An issue as its file has it. Times and ids have the formats of `Issue`.

    `status` takes the pull requests into account. `blocks` and `blocked_by` are the edges of the
    tracker and of the body. `path` is that of the file, relative to the repository's root, "" for
    an issue without a file.
    """

    id: str
    title: str
    status: IssueStatus
    labels: tuple[str, ...]
    assignees: tuple[str, ...]
    author: str
    created: str
    updated: str
    closed: str
    url: str
    tracker: str
    specs: tuple[str, ...]
    adrs: tuple[str, ...]
    blocks: tuple[str, ...]
    blocked_by: tuple[str, ...]
    body: str
    pulls: tuple[LinkedPull, ...]
    path: str = ""


def render(issue: Issue) -> bytes:
    """The content of an issue's file. Equal issues have equal bytes."""
    references = references_of(issue)
    pulls = render_pulls(issue.pulls) if issue.pulls else ""
    content = f"\n{issue.body}\n" if issue.body else ""
    if not pulls and _PULLS_HEADING in content:
        # The parser takes the last such heading; without one here it would be that of the body.
        pulls = _NO_PULLS
    title = issue.title.strip()
    text = (
        f"---\nid: {_id(issue.id)}\ntitle: {quoted(title)}\nstatus: {status_of(issue)}\n"
        f"labels: {_list(issue.labels)}\nassignees: {_list(issue.assignees)}\n"
        f"author: {quoted(issue.author)}\ncreated: {_time(issue.created)}\n"
        f"updated: {_time(issue.updated)}\nclosed: {_time(issue.closed)}\n"
        f"url: {quoted(issue.url)}\ntracker: {quoted(issue.tracker)}\nreferences:\n"
        f"  specs: {_list(references.specs)}\n  adrs: {_list(references.adrs)}\n"
        f"  blocks: {_ids(references.blocks)}\n  blocked_by: {_ids(references.blocked_by)}\n---\n\n"
        f"# {_heading(title)}\n{content}{_PULLS_HEADING + pulls if pulls else ''}"
    )
    return _encoded(text)


def status_of(issue: Issue) -> IssueStatus:
    """The status of an issue together with its pull requests.

    `merged` if the issue is closed and a pull request is merged, `draft` if the issue is open, a
    pull request is a draft and none is open, else the status of the issue.
    """
    if issue.pulls:
        statuses = {pull.status for pull in issue.pulls}
        if issue.status == "closed":
            return "merged" if "merged" in statuses else "closed"
        return "draft" if "draft" in statuses and "open" not in statuses else "open"
    return "closed" if issue.status == "closed" else "open"


def parse(data: bytes, path: str = "") -> StoredIssue | None:
    """The issue of a file; fields that cannot be parsed are empty. None if it is no issue."""
    text = data.decode("utf-8", "replace")
    header = _HEADER.match(text)
    fields = _fields(header) if header else None
    if header is None or fields is None:
        return _parse_foreign(text, path)
    texts, lists = fields
    id, title, author, created, updated, closed, url, tracker = texts
    labels, assignees, specs, adrs, blocks, blocked_by = lists
    body, pulls = _parse_content(text[header.end() :])
    return StoredIssue(
        id,
        title,
        cast("IssueStatus", header["status"]),
        labels,
        assignees,
        author,
        created,
        updated,
        closed,
        url,
        tracker,
        specs,
        adrs,
        blocks,
        blocked_by,
        body,
        pulls,
        path,
    )


def to_issue(stored: StoredIssue) -> Issue:
    """The issue that renders to the bytes from which `stored` was parsed."""
    return Issue(
        stored.id,
        stored.title,
        "closed" if stored.status in {"closed", "merged"} else "open",
        stored.labels,
        stored.assignees,
        stored.author,
        stored.created,
        stored.updated,
        stored.closed,
        stored.url,
        stored.tracker,
        stored.body,
        blocks=stored.blocks,
        blocked_by=stored.blocked_by,
        pulls=stored.pulls,
        # Some are in fields of the tracker, and not in the body.
        specs=(*stored.specs, *stored.adrs),
    )


def to_stored(issue: Issue) -> StoredIssue:
    """An issue of a live query in the form of a stored one."""
    return StoredIssue(
        issue.id,
        issue.title.strip(),
        status_of(issue),
        issue.labels,
        issue.assignees,
        issue.author,
        issue.created,
        issue.updated,
        issue.closed,
        issue.url,
        issue.tracker,
        *references_of(issue),
        body=issue.body,
        pulls=issue.pulls,
    )


def has_pulls(data: bytes) -> bool:
    """Whether the content of a file may name pull requests."""
    return _PULLS_HEADING.encode() in data


def is_issue_file(data: bytes) -> bool:
    """Whether the content of a file starts with frontmatter that names a tracker."""
    header, end, _ = data.partition(b"\n---")
    return bool(end) and data.startswith(b"---\n") and b"\ntracker:" in header


def with_pulls(stored: StoredIssue, pulls: Sequence[LinkedPull]) -> Issue:
    """The stored issue with other pull requests."""
    return replace(to_issue(stored), pulls=tuple(pulls))


def quoted(text: str) -> str:
    """`text` in double quotes, on one line, escaped for both YAML and JSON."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return _REPLACEMENT
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub(_REPLACEMENT, text).encode()


def _id(id: str) -> str:
    return id if _NUMBER.fullmatch(id) else quoted(id)


def _time(time: str) -> str:
    return quoted(time) if time else "null"


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, values))}]" if values else "[]"


def _ids(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_id, values))}]" if values else "[]"


def _heading(title: str) -> str:
    line = title if title.isprintable() else " ".join(title.split()).translate(_CONTROLS)
    return line if len(line) <= MAX_HEADING else f"{line[:MAX_HEADING]}…"


def _fields(header: re.Match[str]) -> tuple[list[str], list[tuple[str, ...]]] | None:
    """The texts and the lists of a header that `render` wrote; None for any other header."""
    names = (*_TEXTS, *_LISTS)
    try:
        values = json.loads(f"[{','.join(header.group(*names))}]")
    except (ValueError, RecursionError):
        return None
    if len(values) != len(names):
        return None
    texts = [_text(value) for value in values[: len(_TEXTS)]]
    lists = [
        tuple(map(_text, value)) if isinstance(value, list) else None
        for value in values[len(_TEXTS) :]
    ]
    return (texts, cast("list[tuple[str, ...]]", lists)) if None not in lists else None


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _parse_content(text: str) -> tuple[str, tuple[LinkedPull, ...]]:
    """The body and the pull requests after the frontmatter."""
    # Skip the blank line and the heading that `render` puts before the body.
    _, _, content = text.removeprefix("\n").partition("\n")
    start = content.rfind(_PULLS_HEADING)
    if start < 0:
        return content[1:-1], ()
    return content[1 : max(start - 1, 1)], parse_pulls(content[start + len(_PULLS_HEADING) :])


def _parse_foreign(text: str, path: str) -> StoredIssue | None:
    """An issue that a person or another program wrote, from its frontmatter."""
    from sdd_hooks.artifacts.frontmatter import read_frontmatter

    text = text.replace("\r\n", "\n")
    frontmatter = read_frontmatter(text)
    if not frontmatter.text("tracker"):
        return None
    references = frontmatter.fields.get("references")
    edges = references if isinstance(references, dict) else {}

    def edge_ids(name: str) -> tuple[str, ...]:
        value = edges.get(name)
        values = value if isinstance(value, list) else [value]
        return tuple(id.lstrip("#") for id in values if isinstance(id, str) and id)

    status = frontmatter.text("status")
    body, pulls = _parse_content(text[frontmatter.end :])
    return StoredIssue(
        frontmatter.text("id"),
        frontmatter.text("title"),
        cast("IssueStatus", status if status in {"closed", "merged", "draft"} else "open"),
        frontmatter.items("labels"),
        frontmatter.items("assignees"),
        frontmatter.text("author"),
        frontmatter.text("created"),
        frontmatter.text("updated"),
        frontmatter.text("closed"),
        frontmatter.text("url"),
        frontmatter.text("tracker"),
        edge_ids("specs"),
        edge_ids("adrs"),
        edge_ids("blocks"),
        edge_ids("blocked_by"),
        body,
        pulls,
        path,
    )


def render_pulls(pulls: Iterable[LinkedPull]) -> str:
    """One list for each pull request, by number, without the lines that would be empty."""
    ordered = sorted(pulls, key=lambda pull: natural_key(pull.number))
    return "\n".join(
        "".join(f"- **{name}**: {value}\n" for name, value in _pull_lines(pull)) for pull in ordered
    )


def parse_pulls(text: str) -> tuple[LinkedPull, ...]:
    """The pull requests of such a section. Never raises; a list without a number is skipped."""
    pulls = []
    for block in text.split("\n\n"):
        lines = (_PULL_LINE.match(line) for line in block.split("\n"))
        values = {line[1]: line[2] for line in lines if line}
        number = values.get("PR", "").removeprefix("#")
        if not number:
            continue
        status = values.get("Status", "")
        pulls.append(
            LinkedPull(
                number,
                next(_parse_codes(values.get("Branch", "")), ""),
                cast("IssueStatus", status if status in _STATUSES else "open"),
                tuple(_parse_codes(values.get("Files modified", ""))),
                values.get("Last updated", ""),
            )
        )
    return tuple(pulls)


def _pull_lines(pull: LinkedPull) -> Iterator[tuple[str, str]]:
    number = _on_one_line(pull.number).removeprefix("#")
    yield "PR", f"#{number}" if number.isdecimal() else number
    if pull.branch:
        yield "Branch", _code(pull.branch)
    yield "Status", pull.status
    if files := ", ".join(map(_code, filter(None, pull.files))):
        yield "Files modified", files
    if pull.updated:
        yield "Last updated", _on_one_line(pull.updated)


def _on_one_line(text: str) -> str:
    """`text` with control characters escaped; blanks stay, since a file name may contain them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _code(text: str) -> str:
    """`text` as inline code, in a fence longer than any of its runs of backticks."""
    line = _on_one_line(text)
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (max(map(len, re.findall("`+", line))) + 1)
    return f"{fence} {line} {fence}"


def _parse_codes(text: str) -> Iterator[str]:
    for match in _CODE.finditer(text):
        fence, inner = match.groups()
        yield inner[1:-1] if len(fence) > 1 else inner

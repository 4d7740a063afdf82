"""An issue as a file: Markdown with frontmatter that every YAML reader understands, and back.

Frontmatter values are JSON, which is YAML as well, so that neither way needs a YAML library: five
thousand issues are written in a blink. The file says everything there is to know, so that it can be
read back and rendered again when only a pull request has changed.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull
from sdd_hooks.trackers.issue_references import references_of
from sdd_hooks.trackers.pulls import pulls_of, section

LARGEST_BODY = 100_000
"""Bytes of a body that are kept."""
LONGEST_HEADING = 1_000
"""Characters of a title that are repeated as the heading."""

_LONGEST_URL = 2_000

_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
# Half of a surrogate pair is nothing that a file can hold.
_HALVES = re.compile("[\ud800-\udfff]")
_NO_CHARACTER = "\ufffd"
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,17})", re.ASCII)
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}

_SECTION = "\n## Associated PR\n\n"
_NONE = "None.\n"

_HEADER = re.compile(
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
    """An issue as its file has it. `path` is the file, relative to the repository's root, "" for an
    issue that is in none.

    Times and ids are as in `Issue`. `status` knows of the pull requests; `blocks` and `blocked_by`
    are the tracker's edges and those of the body.
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
    """The file of an issue, with its pull requests. The same issue is the same bytes."""
    found = references_of(issue)
    pulls = section(issue.pulls) if issue.pulls else ""
    body = _cut(issue.body, issue.url)
    content = f"\n{body}\n" if body else ""
    if not pulls and _SECTION in content:
        # A body that ends in such a section would be taken for ours.
        pulls = _NONE
    title = issue.title.strip()
    text = (
        f"---\nid: {_id(issue.id)}\ntitle: {quoted(title)}\nstatus: {status_of(issue)}\n"
        f"labels: {_list(issue.labels)}\nassignees: {_list(issue.assignees)}\n"
        f"author: {quoted(issue.author)}\ncreated: {_time(issue.created)}\n"
        f"updated: {_time(issue.updated)}\nclosed: {_time(issue.closed)}\n"
        f"url: {quoted(issue.url)}\ntracker: {quoted(issue.tracker)}\nreferences:\n"
        f"  specs: {_list(found.specs)}\n  adrs: {_list(found.adrs)}\n"
        f"  blocks: {_ids(found.blocks)}\n  blocked_by: {_ids(found.blocked_by)}\n---\n\n"
        f"# {_heading(title)}\n{content}{_SECTION + pulls if pulls else ''}"
    )
    return _encoded(text)


def status_of(issue: Issue) -> IssueStatus:
    """The status that its pull requests make of it: `merged` when it is closed and one was, `draft`
    when it is open, one is a draft and none is open."""
    if issue.pulls:
        states = {pull.status for pull in issue.pulls}
        if issue.status == "closed":
            return "merged" if "merged" in states else "closed"
        return "draft" if "draft" in states and "open" not in states else "open"
    return "closed" if issue.status == "closed" else "open"


def parse(data: bytes, path: str = "") -> StoredIssue | None:
    """The issue of a file, read as far as it goes. None for a file that is no issue's."""
    text = data.decode("utf-8", "replace")
    header = _HEADER.match(text)
    fields = _fields(header) if header else None
    if header is None or fields is None:
        return _written_by_others(text, path)
    texts, lists = fields
    id, title, author, created, updated, closed, url, tracker = texts
    labels, assignees, specs, adrs, blocks, blocked_by = lists
    body, pulls = _content(text[header.end() :])
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


def issue_of(stored: StoredIssue) -> Issue:
    """The issue that renders to the file which it was read from."""
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
        # Those behind the end of a body that was cut, too.
        specs=(*stored.specs, *stored.adrs),
    )


def stored_of(issue: Issue) -> StoredIssue:
    """An issue that was asked for now, as a file of it would have it."""
    found = references_of(issue)
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
        *found,
        body=issue.body,
        pulls=issue.pulls,
    )


def has_pulls(data: bytes) -> bool:
    """Whether a file may name pull requests."""
    return _SECTION.encode() in data


def is_ours(data: bytes) -> bool:
    """Whether the beginning of a file is that of an issue: frontmatter that names a tracker."""
    header, end, _ = data.partition(b"\n---")
    return bool(end) and data.startswith(b"---\n") and b"\ntracker:" in header


def with_pulls(stored: StoredIssue, pulls: Sequence[LinkedPull]) -> Issue:
    """The issue of a file with other pull requests."""
    return replace(issue_of(stored), pulls=tuple(pulls))


def quoted(text: str) -> str:
    """`text` in double quotes, on one line, the same for YAML and for JSON."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return _NO_CHARACTER
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _HALVES.sub(_NO_CHARACTER, text).encode()


def _id(id: str) -> str:
    return id if _NUMBER.fullmatch(id) else quoted(id)


def _time(time: str) -> str:
    return quoted(time) if time else "null"


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, values))}]"


def _ids(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_id, values))}]"


def _heading(title: str) -> str:
    line = title if title.isprintable() else " ".join(title.split()).translate(_CONTROL)
    return line if len(line) <= LONGEST_HEADING else f"{line[:LONGEST_HEADING]}…"


def _cut(body: str, url: str) -> str:
    """The body, cut at the end of a line with a note when it is too large."""
    # No character takes more than four bytes.
    if len(body) * 4 <= LARGEST_BODY:
        return body
    data = _encoded(body)
    if len(data) <= LARGEST_BODY:
        return body
    location = f" at {url}" if 0 < len(url) <= _LONGEST_URL else " in the tracker"
    note = f"\n[Body truncated — full content{location}]"
    room = LARGEST_BODY - len(_encoded(note))
    end = data.rfind(b"\n", 0, room) + 1
    kept = data[:end] if end else data[: room - 1] + b"\n"
    return kept.decode("utf-8", "ignore") + note


def _fields(header: re.Match[str]) -> tuple[list[str], list[tuple[str, ...]]] | None:
    """The texts and the lists of a header that we wrote; None for one that others did."""
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


def _content(text: str) -> tuple[str, tuple[LinkedPull, ...]]:
    """The body and the pull requests behind the frontmatter."""
    # A blank line, the heading, and what `render` puts behind it.
    _, _, content = text.removeprefix("\n").partition("\n")
    start = content.rfind(_SECTION)
    if start < 0:
        return content[1:-1], ()
    return content[1 : max(start - 1, 1)], pulls_of(content[start + len(_SECTION) :])


def _written_by_others(text: str, path: str) -> StoredIssue | None:
    """An issue that a person or another program wrote, by what its frontmatter says."""
    from sdd_hooks.artifacts.frontmatter import read_frontmatter

    text = text.replace("\r\n", "\n")
    found = read_frontmatter(text)
    if not found.text("tracker"):
        return None
    inner = found.fields.get("references")
    edges = inner if isinstance(inner, dict) else {}

    def listed(name: str) -> tuple[str, ...]:
        value = edges.get(name)
        values = value if isinstance(value, list) else [value]
        return tuple(one.lstrip("#") for one in values if isinstance(one, str) and one)

    status = found.text("status")
    body, pulls = _content(text[found.end :])
    return StoredIssue(
        found.text("id"),
        found.text("title"),
        cast("IssueStatus", status if status in {"closed", "merged", "draft"} else "open"),
        found.items("labels"),
        found.items("assignees"),
        found.text("author"),
        found.text("created"),
        found.text("updated"),
        found.text("closed"),
        found.text("url"),
        found.text("tracker"),
        listed("specs"),
        listed("adrs"),
        listed("blocks"),
        listed("blocked_by"),
        body,
        pulls,
        path,
    )

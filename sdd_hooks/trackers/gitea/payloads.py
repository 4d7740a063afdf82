"""What Gitea and Forgejo answer, as canonical issues and pull requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Collection

from sdd_hooks.remote.json_fields import Json, field, flag, number, text, texts, utc
from sdd_hooks.trackers.issue import Issue, PullRequest, Status

NAME = "gitea"

# The server's own defaults: WORK_IN_PROGRESS_PREFIXES, CLOSE_KEYWORDS.
_IN_WORK = ("wip:", "[wip]")
_KEYWORD = r"(?<![^\s(\[*_~])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ ]"
_END = r"(?=[\s)\]'\"*_~]|[:;,.?!](?:\s|\Z)|\Z)"
_CODE = re.compile(r"(?<!`)(`{1,9})(?!`).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)


def issue_of(entry: Json, web: str) -> Issue | None:
    """An issue as the API has it, without its edges; None where it has no number. Never raises.

    `web` is the address of its repository for people.
    """
    index = number_of(entry)
    if index is None:
        return None
    closed = text(entry, "state") == "closed"
    assignee = text(entry, "assignee", "login")
    return Issue(
        id=str(index),
        title=text(entry, "title"),
        status="closed" if closed else "open",
        labels=texts(entry, "labels", of="name"),
        assignees=texts(entry, "assignees", of="login") or ((assignee,) if assignee else ()),
        # Who wrote it where it was imported from; here it belongs to whoever did that.
        author=text(entry, "original_author") or text(entry, "user", "login"),
        created=utc(entry, "created_at"),
        updated=utc(entry, "updated_at"),
        closed=utc(entry, "closed_at") if closed else "",
        url=text(entry, "html_url") or f"{web}/issues/{index}",
        tracker=NAME,
        body=text(entry, "body"),
    )


def number_of(entry: Json) -> int | None:
    """The number of an issue or a pull request; None where it has none."""
    index = number(entry, "number")
    return index if index is not None and index > 0 else None


def is_pull(entry: Json) -> bool:
    """Whether an entry of the issue listing is a pull request."""
    return field(entry, "pull_request") is not None


def pull_of(entry: Json, closing: re.Pattern[str], homes: Collection[str]) -> PullRequest | None:
    """A pull request as the API lists it, without its files; None where it has no number.

    `closing` and `homes` are as `closed_by` wants them.
    """
    index = number_of(entry)
    if index is None:
        return None
    title = text(entry, "title")
    status: Status = "closed" if text(entry, "state") == "closed" else "open"
    if flag(entry, "merged"):
        status = "merged"
    elif status == "open" and _is_draft(entry, title):
        status = "draft"
    return PullRequest(
        number=str(index),
        branch=_branch(entry),
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=closed_by(f"{title}\n\n{text(entry, 'body')}", closing, homes),
    )


def references(entries: list[Json], homes: Collection[str]) -> tuple[str, ...]:
    """The ids of the issues that another one is linked with.

    `12`, or `owner/repo#12` for one of a repository that is not among `homes` (`owner/repo` in
    lower case). One that whoever asks may not see, which the server calls HIDDEN and gives no
    number, is left out.
    """
    found = []
    for entry in entries:
        index = number_of(entry)
        if index is not None:
            place = text(entry, "repository", "full_name")
            here = not place or place.lower() in homes
            found.append(str(index) if here else f"{place}#{index}")
    return tuple(dict.fromkeys(found))


def closing_words(web: str) -> re.Pattern[str]:
    """The words that close an issue, and the issue behind them, as the server reads them.

    `web` is the base address of the server for people. The groups are the repository and the
    number, of a reference and of an address. After modules/references/references.go of Gitea.
    """
    server = re.escape(web.partition("://")[2])
    return re.compile(
        rf"{_KEYWORD}(?:([\w.-]+/[\w.-]+)?[#!]([0-9]{{1,18}})"
        rf"|(?:\[[^\]\n]{{0,300}}\]\()?https?://{server}/([\w.-]+/[\w.-]+)/(?:issues|pulls)"
        rf"/([0-9]{{1,18}})){_END}",
        re.IGNORECASE | re.ASCII,
    )


def closed_by(said: str, closing: re.Pattern[str], homes: Collection[str]) -> tuple[str, ...]:
    """The ids of the issues that a text says it closes, not in code.

    `homes` is what their repository is called (`owner/repo` in lower case).
    """
    if closing.search(said) is None:
        return ()
    from sdd_hooks.text.markdown import prose

    found = []
    for match in closing.finditer(_CODE.sub("``", prose(said))):
        place, index = match[1] or match[3], match[2] or match[4]
        if place is None or place.lower() in homes:
            found.append(str(int(index)))
    return tuple(dict.fromkeys(found))


def _branch(entry: Json) -> str:
    """The branch that is to be merged, also when it is gone: then `ref` is `refs/pull/12/head`."""
    ref = text(entry, "head", "ref")
    gone = not ref or ref.startswith("refs/pull/")
    return (text(entry, "head", "label") or ref) if gone else ref


def _is_draft(entry: Json, title: str) -> bool:
    """Whether a pull request is not to be merged yet; old servers have that in its title only."""
    if isinstance(field(entry, "draft"), bool):
        return flag(entry, "draft")
    return title.lower().startswith(_IN_WORK)

"""Parse the payloads of Gitea and Forgejo into canonical issues and pull requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Collection

from sdd_hooks.remote.json_fields import Json, field, flag, number, text, texts, utc
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull

NAME = "gitea"

# The server's defaults of WORK_IN_PROGRESS_PREFIXES and CLOSE_KEYWORDS.
_DRAFT_PREFIXES = ("wip:", "[wip]")
_KEYWORD = r"(?<![^\s(\[*_~])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ ]"
_END = r"(?=[\s)\]'\"*_~]|[:;,.?!](?:\s|\Z)|\Z)"
_CODE = lazy_regex(r"(?<!`)(`{1,9})(?!`).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)


def issue_of(entry: Json, web: str) -> Issue | None:
    """An issue without its dependencies; None if it has no number. Never raises.

    `web` is the web address of its repository.
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
        # An imported issue has its importer as `user`.
        author=text(entry, "original_author") or text(entry, "user", "login"),
        created=utc(entry, "created_at"),
        updated=utc(entry, "updated_at"),
        closed=utc(entry, "closed_at") if closed else "",
        url=text(entry, "html_url") or f"{web}/issues/{index}",
        tracker=NAME,
        body=text(entry, "body"),
    )


def number_of(entry: Json) -> int | None:
    """The number of an issue or a pull request; None if the entry has none."""
    index = number(entry, "number")
    return index if index is not None and index > 0 else None


def is_pull(entry: Json) -> bool:
    """Whether an entry of the issue listing is a pull request."""
    return field(entry, "pull_request") is not None


def pull_of(entry: Json, closing: re.Pattern[str], homes: Collection[str]) -> LinkedPull | None:
    """A pull request from an entry of the listing, without its files; None if it has no number.

    `closing` and `homes` are passed to `closed_by`.
    """
    index = number_of(entry)
    if index is None:
        return None
    title = text(entry, "title")
    status: IssueStatus = "closed" if text(entry, "state") == "closed" else "open"
    if flag(entry, "merged"):
        status = "merged"
    elif status == "open" and _is_draft(entry, title):
        status = "draft"
    return LinkedPull(
        number=str(index),
        branch=_branch(entry),
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=closed_by(f"{title}\n\n{text(entry, 'body')}", closing, homes),
    )


def references(entries: list[Json], homes: Collection[str]) -> tuple[str, ...]:
    """The ids of linked issues.

    `12`, or `owner/repo#12` for an issue of a repository that is not in `homes` (`owner/repo` in
    lower case). Issues that the token may not read, which the server names HIDDEN and gives no
    number, are left out.
    """
    ids = []
    for entry in entries:
        index = number_of(entry)
        if index is not None:
            repository = text(entry, "repository", "full_name")
            is_local = not repository or repository.lower() in homes
            ids.append(str(index) if is_local else f"{repository}#{index}")
    return tuple(dict.fromkeys(ids))


def closing_words(web: str) -> re.Pattern[str]:
    """A pattern for a closing keyword and the issue after it, as the server parses them.

    `web` is the web address of the server. The groups are repository and number of a reference,
    then repository and number of a URL. See modules/references/references.go of Gitea.
    """
    server = re.escape(web.partition("://")[2])
    return re.compile(
        rf"{_KEYWORD}(?:([\w.-]+/[\w.-]+)?[#!]([0-9]{{1,18}})"
        rf"|(?:\[[^\]\n]{{0,300}}\]\()?https?://{server}/([\w.-]+/[\w.-]+)/(?:issues|pulls)"
        rf"/([0-9]{{1,18}})){_END}",
        re.IGNORECASE | re.ASCII,
    )


def closed_by(markdown: str, closing: re.Pattern[str], homes: Collection[str]) -> tuple[str, ...]:
    """The ids of the issues that a text closes according to the pattern `closing`, code left out.

    `homes` are the names of their repository (`owner/repo` in lower case).
    """
    if closing.search(markdown) is None:
        return ()
    from sdd_hooks.text.markdown import mask_non_prose

    ids = []
    for match in closing.finditer(_CODE.sub("``", mask_non_prose(markdown))):
        repository, index = match[1] or match[3], match[2] or match[4]
        if repository is None or repository.lower() in homes:
            ids.append(str(int(index)))
    return tuple(dict.fromkeys(ids))


def _branch(entry: Json) -> str:
    """The source branch, also after its deletion, when `ref` is `refs/pull/12/head`."""
    ref = text(entry, "head", "ref")
    deleted = not ref or ref.startswith("refs/pull/")
    return (text(entry, "head", "label") or ref) if deleted else ref


def _is_draft(entry: Json, title: str) -> bool:
    """Whether a pull request is a draft, which old servers show in its title alone."""
    if isinstance(field(entry, "draft"), bool):
        return flag(entry, "draft")
    return title.lower().startswith(_DRAFT_PREFIXES)

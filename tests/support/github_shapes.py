"""Payloads of a fake GitHub: users, repositories, pull requests, comments, reviews and statuses.

Each payload has the fields that GitHub's OpenAPI description requires.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.support.github import BASE, REPOSITORY, user_of

Entry = dict[str, Any]

FORKED = 77
WHEN = "2026-11-22T10:00:00Z"

_BELOW = (
    *("archive", "assignees", "blobs", "branches", "collaborators", "comments", "commits"),
    *("compare", "contents", "contributors", "deployments", "downloads", "events", "forks"),
    *("git_commits", "git_refs", "git_tags", "hooks", "issue_comment", "issue_events", "issues"),
    *("keys", "labels", "languages", "merges", "milestones", "notifications", "pulls", "releases"),
    *("stargazers", "statuses", "subscribers", "subscription", "tags", "teams", "trees"),
)


class Site(NamedTuple):
    """The site of a repository: the URL of its GitHub, its owner, its name."""

    url: str
    owner: str
    name: str
    default_branch: str = "main"

    @property
    def home(self) -> str:
        """The repository as `owner/name`."""
        return f"{self.owner}/{self.name}"

    @property
    def api(self) -> str:
        """The address of the repository in the API."""
        return f"{self.url}{BASE}/repos/{self.home}"

    def page(self, number: int) -> str:
        """The web address of a pull request."""
        return f"{self.url}/{self.home}/pull/{number}"


def repository(site: Site, *, fork: bool = False) -> Entry:
    """The repository, or a fork of it."""
    if fork:
        site = site._replace(owner="mallory")
    return {
        "id": FORKED if fork else REPOSITORY,
        "node_id": "R_kgDO",
        "name": site.name,
        "full_name": site.home,
        "owner": user_of(site.url, site.owner),
        "default_branch": site.default_branch,
        "url": site.api,
        "html_url": f"{site.url}/{site.home}",
        "clone_url": f"{site.url}/{site.home}.git",
        "svn_url": f"{site.url}/{site.home}",
        "git_url": f"git://127.0.0.1/{site.home}.git",
        "ssh_url": f"git@127.0.0.1:{site.home}.git",
        "fork": fork,
        **{f"{name}_url": f"{site.api}/{name}" for name in _BELOW},
        **dict.fromkeys(("private", "archived", "disabled", "has_wiki", "has_pages"), False),
        **dict.fromkeys(("has_downloads", "has_issues", "has_projects"), True),
        **dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count"), 0),
        **dict.fromkeys(("size", "stargazers_count", "watchers", "watchers_count"), 0),
        **dict.fromkeys(("description", "homepage", "language", "mirror_url", "license")),
        **dict.fromkeys(("pushed_at", "created_at", "updated_at"), WHEN),
    }


def end_of(site: Site, ref: str, sha: str, *, fork: bool = False) -> Entry:
    """The base or the head of a pull request."""
    found = repository(site, fork=fork)
    owner = found["owner"]
    return {
        "label": f"{owner['login']}:{ref}", "ref": ref, "sha": sha, "user": owner, "repo": found,
    }  # fmt: skip


def pull_request(
    site: Site, number: int, title: str, body: str, state: str, ends: Mapping[str, Entry]
) -> Entry:
    """A pull request from `ends["head"]` to `ends["base"]`."""
    page, address = site.page(number), f"{site.api}/pulls/{number}"
    issue = f"{site.api}/issues/{number}"
    urls = {
        "url": address,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue,
        "comments_url": f"{issue}/comments",
        "commits_url": f"{address}/commits",
        "review_comments_url": f"{address}/comments",
        "review_comment_url": f"{site.api}/pulls/comments{{/number}}",
        "statuses_url": f"{site.api}/statuses/{ends['head']['sha']}",
    }
    links = ("comments", "commits", "statuses", "issue", "review_comments", "review_comment")
    counted = ("additions", "changed_files", "comments", "commits", "deletions")
    return {
        **urls,
        **ends,
        "id": 1_000_000 + number,
        "node_id": f"PR_{number}",
        "number": number,
        "title": title,
        "body": body or None,
        "state": state,
        "user": user_of(site.url, "ana"),
        "labels": [],
        "created_at": WHEN,
        "updated_at": WHEN,
        "closed_at": None if state == "open" else WHEN,
        "author_association": "MEMBER",
        "mergeable_state": "clean",
        **dict.fromkeys(("assignee", "milestone", "merge_commit_sha", "merged_at")),
        **dict.fromkeys(("auto_merge", "merged_by")),
        **dict.fromkeys((*counted, "review_comments"), 0),
        **dict.fromkeys(("locked", "merged", "maintainer_can_modify"), False),
        "mergeable": True,
        "_links": {
            **{name: {"href": urls[f"{name}_url"]} for name in links},
            "self": {"href": address},
            "html": {"href": page},
        },
    }


def comment(site: Site, id: int, number: int, body: str, user: Entry) -> Entry:
    """A comment on a pull request."""
    return {
        "id": id,
        "node_id": f"IC_{id}",
        "url": f"{site.api}/issues/comments/{id}",
        "html_url": f"{site.page(number)}#issuecomment-{id}",
        "issue_url": f"{site.api}/issues/{number}",
        "body": body,
        **_written(user),
    }


def review(site: Site, id: int, number: int, body: str, sha: str, user: Entry) -> Entry:
    """A review without a verdict."""
    page = f"{site.page(number)}#pullrequestreview-{id}"
    pull = f"{site.api}/pulls/{number}"
    return {
        "id": id,
        "node_id": f"PRR_{id}",
        "user": user,
        "body": body,
        "state": "COMMENTED",
        "commit_id": sha,
        "html_url": page,
        "pull_request_url": pull,
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "author_association": "MEMBER",
    }


def line_comment(
    site: Site, id: int, number: int, request: Entry, sha: str, user: Entry, review: int | None
) -> Entry:
    """A comment on a line with the path, line and body of the request `request`."""
    page = f"{site.page(number)}#discussion_r{id}"
    pull, address = f"{site.api}/pulls/{number}", f"{site.api}/pulls/comments/{id}"
    return {
        "id": id,
        "node_id": f"PRRC_{id}",
        "pull_request_review_id": review,
        "url": address,
        "html_url": page,
        "pull_request_url": pull,
        "diff_hunk": "@@ -0,0 +1 @@\n+text",
        "path": request["path"],
        "line": request["line"],
        "side": "RIGHT",
        "commit_id": sha,
        "original_commit_id": sha,
        "body": request["body"],
        **_written(user),
        "_links": {
            "self": {"href": address},
            "html": {"href": page},
            "pull_request": {"href": pull},
        },
    }


def status(site: Site, id: int, sha: str, request: Entry, user: Entry) -> Entry:
    """The status of a commit."""
    return {
        "url": f"{site.api}/statuses/{sha}",
        "avatar_url": None,
        "id": id,
        "node_id": f"SC_{id}",
        "description": None,
        "target_url": None,
        "context": "default",
        **request,
        "created_at": WHEN,
        "updated_at": WHEN,
        "creator": user,
    }


def account(user: Entry) -> Entry:
    """The account of a user as returned to that user."""
    more = ("bio", "blog", "company", "email", "hireable", "location", "name")
    counted = ("followers", "following", "public_gists", "public_repos")
    return {
        **user,
        **dict.fromkeys(more),
        **dict.fromkeys(counted, 0),
        "created_at": WHEN,
        "updated_at": WHEN,
    }


def _written(user: Entry) -> Entry:
    return {
        "user": user, "created_at": WHEN, "updated_at": WHEN, "author_association": "MEMBER",
    }  # fmt: skip

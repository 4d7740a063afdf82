"""A fake Gitea on loopback as a forge: pull requests of one repository, comments, and CI jobs.

It behaves like Gitea 1.26.2. Comments are returned on one page, reviews 50 per page. A comment on a
line that its file lacks fails, and the earlier comments of the review stay in a pending review. A
thread that a job resolves has the resolver Ghost. Requests and responses are validated against the
OpenAPI description.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sdd_hooks.remote.json_fields import format_utc
from tests.support.gitea import BASE, MISSING, user_of
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.openapi import Description

Entry = dict[str, Any]
Rights = Literal["write", "fork", "read"]
"""`fork` is the right of a job for a pull request from a fork: it may only comment."""

DESCRIPTIONS = ("gitea/forge.openapi3.json", "gitea/subset-v1.openapi3.json")
JOB = "gitea-actions"
TOKEN = "token-of-the-job"

_GHOST = "Ghost"
_IDS = {JOB: -2, "forgejo-actions": -2, _GHOST: -1}


class Account(NamedTuple):
    """The user of a token, and its rights. An `is_scoped` token may not read its own user."""

    login: str
    rights: Rights = "write"
    is_scoped: bool = False


@dataclass
class Pull:
    """A pull request with its comments, and its reviews with their comments on lines.

    `lines` is the number of lines of each file of its head; None accepts any line.
    """

    entry: Entry
    lines: Mapping[str, int] | None = None
    comments: list[Entry] = field(default_factory=list)
    reviews: list[Entry] = field(default_factory=list)
    line_comments: list[Entry] = field(default_factory=list)


@dataclass
class FakeGiteaForge:
    """The server with its repository. `tokens` are the valid tokens.

    A `private` repository requires one. `resolves` is whether the server can resolve comments, as
    new versions can. `max_reviews`, `max_pulls` and `max_comments` are the largest pages; 0 means
    one page.
    """

    now: float = 1_800_000_000.0
    owner: str = "acme"
    name: str = "shop"
    url: str = ""
    tokens: dict[str, Account] = field(default_factory=lambda: {TOKEN: Account(JOB)})
    private: bool = False
    resolves: bool = True
    max_reviews: int = 50
    max_pulls: int = 50
    max_comments: int = 0
    archived: bool = False
    checked: bool = True
    pulls: dict[int, Pull] = field(default_factory=dict)
    statuses: list[Entry] = field(default_factory=list)
    commits: set[str] = field(default_factory=set)
    last: int = 0

    def add_pull(
        self,
        title: str = "A change",
        body: str = "",
        *,
        base: str = "1" * 40,
        head: str = "2" * 40,
        branch: str = "feature",
        base_branch: str = "main",
        fork: bool = False,
        lines: Mapping[str, int] | None = None,
    ) -> int:
        """Add a pull request. Returns its number."""
        number = len(self.pulls) + 1
        page = f"{self._web()}/pulls/{number}"
        repository, fork_repository = self._repository(1, self.owner), self._repository(2, "bob")
        self.commits |= {base, head}
        self.pulls[number] = Pull(
            {
                "id": 8000 + number,
                "url": page,
                "html_url": page,
                "number": number,
                "user": self._user("bob"),
                "title": title,
                "body": body,
                "labels": [],
                "milestone": None,
                "assignee": None,
                "assignees": None,
                "requested_reviewers": None,
                "requested_reviewers_teams": None,
                "state": "open",
                "draft": False,
                "is_locked": False,
                "comments": 0,
                "mergeable": True,
                "merged": False,
                "merged_at": None,
                "merge_commit_sha": None,
                "merged_by": None,
                "base": _branch(base_branch, base, repository),
                "head": _branch(branch, head, fork_repository if fork else repository),
                "merge_base": base,
                "due_date": None,
                "created_at": format_utc(self.now),
                "updated_at": format_utc(self.now),
                "closed_at": None,
            },
            lines,
        )
        return number

    def push(self, number: int, head: str) -> None:
        """Change the head commit of a pull request."""
        self.commits.add(head)
        self.pulls[number].entry["head"]["sha"] = head

    def comment(self, number: int, body: str, login: str = "ana") -> int:
        """Add a comment to a pull request. Returns its id."""
        return int(self._add_comment(self.pulls[number], body, login)["id"])

    def comments(self, number: int) -> list[tuple[str, str]]:
        """The author and the text of each comment of a pull request."""
        return [
            (comment["user"]["login"], comment["body"]) for comment in self.pulls[number].comments
        ]

    def environ(self, folder: Path, number: int, event: str = "pull_request") -> dict[str, str]:
        """The variables of a job for a pull request; writes the file of the event to `folder`."""
        pull = self.pulls[number].entry
        payload = {
            "action": "synchronized",
            "number": number,
            "pull_request": pull,
            "repository": self._repository(1, self.owner),
            "sender": self._user("bob"),
            "commit_id": "",
            "requested_reviewer": None,
            "review": None,
        }
        targeting = event == "pull_request_target"
        sha, ref = pull["head"]["sha"], f"refs/pull/{number}/head"
        return self.job(
            folder,
            event,
            payload,
            sha=pull["base"]["sha"] if targeting else sha,
            ref=f"refs/heads/{pull['base']['ref']}" if targeting else ref,
            GITHUB_BASE_REF=pull["base"]["ref"],
            GITHUB_HEAD_REF=pull["head"]["ref"],
        )

    def job(
        self, folder: Path, event: str, payload: object, *, sha: str, ref: str, **variables: str
    ) -> dict[str, str]:
        """The variables of a job that this event started."""
        path = folder / "event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITEA_ACTIONS": "true",
            "GITHUB_SERVER_URL": f"{self.url}/",
            "GITHUB_API_URL": f"{self.url}{BASE}",
            "GITHUB_GRAPHQL_URL": "",
            "GITHUB_REPOSITORY": f"{self.owner}/{self.name}",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_SHA": sha,
            "GITHUB_REF": ref,
            **variables,
        }

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request, validated."""
        response = self._answer(request)
        description = Description.load(*DESCRIPTIONS)
        # The description has no endpoint that resolves, and no pages of comments.
        new = request.path.endswith("/resolve") or ("comments" in request.path and request.query)
        if self.checked and description is not None and not new:
            description.request(request)
            if response.status < 300:
                description.response(request.method, request.path, response.status, response.data)
        return response

    def _answer(self, request: Request) -> CannedResponse:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        account = self.tokens.get(token) if kind == "token" else None
        if token and account is None:
            return _refusal(401, "invalid username, password or token")
        path = request.path.removeprefix(BASE)
        if path == "/user":
            return self._current_user(account)
        home = f"/repos/{self.owner}/{self.name}/"
        if not path.startswith(home) or (self.private and account is None):
            return CannedResponse(404, MISSING)
        parts = path.removeprefix(home).split("/")
        if request.method == "GET":
            return self._read(request, parts, account)
        if account is None:
            return _refusal(401, "token is required")
        if account.rights == "read":
            return _refusal(403, "user should have a permission to write")
        if self.archived and parts[0] != "pulls":
            return _refusal(423, "repository is archived")
        return self._write(request, parts, account)

    def _current_user(self, account: Account | None) -> CannedResponse:
        if account is None:
            return _refusal(401, "token is required")
        if account.is_scoped:
            message = "token does not have at least one of required scope(s), required=[read:user]"
            return _refusal(403, message)
        return CannedResponse(200, self._user(account.login))

    def _read(self, request: Request, parts: list[str], account: Account | None) -> CannedResponse:
        pull = self._pull(parts)
        match parts:
            case ["statuses", sha]:
                return CannedResponse(
                    200, [status for status in self.statuses if status["sha"] == sha]
                )
            case ["pulls"]:
                size = min(int(request.query.get("limit", 30)), self.max_pulls)
                open_pulls = [
                    one.entry
                    for one in reversed(self.pulls.values())
                    if one.entry["state"] == "open"
                ]
                return self._paged(request, open_pulls, size)
            case [*_] if pull is None:
                return CannedResponse(404, MISSING)
            case ["pulls", _]:
                return CannedResponse(200, pull.entry)
            case ["issues", _, "comments"]:
                return self._paged(request, pull.comments, self.max_comments or 100_000)
            case ["pulls", _, "reviews"]:
                size = min(int(request.query.get("limit", 30)), self.max_reviews)
                return self._paged(request, pull.reviews, size, account)
            case ["pulls", _, "reviews", id, "comments"]:
                comments = [
                    line_comment
                    for line_comment in pull.line_comments
                    if line_comment["pull_request_review_id"] == int(id)
                ]
                return CannedResponse(200, comments)
        return CannedResponse(404, MISSING)

    def _paged(
        self, request: Request, entries: list[Entry], size: int, account: Account | None = None
    ) -> CannedResponse:
        page = max(1, int(request.query.get("page", 1)))
        shown = [
            entry
            for entry in entries[(page - 1) * size : page * size]
            if entry.get("state") != "PENDING"
            or (account and entry["user"]["login"] == account.login)
        ]
        return CannedResponse(200, shown, {"X-Total-Count": str(len(entries))})

    def _write(self, request: Request, parts: list[str], account: Account) -> CannedResponse:
        pull = self._pull(parts)
        match request.method, parts:
            case "POST", ["statuses", sha]:
                return self._mark(sha, request.entry(), account)
            case "POST", ["pulls", "comments", id, "resolve"] if self.resolves:
                return self._resolve(int(id), account)
            case "PATCH", ["issues", "comments", id]:
                return self._edit(int(id), request.entry(), account)
            case "PATCH", ["pulls", _] if pull:
                pull.entry["body"] = request.entry()["body"]
                return CannedResponse(201, pull.entry)
            case "DELETE", ["issues", "comments", id]:
                return self._delete(int(id), account)
            case "POST", ["issues", _, "comments"] if pull:
                if pull.entry["is_locked"] and account.rights != "write":
                    return _refusal(403, "You cannot comment on a locked issue.")
                return CannedResponse(
                    201, self._add_comment(pull, request.entry()["body"], account.login)
                )
            case "POST", ["pulls", _, "reviews"] if pull:
                return self._review(pull, request.entry(), account)
            case "DELETE", ["pulls", _, "reviews", id] if pull:
                pull.reviews = [review for review in pull.reviews if review["id"] != int(id)]
                pull.line_comments = [
                    line_comment
                    for line_comment in pull.line_comments
                    if line_comment["pull_request_review_id"] != int(id)
                ]
                return CannedResponse(204)
        return CannedResponse(404, MISSING)

    def _review(self, pull: Pull, body: Entry, account: Account) -> CannedResponse:
        """Add comments on lines to a pending review, then submit it."""
        if body["event"] == "COMMENT" and not body.get("body") and not body["comments"]:
            return _refusal(422, "review event COMMENT requires a body or a comment")
        pending = (candidate for candidate in pull.reviews if candidate["state"] == "PENDING")
        # The user of a job has no valid id, so that Gitea takes the pending review of any user.
        logins = {account.login} if _IDS.get(account.login, 1) > 0 else None
        review = next(
            (
                candidate
                for candidate in pending
                if not logins or candidate["user"]["login"] in logins
            ),
            None,
        )
        if review is None:
            review = self._pending(pull, body["commit_id"], account.login)
        for comment in body["comments"]:
            is_valid = pull.lines is None or comment["new_position"] <= pull.lines.get(
                comment["path"], 1
            )
            if review["commit_id"] not in self.commits or not is_valid or ".." in comment["path"]:
                return _refusal(500, "")
            self.add_line_comment(
                pull, review, comment["path"], comment["new_position"], comment["body"]
            )
        # With another event the review stays pending, and is visible to its author only.
        if body["event"] in {"COMMENT", "APPROVED", "REQUEST_CHANGES"}:
            review["state"] = body["event"]
        return CannedResponse(200, review)

    def review(self, number: int, login: str, state: str = "COMMENT") -> Entry:
        """Add a review by this user, without comments."""
        review = self._pending(self.pulls[number], "2" * 40, login)
        review["state"] = state
        return review

    def add_line_comment(self, pull: Pull, review: Entry, path: str, line: int, body: str) -> Entry:
        """Add a comment on a line by the author of the review."""
        review["comments_count"] += 1
        comment = {
            "id": self._next(),
            "body": body,
            "user": review["user"],
            "resolver": None,
            "pull_request_review_id": review["id"],
            "created_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            "path": path,
            "commit_id": review["commit_id"],
            "original_commit_id": "",
            "diff_hunk": "",
            "position": line,
            "original_position": 0,
            "html_url": pull.entry["html_url"],
            "pull_request_url": pull.entry["html_url"],
        }
        pull.line_comments.append(comment)
        return comment

    def _pending(self, pull: Pull, commit: str, login: str) -> Entry:
        review = {
            "id": self._next(),
            "user": self._user(login),
            "team": None,
            "state": "PENDING",
            "body": "",
            "commit_id": commit,
            "stale": False,
            "official": False,
            "dismissed": False,
            "comments_count": 0,
            "submitted_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            "html_url": "",
            "pull_request_url": pull.entry["html_url"],
        }
        pull.reviews.append(review)
        return review

    def _resolve(self, id: int, account: Account) -> CannedResponse:
        if account.rights != "write":
            return _refusal(403, "user should have permission to resolve comment")
        for pull in self.pulls.values():
            for comment in pull.line_comments:
                if comment["id"] == id:
                    comment["resolver"] = self._user(
                        _GHOST if account.login == JOB else account.login
                    )
                    return CannedResponse(204)
        return CannedResponse(404, MISSING)

    def _edit(self, id: int, body: Entry, account: Account) -> CannedResponse:
        for pull in self.pulls.values():
            for comment in [*pull.comments, *pull.line_comments]:
                if comment["id"] == id:
                    if account.rights != "write" and comment["user"]["login"] != account.login:
                        return CannedResponse(403)
                    comment["body"] = body["body"]
                    return CannedResponse(200, self._comment(pull, comment))
        return CannedResponse(404, MISSING)

    def _delete(self, id: int, account: Account) -> CannedResponse:
        for pull in self.pulls.values():
            for comment in pull.comments:
                if comment["id"] == id:
                    if account.rights != "write" and comment["user"]["login"] != account.login:
                        return CannedResponse(403)
                    pull.comments.remove(comment)
                    return CannedResponse(204)
        return CannedResponse(404, MISSING)

    def _add_comment(self, pull: Pull, body: str, login: str) -> Entry:
        fields = {"id": self._next(), "body": body, "user": self._user(login)}
        pull.comments.append(self._comment(pull, fields))
        return pull.comments[-1]

    def _comment(self, pull: Pull, fields: Entry) -> Entry:
        page = pull.entry["html_url"]
        return {
            "html_url": f"{page}#issuecomment-{fields['id']}",
            "pull_request_url": page,
            "issue_url": "",
            "original_author": "",
            "original_author_id": 0,
            "assets": [],
            "created_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            **{name: fields[name] for name in ("id", "body", "user")},
        }

    def _mark(self, sha: str, body: Entry, account: Account) -> CannedResponse:
        if account.rights != "write":
            return _refusal(403, "user should have a permission to write to a repo")
        status = {
            "id": self._next(),
            "status": body["state"],
            "target_url": body.get("target_url", ""),
            "description": body["description"],
            "context": body["context"],
            "creator": self._user(account.login),
            "created_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            "url": f"{self.url}{BASE}/repos/{self.owner}/{self.name}/statuses/{sha}",
        }
        self.statuses.append({**status, "sha": sha})
        return CannedResponse(201, status)

    def _pull(self, parts: list[str]) -> Pull | None:
        digits = parts[1] if len(parts) > 1 else ""
        return self.pulls.get(int(digits)) if digits.isdecimal() else None

    def _next(self) -> int:
        self.last += 1
        return self.last

    def _repository(self, id: int, owner: str) -> Entry:
        return {
            "id": id,
            "owner": self._user(owner),
            "name": self.name,
            "full_name": f"{owner}/{self.name}",
            "default_branch": "main",
            "html_url": self._web(),
        }

    def _user(self, login: str) -> Entry:
        return user_of(self.url, login, _IDS.get(login))

    def _web(self) -> str:
        return f"{self.url}/{self.owner}/{self.name}"


@contextmanager
def serving_gitea_forge(forge: FakeGiteaForge) -> Iterator[Server]:
    """Serve the forge on loopback."""
    with serving(forge.answer) as server:
        forge.url = server.url
        yield server


def _branch(name: str, sha: str, repository: Entry) -> Entry:
    return {"label": name, "ref": name, "sha": sha, "repo_id": repository["id"], "repo": repository}


def _refusal(status: int, message: str) -> CannedResponse:
    return CannedResponse(status, {"message": message, "url": "/api/swagger"})

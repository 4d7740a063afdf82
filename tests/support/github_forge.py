"""A fake GitHub on loopback as a forge: pull requests of one repository, reviews and comments.

Requests and responses are validated against GitHub's descriptions if these are available.

    with serving_forge() as forge:
        number = forge.add_pull("A change", base=base_sha, head=head_sha)
        environ = forge.environ(folder, "pull_request", forge.event(number))
        …
        assert forge.bodies(number) == […]
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.support import github_shapes as shapes
from tests.support.github import BASE, GRAPHQL, user_of
from tests.support.graphql import Schema, answer
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.openapi import Description

Entry = dict[str, Any]

JOB = "ghs_token-of-a-job"
"""The token of a job: it may write to pull requests, not to contents, and not read its user."""
FORK = "ghs_token-of-a-fork"
"""The token of a job for a pull request from a fork: it may only read."""
PERSONAL = "ghp_token-of-a-person"
"""The token of the user `robin`, who has every right."""
MAX_BODY_LENGTH = 65_536
_REFUSED = "Resource not accessible by integration"


class Rights(NamedTuple):
    """The user of a token, and its rights. `program` marks the token of a GitHub app."""

    login: str
    program: bool = False
    writes: bool = True
    resolves: bool = True


@dataclass
class Thread:
    """A review thread on a line: its comments as in the REST API, and the user who resolved it."""

    pull: int
    comments: list[Entry]
    resolved: bool = False
    resolver: str = ""


@dataclass
class FakeGitHubForge:
    """The server with its repository: `comments` and `reviews` by pull request, `threads`, and
    `statuses` by commit.

    `is_shown` tells whether a line is part of the diff. `stored_text` converts a written text to
    the stored one. Without `graphql` that API refuses every request; without `tells_authorship` it
    hides from a program which comments are its own. Without `lists_pulls` it refuses the listing of
    pull requests. `writes` is the number of successful writes.
    """

    owner: str = "acme"
    name: str = "shop"
    default_branch: str = "main"
    url: str = ""
    server: Server = field(default_factory=lambda: Server(""))
    tokens: dict[str, Rights] = field(default_factory=dict)
    pulls: dict[int, Entry] = field(default_factory=dict)
    comments: dict[int, list[Entry]] = field(default_factory=dict)
    reviews: dict[int, list[Entry]] = field(default_factory=dict)
    threads: list[Thread] = field(default_factory=list)
    statuses: dict[str, list[Entry]] = field(default_factory=dict)
    locked: set[int] = field(default_factory=set)
    is_shown: Callable[[str, int], bool] = lambda _path, _line: True
    stored_text: Callable[[str], str] = lambda text: text
    graphql: bool = True
    tells_authorship: bool = True
    lists_pulls: bool = True
    writes: int = 0
    _last: int = 2**31
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"{self.url}{BASE}"

    @property
    def site(self) -> shapes.Site:
        """The site of the repository."""
        return shapes.Site(self.url, self.owner, self.name, self.default_branch)

    @property
    def home(self) -> str:
        """The repository as `owner/name`."""
        return self.site.home

    def add_pull(
        self,
        title: str = "A change",
        body: str = "",
        *,
        base: str = "1" * 40,
        head: str = "2" * 40,
        base_ref: str = "main",
        head_ref: str = "feature",
        fork: bool = False,
        state: str = "open",
    ) -> int:
        """Add a pull request. Returns its number."""
        number = len(self.pulls) + 1
        ends = {
            "base": shapes.end_of(self.site, base_ref, base),
            "head": shapes.end_of(self.site, head_ref, head, fork=fork),
        }
        self.pulls[number] = shapes.pull_request(self.site, number, title, body, state, ends)
        self.comments[number] = []
        self.reviews[number] = []
        return number

    def push(self, number: int, head: str) -> None:
        """Change the head commit of a pull request."""
        self.pulls[number]["head"]["sha"] = head

    def add_comment(
        self, number: int, body: str, login: str = "ana", *, program: bool = False
    ) -> Entry:
        """Add a comment by this user."""
        user = user_of(self.url, login, program=program)
        comment = shapes.comment(self.site, self._next(), number, body, user)
        self.comments[number].append(comment)
        return comment

    def add_thread(
        self, number: int, body: str, login: str = "ana", *, program: bool = False
    ) -> Thread:
        """Add a comment on a line by this user."""
        line = {"path": "src/app.py", "line": 1, "body": body}
        user = user_of(self.url, login, program=program)
        comment = shapes.line_comment(self.site, self._next(), number, line, "2" * 40, user, None)
        self.threads.append(Thread(number, [comment]))
        return self.threads[-1]

    def event(self, number: int, action: str = "synchronize") -> Entry:
        """The payload of the event `pull_request` for a pull request."""
        return {
            "action": action,
            "number": number,
            "pull_request": self.pulls[number],
            "repository": self.repository(),
            "sender": user_of(self.url, "ana"),
        }

    def environ(
        self, folder: Path, name: str, event: object, *, sha: str = "3" * 40, ref: str = ""
    ) -> dict[str, str]:
        """The variables of a job that this event started; its file is written to `folder`."""
        path = folder / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        number = event.get("number") if isinstance(event, dict) else None
        branch = f"refs/pull/{number}/merge" if number else f"refs/heads/{self.default_branch}"
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.api,
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_GRAPHQL_URL": f"{self.url}{GRAPHQL}",
            "GITHUB_REF": ref or branch,
            "GITHUB_REPOSITORY": self.home,
            "GITHUB_SERVER_URL": self.url,
            "GITHUB_SHA": sha,
        }

    def bodies(self, number: int) -> list[str]:
        """The texts of the comments of a pull request."""
        return [str(comment["body"]) for comment in self.comments[number]]

    def lines(self, number: int) -> list[tuple[str, int, str]]:
        """The path, line and text of the first comment of each thread."""
        first = [thread.comments[0] for thread in self.threads if thread.pull == number]
        return [(comment["path"], comment["line"], comment["body"]) for comment in first]

    def repository(self, *, fork: bool = False) -> Entry:
        """The payload of the repository, or of a fork of it."""
        return shapes.repository(self.site, fork=fork)

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request, validated."""
        with self._one_at_a_time:
            response = self._answer(request)
        if request.path != GRAPHQL:
            _check(request, response)
        return response

    def _answer(self, request: Request) -> CannedResponse:
        authorization = request.headers.get("authorization", "")
        rights = self.tokens.get(authorization.removeprefix("Bearer "))
        if rights is None:
            return CannedResponse(401, {"message": "Bad credentials", "status": "401"})
        if request.path == GRAPHQL:
            return self._graphql(request, rights) if self.graphql else _denied()
        path = request.path.removeprefix(BASE).strip("/")
        if path == "user":
            return (
                _denied()
                if rights.program
                else CannedResponse(200, shapes.account(self._author(rights)))
            )
        if not path.startswith(f"repos/{self.home}/"):
            return CannedResponse(404, {"message": "Not Found"})
        below = path.removeprefix(f"repos/{self.home}/").split("/")
        if request.method != "GET" and not rights.writes:
            return _denied()
        response = self._repository(request, below, rights)
        if response.status < 300 and request.method != "GET":
            self.writes += 1
        return response

    def _repository(self, request: Request, below: list[str], rights: Rights) -> CannedResponse:
        body: Any = request.json()
        match request.method, below:
            case _, [("issues" | "pulls"), digits, *_] if (
                digits.isdecimal() and int(digits) not in self.pulls
            ):
                return CannedResponse(404, {"message": "Not Found"})
            case "GET", ["issues", digits, "comments"]:
                return self._paged(request, self.comments[int(digits)])
            case "POST", ["issues", digits, "comments"]:
                return self._comment(int(digits), str(body["body"]), rights)
            case "PATCH", ["issues", "comments", id]:
                comments = (comment for part in self.comments.values() for comment in part)
                return self._edit(comments, int(id), str(body["body"]))
            case "DELETE", ["issues", "comments", id]:
                return self._delete(int(id), rights)
            case "GET", ["pulls"]:
                return self._list_pulls(request) if self.lists_pulls else _denied()
            case "GET", ["pulls", digits]:
                return CannedResponse(200, self.pulls[int(digits)])
            case "PATCH", ["pulls", digits]:
                self.pulls[int(digits)]["body"] = self.stored_text(str(body["body"]))
                return CannedResponse(200, self.pulls[int(digits)])
            case "GET", ["pulls", digits, "comments"]:
                threads = (thread for thread in self.threads if thread.pull == int(digits))
                return self._paged(
                    request, [comment for part in threads for comment in part.comments]
                )
            case "PATCH", ["pulls", "comments", id]:
                comments = (comment for thread in self.threads for comment in thread.comments)
                return self._edit(comments, int(id), str(body["body"]))
            case "POST", ["pulls", digits, "reviews"]:
                return self._review(int(digits), body, rights)
            case "POST", ["statuses", sha]:
                return self._status(sha, body, rights)
        return CannedResponse(404, {"message": "Not Found"})

    def _list_pulls(self, request: Request) -> CannedResponse:
        assert request.query["sort"] == "updated"
        assert request.query["direction"] == "desc"
        state = request.query.get("state", "open")
        return self._paged(
            request, [one for one in reversed(self.pulls.values()) if one["state"] == state]
        )

    def _delete(self, id: int, rights: Rights) -> CannedResponse:
        for comments in self.comments.values():
            for comment in comments:
                if comment["id"] == id:
                    if comment["user"]["login"] != rights.login:
                        return CannedResponse(403, {"message": _REFUSED})
                    comments.remove(comment)
                    return CannedResponse(204)
        return CannedResponse(404, {"message": "Not Found"})

    def _comment(self, number: int, body: str, rights: Rights) -> CannedResponse:
        if number in self.locked:
            message = "Unable to create comment because issue is locked."
            return CannedResponse(403, {"message": message})
        if len(body) > MAX_BODY_LENGTH:
            return _too_long("body is too long (maximum is 65536 characters)")
        login, program = rights.login, rights.program
        return CannedResponse(
            201, self.add_comment(number, self.stored_text(body), login, program=program)
        )

    def _edit(self, comments: Iterator[Entry], id: int, body: str) -> CannedResponse:
        edited = next((comment for comment in comments if comment["id"] == id), None)
        if edited is None:
            return CannedResponse(404, {"message": "Not Found"})
        if len(body) > MAX_BODY_LENGTH:
            return _too_long("body is too long (maximum is 65536 characters)")
        edited["body"] = self.stored_text(body)
        return CannedResponse(200, edited)

    def _review(self, number: int, body: Entry, rights: Rights) -> CannedResponse:
        assert body["event"] == "COMMENT", "a review has no verdict"
        if number in self.locked:
            return CannedResponse(
                403, {"message": "Unable to create review because issue is locked."}
            )
        comments = body.get("comments", [])
        for comment in comments:
            assert comment["side"] == "RIGHT"
        if not all(self.is_shown(comment["path"], comment["line"]) for comment in comments):
            return _invalid("Line could not be resolved")
        id, user = self._next(), self._author(rights)
        sha = body.get("commit_id") or self.pulls[number]["head"]["sha"]
        review = shapes.review(self.site, id, number, body.get("body", ""), sha, user)
        self.reviews[number].append(review)
        for comment in comments:
            line_request = {**comment, "body": self.stored_text(str(comment["body"]))}
            line = shapes.line_comment(self.site, self._next(), number, line_request, sha, user, id)
            self.threads.append(Thread(number, [line]))
        return CannedResponse(200, review)

    def _status(self, sha: str, body: Entry, rights: Rights) -> CannedResponse:
        if len(body.get("description") or "") > 140:
            return _too_long("description is too long (maximum is 140 characters)")
        status = shapes.status(self.site, self._next(), sha, body, self._author(rights))
        self.statuses.setdefault(sha, []).append(status)
        return CannedResponse(201, status)

    def _graphql(self, request: Request, rights: Rights) -> CannedResponse:
        body = request.json()
        schema = Schema.load("github/schema.graphql")
        if schema:
            schema.request(body)
        errors: list[object] = []

        def resolve(input: Mapping[str, str]) -> object:
            thread_ = next(
                (thread for thread in self.threads if _id(thread) == input["threadId"]), None
            )
            if thread_ is None:
                errors.append({"type": "NOT_FOUND", "message": "Could not resolve to a node."})
                return None
            if not (rights.writes and rights.resolves):
                errors.append({"type": "FORBIDDEN", "message": _REFUSED})
                return None
            self.writes += 1
            thread_.resolved, thread_.resolver = True, "" if rights.program else rights.login
            return {"thread": self._thread(thread_, rights)}

        def pull(number: int) -> object:
            if number not in self.pulls:
                errors.append({"type": "NOT_FOUND", "message": f"Could not resolve {number}."})
                return None
            return {"reviewThreads": lambda first, after=None: connection(number, first, after)}

        def connection(number: int, first: int, after: str | None) -> object:
            threads = [thread for thread in self.threads if thread.pull == number]
            start = int(after or 0)
            nodes = [self._thread(thread, rights) for thread in threads[start : start + first]]
            more = start + first < len(threads)
            page = {"hasNextPage": more, "endCursor": str(start + first) if nodes else None}
            return {"pageInfo": page, "nodes": nodes}

        def repository(owner: str, name: str) -> object:
            assert (owner, name) == (self.owner, self.name)
            return {"pullRequest": pull}

        roots = {
            "viewer": {"login": rights.login},
            "repository": repository,
            "resolveReviewThread": resolve,
        }
        data = answer(body, roots)
        if errors:
            return CannedResponse(200, {"data": data, "errors": errors})
        if schema:
            assert isinstance(body, dict)
            schema.response(body["query"], data)
        return CannedResponse(200, {"data": data})

    def _thread(self, thread: Thread, rights: Rights) -> Entry:
        def comments(first: int) -> object:
            tells_authorship = self.tells_authorship or not rights.program
            return {
                "nodes": [
                    _as_graphql(comment, rights, tells_authorship)
                    for comment in thread.comments[:first]
                ]
            }

        return {
            "id": _id(thread),
            "isResolved": thread.resolved,
            "resolvedBy": {"login": thread.resolver} if thread.resolver else None,
            "comments": comments,
        }

    def _paged(self, request: Request, entries: list[Entry]) -> CannedResponse:
        size = max(1, min(int(request.query.get("per_page", 30)), 100))
        page = int(request.query.get("page", 1))
        headers = {}
        if page * size < len(entries):
            following = urlencode({**request.query, "page": page + 1})
            last = urlencode({**request.query, "page": -(-len(entries) // size)})
            at = f"{self.url}{request.path}"
            headers = {"Link": f'<{at}?{following}>; rel="next", <{at}?{last}>; rel="last"'}
        return CannedResponse(200, entries[(page - 1) * size : page * size], headers)

    def _author(self, rights: Rights) -> Entry:
        return user_of(self.url, rights.login, program=rights.program)

    def _next(self) -> int:
        self._last += 1
        return self._last


@contextmanager
def serving_forge() -> Iterator[FakeGitHubForge]:
    """Serve an empty repository on loopback like GitHub Enterprise Server.

    The tokens `JOB`, `FORK` and `PERSONAL` are valid.
    """
    forge = FakeGitHubForge()
    job = Rights("github-actions[bot]", program=True, resolves=False)
    forge.tokens = {JOB: job, FORK: job._replace(writes=False), PERSONAL: Rights("robin")}
    with serving(forge.answer) as server:
        forge.server = server
        forge.url = server.url
        yield forge


def _id(thread: Thread) -> str:
    return f"PRRT_{thread.comments[0]['id']}"


def _as_graphql(comment: Entry, rights: Rights, tells_authorship: bool) -> Entry:
    user = comment["user"]
    program = user["type"] == "Bot"
    return {
        "fullDatabaseId": str(comment["id"]),
        "body": comment["body"],
        "viewerDidAuthor": tells_authorship and user["login"] == rights.login,
        "author": {
            "__typename": user["type"],
            "login": user["login"].removesuffix("[bot]") if program else user["login"],
        },
    }


def _denied() -> CannedResponse:
    return CannedResponse(403, {"message": _REFUSED, "status": "403"})


def _invalid(error: str) -> CannedResponse:
    body = {"message": "Unprocessable Entity", "errors": [error], "documentation_url": ""}
    return CannedResponse(422, body)


def _too_long(message: str) -> CannedResponse:
    errors = [{"code": "custom", "message": message}]
    body = {"message": "Validation Failed", "errors": errors, "documentation_url": ""}
    return CannedResponse(422, body)


def _check(request: Request, response: CannedResponse) -> None:
    """Validate both against the description."""
    described = ("github/forge.openapi3.json", "github/subset-issues.json")
    description = Description.load(*described, base=BASE)
    if description is None or response.status == 401:
        return
    assert request.headers.get("accept") == "application/vnd.github+json"
    assert request.headers.get("x-github-api-version") == "2022-11-28"
    description.checked(request, response)

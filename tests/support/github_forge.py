"""A GitHub on loopback as a forge: pull requests of one repository, and what is said about them.

Requests and answers are held against GitHub's own descriptions, where these are to be had.

    with serving_forge() as forge:
        number = forge.add_pull("A change", base=base_sha, head=head_sha)
        environ = forge.environ(folder, "pull_request", forge.event(number))
        …
        assert [one["body"] for one in forge.comments[number]] == […]
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

from tests.support.github import BASE, GRAPHQL, REPOSITORY, user_of
from tests.support.graphql import Schema, answer
from tests.support.loopback import Request, Response, Server, serving
from tests.support.openapi import Description

Entry = dict[str, Any]

JOB = "ghs_token-of-a-job"
"""Belongs to a job: may write to pull requests, not to contents, and not ask who it is."""
FORK = "ghs_token-of-a-fork"
"""Belongs to a job on a pull request of a fork: may only read."""
PERSONAL = "ghp_token-of-a-person"
"""Belongs to the user `robin`, who may do everything."""
FORKED = 77
LONGEST = 65_536
WHEN = "2026-11-22T10:00:00Z"
_REFUSED = "Resource not accessible by integration"


class Rights(NamedTuple):
    """Whose token it is, and what may be done with it."""

    login: str
    program: bool = False
    writes: bool = True
    resolves: bool = True


@dataclass
class Thread:
    """A conversation on a line: its comments, as REST has them, and who settled it."""

    pull: int
    comments: list[Entry]
    resolved: bool = False
    resolver: str = ""


@dataclass
class GitHubForge:
    """The repository. What was written is in `comments` (by pull request), `reviews`, `threads`,
    and `statuses` (by commit).

    `shows` is whether a line is part of the diff that is shown; `stores` what becomes of a text
    that is written. Without `graphql` that API refuses everybody. `writes` counts what was done.
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
    shows: Callable[[str, int], bool] = lambda _path, _line: True
    stores: Callable[[str], str] = lambda text: text
    graphql: bool = True
    writes: int = 0
    _last: int = 2**31
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"{self.url}{BASE}"

    @property
    def home(self) -> str:
        """The repository as `owner/name`."""
        return f"{self.owner}/{self.name}"

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
        """A new pull request. Returns its number."""
        number = len(self.pulls) + 1
        ends = {
            "base": self._end(base_ref, base, fork=False),
            "head": self._end(head_ref, head, fork=fork),
        }
        self.pulls[number] = self._pull(number, title, body, state, ends)
        self.comments[number] = []
        self.reviews[number] = []
        return number

    def push(self, number: int, head: str) -> None:
        """Let the pull request have another last commit."""
        self.pulls[number]["head"]["sha"] = head

    def add_comment(
        self, number: int, body: str, login: str = "ana", *, program: bool = False
    ) -> Entry:
        """Somebody's comment."""
        id = self._next()
        made = {
            "id": id,
            "node_id": f"IC_{id}",
            "url": f"{self._repo()}/issues/comments/{id}",
            "html_url": f"{self.url}/{self.home}/pull/{number}#issuecomment-{id}",
            "issue_url": f"{self._repo()}/issues/{number}",
            "body": body,
            "user": user_of(self.url, login, program=program),
            "created_at": WHEN,
            "updated_at": WHEN,
            "author_association": "MEMBER",
        }
        self.comments[number].append(made)
        return made

    def add_thread(
        self, number: int, body: str, login: str = "ana", *, program: bool = False
    ) -> Thread:
        """Somebody's comment on a line."""
        line = {"path": "src/app.py", "line": 1, "side": "RIGHT", "body": body}
        who = Rights(login, program)
        self.threads.append(Thread(number, [self._line(number, "2" * 40, line, who, None)]))
        return self.threads[-1]

    def event(self, number: int, action: str = "synchronize") -> Entry:
        """What the event `pull_request` says about that pull request."""
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
        """The variables of a job that this event started; its file is written into `folder`."""
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
        return [str(one["body"]) for one in self.comments[number]]

    def lines(self, number: int) -> list[tuple[str, int, str]]:
        """The comments on lines that begin a thread: path, line, text."""
        first = [one.comments[0] for one in self.threads if one.pull == number]
        return [(one["path"], one["line"], one["body"]) for one in first]

    def repository(self, *, fork: bool = False) -> Entry:
        """The repository, or a fork of it, as the API and events have it."""
        home = f"mallory/{self.name}" if fork else self.home
        address = f"{self.api}/repos/{home}"
        return {
            "id": FORKED if fork else REPOSITORY,
            "node_id": "R_kgDO",
            "name": self.name,
            "full_name": home,
            "owner": user_of(self.url, home.partition("/")[0]),
            "default_branch": self.default_branch,
            "url": address,
            "html_url": f"{self.url}/{home}",
            "clone_url": f"{self.url}/{home}.git",
            "svn_url": f"{self.url}/{home}",
            "git_url": f"git://127.0.0.1/{home}.git",
            "ssh_url": f"git@127.0.0.1:{home}.git",
            "fork": fork,
            **{f"{name}_url": f"{address}/{name}" for name in _BELOW},
            **dict.fromkeys(("private", "archived", "disabled", "has_wiki", "has_pages"), False),
            **dict.fromkeys(("has_downloads", "has_issues", "has_projects"), True),
            **dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count"), 0),
            **dict.fromkeys(("size", "stargazers_count", "watchers", "watchers_count"), 0),
            **dict.fromkeys(("description", "homepage", "language", "mirror_url", "license")),
            **dict.fromkeys(("pushed_at", "created_at", "updated_at"), WHEN),
        }

    def answer(self, request: Request) -> Response:
        """What GitHub answers."""
        with self._one_at_a_time:
            response = self._answer(request)
        if request.path != GRAPHQL:
            _check(request, response)
        return response

    def _answer(self, request: Request) -> Response:
        given = request.headers.get("authorization", "")
        rights = self.tokens.get(given.removeprefix("Bearer "))
        if rights is None:
            return Response(401, {"message": "Bad credentials", "status": "401"})
        if request.path == GRAPHQL:
            return self._graphql(request, rights) if self.graphql else _denied()
        path = request.path.removeprefix(BASE).strip("/")
        if path == "user":
            return _denied() if rights.program else Response(200, self._user(rights))
        if not path.startswith(f"repos/{self.home}/"):
            return Response(404, {"message": "Not Found"})
        below = path.removeprefix(f"repos/{self.home}/").split("/")
        if request.method != "GET" and not rights.writes:
            return _denied()
        found = self._repository(request, below, rights)
        if found.status < 300 and request.method != "GET":
            self.writes += 1
        return found

    def _repository(self, request: Request, below: list[str], rights: Rights) -> Response:
        body: Any = request.json()
        match request.method, below:
            case _, [("issues" | "pulls"), digits, *_] if (
                digits.isdecimal() and int(digits) not in self.pulls
            ):
                return Response(404, {"message": "Not Found"})
            case "GET", ["issues", digits, "comments"]:
                return self._paged(request, self.comments[int(digits)])
            case "POST", ["issues", digits, "comments"]:
                return self._comment(int(digits), str(body["body"]), rights)
            case "PATCH", ["issues", "comments", id]:
                every = (one for part in self.comments.values() for one in part)
                return self._edit(every, int(id), str(body["body"]))
            case "GET", ["pulls", digits]:
                return Response(200, self.pulls[int(digits)])
            case "GET", ["pulls", digits, "comments"]:
                threads = (one for one in self.threads if one.pull == int(digits))
                return self._paged(request, [one for part in threads for one in part.comments])
            case "PATCH", ["pulls", "comments", id]:
                every = (one for thread in self.threads for one in thread.comments)
                return self._edit(every, int(id), str(body["body"]))
            case "POST", ["pulls", digits, "reviews"]:
                return self._review(int(digits), body, rights)
            case "POST", ["statuses", sha]:
                return self._status(sha, body, rights)
        return Response(404, {"message": "Not Found"})

    def _comment(self, number: int, body: str, rights: Rights) -> Response:
        if number in self.locked:
            told = "Unable to create comment because issue is locked."
            return Response(403, {"message": told})
        if len(body) > LONGEST:
            return _too_long("body is too long (maximum is 65536 characters)")
        login, program = rights.login, rights.program
        return Response(201, self.add_comment(number, self.stores(body), login, program=program))

    def _edit(self, every: Iterator[Entry], id: int, body: str) -> Response:
        found = next((one for one in every if one["id"] == id), None)
        if found is None:
            return Response(404, {"message": "Not Found"})
        if len(body) > LONGEST:
            return _too_long("body is too long (maximum is 65536 characters)")
        found["body"] = self.stores(body)
        return Response(200, found)

    def _review(self, number: int, body: Entry, rights: Rights) -> Response:
        assert body["event"] == "COMMENT", "a review has no verdict"
        if number in self.locked:
            return Response(403, {"message": "Unable to create review because issue is locked."})
        wanted = body.get("comments", [])
        for one in wanted:
            assert one["side"] == "RIGHT"
        if not all(self.shows(one["path"], one["line"]) for one in wanted):
            return _invalid("Line could not be resolved")
        id = self._next()
        sha = body.get("commit_id") or self.pulls[number]["head"]["sha"]
        page = f"{self.url}/{self.home}/pull/{number}#pullrequestreview-{id}"
        made = {
            "id": id,
            "node_id": f"PRR_{id}",
            "user": self._author(rights),
            "body": body.get("body", ""),
            "state": "COMMENTED",
            "commit_id": sha,
            "html_url": page,
            "pull_request_url": f"{self._repo()}/pulls/{number}",
            "_links": {
                "html": {"href": page},
                "pull_request": {"href": f"{self._repo()}/pulls/{number}"},
            },
            "author_association": "MEMBER",
        }
        self.reviews[number].append(made)
        for one in wanted:
            self.threads.append(Thread(number, [self._line(number, sha, one, rights, id)]))
        return Response(200, made)

    def _line(
        self, number: int, sha: str, asked: Entry, rights: Rights, review: int | None
    ) -> Entry:
        id = self._next()
        page = f"{self.url}/{self.home}/pull/{number}#discussion_r{id}"
        pull = f"{self._repo()}/pulls/{number}"
        address = f"{self._repo()}/pulls/comments/{id}"
        return {
            "id": id,
            "node_id": f"PRRC_{id}",
            "pull_request_review_id": review,
            "url": address,
            "html_url": page,
            "pull_request_url": pull,
            "diff_hunk": "@@ -0,0 +1 @@\n+text",
            "path": asked["path"],
            "line": asked["line"],
            "side": "RIGHT",
            "commit_id": sha,
            "original_commit_id": sha,
            "user": self._author(rights),
            "body": self.stores(str(asked["body"])),
            "created_at": WHEN,
            "updated_at": WHEN,
            "author_association": "MEMBER",
            "_links": {
                "self": {"href": address},
                "html": {"href": page},
                "pull_request": {"href": pull},
            },
        }

    def _status(self, sha: str, body: Entry, rights: Rights) -> Response:
        if len(body.get("description") or "") > 140:
            return _too_long("description is too long (maximum is 140 characters)")
        id = self._next()
        made = {
            "url": f"{self._repo()}/statuses/{sha}",
            "avatar_url": None,
            "id": id,
            "node_id": f"SC_{id}",
            "description": None,
            "target_url": None,
            "context": "default",
            **body,
            "created_at": WHEN,
            "updated_at": WHEN,
            "creator": self._author(rights),
        }
        self.statuses.setdefault(sha, []).append(made)
        return Response(201, made)

    def _graphql(self, request: Request, rights: Rights) -> Response:
        body = request.json()
        schema = Schema.load("github/schema.graphql")
        if schema:
            schema.request(body)
        errors: list[object] = []

        def resolve(input: Mapping[str, str]) -> object:
            found = next((one for one in self.threads if _id(one) == input["threadId"]), None)
            if found is None:
                errors.append({"type": "NOT_FOUND", "message": "Could not resolve to a node."})
                return None
            if not (rights.writes and rights.resolves):
                errors.append({"type": "FORBIDDEN", "message": _REFUSED})
                return None
            self.writes += 1
            found.resolved, found.resolver = True, "" if rights.program else rights.login
            return {"thread": self._thread(found, rights)}

        def pull(number: int) -> object:
            if number not in self.pulls:
                errors.append({"type": "NOT_FOUND", "message": f"Could not resolve {number}."})
                return None
            return {"reviewThreads": lambda first, after=None: connection(number, first, after)}

        def connection(number: int, first: int, after: str | None) -> object:
            every = [one for one in self.threads if one.pull == number]
            start = int(after or 0)
            nodes = [self._thread(one, rights) for one in every[start : start + first]]
            more = start + first < len(every)
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
            return Response(200, {"data": data, "errors": errors})
        if schema:
            assert isinstance(body, dict)
            schema.response(body["query"], data)
        return Response(200, {"data": data})

    def _thread(self, thread: Thread, rights: Rights) -> Entry:
        def comments(first: int) -> object:
            return {"nodes": [_as_graphql(one, rights) for one in thread.comments[:first]]}

        return {
            "id": _id(thread),
            "isResolved": thread.resolved,
            "resolvedBy": {"login": thread.resolver} if thread.resolver else None,
            "comments": comments,
        }

    def _paged(self, request: Request, entries: list[Entry]) -> Response:
        size = max(1, min(int(request.query.get("per_page", 30)), 100))
        page = int(request.query.get("page", 1))
        headers = {}
        if page * size < len(entries):
            following = urlencode({**request.query, "page": page + 1})
            last = urlencode({**request.query, "page": -(-len(entries) // size)})
            at = f"{self.url}{request.path}"
            headers = {"Link": f'<{at}?{following}>; rel="next", <{at}?{last}>; rel="last"'}
        return Response(200, entries[(page - 1) * size : page * size], headers)

    def _author(self, rights: Rights) -> Entry:
        return user_of(self.url, rights.login, program=rights.program)

    def _user(self, rights: Rights) -> Entry:
        more = ("bio", "blog", "company", "email", "hireable", "location", "name")
        counted = ("followers", "following", "public_gists", "public_repos")
        return {
            **self._author(rights),
            **dict.fromkeys(more),
            **dict.fromkeys(counted, 0),
            "created_at": WHEN,
            "updated_at": WHEN,
        }

    def _pull(
        self, number: int, title: str, body: str, state: str, ends: Mapping[str, Entry]
    ) -> Entry:
        page = f"{self.url}/{self.home}/pull/{number}"
        address = f"{self._repo()}/pulls/{number}"
        issue = f"{self._repo()}/issues/{number}"
        urls = {
            "url": address,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": issue,
            "comments_url": f"{issue}/comments",
            "commits_url": f"{address}/commits",
            "review_comments_url": f"{address}/comments",
            "review_comment_url": f"{self._repo()}/pulls/comments{{/number}}",
            "statuses_url": f"{self._repo()}/statuses/{ends['head']['sha']}",
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
            "user": user_of(self.url, "ana"),
            "labels": [],
            "created_at": WHEN,
            "updated_at": WHEN,
            "closed_at": None if state == "open" else WHEN,
            "author_association": "MEMBER",
            "mergeable_state": "clean",
            **dict.fromkeys(("assignee", "milestone", "merge_commit_sha", "merged_at"), None),
            **dict.fromkeys(("auto_merge", "merged_by"), None),
            **dict.fromkeys((*counted, "review_comments"), 0),
            **dict.fromkeys(("locked", "merged", "maintainer_can_modify"), False),
            "mergeable": True,
            "_links": {
                **{name: {"href": urls[f"{name}_url"]} for name in links},
                "self": {"href": address},
                "html": {"href": page},
            },
        }

    def _end(self, ref: str, sha: str, *, fork: bool) -> Entry:
        repository = self.repository(fork=fork)
        owner = repository["owner"]
        return {
            "label": f"{owner['login']}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": owner,
            "repo": repository,
        }

    def _repo(self) -> str:
        return f"{self.api}/repos/{self.home}"

    def _next(self) -> int:
        self._last += 1
        return self._last


@contextmanager
def serving_forge() -> Iterator[GitHubForge]:
    """Serve an empty repository on loopback, as GitHub Enterprise Server is, with the tokens
    `JOB`, `FORK` and `PERSONAL`."""
    forge = GitHubForge()
    job = Rights("github-actions[bot]", program=True, resolves=False)
    forge.tokens = {JOB: job, FORK: job._replace(writes=False), PERSONAL: Rights("robin")}
    with serving(forge.answer) as server:
        forge.server = server
        forge.url = server.url
        yield forge


_BELOW = (
    *("archive", "assignees", "blobs", "branches", "collaborators", "comments", "commits"),
    *("compare", "contents", "contributors", "deployments", "downloads", "events", "forks"),
    *("git_commits", "git_refs", "git_tags", "hooks", "issue_comment", "issue_events", "issues"),
    *("keys", "labels", "languages", "merges", "milestones", "notifications", "pulls", "releases"),
    *("stargazers", "statuses", "subscribers", "subscription", "tags", "teams", "trees"),
)


def _id(thread: Thread) -> str:
    return f"PRRT_{thread.comments[0]['id']}"


def _as_graphql(comment: Entry, rights: Rights) -> Entry:
    user = comment["user"]
    program = user["type"] == "Bot"
    return {
        "fullDatabaseId": str(comment["id"]),
        "body": comment["body"],
        "viewerDidAuthor": user["login"] == rights.login,
        "author": {
            "__typename": user["type"],
            "login": user["login"].removesuffix("[bot]") if program else user["login"],
        },
    }


def _denied() -> Response:
    return Response(403, {"message": _REFUSED, "status": "403"})


def _invalid(said: str) -> Response:
    told = {"message": "Unprocessable Entity", "errors": [said], "documentation_url": ""}
    return Response(422, told)


def _too_long(said: str) -> Response:
    told = {"message": "Validation Failed", "errors": [{"code": "custom", "message": said}]}
    return Response(422, {**told, "documentation_url": ""})


def _check(request: Request, response: Response) -> None:
    """Hold both against the description."""
    described = Description.load("github/forge.openapi3.json", base=BASE)
    if described is None or response.status == 401:
        return
    assert request.headers.get("accept") == "application/vnd.github+json"
    assert request.headers.get("x-github-api-version") == "2022-11-28"
    described.checked(request, response)

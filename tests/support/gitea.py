"""A fake Gitea on loopback: one repository with issues, pull requests, labels and milestones.

Its listings are like Gitea's: newest first, at most 50 entries a page, `since` inclusive with a
resolution of seconds, null in some fields that are not nullable in the OpenAPI description.
Requests and responses are validated against that description.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any
from urllib.parse import urlencode

from sdd_hooks.remote.json_fields import format_utc, parse_epoch
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.openapi import Description

Entry = dict[str, Any]
Edge = tuple[str, int]
"""The other end of a dependency: a repository, "" for this one, and the number of an issue."""

DESCRIPTIONS = ("gitea/subset-v1.openapi3.json", "gitea/forge.openapi3.json")
BASE = "/api/v1"
PASSWORD = "open sesame"
SIGN_IN = "Only signed in user is allowed to call APIs."
HIDDEN = "attic/hidden"
"""A repository to which no user has access."""

MISSING = {"message": "The target couldn't be found.", "url": "/api/swagger", "errors": []}
_UNDESCRIBED = ("/settings/api", "/orgs/")


@dataclass
class Item:
    """An issue or a pull request, which has the fields of `pull`, too."""

    entry: Entry
    pull: Entry | None = None
    files: tuple[str, ...] = ()
    blocked_by: list[Edge] = field(default_factory=list)
    blocks: list[Edge] = field(default_factory=list)


@dataclass
class FakeGitea:
    """The server with its repository. `now` is its clock (epoch seconds), set by the test.

    `token` is required unless it is "". `largest` is the maximal size of a page. `dependencies` and
    `pulls` enable these features of the repository. An `old` server has no endpoints for
    dependencies and files. A `closed` server refuses requests without a token. `totals` and `links`
    enable the headers of listings. `checked` validates requests and responses if the descriptions
    are available.
    """

    now: float
    owner: str = "acme"
    name: str = "shop"
    token: str = ""
    url: str = ""
    max_page_size: int = 50
    dependencies: bool = True
    pulls: bool = True
    pulls_shown: bool = True
    old: bool = False
    closed: bool = False
    totals: bool = True
    links: bool = True
    checked: bool = True
    former: str = ""
    items: dict[int, Item] = field(default_factory=dict)
    last: int = 0
    labels: dict[str, Entry] = field(default_factory=dict)
    of_organisation: dict[str, Entry] = field(default_factory=dict)
    milestones: dict[str, Entry] = field(default_factory=dict)

    def add(self, title: str = "An issue", *, at: float | None = None, **entry: Any) -> int:
        """Add an issue, created and updated at `at`. Returns its number."""
        self.last += 1
        when = format_utc(self.now if at is None else at)
        labels = [self.label(name) for name in entry.pop("labels", ())]
        assignees = [self._user(login) for login in entry.pop("assignees", ())]
        self.items[self.last] = Item(
            {
                "id": 5000 + self.last,
                "url": f"{self._api()}/issues/{self.last}",
                "html_url": f"{self._web()}/issues/{self.last}",
                "number": self.last,
                "user": self._user("ana"),
                "original_author": "",
                "original_author_id": 0,
                "title": title,
                "body": "",
                "ref": "",
                "assets": [],
                "labels": labels,
                "milestone": None,
                "assignee": assignees[0] if assignees else None,
                "assignees": assignees or None,
                "state": "open",
                "is_locked": False,
                "comments": 0,
                "created_at": when,
                "updated_at": when,
                "closed_at": None,
                "due_date": None,
                "pull_request": None,
                "repository": self._repository(f"{self.owner}/{self.name}"),
                "pin_order": 0,
                **entry,
            }
        )
        return self.last

    def add_pull(
        self,
        title: str = "A change",
        *,
        branch: str = "feature",
        files: tuple[str, ...] = (),
        at: float | None = None,
        draft: bool = False,
        **entry: Any,
    ) -> int:
        """Add a pull request. Returns its number."""
        number = self.add(title, at=at, **entry)
        item = self.items[number]
        page = f"{self._web()}/pulls/{number}"
        item.entry |= {"html_url": page}
        item.entry["pull_request"] = {"merged": False, "merged_at": None, "draft": draft}
        item.files = files
        item.pull = {
            "url": page,
            "draft": draft,
            "requested_reviewers": None,
            "requested_reviewers_teams": None,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "mergeable": True,
            "merged": False,
            "merged_at": None,
            "merge_commit_sha": None,
            "merged_by": None,
            "base": {"label": "main", "ref": "main", "sha": "1" * 40, "repo_id": 1},
            "head": {"label": branch, "ref": branch, "sha": "2" * 40, "repo_id": 1},
            "merge_base": "1" * 40,
        }
        return number

    def merge(self, number: int, *, at: float | None = None) -> None:
        """Merge a pull request, and delete its branch."""
        pull = self.items[number].pull
        assert pull is not None
        self.edit(number, at=at, state="closed")
        when = self.items[number].entry["updated_at"]
        self.items[number].entry["pull_request"] |= {"merged": True, "merged_at": when}
        pull |= {"merged": True, "merged_at": when, "merge_commit_sha": "3" * 40}
        pull["head"] = {**pull["head"], "ref": f"refs/pull/{number}/head"}

    def edit(self, number: int, *, at: float | None = None, **changes: Any) -> None:
        """Change an issue, updated at `at`."""
        entry = self.items[number].entry
        when = format_utc(self.now if at is None else at)
        if changes.get("state", entry["state"]) != entry["state"]:
            changes["closed_at"] = when if changes["state"] == "closed" else None
        self.items[number].entry = {**entry, **changes, "updated_at": when}

    def block(self, number: int, by: int, *, at: float | None = None) -> None:
        """Make one issue block another, which updates both."""
        self.items[number].blocked_by.append(("", by))
        self.items[by].blocks.append(("", number))
        self.edit(number, at=at)
        self.edit(by, at=at)

    def delete(self, number: int) -> None:
        """Delete an issue: requests for it return 404, and listings omit it."""
        del self.items[number]
        for item in self.items.values():
            for edges in (item.blocked_by, item.blocks):
                edges[:] = [edge for edge in edges if edge != ("", number)]

    def rename(self, name: str) -> None:
        """Rename the repository: requests for the former name are redirected."""
        self.former, self.name = self.name, name
        for item in self.items.values():
            item.entry["repository"] = self._repository(f"{self.owner}/{name}")

    def label(self, name: str) -> Entry:
        """The label of that name, created if missing."""
        if name not in self.labels:
            self.labels[name] = self._label(len(self.labels) + 1, name)
        return self.labels[name]

    def organisation_label(self, name: str) -> None:
        """Add a label to the organisation."""
        self.of_organisation[name] = self._label(900 + len(self.of_organisation), name)

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        response = self._answer(request)
        if self.checked:
            _check(request, response)
        now = {"Date": formatdate(self.now, usegmt=True)}
        return CannedResponse(response.status, response.data, {**now, **response.headers})

    def _answer(self, request: Request) -> CannedResponse:
        authorization = request.headers.get("authorization")
        if authorization and not self._knows(authorization):
            return CannedResponse(401, {"message": "user does not exist [uid: 0, name: ]"})
        if self.closed and not authorization:
            return CannedResponse(403, {"message": SIGN_IN})
        path = request.path.removeprefix(BASE)
        if path == "/version":
            return CannedResponse(200, {"version": "1.17.0" if self.old else "1.24.0+dev"})
        if path == "/settings/api":
            return CannedResponse(
                200, {"max_response_items": self.max_page_size, "default_paging_num": 30}
            )
        if path == f"/orgs/{self.owner}/labels":
            return self._paged(request, list(self.of_organisation.values()))
        if self.token and not authorization:
            return CannedResponse(404, MISSING)
        home = f"/repos/{self.owner}/{self.name}".lower()
        if path.lower() == home or path.lower().startswith(f"{home}/"):
            return self._below(request, path[len(home) :])
        old = f"/repos/{self.owner}/{self.former}"
        if self.former and (path + "/").startswith(f"{old}/"):
            query = f"?{urlencode(request.query)}" if request.query else ""
            location = f"{self._api()}{path[len(old) :]}{query}"
            return CannedResponse(307, None, {"Location": location})
        return CannedResponse(404, MISSING)

    def _knows(self, given: str) -> bool:
        kind, _, value = given.partition(" ")
        if kind == "Basic":
            return b64decode(value).decode() in {f"ana:{PASSWORD}", f"ana:{self.token}"}
        return given == f"token {self.token}" or not self.token

    def _below(self, request: Request, path: str) -> CannedResponse:
        match request.method, path.strip("/").split("/"):
            case "GET", [""]:
                return CannedResponse(200, self._described())
            case "GET", ["issues"]:
                return self._issues(request)
            case "POST", ["issues"]:
                return self._create(request)
            case "GET", ["pulls"] if self.pulls and self.pulls_shown:
                return self._pulls(request)
            case "GET", ["labels"]:
                return self._paged(request, list(self.labels.values()))
            case "POST", ["labels"]:
                assert request.entry()["color"].startswith("#")
                return CannedResponse(201, self.label(request.entry()["name"]))
            case "GET", ["milestones"]:
                assert request.query.get("state") == "all"
                return self._paged(request, list(self.milestones.values()))
            case "POST", ["milestones"]:
                return CannedResponse(201, self._milestone(request.entry()["title"]))
            case method, [kind, digits, *rest] if digits.isdecimal():
                item = self.items.get(int(digits))
                if item is not None and (kind == "issues" or item.pull):
                    return self._item(request, method, kind, item, rest)
        return CannedResponse(404, MISSING)

    def _item(
        self, request: Request, method: str, kind: str, item: Item, rest: list[str]
    ) -> CannedResponse:
        number = item.entry["number"]
        match method, kind, rest:
            case "GET", "issues", []:
                return CannedResponse(200, item.entry)
            case "GET", "pulls", []:
                return CannedResponse(200, self._pull(item))
            case "GET", "pulls", ["files"] if not self.old:
                files = [{"filename": name, "status": "added"} for name in item.files]
                return self._paged(request, files)
            case "GET", "issues", ["dependencies"] if self.dependencies and not self.old:
                return self._paged(
                    request, [self._end(edge) for edge in item.blocked_by], plain=True
                )
            case "GET", "issues", ["blocks"] if self.dependencies and not self.old:
                return self._paged(request, [self._end(block) for block in item.blocks], plain=True)
            case "PATCH", "issues", []:
                return self._change(number, request.entry())
        return CannedResponse(404, MISSING)

    def _issues(self, request: Request) -> CannedResponse:
        query = request.query
        since = parse_epoch(query.get("since", "")) or 0.0
        ids = {label["id"] for label in self.labels.values() if label["name"] in _names(query)}
        matches = []
        for item in self.items.values():
            entry = item.entry
            wanted = {"issues": item.pull is None, "pulls": item.pull is not None}
            of_kind = wanted.get(query.get("type", ""), True)
            of_state = query.get("state", "open") in {"all", entry["state"]}
            labelled = ids <= {label["id"] for label in entry["labels"]}
            if (
                of_kind
                and of_state
                and labelled
                and (parse_epoch(entry["updated_at"]) or 0) >= since
            ):
                matches.append(entry)
        matches.sort(key=lambda entry: (entry["created_at"], entry["id"]), reverse=True)
        return self._paged(request, matches)

    def _pulls(self, request: Request) -> CannedResponse:
        pulls = [item for item in self.items.values() if item.pull is not None]
        if request.query.get("sort") == "recentupdate":
            pulls.sort(key=lambda item: (item.entry["updated_at"], item.entry["id"]), reverse=True)
        else:
            pulls.sort(key=lambda item: item.entry["id"], reverse=True)
        state = request.query.get("state", "open")
        shown = [self._pull(item) for item in pulls if state in {"all", item.entry["state"]}]
        return self._paged(request, shown)

    def _paged(
        self, request: Request, entries: list[Entry], *, plain: bool = False
    ) -> CannedResponse:
        """A page. A `plain` one has no headers, like dependencies in versions before 1.27."""
        limit = int(request.query.get("limit", 0)) or 30
        size, page = min(limit, self.max_page_size), max(1, int(request.query.get("page", 1)))
        part = entries[(page - 1) * size : page * size]
        headers = {}
        if self.totals and not plain:
            headers["X-Total-Count"] = str(len(entries))
        if self.links and not plain and page * size < len(entries):
            # The configured name of a server may differ from the name in the request.
            query = urlencode({**request.query, "page": page + 1, "limit": size})
            address = f"http://gitea.invalid{request.path}?{query}"
            headers["Link"] = f'<{address}>; rel="next",<{address}>; rel="last"'
        return CannedResponse(200, part, headers)

    def _pull(self, item: Item) -> Entry:
        dropped = {"original_author", "original_author_id", "ref", "assets", "pull_request"}
        dropped |= {"repository", "time_estimate"}
        kept = {name: value for name, value in item.entry.items() if name not in dropped}
        return {**kept, **(item.pull or {})}

    def _end(self, edge: Edge) -> Entry:
        """An issue as an entry in a listing of dependencies."""
        repository, number = edge
        if repository == HIDDEN:
            return _hidden()
        if not repository:
            return self.items[number].entry
        some = next(iter(self.items.values())).entry
        return {
            **some,
            "id": 7000 + number,
            "number": number,
            "title": "Elsewhere",
            "repository": self._repository(repository),
        }

    def _create(self, request: Request) -> CannedResponse:
        body = request.entry()
        number = self.add(body["title"], body=body.get("body", ""))
        item = self.items[number]
        known = [*self.labels.values(), *self.of_organisation.values()]
        item.entry["labels"] = [label for label in known if label["id"] in body.get("labels", [])]
        item.entry["milestone"] = self._group(body.get("milestone", 0))
        return CannedResponse(201, item.entry)

    def _change(self, number: int, body: Entry) -> CannedResponse:
        item = self.items[number]
        open_ones = (self._end(edge)["state"] == "open" for edge in item.blocked_by)
        if body.get("state") == "closed" and any(open_ones):
            message = "cannot close this issue because it still has open dependencies"
            return CannedResponse(412, {"message": message})
        changes = dict(body)
        if "milestone" in changes:
            changes["milestone"] = self._group(changes["milestone"])
        self.edit(number, **changes)
        return CannedResponse(201, self.items[number].entry)

    def _group(self, id: int) -> Entry | None:
        return next(
            (milestone for milestone in self.milestones.values() if milestone["id"] == id), None
        )

    def _milestone(self, title: str) -> Entry:
        self.milestones[title] = {
            "id": len(self.milestones) + 1,
            "title": title,
            "description": "",
            "state": "open",
            "open_issues": 0,
            "closed_issues": 0,
            "created_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            "closed_at": None,
        }
        return self.milestones[title]

    def _label(self, id: int, name: str) -> Entry:
        address = f"{self._api()}/labels/{id}"
        return {"id": id, "name": name, "color": "ff0000", "description": "", "url": address}

    def _described(self) -> Entry:
        tracker = {
            "enable_time_tracker": True,
            "allow_only_contributors_to_track_time": True,
            "enable_issue_dependencies": self.dependencies,
        }
        return {
            "id": 1,
            "owner": self._user(self.owner),
            "name": self.name,
            "full_name": f"{self.owner}/{self.name}",
            "has_issues": True,
            "has_pull_requests": self.pulls,
            "internal_tracker": tracker,
            "private": bool(self.token),
        }

    def _repository(self, full_name: str) -> Entry:
        owner, _, name = full_name.partition("/")
        return {"id": len(full_name), "name": name, "owner": owner, "full_name": full_name}

    def _user(self, login: str) -> Entry:
        return user_of(self.url, login)

    def _web(self) -> str:
        return f"{self.url}/{self.owner}/{self.name}"

    def _api(self) -> str:
        return f"{self.url}{BASE}/repos/{self.owner}/{self.name}"


@contextmanager
def serving_gitea(gitea: FakeGitea) -> Iterator[Server]:
    """Serve a fake Gitea on loopback."""
    with serving(gitea.answer) as server:
        gitea.url = server.url
        yield server


def user_of(url: str, login: str, id: int | None = None) -> Entry:
    """A user of the Gitea at `url` as in its API."""
    return {
        "id": len(login) if id is None else id,
        "login": login,
        "username": login,
        "email": f"{login}@noreply.example.invalid",
        "avatar_url": f"{url}/avatars/{login}",
        "created": "2026-01-01T00:00:00Z",
        "last_login": "0001-01-01T00:00:00Z",
        "visibility": "public",
        **dict.fromkeys(("login_name", "full_name", "language"), ""),
        **dict.fromkeys(("location", "website", "description"), ""),
        **dict.fromkeys(("is_admin", "restricted", "active", "prohibit_login"), False),
    }


def _hidden() -> Entry:
    """The payload of an issue to which the user has no access."""
    names = ("url", "html_url", "body", "ref", "original_author")
    nulls = ("user", "labels", "milestone", "assignee", "assignees", "closed_at", "due_date")
    return {
        **dict.fromkeys(names, ""),
        **dict.fromkeys(nulls),
        "id": 0,
        "number": 0,
        "title": "HIDDEN",
        "state": "open",
        "created_at": "1970-01-01T00:00:00Z",
        "updated_at": "1970-01-01T00:00:00Z",
        "pull_request": None,
        "repository": None,
    }


def _names(query: Any) -> set[str]:
    """The labels of a query; the server ignores unknown labels."""
    return {name for name in query.get("labels", "").split(",") if name}


def _check(request: Request, response: CannedResponse) -> None:
    """Validate both against the descriptions, if these include the path."""
    described = Description.load(*DESCRIPTIONS)
    if described is None or request.path.removeprefix(BASE).startswith(_UNDESCRIBED):
        return
    described.request(request)
    if response.status < 300:
        # The null labels of a hidden issue are in no description.
        data = response.data
        if isinstance(data, list):
            data = [entry for entry in data if entry != _hidden()]
        described.response(request.method, request.path, response.status, data)

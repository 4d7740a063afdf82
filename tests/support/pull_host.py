"""A fake forge on loopback whose pull requests are branches of a real bare repository.

It speaks the parts of the APIs of GitHub, Gitea and GitLab that list, describe and merge pull
requests, written by hand from their documentation: https://docs.github.com/rest/pulls,
https://docs.gitea.com/api, https://docs.gitlab.com/api/merge_requests. git reads the repository at
`/{owner}/{name}.git`, by the protocol for static files. Every other request goes to `other`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from tests.support.loopback import CannedResponse, Request
from tests.support.repos import Repo

Dialect = Literal["github", "gitea", "gitlab"]
State = Literal["success", "failure", "pending"]

API = {"github": "/api/v3", "gitea": "/api/v1", "gitlab": "/api/v4"}
_STATES = {"open", "opened", "closed", "merged"}
MERGED_AT = "2026-11-24T06:00:00Z"
_MISSING = CannedResponse(404, {"message": "Not Found"})


@dataclass
class HostedPull:
    """A pull request from the branch `head_ref` to the branch `base_ref`."""

    number: int
    title: str
    body: str
    head_ref: str
    base_ref: str = "main"
    draft: bool = False
    merged: bool = False
    head: str = ""


@dataclass
class PullHost:
    """The forge of `owner/name`; `bare` is its repository.

    `checks` are the states of the checks of a commit by their names. `on_merge` is called after a
    merge. With `refuses`, that status answers every merge. `hidden` has the endpoints (`files`,
    `checks`) that are missing. `merged_at` is the time of every merge.
    """

    dialect: Dialect
    bare: Path
    owner: str = "acme"
    name: str = "shop"
    pulls: dict[int, HostedPull] = field(default_factory=dict)
    checks: dict[str, dict[str, State]] = field(default_factory=dict)
    on_merge: Callable[[HostedPull], object] = lambda _pull: None
    other: Callable[[Request], CannedResponse] = lambda _request: _MISSING
    refuses: int = 0
    hidden: frozenset[str] = frozenset()
    merges: list[tuple[int, str]] = field(default_factory=list)
    merged_at: str = MERGED_AT

    def open(self, pull: HostedPull) -> HostedPull:
        """Open a pull request; its branch exists already."""
        pull.head = self._git("rev-parse", f"refs/heads/{pull.head_ref}")
        name = "merge-requests" if self.dialect == "gitlab" else "pull"
        self._git("update-ref", f"refs/{name}/{pull.number}/head", pull.head)
        self._git("update-server-info")
        self.pulls[pull.number] = pull
        return pull

    def check(self, number: int, **states: State) -> None:
        """Report checks of the head of a pull request."""
        self.checks.setdefault(self.pulls[number].head, {}).update(states)

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        below_git = request.path.removeprefix(f"/{self.owner}/{self.name}.git/")
        if below_git != request.path:
            return self._file(below_git)
        project = f"{self.owner}/{self.name}"
        home = f"/projects/{quote(project, safe='')}/" if self.dialect == "gitlab" else ""
        prefix = f"{API[self.dialect]}{home or f'/repos/{project}/'}"
        if request.path.lower().startswith(prefix.lower()):
            response = self._below(request, request.path[len(prefix) :].split("/"))
            if response is not None:
                return response
        return self.other(request)

    def _below(self, request: Request, parts: list[str]) -> CannedResponse | None:
        pulls = "merge_requests" if self.dialect == "gitlab" else "pulls"
        match request.method, parts:
            case "GET", [kind] if kind == pulls and request.query.get("state") in _STATES:
                merged = not request.query["state"].startswith("open")
                shown = [one for one in reversed(self.pulls.values()) if one.merged == merged]
                return self._page(request, list(map(self._entry, shown)))
            case _, [kind, digits, *rest] if kind == pulls and digits.isdecimal():
                pull = self.pulls.get(int(digits))
                return None if pull is None else self._of_pull(request, pull, rest)
            case "GET", ["commits", sha, "status"] if "checks" not in self.hidden:
                own = self.checks.get(sha, {}) if self.dialect == "gitea" else {}
                statuses = [{"context": name, "status": state} for name, state in own.items()]
                return CannedResponse(200, {"state": "", "statuses": statuses or None})
            case "GET", ["commits", sha, "check-runs"] if "checks" not in self.hidden:
                runs = [_run(name, state) for name, state in self.checks.get(sha, {}).items()]
                return CannedResponse(200, {"total_count": len(runs), "check_runs": runs})
            case "GET", ["commits", _, "status" | "check-runs"]:
                return CannedResponse(403, {"message": "Resource not accessible"})
        return None

    def _of_pull(self, request: Request, pull: HostedPull, rest: list[str]) -> CannedResponse:
        match request.method, rest:
            case "GET", []:
                return CannedResponse(200, self._entry(pull))
            case "GET", ["files" | "diffs"] if "files" not in self.hidden:
                return self._page(request, list(map(self._file_entry, self._changes(pull))))
            case "POST" | "PUT", ["merge"]:
                return self._merge(request, pull)
        return _MISSING

    def _merge(self, request: Request, pull: HostedPull) -> CannedResponse:
        body: Any = request.json()
        names = {"github": "sha", "gitea": "head_commit_id", "gitlab": "sha"}
        assert request.method == ("POST" if self.dialect == "gitea" else "PUT")
        if self.refuses:
            return CannedResponse(self.refuses, {"message": "a rule forbids it"})
        if pull.merged:
            return CannedResponse(405, {"message": "it is merged already"})
        if body[names[self.dialect]] != pull.head:
            return CannedResponse(409, {"message": "head out of date"})
        base = self._git("rev-parse", f"refs/heads/{pull.base_ref}")
        tree = self._run("merge-tree", "--write-tree", base, pull.head)
        if tree.returncode:
            return CannedResponse(405, {"message": "it has conflicts"})
        strategy = body.get("merge_method") or body.get("Do") or ""
        if not strategy:
            strategy = "squash" if body["squash"] else "merge"
        parents = ["-p", base, *(["-p", pull.head] if strategy == "merge" else [])]
        commit = self._git(
            "commit-tree", tree.stdout.decode().strip(), *parents,
            "-m", f"{pull.title} (#{pull.number})\n\n{pull.body}",
        )  # fmt: skip
        self._git("update-ref", f"refs/heads/{pull.base_ref}", commit)
        self._git("update-server-info")
        pull.merged = True
        self.merges.append((pull.number, strategy))
        self.on_merge(pull)
        return CannedResponse(200, {"merged": True, "sha": commit, "state": "merged"})

    def _entry(self, pull: HostedPull) -> dict[str, Any]:
        state = "closed" if pull.merged else "open"
        base = self._git("rev-parse", f"refs/heads/{pull.base_ref}")
        if self.dialect == "gitlab":
            checks = self.checks.get(pull.head)
            states = set(checks.values()) if checks else set()
            bad = "failed" if "failure" in states else "running" if "pending" in states else ""
            entry = {
                "iid": pull.number, "id": 2000 + pull.number, "title": pull.title,
                "description": pull.body, "state": "merged" if pull.merged else "opened",
                "draft": pull.draft, "target_branch": pull.base_ref,
                "source_branch": pull.head_ref, "source_project_id": 1, "target_project_id": 1,
                "merged_at": self.merged_at if pull.merged else None,
                "sha": pull.head, "diff_refs": {"base_sha": base, "head_sha": pull.head},
            }  # fmt: skip
            if "checks" not in self.hidden:
                status = {"status": bad or "success", "sha": pull.head}
                entry["head_pipeline"] = status if checks else None
            return entry
        return {
            "number": pull.number, "id": 2000 + pull.number, "title": pull.title,
            "body": pull.body, "state": state, "draft": pull.draft, "merged": pull.merged,
            "merged_at": self.merged_at if pull.merged else None,
            "base": {"ref": pull.base_ref, "sha": base, "repo": {"id": 1}},
            "head": {"ref": pull.head_ref, "sha": pull.head, "repo": {"id": 1}},
        }  # fmt: skip

    def _changes(self, pull: HostedPull) -> list[list[str]]:
        if self._run("cat-file", "-e", pull.head).returncode:
            return []
        base = self._git("merge-base", f"refs/heads/{pull.base_ref}", pull.head)
        listed = self._git("diff", "--name-status", "-M", base, pull.head)
        return [line.split("\t") for line in listed.splitlines()]

    def _file_entry(self, change: list[str]) -> dict[str, Any]:
        old, new = change[1], change[-1]
        if self.dialect == "gitlab":
            return {"old_path": old, "new_path": new}
        return {"filename": new, **({"previous_filename": old} if old != new else {})}

    def _page(self, request: Request, entries: list[dict[str, Any]]) -> CannedResponse:
        size = int(request.query.get("per_page") or request.query.get("limit") or 30)
        page = int(request.query.get("page", 1))
        following = {"X-Next-Page": str(page + 1) if page * size < len(entries) else ""}
        totals = {"X-Total-Count": str(len(entries))} if self.dialect == "gitea" else following
        return CannedResponse(200, entries[(page - 1) * size : page * size], totals)

    def _file(self, name: str) -> CannedResponse:
        path = self.bare / name
        if not path.is_file():
            return CannedResponse(404)
        return CannedResponse(200, path.read_bytes(), {"Content-Type": "application/octet-stream"})

    def _git(self, *args: str) -> str:
        return Repo(self.bare).git(*args)

    def _run(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        return Repo(self.bare).run(*args)


def _run(name: str, state: State) -> dict[str, str | None]:
    if state == "pending":
        return {"name": name, "status": "in_progress", "conclusion": None}
    return {"name": name, "status": "completed", "conclusion": state}

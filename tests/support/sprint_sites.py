"""A repository with a specification, a fake tracker of each kind, and a fake forge on loopback."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdd_hooks.project.project import Project
from sdd_hooks.trackers.source import TrackerSource, find_source
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks
from tests.support.gitea import FakeGitea
from tests.support.github import FakeGitHub
from tests.support.gitlab import FakeGitLab
from tests.support.jira import FakeJira
from tests.support.linear import FakeLinear
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.programs import run_program
from tests.support.pull_host import HostedPull, PullHost
from tests.support.repos import Repo

NOW = 1_795_500_000.0
"""The time of each site, later than that of the commits."""
TOKEN = "t0ken-that-must-not-be-shown"
KINDS = ("github", "gitea", "gitlab", "jira", "linear", "beads", "tasks-md")
SPEC = "SPEC-0003"
SPECS = "docs/openspec/specs"

MEMORY = """\
# Shop

## Architecture Context

- Architecture Decision Records are in `docs/adrs/`
- Specifications are in `docs/openspec/specs/`

## SDD Configuration

#### Tracker

"""
SPEC_TEXT = """\
---
status: approved
---

# SPEC-0003: Sessions

## Requirements

### Requirement: Sessions expire

A session MUST end after an hour.

#### Scenario: An old session

- WHEN a session is older than an hour
- THEN it is refused
"""

# Keeps its issues in one JSON file, and prints what sdd reads of `bd`.
_BD = """\
#!{python}
import fcntl, json, sys
from pathlib import Path
state = Path(__file__).with_name("state.json")
lock = open(Path(__file__).with_name("lock"), "w")
fcntl.flock(lock, fcntl.LOCK_EX)
issues = json.loads(state.read_text()) if state.exists() else []
clock = Path(__file__).with_name("now").read_text()
command, *args = sys.argv[1:]
with Path(__file__).with_name("calls").open("a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
options = dict(one[2:].split("=", 1) for one in args if one.startswith("--") and "=" in one)
names = [one for one in args if not one.startswith("-")]
if "body-file" in options:
    options["description"] = Path(options["body-file"]).read_text()
def change(one):
    for name, key in (("title", "title"), ("type", "issue_type"), ("description", "description")):
        if name in options:
            one[key] = options[name]
    for name in ("labels", "set-labels"):
        if name in options:
            one["labels"] = [label for label in options[name].split(",") if label]
    if "parent" in options:
        others = [edge for edge in one["dependencies"] if edge["type"] != "parent-child"]
        edge = {{"issue_id": one["id"], "depends_on_id": options["parent"], "type": "parent-child"}}
        one["dependencies"] = [*others, edge]
    one["updated_at"] = clock
    return one
if command == "list":
    print(json.dumps({{"schema_version": 1, "data": issues}}))
elif command == "create":
    one = {{
        "id": f"shop-{{len(issues) + 1}}", "title": "", "description": "", "status": "open",
        "issue_type": "task", "labels": [], "dependencies": [], "created_at": clock,
        "created_by": "ada", "closed_at": None,
    }}
    issues.append(change(one))
    print(json.dumps({{"schema_version": 1, "data": one}}))
elif command == "dep":
    for one in issues:
        if one["id"] == names[1]:
            edge = {{"issue_id": names[1], "depends_on_id": names[2], "type": "blocks"}}
            one["dependencies"].append(edge)
else:
    found = [one for one in issues if one["id"] == names[0]]
    if not found:
        sys.exit(f"no issue {{names[0]}}")
    if command == "close":
        found[0].update(status="closed", closed_at=clock, updated_at=clock)
    else:
        change(found[0])
    print(json.dumps({{"schema_version": 1, "data": found[0]}}))
partial = state.with_suffix(".new")
partial.write_text(json.dumps(issues))
partial.replace(state)
"""


@dataclass
class SprintSite:
    """A clone of a repository whose issues are in one tracker and whose pull requests in `host`.

    `now` is the time of the tracker and of the commands (epoch seconds). `body` returns the body
    as the tracker stores it, `state` whether an issue is open or closed, `ids` the ids of all
    issues. `add` adds an issue and returns its id. `close` closes one, as a forge does on a merge.
    """

    name: str
    repo: Repo
    bare: Path
    host: PullHost
    server: Server
    environ: dict[str, str]
    add: Callable[..., str]
    body: Callable[[str], Any]
    ids: Callable[[], list[str]]
    state: Callable[[str], str]
    close: Callable[[str], object] = lambda _id: None
    reopen: Callable[[str], object] = lambda _id: None
    now: float = NOW
    numbers: Callable[[HostedPull], int] = lambda pull: pull.number
    writes_of: Callable[[], int] = lambda: 0
    notes: list[str] = field(default_factory=list)

    def project(self) -> Project:
        """The project, in the environment with the tokens."""
        return self.repo.project(self.environ)

    def source(self, project: Project) -> TrackerSource:
        """The tracker of the repository."""
        source, broken = find_source(project, "", self.now)
        assert source is not None, broken
        return source

    def clock(self) -> float:
        """The time of commands (epoch seconds)."""
        return self.now

    def callbacks(self) -> SyncCallbacks:
        """Callbacks that collect notes."""
        return SyncCallbacks(on_note=self.notes.append)

    def writes(self) -> int:
        """The number of writes to the tracker and the forge so far."""
        return self.writes_of()

    def branch(self, name: str, files: Mapping[str, str], message: str, base: str = "main") -> None:
        """Commit files on a new branch, and push it."""
        self.repo.git("switch", "--quiet", "--create", name, base)
        self.repo.commit(message, files)
        self.repo.git("push", "--quiet", str(self.bare), name)
        self.repo.git("switch", "--quiet", "main")


@contextmanager
def sprint_site(kind: str, root: Path) -> Iterator[SprintSite]:
    """A site whose tracker is of one of KINDS; the forge is the tracker's, else a Gitea."""
    owner = "acme/tools" if kind == "gitlab" else "acme"
    dialect: Any = kind if kind in {"github", "gitea", "gitlab"} else "gitea"
    bare = root / "shop.git"
    host = PullHost(dialect, bare, owner=owner)
    if kind == "tasks-md":
        # Its issues change when their file is written, in the time of this machine.
        host.merged_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    holder: list[SprintSite] = []

    def answer(request: Request) -> CannedResponse:
        fake = fakes.get("tracker")
        if fake is not None and holder:
            fake.now = max(float(fake.now), holder[0].now)
        return host.answer(request)

    fakes: dict[str, Any] = {}
    with serving(answer) as server:
        fakes["tracker"] = _fake(kind, server)
        if fakes["tracker"] is not None:
            host.other = fakes["tracker"].answer
        if kind not in {"github", "gitea", "gitlab"}:
            host.other = _with_gitea_probe(host.other)
        settings, environ = _settings(kind, server, owner)
        repo = _repository(kind, root, settings, f"{server.url}/{owner}/shop.git")
        common = {
            "HOME": str(root), "XDG_CACHE_HOME": str(root / "cache"),
            "PATH": os.environ["PATH"], "GITEA_URL": server.url, "GITEA_TOKEN": TOKEN,
        }  # fmt: skip
        site = _site(kind, fakes["tracker"], root, repo, host, server, {**common, **environ})
        holder.append(site)
        yield site


def _with_gitea_probe(other: Callable[[Request], CannedResponse]) -> Any:
    def answer(request: Request) -> CannedResponse:
        if request.path == "/api/v1/version":
            return CannedResponse(200, {"version": "1.24.0"})
        if request.path == "/api/v1/settings/api":
            return CannedResponse(200, {"max_response_items": 50})
        return other(request)

    return answer


def _fake(kind: str, server: Server) -> Any:
    match kind:
        case "github":
            return FakeGitHub(NOW, token=TOKEN, url=server.url, checked=False)
        case "gitea":
            return FakeGitea(NOW, token=TOKEN, url=server.url, checked=False)
        case "gitlab":
            gitlab = FakeGitLab()
            gitlab.url, gitlab.now, gitlab.token = server.url, NOW, TOKEN
            return gitlab
        case "jira":
            return FakeJira(NOW, cloud=True, url=server.url)
        case "linear":
            linear = FakeLinear()
            linear.now, linear.key = NOW, f"Bearer {TOKEN}"
            return linear
    return None


def _settings(kind: str, server: Server, owner: str) -> tuple[str, dict[str, str]]:
    """The lines of `#### Tracker`, and variables."""
    place = f"- **URL**: {server.url}\n- **Owner**: {owner}\n- **Repo**: shop\n"
    match kind:
        case "github":
            variables = {"GITHUB_TOKEN": TOKEN, "GITHUB_SERVER_URL": server.url}
            return f"- **Type**: github\n{place}", variables
        case "gitea":
            return f"- **Type**: gitea\n{place}", {}
        case "gitlab":
            return f"- **Type**: gitlab\n{place}", {
                "GITLAB_TOKEN": TOKEN,
                "GITLAB_HOST": server.url,
            }
        case "jira":
            return (
                f"- **Type**: jira\n- **Project Key**: SHOP\n- **URL**: {server.url}\n",
                {"JIRA_EMAIL": "a@b.example", "JIRA_API_TOKEN": TOKEN, "JIRA_URL": server.url},
            )
        case "linear":
            api = {"LINEAR_API_URL": f"{server.url}/graphql", "LINEAR_API_KEY": TOKEN}
            return "- **Type**: linear\n- **Team ID**: ENG\n- **Owner**: acme\n", api
    return f"- **Type**: {'tasks.md' if kind == 'tasks-md' else kind}\n", {}


def _repository(kind: str, root: Path, settings: str, origin: str) -> Repo:
    repo = Repo.init(root / "shop")
    files = {
        "CLAUDE.md": MEMORY + settings,
        ".gitignore": ".sdd/\n.beads/\n",
        f"{SPECS}/sessions/spec.md": SPEC_TEXT,
        f"{SPECS}/sessions/design.md": "# Design\n",
        "docs/adrs/ADR-0001-use-python.md": "# ADR-0001: Use Python\n\nstatus: accepted\n",
        "shop/sessions.py": "def open_session():\n    return 1\n",
    }
    if kind == "tasks-md":
        files[f"{SPECS}/sessions/tasks.md"] = "# Tasks: sessions\n"
    repo.commit("Begin", files)
    repo.git("clone", "--quiet", "--bare", str(repo.root), str(root / "shop.git"))
    Repo(root / "shop.git").git("update-server-info")
    repo.git("remote", "add", "origin", origin)
    repo.git("fetch", "--quiet", "origin")
    repo.git("branch", "--quiet", "--set-upstream-to=origin/main", "main")
    repo.git("remote", "set-head", "origin", "main")
    return repo


def _site(
    kind: str,
    fake: Any,
    root: Path,
    repo: Repo,
    host: PullHost,
    server: Server,
    environ: dict[str, str],
) -> SprintSite:
    def sent() -> int:
        ignored = ("/graphql", "/search", "/search/jql", "/search/approximate-count")
        return sum(
            one.method != "GET" and (not one.path.endswith(ignored) or b"mutation" in one.body)
            for one in server.requests
        )

    parts: dict[str, Any] = {"writes_of": sent}
    if kind in {"github", "gitea"}:
        parts |= _numbered(kind, fake, host)
    elif kind == "gitlab":
        parts |= _gitlab(fake, host)
    elif kind == "jira":
        parts |= _jira(fake)
    elif kind == "linear":
        parts |= _linear(fake)
    elif kind == "beads":
        parts |= _beads(root, repo, environ)
    else:
        parts |= _tasks(repo)
    return SprintSite(kind, repo, root / "shop.git", host, server, environ, **parts)


def _closed_by(pull: HostedPull) -> list[str]:
    words = pull.body.replace("`", "").split()
    return [
        after.removeprefix("#").rstrip(".,")
        for before, after in itertools.pairwise(words)
        if before.casefold() in {"closes", "fixes"}
    ]


def _numbered(kind: str, fake: Any, host: PullHost) -> dict[str, Any]:
    def add(title: str, body: str = "", labels: tuple[str, ...] = ()) -> str:
        return str(fake.add(title, body=body, labels=list(labels)))

    def number(pull: HostedPull) -> int:
        closes = tuple(map(int, _closed_by(pull)))
        extra = {"closes": closes} if kind == "github" else {"body": pull.body}
        return int(fake.add_pull(pull.title, branch=pull.head_ref, **extra))

    def merged(pull: HostedPull) -> None:
        if kind == "gitea":
            fake.merge(pull.number)
        else:
            fake.items[pull.number].entry["pull_request"]["merged_at"] = "2026-11-24T06:00:00Z"
            fake.edit(pull.number, state="closed")
        for id in _closed_by(pull):
            fake.edit(int(id), state="closed")

    host.on_merge = merged
    return {
        "add": add,
        "numbers": number,
        "body": lambda id: fake.items[int(id)].entry["body"],
        "ids": lambda: [str(n) for n, item in fake.items.items() if item.pull is None],
        "state": lambda id: fake.items[int(id)].entry["state"],
        "close": lambda id: fake.edit(int(id), state="closed"),
    }


def _gitlab(fake: Any, host: PullHost) -> dict[str, Any]:
    def merged(pull: HostedPull) -> None:
        for id in _closed_by(pull):
            fake.edit(id, state="closed")

    host.on_merge = merged
    return {
        "add": lambda title, body="", labels=(): fake.add(
            title, description=body, labels=list(labels)
        ),
        "body": lambda id: fake.issues[int(id)]["description"],
        "ids": lambda: [str(number) for number in fake.issues],
        "state": lambda id: "open" if fake.issues[int(id)]["state"] == "opened" else "closed",
        "close": lambda id: fake.edit(id, state="closed"),
    }


def _jira(fake: Any) -> dict[str, Any]:
    from sdd_hooks.trackers.jira.markdown_to_adf import document_of

    def add(title: str, body: str = "", labels: tuple[str, ...] = ()) -> str:
        kinds = {one["name"]: one for one in fake.kinds}
        kind = kinds["Epic"] if "epic" in labels else fake.kinds[1]
        text = document_of(body) if body else None
        return str(fake.add(title, description=text, labels=list(labels), issuetype=kind))

    return {
        "add": add,
        "body": lambda id: fake.entry(id)["fields"]["description"],
        "ids": lambda: [entry["key"] for entry in fake.issues.values()],
        "state": lambda id: (
            "closed" if fake.entry(id)["fields"]["status"]["name"] == "Done" else "open"
        ),
    }


def _linear(fake: Any) -> dict[str, Any]:
    def add(title: str, body: str = "", labels: tuple[str, ...] = ()) -> str:
        return str(fake.add(title, description=body, labels=list(labels)))

    def reopen(id: str) -> None:
        fake.now += 86_400
        fake.edit(id, state="unstarted")

    return {
        "add": add,
        "body": lambda id: fake.find(id)["description"],
        "reopen": reopen,
        "ids": lambda: [issue["identifier"] for issue in fake.issues],
        "state": lambda id: (
            "closed" if fake.find(id)["state"]["type"] in {"completed", "canceled"} else "open"
        ),
    }


def _beads(root: Path, repo: Repo, environ: dict[str, str]) -> dict[str, Any]:
    programs = root / "bin"
    programs.mkdir()
    program = programs / "bd"
    program.write_text(_BD.format(python=sys.executable))
    program.chmod(0o755)
    (programs / "now").write_text("2026-11-24T06:00:00Z")
    (programs / "calls").write_text("")
    (repo.root / ".beads").mkdir()
    environ["PATH"] = f"{programs}{os.pathsep}{environ['PATH']}"

    def issues() -> list[dict[str, Any]]:
        state = programs / "state.json"
        return json.loads(state.read_text()) if state.exists() else []

    def find(id: str) -> dict[str, Any]:
        return next(one for one in issues() if one["id"] == id)

    def add(title: str, body: str = "", labels: tuple[str, ...] = ()) -> str:

        kind = "epic" if "epic" in labels else "task"
        options = [f"--title={title}", f"--type={kind}", f"--description={body}"]
        others = ",".join(label for label in labels if label != "epic")
        options += [f"--labels={others}"] if others else []
        done = run_program(str(program), "create", *options)
        return str(json.loads(done.stdout)["data"]["id"])

    def writes() -> int:
        calls = (programs / "calls").read_text().splitlines()
        return sum(json.loads(line)[0] != "list" for line in calls)

    return {
        "add": add,
        "body": lambda id: find(id)["description"],
        "ids": lambda: [one["id"] for one in issues()],
        "state": lambda id: find(id)["status"],
        "writes_of": writes,
    }


def _tasks(repo: Repo) -> dict[str, Any]:
    path = repo.root / SPECS / "sessions/tasks.md"

    def sections() -> Any:
        from sdd_hooks.trackers.tasks_md.sections import parse_task_sections

        return parse_task_sections(path.read_bytes().decode())[0]

    def find(id: str) -> Any:
        return next(one for one in sections() if f"tasks-sessions-{one.key}" == id)

    def add(title: str, body: str = "", labels: tuple[str, ...] = ()) -> str:
        del labels
        number = len(sections()) + 1
        text = path.read_bytes().decode()
        task = f"\n## {number}. {title}\n\n- [ ] {number}.1 do it\n\n{body}\n"
        path.write_bytes((text + task).encode())
        return f"tasks-sessions-{number}"

    return {
        "add": add,
        "body": lambda id: find(id).body,
        "ids": lambda: [f"tasks-sessions-{one.key}" for one in sections()],
        "state": lambda id: "closed" if find(id).done else "open",
        "writes_of": lambda: zlib.crc32(path.read_bytes()),
    }

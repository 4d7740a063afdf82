"""`scripts/release-on-gitea` makes a release with its files, and a second run repairs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
import yaml

from tests.support.gitea_runner import register_runner
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.programs import run_program

ROOT = Path(__file__).parent.parent
PROGRAM = gitea_program()
WHEEL = "sdd_hooks-0.1.0-py3-none-any.whl"
API = "/api/v1/repos/alice/shop/releases"
WORKFLOW = """\
on: {push: {tags: ['v*']}}
permissions: {}
jobs:
  release:
    runs-on: here
    permissions:
      contents: write
    steps:
      - run: "true"
"""


class Host(Protocol):
    """A host with the tag v0.1.0."""

    def environment(self) -> dict[str, str]:
        """The variables of the job for the tag."""

    def releases(self) -> list[dict[str, Any]]:
        """The releases of the repository."""

    def content(self, asset: dict[str, Any]) -> bytes:
        """The bytes of a file of a release."""


@dataclass
class FakeHost:
    """Gitea's releases of one repository, as far as the script uses them."""

    url: str = ""
    made: list[dict[str, Any]] = field(default_factory=list)
    stored: dict[int, bytes] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def answer(self, request: Request) -> CannedResponse:
        if request.headers.get("authorization") != "token secret":
            return CannedResponse(403, {"message": "forbidden"})
        assert request.path.startswith(API)
        match (request.method, *request.path[len(API) :].split("/")[1:]):
            case ("GET", "tags", tag):
                found = [one for one in self.made if one["tag_name"] == tag]
                return CannedResponse(200, found[0]) if found else CannedResponse(404)
            case ("POST",):
                made = {"id": next(self.numbers), "assets": [], **self._body(request)}
                if any(one["tag_name"] == made["tag_name"] for one in self.made):
                    return CannedResponse(409, {"message": "Release is has no Tag"})
                made["html_url"] = f"{self.url}/alice/shop/releases/tag/{made['tag_name']}"
                self.made.append(made)
                return CannedResponse(201, made)
            case ("PATCH", number):
                one = self._release(number)
                one.update(self._body(request))
                return CannedResponse(200, one)
            case ("GET", number, "assets"):
                return CannedResponse(200, self._release(number)["assets"])
            case ("POST", number, "assets"):
                identity = next(self.numbers)
                asset = {"id": identity, "name": request.query["name"]}
                self.stored[identity] = _attachment(request)
                self._release(number)["assets"].append(asset)
                return CannedResponse(201, asset)
            case ("DELETE", number, "assets", asset_number):
                one = self._release(number)
                one["assets"] = [a for a in one["assets"] if a["id"] != int(asset_number)]
                return CannedResponse(204)
        raise AssertionError(request)

    def environment(self) -> dict[str, str]:
        return {"RELEASES": f"{self.url}{API}", "TOKEN": "secret"}

    def releases(self) -> list[dict[str, Any]]:
        return self.made

    def content(self, asset: dict[str, Any]) -> bytes:
        return self.stored[asset["id"]]

    def _release(self, number: str) -> dict[str, Any]:
        (found,) = (one for one in self.made if one["id"] == int(number))
        return found

    def _body(self, request: Request) -> dict[str, Any]:
        body = request.json()
        assert isinstance(body, dict)
        return body


@dataclass
class RealHost:
    """A repository of a real Gitea, and the token that it gives to a job of a tag."""

    gitea: RealGitea
    name: str
    token: str

    def environment(self) -> dict[str, str]:
        url = f"{self.gitea.url}/api/v1/repos/alice/{self.name}/releases"
        return {"RELEASES": url, "TOKEN": self.token}

    def releases(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.gitea.call("GET", f"/repos/alice/{self.name}/releases")
        return found

    def content(self, asset: dict[str, Any]) -> bytes:
        return self.gitea.http.get(asset["browser_download_url"]).content


def _attachment(request: Request) -> bytes:
    """The file of a form."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    form: Any = message_from_bytes(head + request.body)
    (part,) = form.get_payload()
    assert 'name="attachment"' in part["Content-Disposition"]
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


@pytest.fixture
def fake() -> Iterator[tuple[FakeHost, Server]]:
    host = FakeHost()
    with serving(host.answer) as server:
        host.url = server.url
        yield host, server


@pytest.fixture(params=["fake", "real"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    if request.param == "fake":
        yield request.getfixturevalue("fake")[0]
        return
    if PROGRAM is None:
        pytest.skip(NEEDED)
    with running_gitea(PROGRAM, tmp_path / "gitea", actions=True) as gitea:
        name = gitea.repository()
        gitea.change(name, "main", ".gitea/workflows/release.yml", WORKFLOW)
        runner = register_runner(gitea, name)
        gitea.call("POST", f"/repos/alice/{name}/tags", {"tag_name": "v0.1.0", "target": "main"})
        yield RealHost(gitea, name, runner.job("push", None).token)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """What scripts/build-release makes, with notes beside it."""
    folder = tmp_path / "release"
    (folder / "dist").mkdir(parents=True)
    (folder / "dist" / WHEEL).write_bytes(bytes(range(256)) * 20 + b"\r\n--\r\n")
    (folder / "sbom.cdx.json").write_text("{}")
    write_checksums(folder)
    (tmp_path / "notes.md").write_text('### Added\n\n- Größe, `code` & "quotes".\n', "utf-8")
    return folder


def write_checksums(folder: Path) -> None:
    paths = (folder / "dist" / WHEEL, folder / "sbom.cdx.json")
    lines = (f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)
    (folder / "SHA256SUMS").write_text("".join(lines))


def run(
    host: Host, built: Path, tag: str = "v0.1.0", **changed: str
) -> subprocess.CompletedProcess[str]:
    """Run the script for a tag, with these variables in place of those of the job."""
    return run_program(
        sys.executable,
        ROOT / "scripts/release-on-gitea",
        tag,
        built.parent / "notes.md",
        built,
        env={"PATH": os.environ["PATH"], **host.environment(), **changed},
        check=False,
    )


def files(host: Host) -> dict[str, bytes]:
    """The files of the only release. Fails if two have one name."""
    (release,) = host.releases()
    found = {asset["name"]: host.content(asset) for asset in release["assets"]}
    assert len(found) == len(release["assets"])
    return found


def local(built: Path) -> dict[str, bytes]:
    paths = (built / "dist" / WHEEL, built / "SHA256SUMS", built / "sbom.cdx.json")
    return {path.name: path.read_bytes() for path in paths}


def test_a_release_has_the_notes_and_the_files(host: Host, built: Path) -> None:
    done = run(host, built)
    assert (done.returncode, done.stderr) == (0, "")
    (release,) = host.releases()
    assert done.stdout.strip() == release["html_url"]
    assert urlsplit(release["html_url"]).path.endswith("/releases/tag/v0.1.0")
    assert (release["tag_name"], release["name"]) == ("v0.1.0", "v0.1.0")
    assert release["prerelease"] is False
    assert release["body"] == (built.parent / "notes.md").read_text("utf-8")
    assert files(host) == local(built)


def test_a_second_run_replaces_the_text_and_the_files(host: Host, built: Path) -> None:
    assert run(host, built).returncode == 0
    before = [(one["id"], one["html_url"]) for one in host.releases()]
    (built / "sbom.cdx.json").write_text('{"components": []}')
    write_checksums(built)
    (built.parent / "notes.md").write_text("- Mended.\n")
    done = run(host, built)
    assert (done.returncode, done.stderr) == (0, "")
    assert [(one["id"], one["html_url"]) for one in host.releases()] == before
    assert host.releases()[0]["body"] == "- Mended.\n"
    assert files(host) == local(built)


def test_a_candidate_is_a_prerelease(fake: tuple[FakeHost, Server], built: Path) -> None:
    host, _ = fake
    assert run(host, built, "v0.1.0rc1").returncode == 0
    assert host.made[0]["prerelease"] is True


def test_a_run_that_failed_half_way_is_completed(
    fake: tuple[FakeHost, Server], built: Path
) -> None:
    host, server = fake
    server.fail(
        CannedResponse(500, {"message": "disk\nfull"}),
        when=lambda request: request.query.get("name") == "SHA256SUMS",
    )
    failed = run(host, built)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert len(failed.stderr.splitlines()) == 1
    assert "/assets?name=SHA256SUMS: 500" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert set(files(host)) == {WHEEL}
    assert run(host, built).returncode == 0
    assert files(host) == local(built)


def test_a_wrong_token_is_told_the_permission(fake: tuple[FakeHost, Server], built: Path) -> None:
    host, _ = fake
    done = run(host, built, TOKEN="wrong")
    assert done.returncode == 1
    assert done.stderr.endswith('403 {"message": "forbidden"}: the token needs `contents: write`\n')
    assert "wrong" not in done.stderr


def test_the_token_does_not_follow_a_redirect(fake: tuple[FakeHost, Server], built: Path) -> None:
    host, server = fake
    with serving(lambda _: CannedResponse(404)) as other:
        moved = CannedResponse(302, None, {"Location": f"{other.url}/elsewhere"})
        server.fail(moved)
        run(host, built)
    (request,) = other.requests
    assert (request.path, request.headers.get("authorization")) == ("/elsewhere", None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"TOKEN": ""}, "the variable TOKEN is not set"),
        ({"RELEASES": "file:///etc"}, "RELEASES is no URL: set it to HOST/"),
        ({"RELEASES": "http://127.0.0.1:1/releases"}, "Connection refused"),
    ],
)
def test_wrong_variables_are_one_line(
    fake: tuple[FakeHost, Server], built: Path, changed: dict[str, str], said: str
) -> None:
    done = run(fake[0], built, **changed)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "response",
    [CannedResponse(200, b"<html>"), CannedResponse(200, b"", raw=b"no HTTP\r\n\r\n")],
    ids=["a page", "no HTTP"],
)
def test_what_is_no_api_is_one_line(
    fake: tuple[FakeHost, Server], built: Path, response: CannedResponse
) -> None:
    host, server = fake
    server.fail(response)
    done = run(host, built)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("release-on-gitea: ")


def test_nothing_is_released_without_a_wheel(fake: tuple[FakeHost, Server], built: Path) -> None:
    (built / "dist" / WHEEL).unlink()
    done = run(fake[0], built)
    assert done.returncode == 1
    assert "has no wheels: run scripts/build-release" in done.stderr
    assert fake[1].requests == []


def test_the_step_of_the_workflow_makes_the_release(
    fake: tuple[FakeHost, Server], built: Path
) -> None:
    host, _ = fake
    workflow = yaml.safe_load((ROOT / ".gitea/workflows/release.yml").read_text("utf-8"))
    step = workflow["jobs"]["release"]["steps"][-1]
    job = {**host.environment(), "TAG": "v0.1.0"}
    assert set(step["env"]) == set(job)
    subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(built.parent), **job},
        check=True,
    )
    assert files(host) == local(built)

"""`sdd review --judge`: the command, the real `llm`, and a model behind a loopback address."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.commands import one_line, run
from tests.support.external import Handbook, memory_file
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.repos import Repo

pytest.importorskip("llm", reason="needs the extra llm")

TOP = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((TOP / "docs/review.schema.json").read_text(encoding="utf-8"))

SENTENCE = "Sessions MUST be kept in the shared store."
RECORD = f"""\
---
status: accepted
---

# ADR-0001: One store of sessions

## Decision Outcome

{SENTENCE}
"""
PATH = "docs/adrs/ADR-0001-one-store.md"
LINE = 'open("sessions.txt", "a").write(session)'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch that contradicts the only decision."""
    repo = Repo.init(tmp_path / "repo")
    repo.commit("Start", {".gitignore": ".sdd/\n", PATH: RECORD})
    repo.git("switch", "--quiet", "-c", "topic")
    repo.commit("Remember sessions", {"src/page.py": f"session = new()\n{LINE}\n"})
    return repo


def answer(request: Request, path: str = PATH, sentence: str = SENTENCE) -> CannedResponse:
    """The response of a good model to each of the two questions."""
    sent = request.json()
    assert isinstance(sent, dict)
    instructions, question = (one["content"] for one in sent["messages"])
    assert LINE in question
    content: object = {"path": path, "quote": sentence}
    if "Choose the one" not in instructions:
        finding = {"file": "src/page.py", "line": 2, "added": LINE, "record": path}
        content = {
            "findings": [{**finding, "quote": sentence, "why": "It is a file: use the store."}]
        }
    message = {"role": "assistant", "content": json.dumps(content)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return CannedResponse(200, {**body, "choices": [choice], "usage": usage})


def settings(tmp_path: Path, server: Server) -> dict[str, str]:
    """An environment in which `llm` knows the server's model as `local`."""
    folder = tmp_path / "llm"
    folder.mkdir()
    (folder / "extra-openai-models.yaml").write_text(
        f"- model_id: local\n  model_name: tiny\n  api_base: {server.url}/v1\n  can_stream: false\n"
    )
    return {"LLM_USER_PATH": str(folder), "NO_PROXY": "*", "no_proxy": "*"}


def test_a_judge_chooses_the_decision_and_names_the_contradiction(
    repo: Repo, tmp_path: Path
) -> None:
    with serving(answer) as server:
        environ = settings(tmp_path, server)
        done = run(repo.root, "review", "--json", "--judge", "local", env=environ)
        assert len(server.requests) == 2
    found = done.json
    jsonschema.validate(found, SCHEMA)
    (first,) = found["references"]["ranked"]
    assert (first["path"], first["suggested"], first["quote"]) == (PATH, True, SENTENCE)
    assert first["evidence"][0]["kind"] == "judge"
    (finding,) = found["findings"]
    assert (finding["rule"], finding["severity"]) == ("judge/adr-0001", "critical")
    assert (finding["path"], finding["line"], finding["evidence"]) == ("src/page.py", 2, LINE)


def test_a_judge_reads_a_decision_of_another_repository(
    repo: Repo, tmp_path: Path, handbook: Handbook
) -> None:
    repo.git("switch", "--quiet", "main")
    repo.commit("Declare", {"CLAUDE.md": memory_file(handbook.line)})
    assert run(repo.root, "index", "add").code == 0
    assert run(repo.root, "index", "update").code == 0
    repo.git("switch", "--quiet", "topic")
    repo.git("rebase", "--quiet", "main")
    path, quote = "acme:docs/adr/0003-encrypt-backups.md", "We encrypt each backup with age"

    def theirs(request: Request) -> CannedResponse:
        assert quote in str(request.json())
        return answer(request, path, quote)

    with serving(theirs) as server:
        environ = settings(tmp_path, server)
        done = run(repo.root, "review", "--json", "--judge", "local", env=environ).json
    first = done["references"]["ranked"][0]
    assert (first["id"], first["origin"], first["path"]) == ("acme/ADR-0003", "acme", path)
    assert first["evidence"][0]["kind"] == "judge"
    assert first["quote"].startswith(quote)
    (finding,) = done["findings"]
    assert "contradicts acme/ADR-0003" in finding["message"]


def test_a_finding_of_a_judge_counts_for_fail_on(repo: Repo, tmp_path: Path) -> None:
    with serving(answer) as server:
        environ = settings(tmp_path, server)
        options = ("--judge", "local", "--fail-on", "critical")
        done = run(repo.root, "review", *options, env=environ)
    assert done.code == 1
    assert "ADR-0001" in done.out
    assert "It is a file: use the store." in " ".join(done.out.split())


def test_a_judge_that_cannot_be_reached_is_a_note_of_the_review(repo: Repo, tmp_path: Path) -> None:
    with serving(lambda _: CannedResponse(400, {"error": {"message": "no such model"}})) as server:
        environ = settings(tmp_path, server)
        done = run(repo.root, "review", "--json", "--judge", "local", env=environ)
    assert done.code == 0
    assert done.json["findings"] == []
    assert any("the model local failed" in note for note in done.json["notes"])


def test_an_unknown_judge_is_an_error(repo: Repo, tmp_path: Path) -> None:
    environ = {"LLM_USER_PATH": str(tmp_path)}
    done = run(repo.root, "review", "--judge", "unknown", env=environ)
    assert one_line(done, 6) == "llm knows no model 'unknown': see `llm models`"


def test_the_pull_request_of_a_fork_is_not_judged(repo: Repo, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    repos = {"head": {"repo": {"id": 2}}, "base": {"repo": {"id": 1}}}
    event.write_text(json.dumps({"pull_request": repos}))
    with serving(answer) as server:
        environ = {**settings(tmp_path, server), "GITHUB_EVENT_PATH": str(event)}
        done = run(repo.root, "review", "--json", "--judge", "local", env=environ)
        assert server.requests == []
    assert done.json["findings"] == []
    assert any("is from a fork" in note for note in done.json["notes"])


def test_a_judge_reads_what_is_checked(repo: Repo, tmp_path: Path) -> None:
    assert run(repo.root, "index", "add").code == 0
    with serving(answer) as server:
        environ = settings(tmp_path, server)
        done = run(repo.root, "check", "src/page.py", "--json", "--judge", "local", env=environ)
        assert len(server.requests) == 1
    jsonschema.validate(done.json, SCHEMA)
    (finding,) = done.json["findings"]
    assert (finding["rule"], finding["severity"]) == ("judge/adr-0001", "critical")
    assert (finding["path"], finding["line"], finding["changed"]) == ("src/page.py", 2, False)

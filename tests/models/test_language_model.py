"""Prompts to models of the real `llm`: of a plug-in, and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.language_model import (
    LanguageModel,
    load_language_model,
    respond_in_child,
)
from tests.support.language_model import NAME, registered_model, respond_here
from tests.support.loopback import CannedResponse, Request, serving

llm = pytest.importorskip("llm", reason="needs the extra llm")

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of llm's settings. No proxy is between a test and its server."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return tmp_path


def respond(name: str = NAME) -> str:
    model = load_language_model(name, os.environ, respond_here)
    return model.respond("Be brief.", "Why?", schema=SCHEMA, timeout=60.0, max_length=1000)


@pytest.mark.parametrize("name", [NAME, "t"])
def test_the_prompt_is_sent_and_the_pieces_of_the_response_are_joined(name: str) -> None:
    with registered_model(lambda prompt: ["Be", "cause."]) as talker:
        assert respond(name) == "Because."
    (prompt,) = talker.prompts
    assert (prompt.system, prompt.prompt) == ("Be brief.", "Why?")


def test_a_schema_is_sent_to_models_that_support_one() -> None:
    if not hasattr(llm.Model, "supports_schema"):
        pytest.skip("needs a release of llm that knows schemas")
    with registered_model(lambda prompt: ["{}"], schemas=True) as talker:
        respond()
    assert talker.prompts[0].schema == SCHEMA
    with registered_model(lambda prompt: ["{}"]) as talker:
        respond()
    assert getattr(talker.prompts[0], "schema", None) is None


@pytest.mark.parametrize("name", ["no-such-model", "", "../talker", "\x1b[1m"])
def test_an_unknown_model_is_an_error(name: str) -> None:
    with pytest.raises(EngineUnavailable, match="llm models") as caught:
        load_language_model(name, os.environ)
    assert str(caught.value).isprintable()


def test_broken_settings_of_llm_are_an_error_of_one_line(folder: Path) -> None:
    (folder / "aliases.json").write_text("{\n")
    with pytest.raises(EngineUnavailable, match="llm cannot list its models") as caught:
        load_language_model(NAME, os.environ)
    assert "\n" not in str(caught.value)


def test_the_error_of_a_plugin_that_fails_is_one_line_without_the_key() -> None:
    def refuse(prompt: Any) -> Iterator[str]:
        yield "Be"
        raise RuntimeError("refused\nsk-12345 is not\x1b[31m welcome")

    with registered_model(refuse, key="sk-12345"), pytest.raises(EngineUnavailable) as caught:
        respond()
    assert str(caught.value) == "the model talker failed: refused *** is not\\x1b[31m welcome"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_model_without_its_key_is_an_error() -> None:
    with pytest.raises(EngineUnavailable, match="the model gpt-4o failed: No key found"):
        respond("gpt-4o")


def test_a_response_that_is_too_long_is_an_error() -> None:
    with (
        registered_model(lambda prompt: repeat("more ")),
        pytest.raises(EngineUnavailable) as caught,
    ):
        respond()
    assert str(caught.value) == ("the model talker failed: an answer of more than 1,000 characters")


def respond_over_http(folder: Path, url: str, more: str = "") -> str:
    """Return the response of a model with this URL, or the error."""
    (folder / "keys.json").write_text(json.dumps({"local": "sk-secret-1"}))
    model = {"model_id": "local", "model_name": "tiny", "api_base": f"{url}/v1"}
    lines = [f"{name}: {value}\n" for name, value in {**model, "api_key_name": "local"}.items()]
    (folder / "extra-openai-models.yaml").write_text(f"- {'  '.join(lines)}{more}")
    return answer_of(load_language_model("local", os.environ), "Why?", 120.0)


def answer_of(model: LanguageModel, text: str, timeout: float) -> str:
    """The response of a model in a child process, or the error."""
    try:
        return model.respond("Be brief.", text, schema={}, timeout=timeout, max_length=1000)
    except EngineUnavailable as error:
        return str(error)


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    return f"data: {json.dumps({**event, 'choices': [choice]})}\n\n".encode()


def test_a_server_with_the_api_of_openai_is_a_model(folder: Path) -> None:
    def handle(request: Request) -> CannedResponse:
        assert request.path == "/v1/chat/completions"
        stream = chunk("Be") + chunk("cause.") + b"data: [DONE]\n\n"
        return CannedResponse(200, stream, {"Content-Type": "text/event-stream"})

    with serving(handle) as server:
        assert respond_over_http(folder, server.url) == "Because."
    (request,) = server.requests
    assert request.headers["authorization"] == "Bearer sk-secret-1"
    sent = json.loads(request.body)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


def test_a_model_that_cannot_stream_gets_no_streaming_request(folder: Path) -> None:
    message = {"role": "assistant", "content": "Because."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    response = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny"}

    def handle(request: Request) -> CannedResponse:
        sent = request.json()
        assert isinstance(sent, dict)
        assert sent["stream"] is False
        return CannedResponse(200, {**response, "choices": [choice], "usage": usage})

    with serving(handle) as server:
        assert respond_over_http(folder, server.url, "  can_stream: false\n") == "Because."


def test_a_key_that_the_server_echoes_is_not_printed(folder: Path) -> None:
    def refuse(request: Request) -> CannedResponse:
        return CannedResponse(
            401, {"error": {"message": f"wrong: {request.headers['authorization']}"}}
        )

    with serving(refuse) as server:
        output = respond_over_http(folder, server.url)
    assert output.startswith("the model local failed: ")
    assert "wrong: Bearer ***" in output
    assert "secret" not in output


PLUGIN = """
import mmap, os, time
import llm

class Local(llm.Model):
    model_id = "local"
    can_stream = True

    def execute(self, prompt, *rest, **named):
        print("a library prints this")
        if prompt.prompt == "crash":
            os.abort()
        if prompt.prompt == "silence":
            time.sleep(600)
        if prompt.prompt.startswith("memory"):
            # Nothing is written to it: the test needs no memory.
            size = float(prompt.prompt.split()[1]) * os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
            mmap.mmap(-1, int(size), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        yield f"{os.getppid()} "
        yield prompt.system

@llm.hookimpl
def register_models(register):
    register(Local())
"""


@pytest.fixture
def plugin(folder: Path) -> dict[str, str]:
    """The environment of a process that has a plug-in with a model that runs on this machine."""
    (folder / "talk.py").write_text(PLUGIN)
    # llm imports the client of OpenAI, which takes half a second and is not needed here.
    (folder / "openai.py").touch()
    about = folder / "talk-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: talk\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[llm]\ntalk = talk\n")
    return {**os.environ, "PYTHONPATH": str(folder), "LLM_USER_PATH": str(folder)}


def ask(text: str, timeout: float, environ: dict[str, str]) -> str:
    model = LanguageModel("local", partial(respond_in_child, environ=environ))
    return answer_of(model, text, timeout)


def test_a_model_runs_in_a_child_process(
    plugin: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert ask("Why?", 120.0, plugin) == f"{os.getpid()} Be brief."
    assert capfd.readouterr() == ("", "")


def test_a_model_that_outlives_its_time_is_ended(plugin: dict[str, str]) -> None:
    assert ask("silence", 3.0, plugin) == "the model local failed: no answer within 3.0 s"


def test_a_model_that_crashes_is_an_error(plugin: dict[str, str]) -> None:
    expected = f"the model local failed: its process ended with {-signal.SIGABRT}"
    assert ask("crash", 120.0, plugin) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit mapped memory")
def test_a_model_that_needs_too_much_memory_is_an_error(plugin: dict[str, str]) -> None:
    assert ask("memory 0.5", 120.0, plugin) == f"{os.getpid()} Be brief."
    assert "Cannot allocate memory" in ask("memory 0.8", 120.0, plugin)

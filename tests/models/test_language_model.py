"""One question to a model of `llm`, the library itself: a plug-in's model, and one over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.language_model import load_language_model
from tests.support.language_model import NAME, talking
from tests.support.loopback import CannedResponse, Request, serving

llm = pytest.importorskip("llm", reason="needs the extra llm")

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of llm's settings, and no proxy between a test and its own server."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return tmp_path


def ask(name: str = NAME, *, seconds: float = 60.0, longest: int = 1000) -> str:
    model = load_language_model(name)
    return model.ask("Be brief.", "Why?", schema=SCHEMA, seconds=seconds, longest=longest)


@pytest.mark.parametrize("name", [NAME, "t"])
def test_instructions_and_text_arrive_and_the_pieces_are_the_answer(name: str) -> None:
    with talking(lambda prompt: ["Be", "cause."]) as talker:
        assert ask(name) == "Because."
    (prompt,) = talker.asked
    assert (prompt.system, prompt.prompt) == ("Be brief.", "Why?")


def test_a_schema_goes_to_those_who_take_one() -> None:
    if not hasattr(llm.Model, "supports_schema"):
        pytest.skip("needs a release of llm that knows schemas")
    with talking(lambda prompt: ["{}"], schemas=True) as talker:
        ask()
    assert talker.asked[0].schema == SCHEMA
    with talking(lambda prompt: ["{}"]) as talker:
        ask()
    assert getattr(talker.asked[0], "schema", None) is None


@pytest.mark.parametrize("name", ["no-such-model", "", "../talker", "\x1b[1m"])
def test_a_model_that_nobody_knows_is_an_error_before_anything_is_asked(name: str) -> None:
    with pytest.raises(EngineUnavailable, match="llm models") as caught:
        load_language_model(name)
    assert str(caught.value).isprintable()


def test_settings_of_llm_that_make_no_sense_are_one_line(folder: Path) -> None:
    (folder / "aliases.json").write_text("{\n")
    with pytest.raises(EngineUnavailable, match="llm cannot list its models") as caught:
        load_language_model(NAME)
    assert "\n" not in str(caught.value)


def test_a_plugin_that_fails_is_one_line_and_keeps_the_key_to_itself() -> None:
    def refuse(prompt: Any) -> Iterator[str]:
        yield "Be"
        raise RuntimeError("refused\nsk-12345 is not\x1b[31m welcome")

    with talking(refuse, key="sk-12345"), pytest.raises(EngineUnavailable) as caught:
        ask()
    assert str(caught.value) == "the model talker failed: refused *** is not\\x1b[31m welcome"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_model_without_its_key_says_how_to_give_it() -> None:
    with pytest.raises(EngineUnavailable, match="the model gpt-4o failed: No key found"):
        ask("gpt-4o")


def test_a_model_that_never_ends_is_given_up() -> None:
    with talking(lambda prompt: repeat("more ")), pytest.raises(EngineUnavailable) as caught:
        ask()
    assert str(caught.value) == ("the model talker failed: an answer of more than 1,000 characters")


def test_a_model_that_never_begins_is_given_up() -> None:
    released = threading.Event()

    def silent(prompt: Any) -> Iterator[str]:
        released.wait(60)
        yield "late"

    with talking(silent), pytest.raises(EngineUnavailable) as caught:
        ask(seconds=0.1)
    released.set()
    assert str(caught.value) == "the model talker failed: no answer within 0.1 s"


ELSEWHERE = """
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.language_model import load_language_model
try:
    model = load_language_model("local")
    print(model.ask("Be brief.", "Why?", schema={}, seconds=60.0, longest=1000))
except EngineUnavailable as error:
    print(error)
"""


def ask_over_http(folder: Path, url: str, more: str = "") -> str:
    """What a model with an address says, or why it does not.

    In a process of its own: the client leaves its connections to whoever ends the process.
    """
    (folder / "keys.json").write_text(json.dumps({"local": "sk-secret-1"}))
    model = {"model_id": "local", "model_name": "tiny", "api_base": f"{url}/v1"}
    lines = [f"{name}: {value}\n" for name, value in {**model, "api_key_name": "local"}.items()]
    (folder / "extra-openai-models.yaml").write_text(f"- {'  '.join(lines)}{more}")
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env={**os.environ, "LLM_USER_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    return f"data: {json.dumps({**event, 'choices': [choice]})}\n\n".encode()


def test_a_model_behind_an_address_that_speaks_openais_way(folder: Path) -> None:
    def answer(request: Request) -> CannedResponse:
        assert request.path == "/v1/chat/completions"
        stream = chunk("Be") + chunk("cause.") + b"data: [DONE]\n\n"
        return CannedResponse(200, stream, {"Content-Type": "text/event-stream"})

    with serving(answer) as server:
        assert ask_over_http(folder, server.url) == "Because."
    (request,) = server.asked
    assert request.headers["authorization"] == "Bearer sk-secret-1"
    sent = json.loads(request.body)
    assert [one["role"] for one in sent["messages"]] == ["system", "user"]


def test_a_model_that_cannot_stream_is_not_asked_to(folder: Path) -> None:
    message = {"role": "assistant", "content": "Because."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    said = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny"}

    def answer(request: Request) -> CannedResponse:
        sent = request.json()
        assert isinstance(sent, dict)
        assert sent["stream"] is False
        return CannedResponse(200, {**said, "choices": [choice], "usage": usage})

    with serving(answer) as server:
        assert ask_over_http(folder, server.url, "  can_stream: false\n") == "Because."


def test_an_address_that_echoes_the_key_does_not_get_it_printed(folder: Path) -> None:
    def refuse(request: Request) -> CannedResponse:
        return CannedResponse(
            401, {"error": {"message": f"wrong: {request.headers['authorization']}"}}
        )

    with serving(refuse) as server:
        said = ask_over_http(folder, server.url)
    assert said.startswith("the model local failed: ")
    assert "wrong: Bearer ***" in said
    assert "secret" not in said

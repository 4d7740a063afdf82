"""A model for coding agents on loopback: it reads a file, edits it, and is done.

It speaks OpenAI's Responses and Chat Completions and Anthropic's Messages, as far as the programs
need them, and remembers the requests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

BEFORE, AFTER = "x = 1", "x = 2"
USAGE = {"input_tokens": 1, "output_tokens": 1}


class AgentModel:
    """The model, which edits the file at `path`, absolute, which is `name` in its repository."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        self.url = ""
        self.requests: list[dict[str, Any]] = []

    def answer(self, route: str, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The events of the answer to a request."""
        if "responses" in route:
            self.requests.append(request)
            return self._responses(request)
        tools = [_name(tool) for tool in request.get("tools", ())]
        if tools:
            # The other requests are for a title of the session.
            self.requests.append(request)
        if "messages" in route:
            return self._messages(request, tools)
        return self._chat(request, tools)

    def seen(self) -> str:
        """Everything that the last request says to the model, but for tools."""
        last = self.requests[-1]
        return json.dumps(last.get("input") or last["messages"], ensure_ascii=False)

    def _responses(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        done = any(one.get("type") == "custom_tool_call_output" for one in request["input"])
        patch = f"*** Begin Patch\n*** Update File: {self.name}\n@@\n-{BEFORE}\n+{AFTER}\n"
        item: dict[str, Any] = {
            "type": "custom_tool_call",
            "id": "c1",
            "call_id": "call1",
            "name": "apply_patch",
            "input": f"{patch}*** End Patch\n",
        }
        if done:
            content = [{"type": "output_text", "text": "done"}]
            item = {"type": "message", "role": "assistant", "id": "m1", "content": content}
        yield {"type": "response.created", "response": {"id": "r1"}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        usage = {**USAGE, "total_tokens": 2}
        yield {"type": "response.completed", "response": {"id": "r1", "usage": usage}}

    def _messages(self, request: dict[str, Any], tools: list[str]) -> Iterator[dict[str, Any]]:
        turn = json.dumps(request["messages"]).count('"tool_result"')
        edit = {"file_path": self.path, "old_string": BEFORE, "new_string": AFTER}
        calls = [("Read", {"file_path": self.path}), ("Edit", edit)]
        call = calls[turn] if "Edit" in tools and turn < len(calls) else None
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
        yield {"type": "message_start", "message": {**message, "usage": USAGE}}
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": f"t{turn}", "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        reason = "tool_use" if call else "end_turn"
        yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": USAGE}
        yield {"type": "message_stop"}

    def _chat(self, request: dict[str, Any], tools: list[str]) -> Iterator[dict[str, Any]]:
        turn = sum(one["role"] == "tool" for one in request["messages"])
        edit = {"filePath": self.path, "oldString": BEFORE, "newString": AFTER}
        calls: list[tuple[str, dict[str, Any]]] = []
        if "view" in tools:
            calls = [("view", {"path": self.path})]
        elif "edit" in tools:
            calls = [("read", {"filePath": self.path}), ("edit", edit)]
        delta: dict[str, Any] = {"role": "assistant", "content": "done"}
        reason = "stop"
        if turn < len(calls):
            name, arguments = calls[turn]
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"k{turn}", "type": "function", "function": function}
            delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "x"}
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        last = {"index": 0, "delta": {}, "finish_reason": reason}
        yield {**base, "choices": [last], "usage": usage}


def _name(tool: dict[str, Any]) -> str:
    return str((tool.get("function") or tool.get("custom") or tool).get("name"))


@contextmanager
def serve(model: AgentModel) -> Iterator[None]:
    """Serve the model at `model.url` within the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(b'{"data": [], "models": []}', "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            events = list(model.answer(self.path, request))
            lines = [
                f"event: {one['type']}\ndata: {json.dumps(one)}\n\n"
                if "type" in one
                else f"data: {json.dumps(one)}\n\n"
                for one in events
            ]
            end = "" if "type" in events[0] else "data: [DONE]\n\n"
            self._send(("".join(lines) + end).encode(), "text/event-stream")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

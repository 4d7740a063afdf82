"""Language models of the library `llm`, with its installed plug-ins: one prompt, one response.

Each prompt runs in a child process, which ends when its time is over. A model may run native code
of this machine, which no other thread can interrupt: at the exit of the interpreter, a thread that
is still in such code crashes the process.
"""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.models.llm_embedding import require_llm
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.processes import Program, run_program
from sdd_hooks.text.display import one_line

# The first argument, the directory of the package, replaces the working directory in `sys.path`.
_PROGRAM = (
    "import sys; sys.path[0] = sys.argv[1];"
    " from sdd_hooks.models.language_model import main; main(sys.argv[2:])"
)

_PACKAGE = Path(__file__).resolve().parents[2]
_MEMORY_SHARE = 0.75


class PromptFailed(SddError):
    """The model did not answer. The message is one line without the key."""


class ModelPrompt(NamedTuple):
    """A prompt to the model with the id or alias `model`.

    `system` has the instructions, `schema` the JSON Schema of the response. The response has at
    most `max_length` characters.
    """

    model: str
    system: str
    text: str
    schema: Mapping[str, object]
    max_length: int


RunPrompt = Callable[[ModelPrompt, float], str]
"""Returns the response to a prompt within a number of seconds. Raises PromptFailed."""


def load_language_model(
    name: str, environ: Mapping[str, str], run: RunPrompt | None = None
) -> LanguageModel:
    """Find the model with the id or alias `name`. Sends no request.

    `run` runs its prompts; without it, each runs in a child process with `environ`.

    Raises:
        EngineUnavailable: `llm` is not installed, has no such model, or cannot list its models.
    """
    llm = require_llm(name)
    advice = "see `llm models`"
    if not name:
        raise EngineUnavailable(f"a model of llm has a name: {advice}")
    try:
        llm.get_model(name)
    except llm.UnknownModelError as error:
        raise EngineUnavailable(f"llm knows no model {name!r}: {advice}") from error
    # A plug-in or a configuration file of the user is broken.
    except Exception as error:
        reason = one_line(str(error))[:160] or type(error).__name__
        raise EngineUnavailable(f"llm cannot list its models ({reason}): {advice}") from None
    return LanguageModel(name, run or partial(respond_in_child, environ=environ))


class LanguageModel:
    """A model of `llm`. `name` is the id or alias that it was loaded by."""

    def __init__(self, name: str, run: RunPrompt) -> None:
        self.name = name
        self._run = run

    def respond(
        self,
        system: str,
        text: str,
        *,
        schema: Mapping[str, object],
        timeout: float,
        max_length: int,
    ) -> str:
        """Send a prompt and return the response.

        `system` has the instructions. `schema` is the JSON Schema of the response, for models that
        support one; the response may not follow it. Raises EngineUnavailable when the plug-in
        fails, or the response takes longer than `timeout` seconds or has more than `max_length`
        characters. The message never contains the API key.
        """
        try:
            return self._run(ModelPrompt(self.name, system, text, schema, max_length), timeout)
        except PromptFailed as error:
            raise EngineUnavailable(f"the model {self.name} failed: {error}") from None


def respond_in_child(
    prompt: ModelPrompt, timeout: float, environ: Mapping[str, str], max_memory: int = 0
) -> str:
    """Return the response of a model that runs in a child process for at most `timeout` seconds.

    The process may use `max_memory` bytes, 0 for three quarters of the memory of this machine. A
    file that it maps, such as the weights of a local model, does not count. Raises PromptFailed.
    """
    max_memory = max_memory or _default_memory()

    def failure(message: str) -> PromptFailed:
        is_late = "did not end within" in message
        return PromptFailed(f"no answer within {timeout:.1f} s" if is_late else message)

    command = [sys.executable, "-c", _PROGRAM, str(_PACKAGE), str(max_memory)]
    program = Program("a language model", command, Path("/"), environ, failure)
    request = json.dumps(prompt._asdict()).encode()
    result = run_program(program, timeout, stdin=request + b"\n")
    try:
        answer = json.loads(result.out)
        text, error = str(answer["text"]), str(answer["error"])
    except (ValueError, TypeError, KeyError):
        raise PromptFailed(f"its process ended with {result.code}") from None
    if error:
        raise PromptFailed(error)
    return text


def respond(prompt: ModelPrompt) -> str:
    """Return the response of a model that runs in this process. Raises PromptFailed."""
    model: Any = None
    try:
        model = require_llm(prompt.model).get_model(prompt.model)
        return _receive(model, prompt)
    # Plug-ins raise exceptions of any class. The cause is dropped: it may contain the request.
    except MemoryError:
        raise PromptFailed("it needs more memory than a judge may use") from None
    except Exception as error:
        message = one_line(_without_key(model, str(error)))[:160]
        raise PromptFailed(message or type(error).__name__) from None


def main(arguments: Sequence[str]) -> None:
    """Run the child process: one prompt on stdin, one answer on stdout, both JSON objects.

    The argument is the number of bytes of memory that it may use, 0 for no limit.
    """
    _limit_memory(int(arguments[0]))
    # What a plug-in prints is no part of the answer.
    output = os.dup(1)
    os.dup2(2, 1)
    prompt = ModelPrompt(**json.loads(sys.stdin.buffer.readline()))
    answer = {"text": "", "error": ""}
    try:
        answer["text"] = respond(prompt)
    except PromptFailed as error:
        answer["error"] = str(error)
    with open(output, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
        file.write(json.dumps(answer).encode())
    # Threads of the model end with the process, without code that waits for them.
    os._exit(0)


def _default_memory() -> int:
    """The bytes that a model may use; 0 where the system does not tell its memory."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _MEMORY_SHARE)
    except (AttributeError, OSError, ValueError):
        return 0


def _limit_memory(size: int) -> None:
    """Limit the memory of this process; see setrlimit(2). Not every system has the limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if size and (hard == resource.RLIM_INFINITY or size < hard):
            resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _receive(model: Any, prompt: ModelPrompt) -> str:
    # Releases of llm before 0.23 have no schemas.
    supports_schema = getattr(model, "supports_schema", False)
    options = {"schema": dict(prompt.schema)} if supports_schema else {}
    # llm leaves this check to the caller.
    stream = bool(model.can_stream)
    response = ""
    for piece in model.prompt(prompt.text, system=prompt.system, stream=stream, **options):
        response += piece
        if len(response) > prompt.max_length:
            raise ValueError(f"an answer of more than {prompt.max_length:,} characters")
    return response


def _without_key(model: Any, message: str) -> str:
    try:
        key = model.get_key()
    # A model without a key raises.
    except Exception:
        return message
    return message.replace(key, "***") if key else message

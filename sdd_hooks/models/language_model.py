"""Language models of the library `llm`, with its installed plug-ins: one prompt, one response."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.llm_embedding import require_llm
from sdd_hooks.models.prompt_process import ModelPrompt, PromptFailed, respond_in_child
from sdd_hooks.text.display import one_line

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

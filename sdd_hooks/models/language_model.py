"""Language models of the library `llm`, with its installed plug-ins: one prompt, one response."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.llm_embedding import require_llm
from sdd_hooks.models.timeouts import call_with_timeout
from sdd_hooks.text.display import one_line


def load_language_model(name: str) -> LanguageModel:
    """Find the model with the id or alias `name`. Sends no request.

    Raises:
        EngineUnavailable: `llm` is not installed, has no such model, or cannot list its models.
    """
    llm = require_llm(name)
    advice = "see `llm models`"
    if not name:
        raise EngineUnavailable(f"a model of llm has a name: {advice}")
    try:
        return LanguageModel(name, llm.get_model(name))
    except llm.UnknownModelError as error:
        raise EngineUnavailable(f"llm knows no model {name!r}: {advice}") from error
    # A plug-in or a configuration file of the user is broken.
    except Exception as error:
        reason = _short_reason(str(error), error)
        raise EngineUnavailable(f"llm cannot list its models ({reason}): {advice}") from None


class LanguageModel:
    """A model of `llm`. `name` is the id or alias that it was loaded by."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

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
            return call_with_timeout(
                timeout, lambda: self._receive(system, text, schema, max_length)
            )
        # Plug-ins raise exceptions of any class. The cause is dropped: it may contain the request.
        except Exception as error:
            reason = _short_reason(self._without_key(str(error)), error)
            raise EngineUnavailable(f"the model {self.name} failed: {reason}") from None

    def _receive(
        self, system: str, text: str, schema: Mapping[str, object], max_length: int
    ) -> str:
        # Releases of llm before 0.23 have no schemas.
        supports_schema = getattr(self._model, "supports_schema", False)
        options = {"schema": dict(schema)} if supports_schema else {}
        # llm leaves this check to the caller.
        stream = bool(self._model.can_stream)
        response = ""
        for piece in self._model.prompt(text, system=system, stream=stream, **options):
            response += piece
            if len(response) > max_length:
                raise ValueError(f"an answer of more than {max_length:,} characters")
        return response

    def _without_key(self, message: str) -> str:
        try:
            key = self._model.get_key()
        # A model without a key raises.
        except Exception:
            return message
        return message.replace(key, "***") if key else message


def _short_reason(message: str, error: Exception) -> str:
    return one_line(message)[:160] or type(error).__name__

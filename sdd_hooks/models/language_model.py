"""A language model of `llm`, with whatever plug-ins are installed: one question, one answer."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.llm_embedding import require_llm
from sdd_hooks.models.timeouts import within
from sdd_hooks.text.display import one_line


def load_language_model(name: str) -> LanguageModel:
    """The model that `llm` knows as `name`, an id or an alias. Nobody is asked anything yet.

    Raises:
        EngineUnavailable: `llm` is not installed, knows no such model, or cannot say.
    """
    llm = require_llm(name)
    advice = "see `llm models`"
    if not name:
        raise EngineUnavailable(f"a model of llm has a name: {advice}")
    try:
        return LanguageModel(name, llm.get_model(name))
    except llm.UnknownModelError as error:
        raise EngineUnavailable(f"llm knows no model {name!r}: {advice}") from error
    # A plug-in, or a file of the user's, that cannot be read.
    except Exception as error:
        told = one_line(str(error))[:160] or type(error).__name__
        raise EngineUnavailable(f"llm cannot list its models ({told}): {advice}") from None


class LanguageModel:
    """A model of `llm`. `name` is what it was asked for by."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

    def ask(
        self, system: str, text: str, *, schema: Mapping[str, Any], seconds: float, longest: int
    ) -> str:
        """What the model says to `text` under the instructions in `system`.

        `schema` is the JSON Schema of the answer, for models that take one; the answer need not
        hold to it. It has `seconds` to answer in, and an answer of more than `longest` characters
        is given up.

        Raises EngineUnavailable when the plug-in fails (no key, no network, a refusal), is too
        slow, or says too much. The message never holds the key.
        """
        try:
            return within(seconds, lambda: self._answer(system, text, schema, longest))
        # A plug-in raises what it likes, and its errors may hold what it sent: no cause is kept.
        except Exception as error:
            told = one_line(self._without_key(str(error)))[:160] or type(error).__name__
            raise EngineUnavailable(f"the model {self.name} failed: {told}") from None

    def _answer(self, system: str, text: str, schema: Mapping[str, Any], longest: int) -> str:
        # Releases of llm before 0.23 know no schemas.
        takes_schema = getattr(self._model, "supports_schema", False)
        options = {"schema": dict(schema)} if takes_schema else {}
        # llm itself leaves it to whoever asks whether a model can.
        stream = bool(self._model.can_stream)
        answer = ""
        for piece in self._model.prompt(text, system=system, stream=stream, **options):
            answer += piece
            if len(answer) > longest:
                raise ValueError(f"an answer of more than {longest:,} characters")
        return answer

    def _without_key(self, message: str) -> str:
        try:
            key = self._model.get_key()
        # It has none, and says so with an error of its own.
        except Exception:
            return message
        return message.replace(key, "***") if key else message

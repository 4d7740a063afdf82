"""A language model of `llm` with responses of a test, registered by a plug-in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sdd_hooks.models.language_model import ModelPrompt, respond

NAME = "talker"


def respond_here(prompt: ModelPrompt, _timeout: float) -> str:
    """Run a prompt in this process, which has the model of the test, without a timeout."""
    return respond(prompt)


@dataclass
class RecordedPrompts:
    """The prompts that the model received, in order."""

    prompts: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of all prompts, instructions included."""
        return "\n".join(f"{prompt.system}\n{prompt.prompt}" for prompt in self.prompts)


@contextmanager
def registered_model(
    answer: Callable[[Any], Iterable[str]], *, schemas: bool = False, key: str | None = None
) -> Iterator[RecordedPrompts]:
    """Register a model called NAME, alias `t`; `answer` makes the pieces of its response.

    `schemas` says whether it supports schemas. `key` is its API key; None: it needs none.
    """
    import llm
    from llm.plugins import pm

    talker = RecordedPrompts()
    alias, secret = key, key

    class Model(llm.Model):  # type: ignore[misc, name-defined]
        model_id = NAME
        supports_schema = schemas
        needs_key = alias and "talker"
        key = secret

        def execute(self, prompt: Any, *rest: Any, **named: Any) -> Iterator[str]:
            talker.prompts.append(prompt)
            yield from answer(prompt)

    class Plugin:
        @llm.hookimpl
        def register_models(self, register: Callable[..., None]) -> None:
            register(Model(), aliases=("t",))

    plugin = Plugin()
    pm.register(plugin)
    try:
        yield talker
    finally:
        pm.unregister(plugin)

"""Language models of `llm` that say what a test wants, registered as any plug-in's are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

NAME = "talker"


@dataclass
class Talker:
    """What the model was asked: the prompts of `llm`, in order."""

    asked: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything it was sent, instructions included."""
        return "\n".join(f"{prompt.system}\n{prompt.prompt}" for prompt in self.asked)


@contextmanager
def talking(
    answer: Callable[[Any], Iterable[str]], *, schemas: bool = False, key: str | None = None
) -> Iterator[Talker]:
    """A model called NAME, alias `t`, for which `answer` makes the pieces of an answer to a prompt.

    `schemas` is whether it takes schemas, `key` its key; it needs none when that is None.
    """
    import llm
    from llm.plugins import pm

    talker = Talker()
    alias, secret = key, key

    class Model(llm.Model):  # type: ignore[misc, name-defined]
        model_id = NAME
        supports_schema = schemas
        needs_key = alias and "talker"
        key = secret

        def execute(self, prompt: Any, *rest: Any, **named: Any) -> Iterator[str]:
            talker.asked.append(prompt)
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

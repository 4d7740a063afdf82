"""Random repositories into which definitions are copied, with other variables and comments."""

from __future__ import annotations

import random
import string

from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.planning.work.duplicates import find_duplicates
from tests.adversarial.conftest import Rounds
from tests.planning.work.memory_tree import MemoryTree

CALLS = ("load", "store.read", "strings.trim", "clock.now", "os.stat", "queue.push", "render")


def word(chance: random.Random) -> str:
    return "".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 9)))


def function(chance: random.Random, name: str) -> str:
    """A Python function of some lines with two variables."""
    lines = [f"def {name}(first, second):"]
    for _ in range(chance.randint(4, 12)):
        call, literal = chance.choice(CALLS), chance.randint(0, 999)
        lines.append(
            chance.choice(
                (
                    f"    first = {call}(second, {literal})",
                    f"    if first > {literal}:\n        {call}(first)",
                    f"    {call}.{word(chance)}(first, '{word(chance)}')",
                    f"    second += first * {literal}",
                )
            )
        )
    lines.append(f"    return {chance.choice(('first', 'second'))}")
    return "\n".join(lines) + "\n"


def copied(chance: random.Random, text: str) -> str:
    """The same function for another author: variables, comments, blank lines, spelling."""
    for old in ("first", "second"):
        if chance.random() < 0.4:
            text = text.replace(old, word(chance))
    lines = text.split("\n")
    if chance.random() < 0.5:
        lines.insert(1, f"    # {word(chance)} {word(chance)}")
    return "\n".join(lines)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def test_a_copy_is_found_and_other_code_is_not(rounds: Rounds) -> None:
    def case(chance: random.Random) -> None:
        files: dict[str, str] = {}
        names: list[tuple[str, str, str]] = []
        for at in range(chance.randint(2, 25)):
            path = f"src/{word(chance)}{at}.py"
            functions = []
            for _ in range(chance.randint(1, 6)):
                name = f"{word(chance)}_{word(chance)}"
                functions.append(function(chance, name))
                names.append((path, name, functions[-1]))
            files[path] = "\n".join(functions)
        path, name, original = chance.choice(names)
        copy = copied(chance, original.replace(name, camel(name)))
        fresh = function(chance, f"{word(chance)}_{word(chance)}_{word(chance)}")
        # The one function is a copy, the other one is new.
        text = f"{fresh}\n{copy}"
        new = list(find_symbols("src/new.py", text))
        found = find_duplicates(MemoryTree({**files, "src/new.py": text}), new)
        assert [(one.new.name, one.existing.path, one.existing.name) for one in found] == [
            (camel(name), path, name)
        ]

    rounds.run(case)

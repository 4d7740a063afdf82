"""Every example in the pages is run, in the order of its page, and shows what the page shows.

A page chooses its scene by `<!-- test: scene NAME -->`, and begins in `home`. In what is shown, `…`
stands for anything in a line, and alone for any number of lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import Block, blocks, pages
from tests.docs.terminal import SCENES, Terminal


def steps(block: Block) -> Iterator[tuple[int, str, list[str]]]:
    """The commands of a `console` block, each with its line and what it shows."""
    command: list[str] = []
    shown: list[str] = []
    start = 0
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            if command:
                yield start, "\n".join(command), shown
            command, shown, start = [line[2:]], [], number
        elif command and not shown and line.startswith("> "):
            command.append(line[2:])
        else:
            assert command, f"{block}: output before a command"
            shown.append(line)
    assert command, f"{block}: no command"
    yield start, "\n".join(command), shown


def matches(expected: list[str], shown: str) -> bool:
    """Whether what a page shows is what was shown."""
    pattern = ""
    for line in "\n".join(expected).strip("\n").split("\n"):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
    return re.fullmatch(pattern, shown.strip("\n") + "\n") is not None


def same_shape(expected: Any, actual: Any, place: str = "") -> None:
    """Assert that a documented JSON value is like the real one: keys, types, texts but for `…`."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), place
        assert list(expected) == list(actual), place
        for key, value in expected.items():
            same_shape(value, actual[key], f"{place}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list), place
        assert len(expected) <= len(actual), place
        assert bool(expected) == bool(actual), place
        for number, value in enumerate(expected):
            same_shape(value, actual[number], f"{place}[{number}]")
    elif isinstance(expected, str):
        assert isinstance(actual, str), place
        assert matches([expected], actual), f"{place}: {actual!r}"
    elif isinstance(expected, float):
        assert isinstance(actual, float), place
    else:
        assert (type(expected), expected) == (type(actual), actual), place


def scenes(page: Path) -> list[list[Block]]:
    """The blocks of a page that are run, those of each scene together."""
    grouped: list[list[Block]] = [[]]
    for block in blocks(page):
        if any(directive.startswith("scene ") for directive in block.directives):
            grouped.append([])
        if block.language in {"console", "json"}:
            grouped[-1].append(block)
    return [scene for scene in grouped if scene]


@pytest.mark.parametrize(
    "scene", [s for page in pages() for s in scenes(page)], ids=lambda s: str(s[0])
)
def test_examples(scene: list[Block], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    terminal = Terminal(tmp_path / "ada")
    terminal.fixture = request.getfixturevalue
    for block in scene:
        for directive in block.directives:
            if directive.startswith("scene "):
                SCENES[directive.removeprefix("scene ")](terminal)
        if block.language == "console":
            run_console(terminal, block)
        else:
            (command,) = (d for d in block.directives if not d.startswith("scene "))
            shown = terminal.run(command)
            same_shape(json.loads(block.text), json.loads(shown), f"{block}: {command}")


def run_console(terminal: Terminal, block: Block) -> None:
    todo = list(steps(block))
    for (line, command, expected), after in zip(todo, [*todo[1:], None], strict=True):
        shown = terminal.run(command)
        place = f"{block.page.name}:{line}: $ {command}"
        assert matches(expected, shown), f"{place}\n{shown}"
        status_is_shown = after is not None and "$?" in after[1]
        assert status_is_shown or terminal.status == 0, f"{place}: exit {terminal.status}\n{shown}"


def test_what_a_page_shows_is_compared_line_by_line() -> None:
    assert matches(["a", "…", "d"], "a\nb\nc\nd\n")
    assert matches(["a … d"], "a b c d\n")
    assert matches(["a", "…"], "a\n")
    assert matches([], "")
    assert not matches([], "a\n")
    assert not matches(["a"], "a\nb\n")
    assert not matches(["a.c"], "abc\n")


def test_the_terminal_keeps_directory_and_status(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "home")
    terminal.run("mkdir below && cd below")
    assert terminal.run("pwd") == "/home/ada/below\n"
    terminal.run("false")
    assert terminal.run("echo $?") == "1\n"

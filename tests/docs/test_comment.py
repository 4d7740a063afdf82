"""The comment in the README is the output of its example."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import TOP
from tests.docs.terminal import Terminal, shop

BEGIN = "<!-- the comment -->"


def quoted() -> list[str]:
    """The lines of the comment that the README quotes."""
    lines = (TOP / "README.md").read_text(encoding="utf-8").partition(BEGIN)[2].splitlines()[1:]
    end = next(number for number, line in enumerate(lines) if not line.startswith(">"))
    return [line[1:].removeprefix(" ") for line in lines[:end]]


def test_the_quoted_comment_is_the_comment_on_the_branch(tmp_path: Path) -> None:
    page = (TOP / "README.md").read_text(encoding="utf-8")
    terminal = Terminal(tmp_path / "home")
    shop(terminal)
    terminal.run("cd shop")
    commands = [line[2:] for line in page.splitlines() if line.startswith("$ git switch -q -c")]
    commands += [line[2:] for line in page.splitlines() if line.startswith("$ printf 'package")]
    commands += ["git add . && git commit -q -m 'Prune the outbox of published events'"]
    for command in commands:
        terminal.run(command)
        assert terminal.status == 0
    shown = terminal.run("sdd review --format comment").splitlines()
    # The first line is a marker, and the last one has the ids of commits.
    assert shown[1:-2] == quoted()

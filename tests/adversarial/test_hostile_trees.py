"""Random hostile work trees: a check and an audit report them, the same each time.

A report never ends in a traceback, does not depend on the run, has every format, and is clean after
its findings became the baseline.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path

from sdd_hooks.reporting.registry import FORMATS
from tests.adversarial.conftest import Rounds
from tests.cli.commands import run
from tests.support.repos import Repo

MEMORY = (
    "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n"
)
NAMES = (
    "a.py", "b c.ts", "ü\u202e.go", "-x.html", "'q\".js", "line\nbreak.py", "tab\t.css", "*.vue",
    "[api].tsx", "%41.rb", "$(x).sh", "CON.cs", "a" * 180 + ".py", b"\xff\xfe.py", "no-suffix",
    "README.md", "x.json", "image.png", "test_a.py", "#.java", "\\.kt", ".hidden.py",
)  # fmt: skip
FOLDERS = (
    "", "src/", "src/a b/", "templates/", "tests/", "docs/", "docs/adrs/", "docs/adrs/deep/er/",
    "docs/openspec/specs/s1/", ".x/", "vendor/", "é/", "src/" + "d/" * 20,
)  # fmt: skip
MATTERS = (
    "", "---\nstatus: accepted\n---\n", "---\nstatus: {word}\ndate: {word}\n---\n",
    "---\nextends: [{id}, {id}]\nsupersedes: {id}\n---\n", "---\nrequires: [{id}]\n---\n",
    "---\nstatus: [\n---\n", "---\na: &a [*a]\n---\n", "---\nstatus: accepted\n",
    "---\napplies-to: ['**', '../..', '[', '{{', {word}]\n---\n", "+++\nx = 1\n+++\n",
    "---\nreview-by: {word}\nexpires: 2020-13-45\nvalid-until: 2020-02-30\n---\n",
    "---\nstatus: superseded\nsuperseded-by: {id}\n---\n",
    "---\n? {{x: y}}: !!python/none z\n---\n",
)  # fmt: skip
LINES = (
    "# {id}: {word}", "## Decision Outcome", "## Status", "{word}", "Governing: {id} ({word})",
    '// Governing: {id} REQ "{word}", REQ-3', "# Implements: {id} REQ \"{word}\" (", "See {id}.",
    "### Requirement: {word}", "#### Scenario: {word}", "- WHEN {word}", "It MUST {word} {word}.",
    "It MUST NOT {word} {word}.", "it must {word}", "```sdd-rule", "forbid import: {word}",
    "in: {word}", "require: {id}", "```", "<!--", "-->", "[{id}](https://x/{word})",
    "x.innerHTML = `${{",
    "el.innerHTML = a + (b ? `{word}", "template.HTML({word}",
    "<script src=\"https://unpkg.com/{word}\">",
    "<form><input name=x><input name=y></form>", "<<<<<<< HEAD", "=======", ">>>>>>> {word}",
    "sdd-ignore: {word} ({id})", "sdd-ignore: *", "def {word}(): ...", "class {word}:", "/*", '"""',
    "Superseded by {id}", "Must be revisited by June 2020.", "{id}..{id}", "| {id} | {word} |",
)  # fmt: skip
WORDS = (
    "accepted", "proposed", "x", "until 2020-01-02", "a" * 3_000, "\u202e\u0000", "é\u2028",
    "(" * 60,
    "`" * 9, "[x](y", "src/a.py", "..", "{{}}", "💥", "\x1b[31m", "Sign in", "100 ms", "<b>&amp;",
)  # fmt: skip


def draw_text(chance: random.Random) -> bytes:
    """A text of lines that the rules look for, or bytes that are no text."""
    kind = chance.random()
    if kind < 0.06:
        return chance.randbytes(chance.choice((0, 1, 5_000)))
    if kind < 0.1:
        return b"x" * 200_000 + b"\n" + b"ADR-0001 " * 5_000

    def fill(pattern: str) -> str:
        while "{id}" in pattern:
            number = chance.choice((0, 1, 2, 3, 4, 99, 99_999))
            pattern = pattern.replace("{id}", f"{chance.choice(('ADR', 'SPEC'))}-{number:04d}", 1)
        while "{word}" in pattern:
            pattern = pattern.replace("{word}", chance.choice(WORDS), 1)
        return pattern

    lines = [fill(chance.choice(LINES)) for _ in range(chance.randint(0, 30))]
    text = fill(chance.choice(MATTERS)) + "\n".join(lines)
    text = text.replace("\n", chance.choice(("\n", "\n", "\n", "\r\n", "\r")))
    coded = text.encode(chance.choice(("utf-8", "utf-8", "utf-8", "utf-16")), "surrogatepass")
    return chance.choice((b"", b"", b"\xef\xbb\xbf")) + coded


def draw_tree(chance: random.Random, root: Path) -> None:
    """Write records, source files with odd names, and links."""
    (root / "CLAUDE.md").write_text(MEMORY)
    for number in range(chance.randint(1, 6)):
        name = chance.choice((f"ADR-{number:04d}-x.md", f"{number % 3}-y.md", "README.md", "é.md"))
        write(root, os.fsencode(f"docs/adrs/{name}"), draw_text(chance))
    for number in range(chance.randint(0, 3)):
        for name in ("spec.md", "design.md"):
            if chance.random() < 0.8:
                path = f"docs/openspec/specs/s{number}/{name}"
                write(root, path.encode(), f"# SPEC-{number:04d}: S\n".encode() + draw_text(chance))
    for _ in range(chance.randint(0, 12)):
        name = chance.choice(NAMES)
        folder = chance.choice(FOLDERS)
        coded = name if isinstance(name, bytes) else os.fsencode(name)
        write(root, os.fsencode(folder) + coded, draw_text(chance))
    for number in range(chance.randint(0, 3)):
        link = root / chance.choice((f"link{number}.py", f"docs/adrs/ADR-000{number}-l.md"))
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists() and not link.is_symlink():
            link.symlink_to(chance.choice(("/etc/passwd", "..", "nowhere", link.name, "CLAUDE.md")))


def write(root: Path, path: bytes, data: bytes) -> None:
    """Write a file, unless it exists, or one of the folders is a file or a link."""
    full = root / os.fsdecode(path)
    with suppress(FileExistsError, NotADirectoryError):
        full.parent.mkdir(parents=True, exist_ok=True)
        with full.open("xb") as file:
            file.write(data)


def test_a_report_of_any_work_tree(tmp_path: Path, rounds: Rounds) -> None:
    def case(chance: random.Random) -> None:
        root = tmp_path / f"tree{len(list(tmp_path.iterdir()))}"
        repo = Repo.init(root)
        draw_tree(chance, root)
        if chance.random() < 0.5:
            repo.git("add", "--all")
            repo.git("commit", "--quiet", "--message=x", "--no-verify")
        command = chance.choice(("audit", "audit", "check"))
        assert run(root, "index", "add").code == 0

        first = report(root, command)
        assert report(root, command) == first

        shown = run(root, command, "--format", chance.choice(sorted(FORMATS)))
        assert (shown.code, "Traceback" in shown.err) == (0, False)
        assert "\x1b" not in shown.out

        written = run(root, command, "--baseline", "known.json", "--write-baseline")
        assert written.code == 0, written.err
        again = run(root, command, "--baseline", "known.json", "--fail-on", "info", "--json")
        left = [one for one in again.json["findings"] if one["rule"] != "incomplete"]
        assert left == []

    rounds.run(case)


def report(root: Path, command: str) -> object:
    """The findings of a command, in their order."""
    done = run(root, command, "--json")
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    return json.loads(done.out)["findings"]

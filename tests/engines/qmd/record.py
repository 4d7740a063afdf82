"""Record the output of the real qmd: `python -m tests.engines.qmd.record`, in the top directory.

Uses the qmd of the tests (tests/support/qmd.py) and a generated model, so that every developer can
record again. Each command writes `recorded/NAME.out` and `recorded/NAME.err`, with `/home/ada/…` in
place of the directories of this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sdd_hooks.engines.qmd.installation import MESSAGES, find_qmd, qmd_program, run_program
from sdd_hooks.system.processes import (
    Program,
    ProgramResult,
    end_program,
    start_program,
)
from tests.support.gguf_model import make_gguf
from tests.support.qmd import MISSING, RealQmd, installed, own_environment

RECORDED = Path(__file__).parent / "recorded"

ODD = "odd  name (1) [x] 100%25 #é.md"
BROKEN = "line\nbreak.md"

SEARCHES = [
    {"type": "lex", "query": "session cookie"},
    {"type": "vec", "query": "user password"},
]


class Recorder:
    """A repository with an index, and the recorded output of qmd."""

    def __init__(self, top: Path) -> None:
        directory = installed()
        if directory is None:
            sys.exit(MISSING)
        environ = own_environment(directory, top)
        self.top = top
        self.qmd = RealQmd(find_qmd(environ), environ, make_gguf(top / "tiny.gguf"))
        self.folder = self.qmd.index_folder(top / "shop")

    def write(self, path: str, text: str) -> None:
        target = self.folder.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def keep(self, name: str, out: str, err: str = "") -> None:
        for suffix, text in (("out", out), ("err", err)):
            output = text.replace(str(self.top), "/home/ada")
            installation = str(Path(self.qmd.installation.command).parents[1])
            (RECORDED / f"{name}.{suffix}").write_text(output.replace(installation, "/opt/qmd"))

    def run(self, *args: str) -> ProgramResult:
        return run_program(self.program(*args), 120)

    def program(self, *args: str) -> Program:
        return qmd_program(self.qmd.installation, self.folder, *args, environ=self.qmd.environ)

    def record(self, name: str, *args: str) -> None:
        done = self.run(*args)
        self.keep(name, done.out, done.err)


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    with TemporaryDirectory() as top:
        recorder = Recorder(Path(top))
        _updates(recorder)
        _embeds(recorder)
        _queries(recorder)
        _status(recorder)


def _updates(recorder: Recorder) -> None:
    recorder.write("docs/adrs/a.md", "# Sessions\n\nA session ends with the token of its user.\n")
    recorder.write("docs/adrs/b.md", "# Pages\n\nA page goes through the cache.\n")
    recorder.write(f"docs/adrs/{ODD}", "# Odd\n\nThe hash of a password.\n")
    recorder.write(f"docs/adrs/{BROKEN}", "# Broken\n\nAn order and its payment.\n")
    recorder.write("docs/specs/wörk/spec.md", "# Events\n\nAn event waits in the outbox.\n")
    recorder.qmd.declare(
        recorder.folder, recorder.qmd.model, shop_adrs="docs/adrs", shop_specs="docs/specs"
    )
    recorder.record("version", "--version")
    recorder.record("update-first", "update")
    recorder.write("docs/adrs/a.md", "# Sessions\n\nA session ends with its cookie.\n")
    recorder.write("docs/adrs/c.md", "# Herons\n\nA heron stands by the pond.\n")
    (recorder.folder.root / "docs/adrs/b.md").unlink()
    recorder.record("update-changed", "update")
    recorder.record("ls", "ls", "shop-adrs")
    recorder.record("ls-unknown", "ls", "shop-code")
    recorder.record("status-pending", "status")


def _embeds(recorder: Recorder) -> None:
    # Words so short that a chunk of the usual length has too many of them for the model.
    known = " ".join(("ci", "go")[number % 2] for number in range(5000))
    recorder.write("docs/specs/long/spec.md", f"# Long\n\n{known}\n")
    recorder.run("update")
    recorder.record("embed", "embed")
    recorder.record("embed-nothing", "embed")
    recorder.record("status-embedded", "status")
    recorder.record("doctor", "doctor")
    holder = start_program(recorder.program("mcp"), subprocess.PIPE)
    lock = recorder.folder.path / ".qmd-embed.lock"
    try:
        lock.write_text(f"{holder.pid}\n")
        recorder.record("embed-busy", "embed")
    finally:
        end_program(holder)
        lock.unlink()
    for number in range(30):
        recorder.write(f"docs/adrs/long{number}.md", f"# Long {number}\n\n{known}\n")
    recorder.run("update")
    recorder.record("embed-expired", "embed", "--timeout", "0.08")
    for number in range(30):
        (recorder.folder.root / f"docs/adrs/long{number}.md").unlink()
    # qmd truncates a text that is too long for the model, without the words unknown to the model.
    unknown = " ".join("abcdefghij"[number % 10] for number in range(5000))
    recorder.write("docs/specs/unknown/spec.md", f"# Unknown\n\n{known[:4000]}\n\n{unknown}\n")
    recorder.run("update")
    recorder.record("embed-partly", "embed")
    (recorder.folder.root / "docs/specs/unknown/spec.md").unlink()
    recorder.run("update")
    recorder.qmd.declare(recorder.folder, "/nowhere/model.gguf", shop_adrs="docs/adrs")
    recorder.record("embed-failed", "embed")


def _queries(recorder: Recorder) -> None:
    query = "\n".join(f"{search['type']}: {search['query']}" for search in SEARCHES)
    options = ("--format", "json", "--explain", "--no-rerank", "-n", "5")
    recorder.record("query-lexical-only", "query", query, *options)
    recorder.qmd.declare(
        recorder.folder, recorder.qmd.model, shop_adrs="docs/adrs", shop_specs="docs/specs"
    )
    recorder.record("query", "query", query, *options)
    recorder.record("query-nothing", "query", "lex: zzz", *options)
    recorder.record("query-unknown", "query", query, *options, "-c", "shop-code")


def _status(recorder: Recorder) -> None:
    lines = "".join(f"{json.dumps(message)}\n" for message in MESSAGES)

    class StatusReceived(Exception):
        pass

    received: list[str] = []

    def on_line(line: str) -> None:
        received.append(line)
        if '"id":2' in line:
            raise StatusReceived

    try:
        run_program(recorder.program("mcp"), 60, on_line, lines.encode())
    except StatusReceived:
        recorder.keep("mcp-status", "\n".join(received))


if __name__ == "__main__":
    os.chdir("/")
    main()

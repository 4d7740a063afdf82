"""Pull requests that try to slip a violation of a rule past the review, and innocent ones.

A case is a repository whose decision forbids an import as MUST, and a change that adds the import
in one of many notations, with some tricks around it: places, encodings, sizes, names, attributes,
and edits of the files that declare the rule. The review must find the import or say that it did not
look. The same tricks around another import must have no finding of that kind.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sdd_hooks.findings import INCOMPLETE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.usecases.review import CommitRange, Verdict, review_range
from tests.adversarial.conftest import Rounds
from tests.support.repos import Repo

FILE, LINK, SUBMODULE = "100644", "120000", "160000"
SETTINGS = "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: critical\n"
CONTEXT = "## Architecture Context\n\n- Architecture Decision Records are in `{}`\n"
MODULES = "\n### Workspace Modules\n\n| Module | Root |\n| --- | --- |\n| api | services/api |\n"
RECORD = (
    "---\nstatus: accepted\n---\n\n# ADR-0001: HTTP\n\n## Context\n\nA.\n\n## Decision\n\nB.\n\n"
    "```sdd-rule\nforbid import: {}\n{}severity: MUST\n```\n"
)

Entry = tuple[str, bytes]
"""A mode of git, and a content."""


class Row(NamedTuple):
    """A line of the table: a kind, the name of a file or its suffix, and a text.

    `~` in the text is the module that is imported, or the package that is required.
    """

    kind: str
    name: str
    text: str

    @property
    def path(self) -> str:
        return {".": f"a{self.name}", "/": self.name[1:]}.get(self.name[0], self.name)


def read_table() -> Iterator[Row]:
    """The violations of `hidden_violations.txt`."""
    kind = ""
    for line in Path(__file__).with_name("hidden_violations.txt").read_text("utf-8").splitlines():
        names, separator, rows = line.partition(" | ")
        kind = kind if separator else names.removeprefix("# ")
        for name in names.split() if separator else ():
            for row in rows.split(" ;; "):
                yield Row(kind, name, row.encode().decode("unicode_escape") + "\n")


NOTATIONS = [one for one in read_table() if one.kind == "syntax" and one.name[0] == "."]
SUFFIXES = {".py": (".py", ".pyw", ".PY", ".pyi"), ".js": (".js", ".ts", ".cts", ".vue", ".mjs")}
SHEBANGS = {".py": "#!/usr/bin/env python3\n", ".js": "#!/usr/bin/node\n", ".rb": "#!/bin/ruby\n"}


@dataclass
class Case:
    """The files of the base, and those that the change writes; None deletes a file."""

    random: random.Random
    text: bytes
    path: str
    record: str
    memory: str
    before: dict[str, Entry] = field(default_factory=dict)
    after: dict[str, Entry | None] = field(default_factory=dict)
    tricks: list[str] = field(default_factory=list)

    def write(self, path: str, text: str | bytes, mode: str = FILE) -> None:
        """Have the change write a file."""
        self.after[path] = (mode, text.encode() if isinstance(text, str) else text)

    def at_base(self, path: str, text: str | bytes, mode: str = FILE) -> None:
        """Add a file to the base."""
        self.before[path] = (mode, text.encode() if isinstance(text, str) else text)


def make(chance: random.Random, module: str) -> Case:
    """A case whose change imports `module`, where the rule forbids `wanted`."""
    _, language, text = chance.choice(NOTATIONS)
    text = text.replace("~", module)
    suffix = chance.choice(SUFFIXES.get(language, (language,)))
    folder = chance.choice(["src", "src/a/b", "src/tests", "src/vendor", "src/é"])
    path = f"{folder}/a{suffix}"
    if language in SHEBANGS and chance.random() < 0.15:
        path, text = f"{folder}/tool", SHEBANGS[language] + text
    within = chance.choice(["", "in: src/**\n"])
    case = _declared(chance, RECORD.format("forbidden", within), text, path)
    # In the order of the list: an encoding comes after the text is complete.
    for trick in sorted(chance.sample(TRICKS, chance.randint(0, 3)), key=TRICKS.index):
        trick(case)
        case.tricks.append(trick.__name__)
    case.after.setdefault(case.path, (FILE, case.text))
    return case


def _declared(chance: random.Random, record: str, text: str, path: str) -> Case:
    """A case whose rule is declared in one of the ways to declare records."""
    way = chance.randrange(5)
    folder = ["docs/adrs", "examples/notes", "services/api/notes", "notes", "decisions"][way]
    case = Case(chance, text.encode(), path, f"{folder}/http.md", "CLAUDE.md")
    memory = CONTEXT.format(folder) + SETTINGS
    if way == 2:
        memory = CONTEXT.format("docs/adrs") + MODULES + SETTINGS
        case.memory = "services/api/CLAUDE.md"
        case.at_base(case.memory, CONTEXT.format("notes"))
    elif way == 3:
        case.memory = "docs/agents.md"
        case.at_base(case.memory, memory)
        case.at_base("CLAUDE.md", case.memory, LINK)
    if "CLAUDE.md" not in case.before:
        case.at_base("CLAUDE.md", memory)
    case.at_base(case.record, record)
    case.at_base("src/b.py", "import os\n")
    return case


def pad_lines(case: Case) -> None:
    """A violation behind many lines."""
    sign = b"# " if case.path.lower().endswith((".py", ".pyw", ".pyi", ".rb", "tool")) else b"// "
    sign = b"' " if case.path.endswith(".vb") else sign
    head, mark, rest = (
        case.text.partition(b"\n") if case.text.startswith(b"#!") else (b"", b"", case.text)
    )
    lines = b"".join(sign + b"line %d\n" % n for n in range(case.random.choice([3, 5_000])))
    case.text = head + mark + lines + rest


def pad_columns(case: Case) -> None:
    """A violation beyond the columns of a diff."""
    line, end, rest = case.text.partition(b"\n")
    # Nothing may follow the sign that continues a line.
    continues = line.endswith((b"\\", b" _"))
    if not line.startswith((b"#!", b"package", b"#[", b"//")) and not continues:
        case.text = b"\n" + line + b" " * 2_500 + end + rest


def byte_order_mark(case: Case) -> None:
    """A mark of UTF-8."""
    if not case.text.startswith(b"#!"):
        case.text = b"\xef\xbb\xbf" + case.text


def utf_16(case: Case) -> None:
    """An encoding for which git shows no lines."""
    if case.path.endswith((".cs", ".java", ".kt")) and case.text[:1] != b"\xef":
        case.text = case.text.decode().encode(case.random.choice(["utf-16", "utf-16-le"]))


def null_character(case: Case) -> None:
    """A character for which git calls a file binary."""
    case.text += b"\n\0"


def carriage_returns(case: Case) -> None:
    """The line ends of another system."""
    if b"\r" not in case.text and b"\0" not in case.text:
        case.text = case.text.replace(b"\n", b"\r\n")


def attributes(case: Case) -> None:
    """Attributes that hide lines from a diff."""
    names = [
        "-diff",
        "binary",
        "-text",
        "linguist-generated",
        "export-ignore",
        "diff=x",
        "eol=crlf",
    ]
    chosen = " ".join(case.random.sample(names, 3))
    case.write(".gitattributes", f"* {chosen}\n*.md {chosen}\n")


def renamed(case: Case) -> None:
    """A file that moves into the reach of the rule."""
    padding = b"".join(b"\n" for _ in range(40))
    text = case.text + padding
    case.at_base("lib/old.txt", text)
    case.after["lib/old.txt"] = None
    case.after[case.path] = (FILE, text)


def linked(case: Case) -> None:
    """A link to a file that no rule reads."""
    case.at_base("lib/shown.txt", case.text)
    case.write(case.path, "../" * case.path.count("/") + "lib/shown.txt", LINK)


def memory_edited(case: Case) -> None:
    """A memory file that declares other records."""
    case.write(case.memory, CONTEXT.format("nothing/here"))


def memory_removed(case: Case) -> None:
    """A memory file that is removed."""
    case.after[case.memory] = None


def other_memory(case: Case) -> None:
    """A second memory file."""
    case.write("AGENTS.md", CONTEXT.format("nothing") + SETTINGS.replace("critical", "never"))


def record_edited(case: Case) -> None:
    """A rule that is weakened, hidden, removed or moved with the change that breaks it."""
    text = case.before[case.record][1].decode()
    way = case.random.randrange(5)
    if way == 0:
        case.write(case.record, text.replace("MUST", "MAY"))
    elif way == 1:
        case.write(case.record, text.replace("severity", f"except: {case.path}\nseverity"))
    elif way == 2:
        case.write(case.record, text.replace("accepted", "deprecated") + "\0")
    elif way == 3:
        case.after[case.record] = None
    else:
        case.after[case.record] = None
        case.write("elsewhere/http.txt", text)


def many_files(case: Case) -> None:
    """Some other files."""
    for number in range(case.random.choice([1, 30])):
        case.write(f"src/{number}.txt", "text\n")
    case.write("src/a.png", b"\x89PNG\0" + bytes(range(256)) * 9)


def mode_changed(case: Case) -> None:
    """An executable file."""
    case.after[case.path] = ("100755", case.text)


def case_changed(case: Case) -> None:
    """A folder in capitals, which some systems take for the same one."""
    if "in: src" in case.before[case.record][1].decode():
        case.path = case.path.replace("src/", "SRC/", 1)


TRICKS: list[Callable[[Case], None]] = [
    pad_lines,
    pad_columns,
    byte_order_mark,
    utf_16,
    null_character,
    carriage_returns,
    attributes,
    renamed,
    linked,
    memory_edited,
    memory_removed,
    other_memory,
    record_edited,
    many_files,
    mode_changed,
    case_changed,
]


def working_tree_encoding(case: Case) -> None:
    """A text that becomes another one when git writes it."""
    text = case.text + b"\n" * (len(case.text) % 2)
    try:
        disguised = text.decode("utf-16-le").encode()
    except UnicodeError:
        return
    suffix = case.path.rpartition("/")[2].rpartition(".")[2]
    case.write(".gitattributes", f"*{suffix} working-tree-encoding=UTF-16LE\n")
    case.after[case.path] = (FILE, disguised)


def large_file(case: Case) -> None:
    """A file beyond the limit of size."""
    case.after[case.path] = (FILE, case.text + b"\n" * 8_500_000)


def utf_7(case: Case) -> None:
    """An encoding in which a program looks like a comment."""
    if case.path.endswith((".py", ".pyw")):
        case.after[case.path] = (FILE, b"# coding: utf-7\n# +AAo-import forbidden\n")


def pointer(case: Case) -> None:
    """A file whose content is elsewhere."""
    text = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    if not case.path.endswith("tool"):
        case.after[case.path] = (FILE, text)


# What a review cannot look at, and says so.
HIDING: list[Callable[[Case], None]] = [working_tree_encoding, large_file, utf_7, pointer]


def commit(repo: Repo, files: dict[str, Entry | None]) -> str:
    """Commit files of any mode, content and name, and check them out. Returns the commit."""
    has_head = repo.run("rev-parse", "--verify", "--quiet", "HEAD").returncode == 0
    lines = [b"commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\ndata 3\nAll\n"]
    lines += [b"from refs/heads/main^0\n"] if has_head else []
    for path, entry in files.items():
        if entry is None:
            lines.append(b"D %s\n" % path.encode())
            continue
        mode, data = entry
        if mode == SUBMODULE:
            lines.append(b"M %s %s %s\n" % (mode.encode(), data, path.encode()))
        else:
            lines.append(b"M %s inline %s\n" % (mode.encode(), path.encode()))
            lines.append(b"data %d\n%s\n" % (len(data), data))
    command = ["git", "fast-import", "--quiet", "--force"]
    subprocess.run(
        command, cwd=repo.root, env=repo.environment(), input=b"".join(lines), check=True
    )
    repo.git("reset", "--quiet", "--hard", "main")
    return repo.head()


def review(folder: Path, before: dict[str, Entry], after: dict[str, Entry | None]) -> Verdict:
    """Review the change as a job of CI does."""
    repo = Repo.init(folder)
    base = commit(repo, dict(before))
    head = commit(repo, after)
    return review_range(repo.project(), CommitRange(base, head))


def critical(verdict: Verdict) -> list[str]:
    """The places of the critical findings, and of what was not checked."""
    return [
        f"{one.finding.path}:{one.finding.line} {one.finding.rule}"
        for one in verdict.review.findings
        if one.finding.severity == "critical" or one.finding.rule == INCOMPLETE
    ]


@pytest.fixture
def folders(tmp_path: Path) -> Callable[[], Path]:
    """New folders, each with a number."""
    numbers = iter(range(1_000_000))
    return lambda: tmp_path / str(next(numbers))


def test_no_pull_request_slips_a_violation_by(rounds: Rounds, folders: Callable[[], Path]) -> None:
    def hostile(chance: random.Random) -> None:
        case = make(chance, "forbidden")
        if chance.random() < 0.1:
            hide = chance.choice(HIDING)
            hide(case)
            case.tricks.append(hide.__name__)
        verdict = review(folders(), case.before, case.after)
        assert verdict.fails, (case.path, case.text[-200:], case.tricks)
        assert "All clear" not in render_comment(verdict.review)

    rounds.run(hostile)


def test_an_innocent_pull_request_stays_clean(rounds: Rounds, folders: Callable[[], Path]) -> None:
    def innocent(chance: random.Random) -> None:
        case = make(chance, "harmless")
        verdict = review(folders(), case.before, case.after)
        assert critical(verdict) == [], (case.path, case.text[-200:], case.tricks)

    rounds.run(innocent)


def test_the_last_of_many_files(folders: Callable[[], Path]) -> None:
    case = make(random.Random(1), "forbidden")
    many: dict[str, Entry | None] = {f"src/0/{n}.txt": (FILE, b"x\n") for n in range(5_001)}
    verdict = review(folders(), case.before, {**many, "src/z.py": (FILE, b"import forbidden\n")})
    assert verdict.fails
    assert {one.finding.path for one in verdict.review.findings} >= {"src/z.py"}


def test_many_files_that_no_rule_searches(folders: Callable[[], Path]) -> None:
    case = make(random.Random(1), "forbidden")
    many: dict[str, Entry | None] = {f"src/0/{n}.txt": (FILE, b"x\n") for n in range(5_010)}
    verdict = review(folders(), case.before, many)
    beyond = "not checked: the files beyond the first 5,000 of a change: divide the change"
    found = [one.finding for one in verdict.review.findings]
    assert {(one.severity, one.message) for one in found} == {("info", beyond)}
    assert not verdict.fails


def test_the_end_of_a_large_diff(folders: Callable[[], Path]) -> None:
    case = make(random.Random(1), "forbidden")
    large: dict[str, Entry | None] = {
        f"src/0/{n}.txt": (FILE, b"%d\n" % n + b"x" * 99 + b"\n" * 900_000) for n in range(2)
    }
    verdict = review(folders(), case.before, {**large, "src/z.py": (FILE, b"import forbidden\n")})
    assert verdict.fails

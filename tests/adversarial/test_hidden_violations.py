"""Violations of decision rules that a change hides, by kind, hundreds in one review.

Each one lies in a folder of its own, and is found or said to be unread, unless it is a limit that
`docs/decision-rules.md` states: the name of such a kind is a phrase of the page. What is found is a
limit no more.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.changes.change import Change
from sdd_hooks.code.languages import LANGUAGES
from sdd_hooks.findings import INCOMPLETE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.mentions import stated_texts
from sdd_hooks.review.references.asking.question import find_silencing_trailer
from sdd_hooks.usecases.review import Verdict
from tests.adversarial import test_hostile_pulls as pulls
from tests.adversarial.conftest import Rounds
from tests.adversarial.test_hostile_pulls import LINK, NOTATIONS, SUBMODULE, Row, read_table

PAGE = Path(__file__).parents[2] / "docs" / "decision-rules.md"
# A review shows 200 findings of a name.
NAMES = [f"forbidden{number}" for number in range(20)]
PACKAGES = [f"{prefix}{name}" for name in NAMES for prefix in ("", "g:", "v/", "x.org/")]
RULES = (f"import: {', '.join(NAMES)}", f"dependency: {', '.join(PACKAGES)}")
RULE = "```sdd-rule\nforbid {}\nseverity: MUST\n```\n\n"
TEXT = "---\nstatus: accepted\n---\n\n# ADR-0001: X\n\n## Decision\n\nB.\n\n" + RULE * 2
RECORD, MEMORY = "docs/adrs/ADR-0001-x.md", "CLAUDE.md"
BASE = {
    MEMORY: (pulls.CONTEXT.format("docs/adrs") + pulls.SETTINGS).encode(),
    RECORD: TEXT.format(*RULES).encode(),
}
READERS = {suffix: one.imports for one in LANGUAGES for suffix in one.suffixes.split()}
WIDE = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")
ABOVE, BELOW = (b"\x0c\n", b"\n" * 500), (b"\n\xe9\xff\x81", b"\n\0", b"\n\x1a", b"\r\n")
ATTRIBUTES = ("binary", "-diff", "-text linguist-generated", "diff=x export-ignore ident")
STEMS = ("a", "a.min", "a_pb2", "node_modules/a", "vendor/x/a", "dist/é/a", "a b/.a", "-x/con")
PROGRAMS = ("#!/usr/bin/env {}\n", "#!/bin/{} -x\n", "#!/usr/bin/env -S {}\n")

Files = dict[str, bytes | None]


class Case(NamedTuple):
    """Files of a change, those of its base, and the modes of files that are not plain."""

    kind: str
    after: Files
    before: Files = {}  # noqa: RUF012
    modes: dict[str, str] = {}  # noqa: RUF012


def cases(chance: random.Random) -> Iterator[Case]:
    """All violations of a review, with chosen disguises."""

    def named(row: Row) -> Row:
        return row._replace(text=row.text.replace("~", chance.choice(NAMES)))

    for one in map(named, read_table()):
        yield Case(one.kind, {one.path: one.text.encode()})
    for name in dict.fromkeys(one.name for one in NOTATIONS):
        rows = [named(one) for one in NOTATIONS if one.name == name and "\r" not in one.text]
        # Python reads neither UTF-16 nor UTF-32.
        texts = [chance.choice(rows).text.encode(each) for each in WIDE[: 1 if "py" in name else 9]]
        texts += [above + chance.choice(rows).text.encode() for above in ABOVE]
        texts += [chance.choice(rows).text.encode() + below for below in BELOW]
        texts.append(chance.choice(rows).text.replace("\n", "\r\n").encode())
        yield from (Case("encoding", {f"a{name}": text}) for text in texts)
    yield from structures([named(chance.choice(NOTATIONS)) for _ in range(15)])
    yield from names(chance, [named(one) for one in NOTATIONS])


def structures(rows: Sequence[Row]) -> Iterator[Case]:
    """What a file is, where it comes from, and what git is told about it."""
    filler = b"\n" * 40
    for number, (_, name, text) in enumerate(rows):
        path, code = f"a{name}", text.encode() + filler
        told = {".gitattributes": f"* {ATTRIBUTES[number % 4]}\n".encode()}
        yield Case("structure", {path: code, **told})
        yield Case("structure", {path: code}, {"lib.txt": code})
        yield Case("structure", {path: code}, {f"old/{path}": filler + b"x"})
        yield Case("structure", {path: b"lib.txt"}, {"lib.txt": code}, {path: LINK})
        yield Case("structure", {path: code}, {path: b"lib.txt"}, {path: "100755"})
        yield Case("structure", {path: code}, {f"{path}/x": b"a"})
        if not name.startswith((".vb", ".vue", ".cshtml", ".fs")):
            commented = b"".join(b"// %s\n" % line for line in text.encode().split(b"\n"))
            yield Case("structure", {path: code}, {path: commented})
    yield Case("structure", {"sub": b"1" * 40}, modes={"sub": SUBMODULE})
    yield Case("structure", {"a.py": b"version https://git-lfs.github.com/spec/v1\nsize 9\n"})


def names(chance: random.Random, rows: Sequence[Row]) -> Iterator[Case]:
    """Every suffix, whole name and interpreter of the languages whose imports are read."""
    for language in LANGUAGES:
        texts = [one.text for one in rows if READERS.get(one.name) == language.imports]
        for suffix in f"{language.suffixes} {language.also}".split() if texts else ():
            path = f"{chance.choice(STEMS)}{suffix}" if suffix[0] == "." else suffix[1:]
            path = path.upper() if chance.random() < 0.3 else path
            yield Case("name", {path: chance.choice(texts).encode()})
        for program in language.programs.split() if texts else ():
            text = chance.choice(PROGRAMS).format(program) + chance.choice(texts)
            yield Case("name", {"bin/a": text.encode()})


def reviewed(folder: Path, case: Case) -> Verdict:
    """Review a change of a repository whose record is in force."""
    before = {path: (pulls.FILE, data) for path, data in {**BASE, **case.before}.items()}
    modes = {path: case.modes.get(path, pulls.FILE) for path in case.after}
    after = {path: data and (modes[path], data) for path, data in case.after.items()}
    return pulls.review(folder, before, after)


def outcome(case: Case, rules: set[str]) -> str:
    """`found`, `incomplete` or `limit`; else what is wrong, with the case."""
    found = any(rule.startswith("decision-rule/ADR") for rule in rules)
    if case.kind.startswith("limit: "):
        return f"no limit any more: {case}" if found else "limit"
    return "found" if found else "incomplete" if INCOMPLETE in rules else f"missed: {case}"


def test_hundreds_of_violations_in_a_change(tmp_path: Path, rounds: Rounds) -> None:
    page = PAGE.read_text(encoding="utf-8")

    def review(chance: random.Random) -> None:
        hidden = [one for one in cases(chance) if one.kind != "text"]
        whole = Case("", {}, {}, {})
        for number, case in enumerate(hidden):
            for files, own in zip(whole[1:], case[1:], strict=True):
                files.update({f"{number}/{path}": value for path, value in own.items()})
        rules: dict[str, set[str]] = {}
        for one in reviewed(tmp_path / str(chance.random()), whole).review.findings:
            rules.setdefault(one.finding.path.partition("/")[0], set()).add(one.finding.rule)
        outcomes = [outcome(one, rules.get(str(n), set())) for n, one in enumerate(hidden)]
        assert [one for one in outcomes if " " in one] == []
        kinds = (one.kind.partition(":")[0] for one in hidden)
        counts = Counter(f"{kind} {one}" for kind, one in zip(kinds, outcomes, strict=True))
        sys.stdout.write(f"{len(hidden)} violations: {dict(counts)}\n")
        assert len(hidden) > 700
        assert all(one.kind.removeprefix("limit: ") in page for one in hidden if ":" in one.kind)

    rounds.run(review)


def edits() -> Iterator[Files]:
    """Edits of what declares a rule, and of what says when a review fails."""
    memory, text = BASE[MEMORY], BASE[RECORD]
    for path in (MEMORY, "AGENTS.md", "CRUSH.md", "docs/adrs/CLAUDE.md"):
        yield {path: memory.replace(b"critical", b"never\n- **Incomplete**: info")}
        yield {path: memory.replace(b"docs/adrs", b"docs/nothing")}
    yield from ({MEMORY: None}, {MEMORY: memory + b"x" * 3_000_000}, {MEMORY: b"\xff\xfe\0"})
    yield from ({RECORD: None}, {RECORD: None, "docs/old.md": text}, {RECORD: text + b"\0"})
    for old, new in (
        *((b"accepted", b"deprecated"), (b"accepted", b"proposed"), (b"MUST", b"MAY")),
        *((b"forbid", b"# forbid"), (b"sdd-rule", b"text"), (b"```sdd", b"<!--\n```sdd")),
        *((b"severity", b"except: '**'\nseverity"), (b"severity", b"in: x\nseverity")),
    ):
        yield {RECORD: text.replace(old, new)}
    yield {".gitattributes": b"docs/** -diff binary export-ignore\n*.md filter=lfs\n"}
    yield {"semantic-search.yml": b"collections: {}\n", ".gitignore": b"*"}


def test_no_setting_of_a_change_hides_its_violation(tmp_path: Path, rounds: Rounds) -> None:
    def review(chance: random.Random) -> None:
        edit = chance.choice(list(edits()))
        row = chance.choice(NOTATIONS)
        code = {row.path: row.text.replace("~", chance.choice(NAMES)).encode()}
        assert reviewed(tmp_path / str(chance.random()), Case("", {**code, **edit})).fails, edit

    rounds.run(review)


def test_no_hidden_text_answers() -> None:
    for row in read_table():
        if row.kind == "text":
            change = Change("", "", "Sweep", row.text, (), ())
            assert find_silencing_trailer(change) == "", row.text
            assert not any("ADR-0004" in text for _, text in stated_texts(change)), row.text

"""Words that hide who acts, or that a reader of technical English does not expect."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.programs import run_program

ROOT = Path(__file__).parent.parent
VAGUE = (
    "nobody somebody anybody everybody whoever someone anyone everyone whomever whichever wherever"
)
DATED = (
    "albeit alas forthwith hence hereby herein heretofore hitherto lest nowadays notwithstanding"
    " thereby therein thereof thus whence whereby whilst"
)
WORD = re.compile(rf"(?<![a-z@])(?:{'|'.join([*VAGUE.split(), *DATED.split()])})(?![a-z])", re.I)

# Texts of other people, which benchmarks and tests index.
FOREIGN = ("benchmarks/quality/seeds/", "tests/docs/shop/")
SUFFIXES = {".md", ".py", ".sh", ".toml", ".yaml", ".yml", ""}


def written_files() -> list[str]:
    """The files of the project that people write, this one excepted."""
    listed = run_program("git", "ls-files", "-z", cwd=ROOT)
    return [
        path
        for path in listed.stdout.split("\0")
        if Path(path).suffix in SUFFIXES
        and (ROOT / path).is_file()
        and not path.startswith(FOREIGN)
        and path not in {"", "LICENSE", "model/LICENSE", "tests/test_words.py"}
    ]


def test_every_sentence_names_what_acts() -> None:
    # A name such as `test_hence_x` has the word between underscores.
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in written_files()
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if WORD.search(line)
    ]
    assert found == []

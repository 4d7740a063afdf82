"""Repositories of synthetic decision records, the same for the same seed on every machine.

Words are made of syllables and used as often as words are (Zipf), so that an index over them has
the shape of one over prose: a few terms everywhere, most of them rare.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SEED = 2
RECORD_BYTES = 4096
RECORDS_PER_DIRECTORY = 1000
SECTIONS = ("Context", "Decision Drivers", "Decision Outcome", "Consequences")

_ONSETS = ("b", "br", "c", "d", "f", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v")
_VOWELS = ("a", "e", "i", "o", "u", "ea", "io")
_CODAS = ("", "l", "n", "r", "s", "t", "nd", "rm", "ct")
_WORDS = 20_000
_SENTENCES = 20_000


@dataclass(frozen=True)
class Record:
    """One decision record: its path in the repository, and its Markdown."""

    path: str
    text: str


def vocabulary(seed: int = SEED) -> list[str]:
    """Different pronounceable words, short ones first, so that the frequent are short."""
    chance = random.Random(seed)
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        syllables = chance.choices((1, 2, 3, 4), weights=(1, 4, 4, 2))[0]
        word = "".join(
            chance.choice(_ONSETS) + chance.choice(_VOWELS) + chance.choice(_CODAS)
            for _ in range(syllables)
        )
        words[word] = None
    return sorted(words, key=lambda word: (len(word), word))


def sentences(seed: int = SEED) -> list[str]:
    """Sentences of Zipf-distributed words. Records are drawn from this pool."""
    chance = random.Random(seed)
    words = vocabulary(seed)
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    return [
        " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(8, 18))).capitalize()
        + "."
        for _ in range(_SENTENCES)
    ]


def records(count: int, seed: int = SEED, pool: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield `count` records of about RECORD_BYTES each, RECORDS_PER_DIRECTORY to a directory.

    Their sentences come from `pool`, by default `sentences(seed)`.
    """
    pool = pool or sentences(seed)
    for number in range(1, count + 1):
        chance = random.Random(seed * 1_000_003 + number)
        title = " ".join(chance.choice(pool).rstrip(".").split()[:5]).capitalize()
        slug = title.lower().replace(" ", "-")
        directory = f"docs/adrs/{(number - 1) // RECORDS_PER_DIRECTORY:03}"
        yield Record(f"{directory}/ADR-{number:06}-{slug}.md", _text(chance, pool, number, title))


def _text(chance: random.Random, pool: Sequence[str], number: int, title: str) -> str:
    text = f"---\nstatus: accepted\ndate: 2026-01-{number % 28 + 1:02}\n---\n\n"
    text += f"# ADR-{number:06}: {title}\n"
    for index, section in enumerate(SECTIONS, start=1):
        text += f"\n## {section}\n\n"
        while len(text) < RECORD_BYTES * index // len(SECTIONS):
            paragraph = " ".join(chance.choices(pool, k=5))
            text += f"{paragraph}\n\n"
        text = text.rstrip("\n") + "\n"
    return text


def questions(count: int) -> list[str]:
    """`count` queries: the three longest words of a sentence, which are rare ones."""
    pool = [sentence.rstrip(".").lower() for sentence in sentences()]
    asked = random.Random(SEED).sample(pool, count)
    return [" ".join(sorted(sentence.split(), key=len)[-3:]) for sentence in asked]


def create_repository(
    directory: Path, count: int, environ: Mapping[str, str], pool: Sequence[str] | None = None
) -> list[str]:
    """Make a git repository of `count` records with one commit; returns the records' paths.

    The objects come from one `git fast-import`: a commit of 100,000 files in seconds.
    """
    directory.mkdir(parents=True)

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=directory, env=dict(environ), check=True)

    git("init", "--quiet", "--initial-branch=main")
    paths = []
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=directory, env=dict(environ), stdin=subprocess.PIPE
    ) as importer:
        assert importer.stdin is not None
        message = b"Write every record"
        importer.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\n")
        importer.stdin.write(b"data %d\n%s\n" % (len(message), message))
        notes = Record("NOTES.txt", "Not a record, and not indexed.\n")
        for record in itertools.chain(records(count, pool=pool), [notes]):
            data = record.text.encode()
            importer.stdin.write(b"M 100644 inline %s\n" % record.path.encode())
            importer.stdin.write(b"data %d\n%s\n" % (len(data), data))
            paths.append(record.path)
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, "git fast-import")
    git("reset", "--quiet", "--hard")
    paths.remove(notes.path)
    return paths


def append_sentence(root: Path, path: str, sentence: str) -> None:
    """Add one sentence at the end of a record, as an ordinary edit."""
    with (root / path).open("a") as record:
        record.write(f"\n{sentence}\n")

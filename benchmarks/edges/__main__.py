"""Of the records that authors connected, how many are among the first three that are offered?

`gather MIRROR...` prints pairs: a record, and those of the same kind that its author wrote as edges
(in frontmatter, or such as `Supersedes:`), older ones alone. `score MIRRORS` offers edges for the
title of each record, without the record itself and those after it, to those of a half. What a
record took out of force is in force again.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from benchmarks.discovery.listed import list_records
from benchmarks.sdd import environment
from sdd_hooks.artifacts.artifact import Artifact

PER_REPOSITORY, LEAST, MOST = 8, 6, 400
# A label or a heading, and what is below it up to an empty line.
_STATED = re.compile(
    r"^[#>*_|\s-]*(?:relate|depends|supersed|amend|extend|builds? on|refine|require|see also)"
    r"[^\n]*\n(?:\n?(?=[-*+|\s])[^\n]+\n){0,12}",
    re.IGNORECASE | re.MULTILINE,
)
_RETIRED = re.compile(r"(?i)\b(?:supers|superc|replac|deprecat|obsolet)\w*\b[^\n|]*")
_FACTS = Path(__file__).with_name("pairs.jsonl")


def _older(records: Iterable[Artifact], source: Artifact) -> list[Artifact]:
    """The records before a source, by their numbers, else by their dates."""
    same = [one for one in records if one.kind == source.kind and one.path != source.path]
    if not source.id.name:
        return [one for one in same if not one.id.name and one.id.order < source.id.order]
    own = source.date or source.id.name
    return [one for one in same if one.id.name and (one.date or one.id.name) < own]


def _is_named(one: Artifact, text: str) -> bool:
    """Whether a text names a record: by its number, or by its file."""
    if not one.id.name and re.search(rf"\b(?:ADR|RFC|SPEC)[-_ ]?0*{one.id.number}\b", text, re.I):
        return True
    path = Path(one.path)
    return (
        path.parent.name if path.stem.lower() in ("spec", "readme", "index") else path.stem
    ) in text


def gather(bare: Path) -> Iterator[dict[str, object]]:
    """The pairs of a bare repository."""
    head = ("git", "--git-dir", str(bare), "rev-parse", "HEAD")
    commit = subprocess.run(head, capture_output=True, check=True).stdout.decode().strip()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "clone"
        root.mkdir()
        records = list_records(bare, commit, root, environment(Path(folder)))
        for source in records if LEAST <= len(records) <= MOST else ():
            older = _older(records, source)
            text = (root / source.path).read_text("utf-8", "replace")
            stated = "\n".join(match[0] for match in _STATED.finditer(text))
            targets = sorted(one.path for one in older if _is_named(one, stated))
            if 0 < len(targets) <= 4 <= len(older):
                place: dict[str, object] = {"repository": bare.name, "commit": commit}
                found.append({**place, "source": source.path, "targets": targets})
    random.Random(1).shuffle(found)
    yield from found[:PER_REPOSITORY]


def _sdd(root: Path, home: Path, *arguments: str) -> str:
    command = (str(Path(sys.executable).with_name("sdd")), *arguments)
    env = environment(home)
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def score(mirrors: Path, half: str) -> None:
    """Print the shares for a half (`dev`, `held`), which are divided by owner, and the offers."""
    pairs = [json.loads(line) for line in _FACTS.read_text("utf-8").splitlines()]
    owners = sorted({one["repository"].split("+")[0] for one in pairs})
    sums: Counter[str] = Counter()
    for (name, commit), group in groupby(pairs, lambda one: (one["repository"], one["commit"])):
        if ("dev", "held")[owners.index(name.split("+")[0]) % 2] != half:
            continue
        with tempfile.TemporaryDirectory() as folder:
            root, home = Path(folder) / "clone", Path(folder)
            root.mkdir()
            records = list_records(mirrors / name, commit, root, environment(home))
            known = {one.path: one for one in records}
            _sdd(root, home, "index")
            # From the newest on, so that files are only taken away.
            for pair in sorted(group, key=lambda one: -len(_older(records, known[one["source"]]))):
                source = known[pair["source"]]
                kept = {one.path for one in _older(records, source)}
                for one in records:
                    if one.kind == source.kind and one.path not in kept:
                        (root / one.path).unlink(missing_ok=True)
                for path in pair["targets"]:
                    if not known[path].status.authoritative:
                        text = (root / path).read_text("utf-8", "replace")
                        (root / path).write_text(_RETIRED.sub("Accepted", text, count=1), "utf-8")
                _sdd(root, home, "index", "update")
                kind = "spec" if source.kind == "SPEC" else "adr"
                made = _sdd(root, home, kind, source.title, "--dry-run", "--json")
                offers = [one["path"] for one in json.loads(made or "{}").get("candidates", ())]
                rank = [one in pair["targets"] for one in offers[:3]]
                sums.update(pairs=1, found=any(rank), offers=len(rank), right=sum(rank))
                print("+" if any(rank) else "-", name, source.title, offers, pair["targets"])
    found, offered = sums["found"] / sums["pairs"], sums["offers"]
    print(
        f"{half}: {sums['pairs']} records, {found:.2f} have a written edge among the first three;"
    )
    print(f"{offered} offers, {sums['right'] / (offered or 1):.2f} of them written")


if __name__ == "__main__":
    if sys.argv[1] == "score":
        score(Path(sys.argv[2]), sys.argv[3])
    for bare in sys.argv[2:] if sys.argv[1] == "gather" else ():
        print(*(json.dumps(one, ensure_ascii=False) for one in gather(Path(bare))), sep="\n")

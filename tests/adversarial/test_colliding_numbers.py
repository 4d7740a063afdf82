"""Branches that take numbers at random: of two records with one number, exactly one gives way.

A case is a remote with some branches that add records, at dates and with titles that some of them
share. Each branch is reviewed in one clone. The expectation is computed from what the branches
added, without git.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.review.numbers import STALE_SECONDS
from sdd_hooks.usecases.review import CommitRange, review_range
from tests.adversarial.conftest import Rounds
from tests.support.repos import Repo

MEMORY = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
TITLES = ("Cache", "Queue", "Store", "Index", "Ledger")
NOW = 1_780_000_000
_TAKEN = re.compile(
    r"ADR-(\d+) is taken by (\S+) on the branch origin/(\S+), .* `sdd adr renumber \S+ (\d+)`"
)


@dataclass
class Branch:
    """A branch: its records by number with title and date, and the date of its last commit."""

    name: str
    records: dict[int, tuple[str, int]] = field(default_factory=dict)
    last: int = NOW


def path_of(number: int, title: str) -> str:
    return f"docs/adrs/{number:04}-{title.lower()}.md"


def draw(random: random.Random) -> list[Branch]:
    """Branches with up to three records each; one date in three is shared."""
    branches = []
    for at in range(random.randint(2, 5)):
        dates = [NOW - random.choice((0, 5_000, random.randrange(90_000))) for _ in range(3)]
        age = random.choice((0, 0, 0, 2 * STALE_SECONDS))
        numbers = random.sample(range(2, 6), random.randint(0, 3))
        records = {
            number: (random.choice(TITLES), date - age)
            for number, date in zip(numbers, dates, strict=False)
        }
        last = max((date for _, date in records.values()), default=NOW - age)
        branches.append(Branch(f"{random.choice('abc')}/b{at}", records, last))
    return branches


def build(folder: Path, branches: list[Branch]) -> Repo:
    """A clone of a remote with these branches."""
    remote = Repo.init(folder / "remote")
    base = remote.commit("Begin", {"CLAUDE.md": MEMORY, path_of(1, "Begin"): "# 1. Begin\n"})
    for branch in branches:
        remote.git("switch", "--quiet", "--create", branch.name, base)
        for number, (title, date) in sorted(branch.records.items(), key=lambda one: one[1][1]):
            remote.write(path_of(number, title), f"# {number}. {title}\n\n## Decision\n\nSo.\n")
            remote.git("add", "--all")
            stamp = {f"GIT_{who}_DATE": f"{date} +0000" for who in ("AUTHOR", "COMMITTER")}
            remote.git("commit", "--quiet", "-m", title, env=stamp)
        if not branch.records:
            stamp = {"GIT_COMMITTER_DATE": f"{branch.last} +0000"}
            remote.git("commit", "--quiet", "--allow-empty", "-m", "Nothing", env=stamp)
    remote.git("switch", "--quiet", "main")
    remote.git("clone", "--quiet", str(remote.root), str(folder / "clone"))
    return Repo(folder / "clone")


def precedes(other: Branch, own: Branch, number: int) -> bool:
    """Whether `other` has the number first, and is no stale branch and no copy of the record."""
    (title, date), (own_title, own_date) = other.records[number], own.records[number]
    if title == own_title or other.last < own.last - STALE_SECONDS:
        return False
    return (date, path_of(number, title)) < (own_date, path_of(number, own_title))


def check(folder: Path, random: random.Random) -> None:
    branches = draw(random)
    clone = build(folder, branches)
    for own in branches:
        rest = [one for one in branches if one is not own]
        fresh = [one for one in rest if one.last >= own.last - STALE_SECONDS]
        review = review_range(clone.project(), CommitRange(head=f"origin/{own.name}")).review
        findings = [one.finding for one in review.findings]
        found = {}
        for finding in findings:
            if finding.rule == "duplicate-number" and (match := _TAKEN.search(finding.message)):
                found[int(match[1])] = (match[2], match[3], int(match[4]))
        expected = {
            number: {
                one.name for one in rest if number in one.records and precedes(one, own, number)
            }
            for number in own.records
        }
        assert found.keys() == {number for number, names in expected.items() if names}, own.name
        taken = {number for one in fresh for number in one.records} | own.records.keys()
        for number, (path, name, free) in found.items():
            first = next(one for one in branches if one.name == name)
            assert name in expected[number]
            assert path == path_of(number, first.records[number][0])
            assert free not in taken
        assert len({free for _, _, free in found.values()}) == len(found)


def test_of_two_records_with_one_number_exactly_one_gives_way(
    tmp_path: Path, rounds: Rounds
) -> None:
    cases = iter(range(1_000_000))
    rounds.run(lambda random: check(tmp_path / str(next(cases)), random))

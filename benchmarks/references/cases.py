"""Real changes as scratch repositories, and the result of the review for each.

An evaluation set is a folder with the changes in `cases.dev.jsonl` and with `evaluate.py`, which
creates a repository for one of them. Ordinary commits, which name no record, are sampled from the
same clones.
"""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from sdd_hooks.changes.diff import read_change
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.confidence import extract_features
from sdd_hooks.review.references.eligibility import Eligibility, find_cited_ids
from sdd_hooks.review.references.evidence import gather_evidence
from sdd_hooks.review.review import subject_of

ORDINARY = 10
"""Ordinary commits of each repository."""
MIN_RECORDS = 3
"""Records of a repository at an ordinary commit."""
MAX_FILES = 40
"""Files of an ordinary commit."""

_SEED = 7
_CODE = re.compile(r"\.(go|py|ts|tsx|js|jsx|cs|rb|rs|erb|tf|sh|svelte|vue)$")
_NOT_ORDINARY = re.compile(
    r"(chore|ci|docs|style|build|test)\b|.*\b(adr|decision)|.*(bump|merge|revert|typo|release)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Row:
    """The result of the review for one change.

    `paths` are those of the records; `evidence` has their scores of each kind, `links` the indexes
    of the records that each names. `first` is the index of the first record, `features` are those
    of the confidence in it, and `cited` is whether the change cites it. `expected` are the paths of
    the right records, none for a change that needs none; of an `ordinary` commit they are unknown.
    """

    id: str
    repo: str
    kind: str
    title: str
    leaks: bool
    ordinary: bool
    expected: tuple[str, ...]
    paths: tuple[str, ...]
    evidence: Mapping[str, Sequence[float]]
    links: Sequence[Sequence[int]]
    first: int
    features: tuple[float, ...]
    cited: bool

    @property
    def right(self) -> bool:
        """Whether the first record is an expected one."""
        return self.paths[self.first] in self.expected


def load_evaluator(folder: Path) -> ModuleType:
    """Load the evaluator of a set. Raises FileNotFoundError when it has none."""
    path = folder / "evaluate.py"
    spec = spec_from_file_location("evaluate", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def known_cases(folder: Path) -> list[dict[str, Any]]:
    """The changes of a set whose records are known."""
    lines = (folder / "cases.dev.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line]


def ordinary_cases(
    evaluator: Any, known: Sequence[dict[str, Any]], clones: Path
) -> Iterator[dict[str, Any]]:
    """Sample commits to code that name no record, up to ORDINARY of each repository."""
    by_repo: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in known:
        by_repo[case["repo"]].append(case)
    used = {case["commit"] for case in known}
    sampler = random.Random(_SEED)
    for repo, cases in sorted(by_repo.items()):
        clone = clones / repo.replace("/", "+")
        latest = max(cases, key=lambda case: case["n_adrs"])
        log = ("log", "-n", "3000", "--no-merges", "--format=%H %P %s", latest["commit"])
        rows = [row.split(" ", 2) for row in evaluator.git(clone, *log).splitlines()]
        sampler.shuffle(rows)
        found = 0
        for row in rows:
            if len(row) == 3 and row[0] not in used and not _NOT_ORDINARY.match(row[2]):
                if found == ORDINARY:
                    break
                if chosen := _ordinary(evaluator, clone, repo, latest["adr_dirs"], row):
                    found += 1
                    yield chosen


def _ordinary(
    evaluator: Any, clone: Path, repo: str, folders: Sequence[str], row: Sequence[str]
) -> dict[str, Any] | None:
    commit, parent, title = row

    def run_git(*arguments: str) -> str:
        return str(evaluator.git(clone, *arguments, check=False))

    files = run_git("diff", "--name-only", parent, commit).splitlines()
    code = [path for path in files if _CODE.search(path)]
    if not code or len(files) > MAX_FILES or any(evaluator.under(f, folders) for f in files):
        return None
    added = [
        line for line in run_git("diff", "-U0", parent, commit).splitlines() if line[:1] == "+"
    ]
    said = [run_git("log", "-1", "--format=%B", commit), *added]
    if any(evaluator.MENTION.search(text) for text in said):
        return None
    tree = run_git("ls-tree", "-r", "--name-only", parent).splitlines()
    if sum(evaluator.under(f, folders) and f.endswith(".md") for f in tree) < MIN_RECORDS:
        return None
    return {
        "id": f"{repo}@{commit[:10]}", "repo": repo, "kind": "ordinary", "commit": commit,
        "parent": parent, "expected": [], "title": title, "files": files, "leaks": False,
        "adr_dirs": folders,
    }  # fmt: skip


def row_of(folder: Path, clones: Path, case: dict[str, Any]) -> Row | None:
    """Create the repository of a change and review it; None when it has no record."""
    evaluator: Any = load_evaluator(folder)
    clone = clones / case["repo"].replace("/", "+")
    with tempfile.TemporaryDirectory(prefix="case-") as directory:
        root = Path(directory).resolve()
        comment = case["kind"] == "comment"
        evaluator.scratch(clone, case["commit"] if comment else case["parent"], str(root))
        if comment:
            (root / case["files"][0]).unlink()
        memory = root / "CLAUDE.md"
        memory.unlink(missing_ok=True)
        declared = (f"- Architecture Decision Records are in `{d}/`\n" for d in case["adr_dirs"])
        memory.write_text("## Architecture Context\n\n" + "".join(declared))
        evaluator.git(root, "add", "-A")
        evaluator.git(root, "commit", "-q", "--allow-empty", "-m", "setup")
        evaluator.apply_change(case, clone, str(root))
        return _reviewed(root, case)


def _reviewed(root: Path, case: dict[str, Any]) -> Row | None:
    project = load_project(root, os.environ)
    change = read_change(project.repository.git, "HEAD~1", "HEAD")
    subject = subject_of(project, change)
    if not any(artifact.kind == "ADR" for artifact in subject.corpus.artifacts):
        return None
    found = gather_evidence(project.repository, subject)
    context = found.context
    records = [record.artifact for record in context.records]
    changed = {file.path for file in change.files}
    eligibility = Eligibility(subject.corpus, find_cited_ids(subject), changed)
    return Row(
        case["id"], case["repo"], case["kind"], change.title,
        bool(case["leaks"]) and case["kind"] == "commit",
        case["kind"] == "ordinary", tuple(case["expected"]),
        tuple(record.path for record in records),
        {kind: tuple(numbers) for kind, numbers in found.scores.items()},
        tuple(tuple(sorted(context.find_linked(index))) for index in range(len(context.records))),
        found.ranked[0].record_index, tuple(extract_features(change, found.ranked, found.scores)),
        eligibility.is_cited(records[found.ranked[0].record_index]),
    )  # fmt: skip


def save(rows: Sequence[Row], path: Path) -> None:
    """Save rows to a file, so that later reports do not need the repositories."""
    path.write_text(json.dumps([asdict(row) for row in rows]))


def saved(path: Path) -> list[Row]:
    """Load saved rows."""
    rows = (Row(**fields) for fields in json.loads(path.read_text()))
    return [
        replace(
            row, expected=tuple(row.expected), paths=tuple(row.paths), features=tuple(row.features)
        )
        for row in rows
    ]

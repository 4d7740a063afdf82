"""The repositories in which changes are reviewed: one for each clone, with all its changes.

A repository borrows the objects of its clone. A change with a known record becomes two commits,
without any mention of the record, which the evaluator of the set creates; they are kept, so that
the change can be measured again in a second.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.references.cases import Case

MEMORY_FILE = "CLAUDE.md"

_GROUP = 200


class Prepared(NamedTuple):
    """A change in a repository at `root`, whose work tree is the one of the review."""

    root: Path
    base: str
    head: str


def prepare(evaluator: Any, case: Case, clones: Path, folder: Path) -> Prepared:
    """Check a change out in its repository below `folder`. The repository is created if needed.

    `evaluator` is the module of the set. Raises RuntimeError when git fails.
    """
    clone = clones / case.repo.replace("/", "+")
    if not clone.is_dir():
        raise RuntimeError(f"no clone {clone}")
    root = folder / clone.name
    create(evaluator, clone, root)
    if case.kind == "ordinary":
        head = case.fields["commit"]
        check_out(evaluator, root, evaluator.git(clone, "rev-parse", "HEAD").strip())
        # Like score_ordinary.py, which writes through a link.
        (root / MEMORY_FILE).write_text(memory_text(case.folders))
        return Prepared(root, f"{head}^", head)
    head = _prepared_head(evaluator, case, clone, root)
    check_out(evaluator, root, head)
    return Prepared(root, f"{head}~1", head)


def create(evaluator: Any, clone: Path, root: Path) -> None:
    """Create a repository at `root` that borrows the objects of a clone, unless it is there."""
    alternates = root / ".git/objects/info/alternates"
    if alternates.is_file():
        return
    root.mkdir(parents=True, exist_ok=True)
    evaluator.git(root, "init", "-q", "-b", "main")
    # Nothing must be removed: the clone has no references to what is prepared.
    evaluator.git(root, "config", "gc.auto", "0")
    objects = evaluator.git(clone, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    alternates.write_text(objects)


def check_out(evaluator: Any, root: Path, commit: str) -> None:
    """Check out a commit, as far as the clone has its files, and remove all others."""
    try:
        evaluator.git(root, "checkout", "-q", "-f", "--detach", commit)
    except RuntimeError:
        _check_out_present(evaluator, root, commit)
    evaluator.git(root, "clean", "-q", "-f", "-f", "-d", "-x")


def _check_out_present(evaluator: Any, root: Path, commit: str) -> None:
    """Check out the files whose contents the clone has, like the evaluator."""
    evaluator.git(root, "update-ref", "--no-deref", "HEAD", commit)
    evaluator.git(root, "read-tree", commit)
    listed = evaluator.git(root, "ls-files", "-s", "-z").split("\0")[:-1]
    blobs = {path: fields.split()[1] for fields, _, path in (row.partition("\t") for row in listed)}
    data = "\n".join(blobs.values()).encode()
    types = evaluator.git(root, "cat-file", "--batch-check=%(objectname) %(objecttype)", data=data)
    missing = {row.split()[0] for row in types.splitlines() if row.endswith(" missing")}
    gone = [path for path, blob in blobs.items() if blob in missing]
    for start in range(0, len(gone), _GROUP):
        evaluator.git(root, "rm", "-q", "--cached", "--", *gone[start : start + _GROUP])
    evaluator.git(root, "checkout-index", "-q", "-a", "-f", "-u")


def _prepared_head(evaluator: Any, case: Case, clone: Path, root: Path) -> str:
    """The commit of a change, created unless it was before."""
    digest = hashlib.sha256(json.dumps(case.fields, sort_keys=True).encode()).hexdigest()
    reference = f"refs/prepared/{digest}"
    known = evaluator.git(root, "rev-parse", "-q", "--verify", reference, check=False).strip()
    if not known:
        _apply(evaluator, case, clone, root)
        evaluator.git(root, "update-ref", reference, "HEAD")
    return str(known) or reference


def _apply(evaluator: Any, case: Case, clone: Path, root: Path) -> None:
    """Commit a change on the commit before it, like `evaluate.py` in a new repository.

    `evaluate.py` writes all files again, which takes a hundred times longer.
    """
    fields = case.fields
    comment = case.kind == "comment"
    check_out(evaluator, root, fields["commit"] if comment else fields["parent"])
    if comment:
        (root / fields["files"][0]).unlink()
    else:
        _normalize(evaluator, root, fields["parent"], fields["commit"])
    memory = root / MEMORY_FILE
    memory.unlink(missing_ok=True)
    memory.write_text(memory_text(case.folders))
    evaluator.git(root, "add", "-A")
    evaluator.git(root, "commit", "-q", "--allow-empty", "-m", "setup")
    evaluator.apply_change(fields, str(clone), str(root))


def _normalize(evaluator: Any, root: Path, parent: str, commit: str) -> None:
    """Normalize the line ends of the changed files, so that they are no part of the change."""
    diff = ("diff", "--name-only", "-z", "--no-renames", "--diff-filter=MT")
    paths = evaluator.git(root, *diff, parent, commit).split("\0")[:-1]
    for start in range(0, len(paths), _GROUP):
        evaluator.git(root, "add", "--renormalize", "--", *paths[start : start + _GROUP])


def memory_text(folders: Sequence[str]) -> str:
    """The memory file that declares the folders of the records."""
    declared = (f"- Architecture Decision Records are in `{one}/`\n" for one in folders)
    return "## Architecture Context\n\n" + "".join(declared)

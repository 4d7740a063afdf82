"""Of the files that a plan offers for a requirement, how many are right; how many get a right one.

`gather CLONE...` prints facts, `score CLONES` compares with them: the tasks of spec-kit and Kiro
name the files of a story, a commit that wrote a requirement of OpenSpec changed its files.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.code.paths import is_production_code
from sdd_hooks.code.symbols import find_symbols
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.planning.plan.requirements import read_planned
from sdd_hooks.planning.requirement_code import find_code
from sdd_hooks.project.project import load_project
from sdd_hooks.usecases.sprint.code_base import read_code_base

MAX_FILES, PER_REPOSITORY, TRIED = 12, 8, 60
_SPECS = re.compile(
    r"(openspec/specs/[^/]+/|specs/\d+[^/]*/|\.kiro/specs/[^/]+/)(spec|requirements)\.md$"
)
_PATH = re.compile(r"[\w@.()\[\]-]+(?:/[\w@.()\[\]-]+)+\.\w{1,5}")
_FACTS = Path(__file__).with_name("facts.jsonl")


def _run(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def _commits(root: Path, *selection: str) -> str:
    found = _run(root, "git", "log", "--format=%H", *selection).split()
    shown = (_run(root, "git", "show", "--name-only", "--format=", one) for one in found)
    return "\n".join(one for one in shown if len(one.splitlines()) <= 3 * MAX_FILES)


def _is_for(task: str, name: str) -> bool:
    number = re.match(r"(US|User Story|REQ|R|Requirement)?[- ]*(\d+)", name)
    asked = re.search(r"_Requirements?:([^_\n]*)_", task)
    if number and (number[1] or "").startswith("U"):
        return f"[US{number[2]}]" in task
    if number and asked:
        return number[2] in re.findall(r"(\d+)(?:\.\d+)?", asked[1])
    return re.search(rf"\b{re.escape(name)}(?!\w)", task) is not None


def gather(root: Path) -> Iterator[dict[str, object]]:
    """The facts of a clone."""
    listed = filter(is_production_code, _run(root, "git", "ls-files").splitlines())
    texts = {one: (root / one).read_text("utf-8", "replace") for one in listed}
    code = {path for path, text in texts.items() if any(find_symbols(path, text))}
    paths = filter(_SPECS.search, _run(root, "git", "ls-files").splitlines())
    read = (ArtifactFile(path, (root / path).read_bytes(), "SPEC") for path in paths)
    specs = [spec for file in read for spec in load_corpus([file]).artifacts]
    wanted = [(spec, one) for spec in specs for one in spec.requirements]
    random.Random(1).shuffle(wanted)
    found = 0
    for spec, one in wanted[:TRIED]:
        folder, tasks = Path(spec.path).parent, (root / spec.path).parent / "tasks.md"
        whole = tasks.read_text("utf-8", "replace") if tasks.is_file() else ""
        name = one.id or one.name
        own = [text for text in re.split(r"\n(?=[-*] \[)", whole) if _is_for(text, name)]
        if "openspec" in spec.path:
            own.append(_commits(root, f"-S### Requirement: {one.name}", "--", "openspec"))
            whole += _commits(root, "--", str(folder), f":(glob)openspec/**/{folder.name}/**")
        files = code & {path.lstrip("./") for text in own for path in _PATH.findall(text)}
        if 0 < len(files) <= MAX_FILES and found < PER_REPOSITORY:
            found += 1
            more = code & {path.lstrip("./") for path in _PATH.findall(whole)} - files
            place = {"repository": root.name, "spec": spec.path, "line": one.first_line}
            yield place | {"files": sorted(files), "spec_files": sorted(more)}


def score(clones: Path) -> None:
    """Print the shares for both halves, which are divided by owner; the second is held back."""
    facts = [json.loads(line) for line in _FACTS.read_text("utf-8").splitlines()]
    owners = sorted({one["repository"].split("+")[0] for one in facts})
    sums: dict[int, Counter[str]] = {half: Counter() for half in (0, 1)}
    for name in sorted({one["repository"] for one in facts}):
        root = clones / name
        _run(root, "sh", "-c", "sdd init --yes && sdd index")
        project = load_project(root, os.environ)
        with open_index(project) as engine:
            code = read_code_base(project, engine)
            for fact in (one for one in facts if one["repository"] == name):
                file = ArtifactFile(fact["spec"], (root / fact["spec"]).read_bytes(), "SPEC")
                (spec,) = load_corpus([file]).artifacts
                planned = read_planned(spec, file.data.decode("utf-8", "replace"))
                (one,) = [one for one in planned if one.first_line == fact["line"]]
                offers = find_code(one.question(spec.title), code)
                exact = sum(found.path in fact["files"] for found in offers)
                right = exact + sum(found.path in fact["spec_files"] for found in offers)
                half = sums[owners.index(name.split("+")[0]) % 2]
                half.update(count=1, offers=len(offers), exact=exact, right=right)
                half.update(own=exact > 0, some=right > 0)
    for held_back, sum_of in sums.items():
        offered, wanted = sum_of["offers"] or 1, sum_of["count"]
        print(
            f"{('development', 'held back')[held_back]}: {wanted} requirements, {offered} offers;"
            f" in files of the specification {sum_of['right'] / offered:.2f}, of the requirement"
            f" {sum_of['exact'] / offered:.2f}; get one {sum_of['some'] / wanted:.2f},"
            f" {sum_of['own'] / wanted:.2f}"
        )


if __name__ == "__main__":
    if sys.argv[1] == "score":
        score(Path(sys.argv[2]))
    for clone in sys.argv[2:] if sys.argv[1] == "gather" else ():
        print(*(json.dumps(fact, ensure_ascii=False) for fact in gather(Path(clone))), sep="\n")

"""An embed in a background process, with the real qmd."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.embedding import GatedRepo
from tests.support.gated_model import Gate
from tests.support.qmd import RealQmd
from tests.support.repos import Repo
from tests.support.waiting import until

DOCUMENTS = 12

MEMORY = """\
### SDD Configuration

#### Search

- **Engine**: qmd
- **Embed Model**: {model}
"""


@pytest.fixture
def shop(real_qmd: RealQmd, tmp_path: Path) -> Iterator[GatedRepo]:
    """A repository with twelve decisions in an index of qmd without vectors."""
    repo = Repo.init(tmp_path / f"shop-{uuid.uuid4().hex[:12]}")
    files = {
        f"docs/adrs/ADR-{n:04}-x.md": f"# ADR-{n:04}: Session {n}\n\nA user has token {n}.\n"
        for n in range(1, DOCUMENTS + 1)
    }
    repo.commit("Start", {".gitignore": ".sdd/\n", **files})
    repo.write("CLAUDE.md", MEMORY.format(model=real_qmd.model))
    found = GatedRepo(repo, Gate(tmp_path / "none", {}), dict(real_qmd.environ))
    assert found.sdd("index", "add", "--kind", "adrs").code == 0
    try:
        yield found
    finally:
        found.sdd("index", "embed", "--stop")
        found.log.unlink(missing_ok=True)


def processes_of(shop: GatedRepo) -> list[int]:
    """The processes that use the index of the repository, including those of qmd."""
    found = []
    wanted = f"INDEX_PATH={shop.repo.root}/".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_qmd_embeds_in_the_background_with_a_log(shop: GatedRepo) -> None:
    done = shop.sdd("index", "embed")
    assert (done.code, done.err) == (0, "")
    header, begun, _ = done.out.splitlines()
    assert re.fullmatch(r"device: cpu \(model .*\)", header)
    assert begun.startswith(f"embedding {DOCUMENTS} chunks in the background")
    assert begun.endswith(f", log: {shop.log}")
    shop.wait_until_ended()
    first, last = shop.log.read_text().splitlines()
    assert first.startswith(f"embedding {DOCUMENTS} chunks on cpu with ")
    assert re.fullmatch(rf"embedded {DOCUMENTS} chunks in \d+\.\d s", last)
    found = shop.status()
    assert (found["pending"], found["embed"]["running"]) == (0, None)
    assert (found["embed"]["run"]["embedded"], found["embed"]["run"]["error"]) == (DOCUMENTS, "")
    assert found["collections"][0]["pending"] is None
    rows = shop.sdd("index", "status").out.splitlines()
    assert re.fullmatch(rf"{shop.repo.root.name}-adrs\s+{DOCUMENTS}\s+-\s+-", rows[-1])
    assert shop.sdd("index", "embed", "--json").json["mode"] == "none"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to look for processes")
def test_stop_ends_the_processes_of_qmd(shop: GatedRepo) -> None:
    pid = shop.sdd("index", "embed", "--json").json["pid"]
    until(lambda: processes_of(shop) or not shop.running)
    stopped = shop.sdd("index", "embed", "--stop", "--json").json
    assert stopped["pid"] in {pid, None}
    until(lambda: not processes_of(shop))
    assert shop.running is None
    # The next embed completes what was stopped.
    assert shop.sdd("index", "embed", "--foreground").code == 0
    assert shop.status()["pending"] == 0

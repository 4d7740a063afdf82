"""A damaged file gives results or an SddError, never another exception."""

from contextlib import closing, suppress
from random import Random

import pytest

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import SddError
from sdd_hooks.freshness.refresh import refresh

QUERY = Query((SubQuery("lex", "database decision"),))
PAGE = 4096


def damaged(data, seed):
    """Change some bytes of a database, except in the first page, which has the schema."""
    random, changed = Random(seed), bytearray(data)
    for _ in range(random.choice([1, 3, 20, 200])):
        at, length = random.randrange(PAGE, len(changed)), random.choice([1, 4, 50])
        changed[at : at + length] = random.choice([b"\xff" * length, random.randbytes(length)])
    return bytes(changed[: len(data)])


@pytest.mark.parametrize("seed", range(24))
def test_a_damaged_index_gives_results_or_an_error(repo, seed):
    text = "# ADR-{0:04d}: Title {0}\n\nA database.\n\n## Decision\n\nWord {0}.\n"
    repo.commit("Start", {f"docs/adrs/ADR-{n:04d}.md": text.format(n) for n in range(1, 40)})
    project = repo.project()
    refresh(project, collections=project.collections)
    index = project.repository.search_dir / "index.db"
    data = damaged(index.read_bytes(), seed)
    for operation in (
        lambda engine: engine.status(),
        lambda engine: engine.check(),
        lambda engine: engine.search(QUERY),
        lambda engine: [engine.documents(name) for name in engine.bookmarks()],
    ):
        index.write_bytes(data)
        with suppress(SddError), closing(open_engine(project)) as engine:
            operation(engine)
    repo.write("docs/adrs/ADR-0001.md", "# ADR-0001: Changed\n")
    with suppress(SddError):
        refresh(project)

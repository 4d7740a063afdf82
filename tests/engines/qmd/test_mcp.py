"""The status over stdio, from the real qmd and from what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.mcp import IndexStatus, index_status, parse_status
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.fakes import environment, program


def test_with_vectors(embedded: Indexed) -> None:
    qmd = embedded.qmd
    status = index_status(qmd.installation, embedded.place, qmd.environ, 60)
    assert status == IndexStatus(3, 0, True, {"shop-adrs": 2, "shop-specs": 1})


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo boom >&2; exit 1", "^qmd does not tell its status: boom$"),
        ("echo '{}'", "^qmd does not tell its status: {}$"),
        ("sleep 300", "^`qmd mcp` did not end within 0.5 s"),
    ],
)
def test_no_status(tmp_path: Path, script: str, reason: str) -> None:
    qmd = Installation(str(program(tmp_path / "bin/qmd", script)), (2, 8, 3))
    place = Place(tmp_path, tmp_path)
    with pytest.raises(EngineUnavailable, match=reason):
        index_status(qmd, place, environment(tmp_path), 0.5)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        '{"id": 2, "result": {"structuredContent": {"collections": [], "totalDocuments": 1}}}',
        '{"id": 2, "result": {"structuredContent": {"collections": [],'
        ' "totalDocuments": -1, "needsEmbedding": 0}}}',
        '{"id": 1, "result": {"structuredContent": {"collections": [],'
        ' "totalDocuments": 1, "needsEmbedding": 0}}}',
        '{"id": 2, "result": {"structuredContent": {"collections": [{"name": "x"}],'
        ' "totalDocuments": 1, "needsEmbedding": 0}}}',
        '{"id": 2, "result": {"structuredContent": {"collections": [],'
        ' "totalDocuments": 1e999, "needsEmbedding": 0}}}',
    ],
)
def test_no_status_in_it(line: str) -> None:
    assert parse_status(line) is None

"""The status over stdio, from the real qmd and from other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, QmdStatus, parse_status, read_status
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.fakes import environment, program


def test_the_status_counts_documents(embedded: Indexed) -> None:
    qmd = embedded.qmd
    status = read_status(qmd.installation, embedded.folder, qmd.environ, 60)
    assert status == QmdStatus(3, 0, {"shop-adrs": 2, "shop-specs": 1})


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo boom >&2; exit 1", "^qmd does not report its status: boom$"),
        ("echo '{}'", "^qmd does not report its status: {}$"),
        ("sleep 300", "^`qmd mcp` did not end within 0.5 s"),
    ],
)
def test_a_missing_status_is_an_error(tmp_path: Path, script: str, reason: str) -> None:
    qmd = Installation(str(program(tmp_path / "bin/qmd", script)), (2, 8, 3))
    folder = IndexFolder(tmp_path, tmp_path)
    with pytest.raises(EngineUnavailable, match=reason):
        read_status(qmd, folder, environment(tmp_path), 0.5)


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
def test_other_messages_have_no_status(line: str) -> None:
    assert parse_status(line) is None

"""Vectors of a real model, and the notes where there is no model."""

import re

import pytest

from tests.cli.commands import FILES, one_line, run
from tests.cli.mounts import read_only

QUESTION = "where do we keep our information so that a power cut loses none of it"


def settings(model):
    return f"### SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n"


# A runner of CI kills background processes: there, an embed runs in the foreground.
WAITING = {"CI": "true"}


@pytest.fixture
def with_model(repo, shared):
    """A repository whose embedding model is on this machine."""
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    repo.commit("Start", {**FILES, "CLAUDE.md": settings(shared / "models/all-MiniLM-L6-v2")})
    return repo


@pytest.fixture
def without_model(repo):
    """A repository whose embedding model does not exist."""
    repo.commit("Start", {**FILES, "CLAUDE.md": settings("./no-such-model")})
    return repo


def test_index_embeds_the_chunks(with_model):
    done = run(with_model.root, "index", "--json", env=WAITING).json
    assert done["embed"]["embedded"] > 5
    assert (done["embed"]["remaining"], done["embed"]["device"]) == (0, "cpu")
    assert done["notes"] == []
    status = run(with_model.root, "index", "status", "--json").json
    assert status["pending"] == 0
    assert status["model"] == done["embed"]["model"]
    again = run(with_model.root, "index", env=WAITING)
    assert again.out.splitlines()[-1] == f"nothing to embed ({status['model']})"
    assert again.err.startswith("note: no decisions or specifications found")


def test_embedded_chunks_are_found_by_meaning(with_model):
    assert run(with_model.root, "index", env=WAITING).code == 0
    hit = run(with_model.root, "search", "--json", "--min-score", "0", QUESTION).hits[0]
    assert hit["path"] == "docs/adrs/ADR-0001-sqlite.md"
    assert hit["cosine"] > 0.1


def test_a_read_only_checkout_is_searched_by_meaning(with_model):
    assert run(with_model.root, "index", env=WAITING).code == 0
    with read_only(with_model.root):
        done = run(with_model.root, "search", "--json", "--min-score", "0", QUESTION)
    assert done.json["notes"] == []
    assert done.hits[0]["cosine"] > 0.1


def test_one_kind_is_embedded_at_a_time(with_model):
    assert run(with_model.root, "index", "add").code == 0
    done = run(with_model.root, "index", "embed", "--kind", "adrs", "--foreground")
    assert done.code == 0
    header, last = done.out.splitlines()
    assert header.startswith("device: cpu (model local:all-MiniLM-L6-v2:")
    assert re.fullmatch(r"embedded \d chunks in \d\.\d s", last)
    status = run(with_model.root, "index", "status", "--json").json
    pending = {one["kind"]: one["pending"] for one in status["collections"]}
    assert pending["adrs"] == 0
    assert pending["specs"] > 0
    checks = {c["name"]: c for c in run(with_model.root, "doctor", "--json").json["checks"]}
    assert (checks["model"]["level"], checks["vectors"]["level"]) == ("ok", "warn")


def test_without_a_model_the_index_works_with_a_note(without_model):
    done = run(without_model.root, "index")
    assert done.code == 0
    why, pending = done.err.splitlines()
    assert why.startswith("note: not embedded: ")
    assert pending.endswith(
        " chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs"
    )
    assert run(without_model.root, "index", "--json").json["embed"] is None
    assert one_line(run(without_model.root, "index", "embed"), 6)
    checks = {c["name"]: c for c in run(without_model.root, "doctor", "--json").json["checks"]}
    assert checks["model"]["level"] == "warn"

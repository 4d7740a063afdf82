"""The recorded state of an embed, and files that are not taken for it."""

from __future__ import annotations

import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.embedding.state import NAME, EmbedRun, embed_status, parse_run, read_run, write_run
from tests.support.repos import Repo

RUN = EmbedRun(1000.0, 20, 10, "cpu", "local:x", "/tmp/x.log", 1005.0, 8, 2, "no")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def test_a_run_is_read_back_as_written(repo: Repo) -> None:
    repository = repo.repository
    repository.search_dir.mkdir(parents=True)
    assert read_run(repository) is None
    write_run(repository, RUN)
    assert read_run(repository) == RUN
    assert (RUN.seconds, EmbedRun(1.0, 0, 0, "", "").seconds) == (5.0, 0.0)


def test_a_run_that_cannot_be_written_raises_nothing(repo: Repo) -> None:
    write_run(repo.repository, RUN)
    assert not (repo.root / ".sdd").exists()


@given(st.binary(max_size=200))
def test_any_bytes_can_be_parsed(text: bytes) -> None:
    parse_run(text)


@given(st.sampled_from([*asdict(RUN), "more"]), JSON)
def test_any_value_of_any_field_can_be_parsed(name: str, value: object) -> None:
    run = parse_run(json.dumps({**asdict(RUN), name: value}).encode())
    if run is not None:
        # An accepted run can be shown: times are subtracted, counts formatted.
        assert run.seconds >= 0
        assert all(f"{count:,}" for count in (run.pending, run.wanted, run.embedded, run.failed))
        assert isinstance(run.error, str)


@given(st.sampled_from(list(asdict(RUN))))
def test_a_run_without_one_of_its_fields_is_refused(name: str) -> None:
    assert (
        parse_run(json.dumps({k: v for k, v in asdict(RUN).items() if k != name}).encode()) is None
    )


def test_a_forged_file_counts_as_missing(repo: Repo) -> None:
    path = repo.root / ".sdd/search" / NAME
    for text in ("[" * 100_000, '{"started": 1e999}', "null", "{" + " " * 20_000 + "}"):
        repo.write(f".sdd/search/{NAME}", text)
        assert read_run(repo.repository) is None
    path.unlink()
    path.symlink_to(repo.write("elsewhere.json", json.dumps(asdict(RUN))))
    assert read_run(repo.repository) is None


def test_failed_chunks_are_separate_from_untried_ones(repo: Repo) -> None:
    repository = repo.repository
    repository.search_dir.mkdir(parents=True)
    assert embed_status(repository, 5).untried == 5
    write_run(repository, RUN)
    found = embed_status(repository, 5)
    assert (found.running, found.done, found.failed, found.untried) == (None, None, 2, 3)
    # Documents that failed may have been removed since.
    assert embed_status(repository, 1).failed == 1

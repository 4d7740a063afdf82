"""The daemon: found only where it is ours and answers, asked, run, and gone without a trace."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.engines.qmd.daemon import FILE, Daemon, ask, running, serve
from sdd_hooks.engines.qmd.http import HOST
from sdd_hooks.engines.qmd.mcp import index_status
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.serving import Served
from tests.support.waiting import until
from tests.system.test_processes import gone

BODY: dict[str, Any] = {
    "searches": [{"type": "lex", "query": "token"}, {"type": "vec", "query": "token"}],
    "collections": ["shop-adrs"],
    "limit": 5,
    "rerank": False,
}

Serve = Callable[[Indexed], Served]


def found(indexed: Indexed) -> Daemon | None:
    return running(indexed.place, indexed.qmd.environ)


def test_it_answers_from_its_start_to_its_end(unembedded: Indexed, serve: Serve) -> None:
    assert found(unembedded) is None
    served = serve(unembedded)
    daemon = found(unembedded)
    assert daemon == Daemon(int(served.url.rpartition(":")[2]), served.pid)
    assert served.url == f"http://{HOST}:{daemon.port}"
    (first,) = ask(daemon, {**BODY, "searches": BODY["searches"][:1]}, 30)
    assert (first.collection, first.path) == ("shop-adrs", "a.md")
    assert served.end() == 0
    assert found(unembedded) is None
    assert not (unembedded.place.directory / FILE).exists()
    until(lambda: gone(served.pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_every_signal_ends_it(unembedded: Indexed, serve: Serve, number: int) -> None:
    served = serve(unembedded)
    assert served.end(number) == 0
    until(lambda: gone(served.pid))
    assert not (unembedded.place.directory / FILE).exists()


def test_it_answers_by_words_and_by_meaning(daemon: Daemon, embedded: Indexed) -> None:
    first, *_ = ask(daemon, BODY, 60)
    assert first.path == "a.md"
    assert ask(daemon, {**BODY, "collections": ["shop-nothing"]}, 60) == []


def test_looking_for_it_takes_a_few_milliseconds(daemon: Daemon, embedded: Indexed) -> None:
    found(embedded)
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        assert found(embedded) == daemon
        taken.append(time.perf_counter() - started)
    assert min(taken) < 0.05


def test_without_rerank_false_it_fails_or_hangs_and_is_given_up(daemon: Daemon) -> None:
    with pytest.raises(EngineUnavailable, match=r"^qmd's daemon on http://\S+ is of no use"):
        ask(daemon, {**BODY, "rerank": True}, 1)


def test_a_request_it_does_not_understand(daemon: Daemon) -> None:
    with pytest.raises(EngineUnavailable, match=r"it answered 400: .*Missing required field"):
        ask(daemon, {}, 30)


def test_a_second_one_is_refused(daemon: Daemon, embedded: Indexed) -> None:
    with pytest.raises(EngineUnavailable, match=f"already, on .*:{daemon.port} "):
        serve(embedded.qmd.installation, embedded.place, embedded.qmd.environ, 0, print)


def test_a_port_that_is_taken(unembedded: Indexed, daemon: Daemon) -> None:
    qmd, place = unembedded.qmd, unembedded.place
    with pytest.raises(EngineUnavailable, match=f"^no daemon on port {daemon.port}: Address alr"):
        serve(qmd.installation, place, qmd.environ, daemon.port, print)


def test_one_that_does_not_start_says_why(unembedded: Indexed) -> None:
    qmd, place = unembedded.qmd, unembedded.place
    for path in place.directory.glob("index.sqlite*"):
        path.unlink()
    place.database.mkdir()
    with pytest.raises(EngineUnavailable, match=r"^qmd's daemon does not start: \S"):
        serve(qmd.installation, place, qmd.environ, 0, print)
    assert not (place.directory / FILE).exists()


def test_killed_it_leaves_a_file_that_nobody_believes(unembedded: Indexed, serve: Serve) -> None:
    served = serve(unembedded)
    told = (unembedded.place.directory / FILE).read_bytes()
    os.killpg(served.pid, signal.SIGKILL)
    # What runs it says that it has ended; the file of one that was killed too is put back.
    assert served.process.wait(30) == 1
    (unembedded.place.directory / FILE).write_bytes(told)
    assert found(unembedded) is None


def test_a_file_that_came_with_a_clone_is_not_believed(
    daemon: Daemon, embedded: Indexed, unembedded: Indexed
) -> None:
    """It names a daemon that runs, of another repository of the same user."""
    theirs = json.loads((embedded.place.directory / FILE).read_bytes())
    file = unembedded.place.directory / FILE
    for forged in (theirs, {**theirs, "secret": ""}, {"port": daemon.port, "pid": daemon.pid}):
        file.write_text(json.dumps(forged))
        assert found(unembedded) is None


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 4000, b"x" * 10_000,
        b'{"port": true, "pid": 2}', b'{"port": 0, "pid": 2}', b'{"port": 99999, "pid": 2}',
        b'{"port": 80, "pid": -1}', b'{"port": 80, "pid": 1}', b'{"port": "80", "pid": "2"}',
        b'{"port": 80, "pid": 1e99}', b'{"port": 80, "pid": ' + b"9" * 300 + b"}",
    ],
)  # fmt: skip
def test_any_content(tmp_path: Path, content: bytes) -> None:
    place = Place(tmp_path, tmp_path / ".sdd/search/qmd")
    place.directory.mkdir(parents=True)
    (place.directory / FILE).write_bytes(content)
    assert running(place, {"HOME": str(tmp_path / "home")}) is None


def test_a_link_out_of_the_repository_is_not_followed(
    daemon: Daemon, embedded: Indexed, unembedded: Indexed
) -> None:
    (unembedded.place.directory / FILE).symlink_to(embedded.place.directory / FILE)
    assert found(unembedded) is None


def test_one_of_an_index_that_was_replaced_is_not_asked(unembedded: Indexed, serve: Serve) -> None:
    serve(unembedded)
    assert found(unembedded) is not None
    copy = unembedded.place.directory / "copy"
    copy.write_bytes(unembedded.place.database.read_bytes())
    copy.replace(unembedded.place.database)
    assert found(unembedded) is None


def test_one_with_another_model_is_not_asked(unembedded: Indexed, serve: Serve) -> None:
    serve(unembedded)
    declare = unembedded.qmd.declare
    declare(unembedded.place, shop_adrs="docs/adrs")
    assert found(unembedded) is not None
    # qmd writes the same once more, in a form of its own.
    assert unembedded.run("status").code == 0
    assert found(unembedded) is not None
    declare(unembedded.place, "/nowhere/other.gguf", shop_adrs="docs/adrs")
    assert found(unembedded) is None


def test_the_status_is_the_same_over_both_transports(
    embedded: Indexed, unembedded: Indexed, serve: Serve
) -> None:
    alone = index_status(unembedded.qmd.installation, unembedded.place, unembedded.qmd.environ, 60)
    serve(unembedded)
    assert found(unembedded) is not None
    served = index_status(unembedded.qmd.installation, unembedded.place, unembedded.qmd.environ, 60)
    assert alone == served
    assert (alone.documents, alone.pending, alone.has_vectors) == (3, 3, False)
    assert alone.collections == {"shop-adrs": 2, "shop-specs": 1}

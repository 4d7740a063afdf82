"""`sdd index push`, `sdd index pull`, and what an embed does with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Done, one_line, run
from tests.support.laptops import Laptop, SharedRemote

WAITING = {"CI": "true"}


@pytest.fixture
def hub(tmp_path: Path) -> SharedRemote:
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    return SharedRemote.make(tmp_path, share="true")


def sdd(laptop: Laptop, *args: str) -> Done:
    return run(laptop.repo.root, *args, env=WAITING)


def test_pushed_vectors_are_pulled_and_not_embedded_again(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    model = sdd(runner, "index", "status", "--json").json["model"]
    assert (
        sdd(laptop, "index", "pull").out == f"nothing to pull: origin has no vectors by {model}\n"
    )
    assert (
        sdd(laptop, "index", "push").out == f"nothing to push: no chunk has a vector by {model}\n"
    )
    assert sdd(runner, "index", "embed").code == 0
    assert (
        sdd(runner, "index", "push").out == "pushed 2 vectors to origin, which has 2 vectors now\n"
    )
    assert sdd(runner, "index", "push").out == "nothing to push: origin has 2 vectors\n"
    laptop.write(3)
    embed = sdd(laptop, "index", "embed", "--json").json
    assert (embed["mode"], embed["pulled"], embed["pending"]) == ("foreground", 2, 1)
    assert embed["embedded"] == 1
    assert sdd(laptop, "index", "pull").out == "nothing new: origin has 2 vectors\n"


def test_an_embed_pulls_every_vector(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.embed()
    runner.push()
    done = sdd(laptop, "index", "embed")
    assert done.out.startswith("pulled 2 vectors\nnothing to embed (local:model:")
    assert done.err == ""


def test_an_embed_succeeds_without_the_remote(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    hub.repo.root.rename(hub.folder / "elsewhere")
    done = sdd(laptop, "index", "embed")
    assert done.code == 0
    assert done.err.startswith("note: no vectors pulled: origin cannot be reached (")
    assert "embedded 2 chunks" in done.out
    # With nothing to embed, no request is sent.
    assert sdd(laptop, "index", "embed").err == ""
    for command in ("push", "pull"):
        assert one_line(sdd(laptop, "index", command), 8).startswith("origin cannot be reached (")


def test_json_has_every_field_of_a_push_and_a_pull(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    ref = laptop.ref
    assert sdd(laptop, "index", "pull", "--json").json == {
        "schema_version": 1,
        "remote": "origin",
        "ref": ref,
        "model": laptop.pull().model,
        "pulled": 0,
        "vectors": 0,
        "commit": None,
        "pending": 2,
        "notes": [],
        "warnings": [],
    }
    laptop.embed()
    pushed = sdd(laptop, "index", "push", "--json").json
    assert (pushed["pushed"], pushed["vectors"]) == (2, 2)
    assert hub.refs() == {ref: pushed["commit"]}


def test_an_error_is_one_line(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    message = one_line(sdd(laptop, "index", "push", "--remote", "-x"), 3)
    assert message == "there is no remote '-x': `git remote -v` lists the remotes"
    fresh = Laptop(laptop.repo.worktree(hub.folder / "fresh", "fresh"))
    assert one_line(sdd(fresh, "index", "pull"), 4).startswith("No collections found")

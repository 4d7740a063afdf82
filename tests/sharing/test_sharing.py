"""Machines share vectors through a ref of a remote."""

from __future__ import annotations

import io
import re
import shutil
import traceback
from pathlib import Path

import apsw
import pytest

from sdd_hooks.engines.embedded.vector_file import vector_checksum
from sdd_hooks.errors import (
    AccessRefused,
    EngineUnavailable,
    RemoteError,
    RepositoryError,
    StorageError,
)
from sdd_hooks.sharing.options import SharingLimits
from sdd_hooks.sharing.vector_ref import vector_ref_name
from sdd_hooks.system.locks import hold_lock
from tests.support.laptops import Laptop, SharedRemote
from tests.support.loopback import CannedResponse, serving

ONLY_FORWARD = """\
#!/bin/sh
[ "$2" = 0000000000000000000000000000000000000000 ] && exit 0
git merge-base --is-ancestor "$2" "$3" && exit 0
echo "only forward, \033[31mplease" >&2
exit 1
"""


def test_a_laptop_that_pulls_what_a_runner_pushed_embeds_nothing(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    assert runner.embed().embedded == 2
    pushed = runner.push()
    assert (pushed.pushed, pushed.vectors, pushed.notes) == (2, 2, ())
    assert hub.refs() == {pushed.ref: pushed.commit}
    pulled = laptop.pull()
    assert (pulled.pulled, pulled.vectors, pulled.pending, pulled.notes) == (2, 2, 0, ())
    assert laptop.embed().embedded == 0
    assert laptop.vectors == runner.vectors


def test_known_vectors_are_not_pushed_or_pulled_again(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    runner.embed()
    first = runner.push()
    assert runner.push() == first._replace(pushed=0)
    assert hub.refs() == {first.ref: first.commit}
    assert runner.pull().pulled == 0


def test_without_vectors_nothing_is_pushed_or_pulled(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    assert laptop.push()[3:] == (0, 0, "", ())
    assert laptop.pull()[3:] == (0, 0, "", 2, ())
    assert hub.refs() == {}


def test_a_ref_has_the_vectors_of_all_pushes(hub: SharedRemote) -> None:
    first, second, third = (hub.laptop(name) for name in ("first", "second", "third"))
    assert first.write_and_push(3).vectors == 3
    pushed = second.write_and_push(4)
    assert (pushed.pushed, pushed.vectors) == (1, 4)
    assert len(hub.entries(pushed.ref)) == 2
    third.write(3, 4)
    assert third.pull().pending == 0
    assert third.vectors == {**first.vectors, **second.vectors}


def test_equal_vectors_are_the_same_commit(tmp_path: Path, hub: SharedRemote) -> None:
    laptop, other = hub.laptop("laptop"), hub.laptop("other")
    SharedRemote.make(tmp_path / "second")
    other.repo.git("remote", "add", "second", str(tmp_path / "second/hub.git"))
    for machine in (laptop, other):
        machine.embed()
    assert laptop.push().commit == other.push(remote="second").commit
    assert hub.repo.git("rev-list", "--count", laptop.ref) == "1"
    # Objects that one remote has may be missing on another.
    other.write(3)
    other.embed()
    assert other.push().pushed == 1
    assert other.push(remote="second").pushed == 1


def test_a_pull_keeps_a_local_vector_and_replaces_an_invalid_one(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.embed()
    runner.push()
    laptop.embed()
    local = bytes(range(1, 8)) + b"\x7f"
    store = apsw.Connection(str(laptop.store))
    keys = sorted(laptop.vectors)
    for key, vector in zip(keys, (local, b"\0"), strict=True):
        checksum = vector_checksum(1, key, vector, 0)
        row = (vector, checksum, key)
        store.execute("UPDATE vectors SET vector = ?, checksum = ? WHERE hash = ?", row)
    store.close()
    assert laptop.pull().pulled == 1
    assert laptop.vectors == {keys[0]: local, keys[1]: runner.vectors[keys[1]]}


def test_vectors_of_texts_outside_the_index_are_not_pushed(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    laptop.write(3)
    laptop.embed()
    laptop.repo.remove("docs/adrs/ADR-0003-x.md")
    laptop.index()
    assert len(laptop.vectors) == 3
    assert laptop.push().vectors == 2


def test_a_second_model_and_another_storage_live_beside_the_first(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    runner.embed()
    first = runner.push()
    memory = runner.repo.root / "CLAUDE.md"
    text = memory.read_text()
    memory.write_text(text.replace("int8", "float32"))
    runner.embed()
    floats = runner.push()
    shutil.copytree(hub.folder / "model", hub.folder / "other")
    memory.write_text(text.replace("/model\n", "/other\n"))
    runner.embed()
    second = runner.push()
    assert hub.refs() == {pushed.ref: pushed.commit for pushed in (first, floats, second)}
    assert first.ref.startswith("refs/sdd/vectors/local-model-")
    assert second.ref.startswith("refs/sdd/vectors/local-other-")
    laptop = hub.laptop("laptop")
    laptop.repo.write("CLAUDE.md", text.replace("int8", "float32"))
    assert laptop.pull().pulled == 2
    assert {len(vector) for vector in laptop.vectors.values()} == {32}
    assert laptop.embed().embedded == 0


def test_a_push_and_a_pull_change_nothing_in_the_repository(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.embed()
    before = [_state(machine) for machine in (runner, laptop)]
    for machine in (runner, laptop):
        for hook in ("pre-push", "reference-transaction", "post-merge"):
            path = machine.repo.write(f".git/hooks/{hook}", f"#!/bin/sh\ntouch {hub.folder}/ran\n")
            path.chmod(0o755)
        # With these settings an ordinary fetch would track all refs and follow tags.
        machine.repo.git("config", "--add", "remote.origin.fetch", "+refs/*:refs/remotes/all/*")
        machine.repo.git("config", "remote.origin.tagOpt", "--tags")
    runner.push()
    laptop.pull()
    assert [_state(machine) for machine in (runner, laptop)] == before
    assert not (hub.folder / "ran").exists()


def _state(laptop: Laptop) -> tuple[str, ...]:
    git = laptop.repo.root / ".git"
    files = sorted(
        str(path.relative_to(git))
        for path in git.rglob("*")
        if path.is_file() and path.relative_to(git).parts[0] not in {"sdd", "hooks", "index"}
    )
    return (*files, laptop.repo.git("log", "--all", "--format=%H"))


@pytest.mark.parametrize("option", ["--depth=1", "--filter=blob:none"])
def test_a_shallow_or_partial_clone_stays_one(hub: SharedRemote, option: str) -> None:
    hub.repo.git("config", "uploadpack.allowFilter", "true")
    runner = hub.laptop("runner")
    runner.repo.commit("More", {"more.txt": "more\n"})
    runner.repo.git("push", "--quiet", "origin", "main")
    laptop = hub.laptop("laptop", option)
    runner.write_and_push(3)
    before = _state(laptop)
    assert laptop.pull().pulled == 3
    assert laptop.write_and_push(4).vectors == 4
    assert runner.pull().pulled == 1
    assert _state(laptop) == before


def test_a_linked_work_tree_shares_the_vectors_of_its_repository(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    linked = Laptop(runner.repo.worktree(hub.folder / "linked", "other"))
    linked.index()
    linked.embed()
    assert linked.push().pushed == 2
    assert runner.push().pushed == 0


def test_a_host_that_accepts_only_fast_forwards_gets_a_history(hub: SharedRemote) -> None:
    hub.repo.write("hooks/update", ONLY_FORWARD).chmod(0o755)
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    for number in (3, 4, 5):
        ref = runner.write_and_push(number).ref
    assert hub.repo.git("rev-list", "--count", ref) == "3"
    assert laptop.pull().pulled == 5
    assert laptop.write_and_push(6).vectors == 6


def test_a_host_that_rejects_the_ref_is_an_error(hub: SharedRemote) -> None:
    output = "printf '\\033[31mno\\n::error::x\\n' >&2"
    hub.repo.write("hooks/update", f"#!/bin/sh\n{output}\nexit 1\n").chmod(0o755)
    runner = hub.laptop("runner")
    runner.embed()
    with pytest.raises(RemoteError, match=r"^origin rejects refs/.*hook declined.*no") as caught:
        runner.push()
    assert str(caught.value).isprintable()
    assert hub.refs() == {}


def test_many_pushes_make_one_commit_of_few_segments(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    limits = SharingLimits(max_segment_bytes=2000, small_segment_bytes=500, max_segments=3)
    sizes = []
    for number in range(3, 12):
        runner.write(number)
        runner.embed()
        pushed = runner.push(limits=limits)
        sizes.append(len(hub.entries(pushed.ref)))
    assert max(sizes) == 3
    assert hub.repo.git("rev-list", "--count", pushed.ref) == "1"
    assert pushed.vectors == 11
    assert laptop.pull().pulled == 11


def test_at_the_limit_vectors_of_texts_outside_the_index_are_left_out(hub: SharedRemote) -> None:
    laptop, other = hub.laptop("laptop"), hub.laptop("other")
    laptop.write_and_push(*range(3, 10))
    limits = SharingLimits(max_total_bytes=450)
    other.write(10)
    other.embed()
    pushed = other.push(limits=limits)
    assert pushed.notes == (f"7 vectors left out, as {pushed.ref} holds 0 MB at most",)
    assert (pushed.pushed, pushed.vectors) == (1, 3)
    assert other.push(limits=limits)._replace(pushed=1, notes=pushed.notes) == pushed
    # Vectors of the index are left out, too, when they do not fit.
    laptop.push(limits=limits._replace(max_total_bytes=200))
    assert other.pull().vectors <= 3


def test_the_size_of_local_objects_is_bounded(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    limits = SharingLimits(spare_bytes=0)
    for number in (3, 4):
        runner.write(number)
        runner.embed()
        assert runner.push(limits=limits).pushed
    assert not (runner.share / "objects").exists()
    assert runner.pull().vectors == 4


def test_local_objects_may_be_deleted_or_damaged(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.write_and_push(3)
    laptop.pull()
    shutil.rmtree(laptop.share)
    assert laptop.pull().vectors == 3
    for path in laptop.share.glob("local-*"):
        path.write_bytes(b"\xff--upload-pack=x")
    laptop.store.unlink()
    runner.write_and_push(4)
    assert laptop.pull().pulled == 4


def test_a_missing_local_object_is_not_missing_on_the_remote(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    first = runner.write_and_push(3)
    laptop.pull()
    laptop.write(4)
    laptop.embed()
    for pack in laptop.share.rglob("*.pack"):
        pack.unlink()
    # Of the objects that the runner wrote, only the segment is deleted.
    blob = runner.repo.git("ls-tree", first.commit, env=_objects(runner)).split()[2]
    (runner.share / "objects" / blob[:2] / blob[2:]).unlink()
    assert runner.push().vectors == 3
    assert laptop.push().vectors == 4


def test_damaged_objects_are_reported_and_deleted(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    first = runner.write_and_push(3)
    blob = runner.repo.git("ls-tree", first.commit, env=_objects(runner)).split()[2]
    damaged = runner.share / "objects" / blob[:2] / blob[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(damaged.read_bytes()[:40])
    with pytest.raises(
        StorageError, match=r"share was damaged \(.*\) and is empty now: run it again"
    ):
        runner.pull()
    assert runner.pull().vectors == 3


def _objects(laptop: Laptop) -> dict[str, str]:
    return {"GIT_OBJECT_DIRECTORY": str(laptop.share / "objects")}


def test_only_new_objects_are_transferred(hub: SharedRemote) -> None:
    hub.repo.git("config", "receive.unpackLimit", "1")
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.write_and_push(*range(3, 40))
    laptop.pull()
    directories = (hub.repo.root / "objects", laptop.share)
    before = {pack for directory in directories for pack in directory.rglob("*.pack")}
    runner.write_and_push(41)
    laptop.pull()
    new = {pack for directory in directories for pack in directory.rglob("*.pack")} - before
    listed = [hub.repo.git("verify-pack", "-v", str(pack)) for pack in new]
    # In each direction: the commit, its tree, and the new segment.
    assert [
        [text.count(f" {kind} ") for kind in ("commit", "tree", "blob")] for text in listed
    ] == [
        [1, 1, 1],
        [1, 1, 1],
    ]


def test_an_unknown_remote_is_an_error(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    for name in ("upstream", "", "--upload-pack=touch x", "a\x1bb"):
        with pytest.raises(RepositoryError, match=r"^there is no remote '.*': `git remote") as e:
            laptop.pull(remote=name)
        assert str(e.value).isprintable()


def test_an_unreachable_remote_is_an_error(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    hub.repo.root.rename(hub.folder / "elsewhere")
    for act in (laptop.push, laptop.pull):
        with pytest.raises(
            RemoteError, match=r"^origin cannot be reached \(.*\): check its address$"
        ):
            act()
    laptop.repo.git("remote", "set-url", "origin", "ext::touch pwned")
    with pytest.raises(RemoteError, match=r"transport 'ext' not allowed\): check its address$"):
        laptop.pull()


def test_a_login_and_a_token_are_in_no_message_or_log(
    hub: SharedRemote, debug_log: io.StringIO
) -> None:
    laptop = hub.laptop("laptop")
    token = "t0ken-that-must-stay-secret"
    refusing = CannedResponse(401, headers={"WWW-Authenticate": f"Basic realm={token}"})
    for response, error in (
        (refusing, AccessRefused),
        (CannedResponse(500, token.encode()), RemoteError),
    ):
        with serving(lambda _, response=response: response) as server:  # type: ignore[misc]
            url = server.url.replace("//", f"//ada:{token}@")
            laptop.repo.git("remote", "set-url", "origin", f"{url}/x.git")
            access = {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"http.{server.url}/.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: Bearer {token}",
            }
            for act in (laptop.pull, laptop.push):
                with pytest.raises(error, match=r"^origin ") as caught:
                    act(access=access)
                text = "".join(traceback.format_exception(caught.value))
                assert token not in text
                assert str(caught.value).isprintable()
    assert re.search(r" run git ls-remote: exit 128 \(", debug_log.getvalue())
    assert token not in debug_log.getvalue()


def test_the_debug_log_of_a_push_has_no_token(hub: SharedRemote, debug_log: io.StringIO) -> None:
    laptop = hub.laptop("laptop")
    laptop.embed()
    token = "t0ken-that-must-stay-secret"
    access = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.https://git.example/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Bearer {token}",
    }
    assert laptop.push(access=access).pushed
    assert re.search(r" run git push: exit 0 \(", debug_log.getvalue())
    assert token not in debug_log.getvalue()


def test_a_second_push_or_pull_gives_up_after_the_wait(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    laptop.share.mkdir(parents=True)
    with (
        hold_lock(laptop.share / "lock", 0.0),
        pytest.raises(StorageError, match=r"another push or pull"),
    ):
        laptop.pull(wait=0.0)


def test_an_engine_without_shared_vectors_is_an_error(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    project = laptop.project

    class Other:
        """An engine without `exchange`."""

    from sdd_hooks.sharing.segment_tree import vector_exchange

    with pytest.raises(EngineUnavailable, match=r"cannot share its vectors"):
        vector_exchange(project, Other())


@pytest.mark.parametrize("model", ["llm:ä/../x.lock", "", "hub:-", "a" * 500, "x\n\0y"])
def test_any_model_has_a_valid_ref(hub: SharedRemote, model: str) -> None:
    ref = vector_ref_name(model, "int8")
    assert hub.repo.git("check-ref-format", "--normalize", ref) == ref
    assert ref != vector_ref_name(model, "float32")
    assert len(ref) < 100
    assert ref.rpartition("/")[2][0] != "-"

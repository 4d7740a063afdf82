import os
from pathlib import Path

import pytest

from sdd_hooks.system.git import GitError
from sdd_hooks.system.git_objects import read_blobs
from tests.support.repos import Repo, git_at


def test_read_blobs_in_order_with_gaps(repo: Repo):
    repo.commit(files={"a": "one", "d/b": b"\x00two\n", "c": ""})
    repo.write("a", "changed and staged")
    repo.git("add", "a")
    blob = repo.git("rev-parse", "HEAD:d/b")
    specs = [":a", "HEAD:a", "HEAD:nowhere", blob, "HEAD:d", ":c", "x y missing"]
    assert list(read_blobs(repo.handle, specs)) == [
        b"changed and staged",
        b"one",
        None,
        b"\x00two\n",
        None,
        b"",
        None,
    ]


def test_read_blobs_with_hostile_names(repo: Repo):
    names = ["1:a", "line\nbreak", "x missing", "caf\udce9", ":(top)b", "-c"]
    for name in names:
        repo.write(name, name.encode("utf-8", "surrogateescape"))
    repo.commit()
    read = list(read_blobs(repo.handle, [f":{name}" for name in names]))
    assert read == [os.fsencode(name) for name in names]


def test_read_blobs_many_and_large(repo: Repo):
    contents = {f"f{n:04}": f"{n}" * 200 for n in range(600)}
    repo.commit(files={**contents, "large": "x" * 3_000_000})
    read = list(read_blobs(repo.handle, [*(f":{name}" for name in contents), ":large"]))
    assert read[:-1] == [text.encode() for text in contents.values()]
    assert read[-1] is not None
    assert len(read[-1]) == 3_000_000


@pytest.mark.parametrize("limit", [0, 5, 2_999_999, 3_000_000])
def test_read_blobs_of_at_most_some_size(repo: Repo, limit: int):
    contents = {"a": b"12345", "line\nbreak": b"x" * 9, "large": b"y" * 3_000_000, "z": b"end"}
    for name, data in contents.items():
        repo.write(name, data)
    repo.commit()
    read = list(read_blobs(repo.handle, [f":{name}" for name in contents], limit=limit))
    assert read == [data[: limit + 1] for data in contents.values()]


def test_read_blobs_left_early_leaves_no_process(repo: Repo):
    repo.commit(files={"a": "1", "b": "2"})
    blobs = read_blobs(repo.handle, [":a", ":b"])
    assert next(blobs) == b"1"
    blobs.close()  # type: ignore[attr-defined]


def test_read_blobs_of_nothing(tmp_path: Path):
    assert list(read_blobs(git_at(tmp_path), [])) == []


def test_read_blobs_where_git_cannot(tmp_path: Path):
    with pytest.raises(GitError):
        list(read_blobs(git_at(tmp_path), ["HEAD:a"]))


def test_a_partial_clone_that_lacks_contents(repo: Repo, tmp_path: Path):
    repo.commit(files={"a": "one", "b": "two"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = Repo(tmp_path / "clone")
    options = ("--quiet", "--no-checkout", "--filter=blob:none")
    repo.git("clone", *options, repo.root.as_uri(), str(clone.root))
    with pytest.raises(GitError, match=r"this clone is partial .* fetches them") as raised:
        list(read_blobs(clone.handle, ["HEAD:a", "HEAD:b"]))
    clone.git(*str(raised.value).split("`")[1].split()[1:])
    assert list(read_blobs(clone.handle, ["HEAD:a", "HEAD:b"])) == [b"one", b"two"]

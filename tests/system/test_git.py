import os
import subprocess
from pathlib import Path

import pytest

from sdd_hooks.system.git import (
    LOCAL_VARIABLES,
    GitError,
    credential,
    environment,
    git,
    nul_split,
    read_blobs,
    remotely,
    run,
    start,
    try_git,
)
from sdd_hooks.system.processes import Done
from tests.support.repos import Repo


def test_environment_drops_what_hooks_leak():
    leaked = dict.fromkeys(LOCAL_VARIABLES, "leaked")
    clean = environment({**leaked, "PATH": "/bin", "GIT_LITERAL_PATHSPECS": "1"})
    assert clean == {
        "PATH": "/bin",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }


def test_every_local_variable_is_known_but_configuration():
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, check=True, text=True
    ).stdout.split()
    assert set(listed) - set(LOCAL_VARIABLES) == {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}


def test_environment_keeps_configuration():
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    assert given.items() <= environment(given).items()


def test_environment_does_not_change_what_it_is_given():
    given = {"GIT_DIR": "x"}
    environment(given)
    assert given == {"GIT_DIR": "x"}


def test_git_answers_in_the_directory(repo: Repo):
    repo.commit(files={"a": "1"})
    assert git(repo.root, "ls-files", "-z") == b"a\0"


def test_git_passes_stdin(repo: Repo):
    assert git(repo.root, "hash-object", "--stdin", stdin=b"") == (
        b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"
    )


def test_failure_is_one_line_of_what_git_said(repo: Repo):
    with pytest.raises(GitError) as caught:
        git(repo.root, "rev-parse", "--verify", "nowhere")
    assert str(caught.value) == "git rev-parse: Needed a single revision"


def test_failure_without_a_word(repo: Repo):
    repo.commit(files={"a": "1"})
    repo.write("a", "2")
    with pytest.raises(GitError, match="git diff-index: failed without a word"):
        git(repo.root, "diff-index", "--quiet", "HEAD")


def test_try_git_is_none_on_failure(repo: Repo):
    assert try_git(repo.root, "rev-parse", "--verify", "--quiet", "HEAD") is None
    head = repo.commit()
    assert try_git(repo.root, "rev-parse", "HEAD") == head.encode() + b"\n"


def test_run_leaves_the_judgement_to_the_caller(repo: Repo):
    assert run(repo.root, "rev-parse", "--verify", "--quiet", "HEAD").returncode == 1


def test_start_goes_on_without_waiting(repo: Repo):
    repo.commit(files={"a": "1"})
    process = start(repo.root, "ls-files")
    output, _ = process.communicate()
    assert (output, process.returncode) == (b"a\n", 0)


def test_start_with_another_index(repo: Repo, tmp_path: Path):
    repo.commit(files={"a": "1"})
    process = start(repo.root, "ls-files", index=str(tmp_path / "none"))
    output, _ = process.communicate()
    assert (output, process.returncode) == (b"", 0)


def test_nul_split_keeps_any_name():
    names = nul_split(b"a b\0line\nbreak\0caf\xe9\0")
    assert names[:2] == ["a b", "line\nbreak"]
    assert os.fsencode(names[2]) == b"caf\xe9"
    assert nul_split(b"") == []


def test_read_blobs_in_order_with_gaps(repo: Repo):
    repo.commit(files={"a": "one", "d/b": b"\x00two\n", "c": ""})
    repo.write("a", "changed and staged")
    repo.git("add", "a")
    blob = repo.git("rev-parse", "HEAD:d/b")
    specs = [":a", "HEAD:a", "HEAD:nowhere", blob, "HEAD:d", ":c", "x y missing"]
    assert list(read_blobs(repo.root, specs)) == [
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
    read = list(read_blobs(repo.root, [f":{name}" for name in names]))
    assert read == [os.fsencode(name) for name in names]


def test_read_blobs_many_and_large(repo: Repo):
    contents = {f"f{n:04}": f"{n}" * 200 for n in range(600)}
    repo.commit(files={**contents, "large": "x" * 3_000_000})
    read = list(read_blobs(repo.root, [*(f":{name}" for name in contents), ":large"]))
    assert read[:-1] == [text.encode() for text in contents.values()]
    assert read[-1] is not None
    assert len(read[-1]) == 3_000_000


@pytest.mark.parametrize("limit", [0, 5, 2_999_999, 3_000_000])
def test_read_blobs_of_at_most_some_size(repo: Repo, limit: int):
    contents = {"a": b"12345", "line\nbreak": b"x" * 9, "large": b"y" * 3_000_000, "z": b"end"}
    for name, data in contents.items():
        repo.write(name, data)
    repo.commit()
    read = list(read_blobs(repo.root, [f":{name}" for name in contents], limit=limit))
    assert read == [data[: limit + 1] for data in contents.values()]


def test_read_blobs_left_early_leaves_no_process(repo: Repo):
    repo.commit(files={"a": "1", "b": "2"})
    blobs = read_blobs(repo.root, [":a", ":b"])
    assert next(blobs) == b"1"
    blobs.close()  # type: ignore[attr-defined]


def test_read_blobs_of_nothing(tmp_path: Path):
    assert list(read_blobs(tmp_path, [])) == []


def test_read_blobs_where_git_cannot(tmp_path: Path):
    with pytest.raises(GitError):
        list(read_blobs(tmp_path, ["HEAD:a"]))


def test_credential_of_a_helper(repo: Repo):
    repo.git("config", "credential.https://forge.example:8443.username", "ada")
    repo.git("config", "credential.helper", "!f() { cat >/dev/null; echo password=a=b; }; f")
    found = credential(repo.root, "https", "forge.example:8443", os.environ, 60)
    assert found == ("ada", "a=b")


@pytest.mark.parametrize(
    "helper", ["", "!false", "!f() { echo quit=1; }; f", "!f() { echo username=ada; }; f"]
)
def test_no_credential_without_a_password(repo: Repo, helper: str):
    repo.git("config", "credential.helper", helper)
    assert credential(repo.root, "https", "forge.example", os.environ, 60) is None


def test_a_remote_that_does_not_answer_is_left(repo: Repo):
    with pytest.raises(GitError, match=r"^`git slow` did not end within 0.2 s"):
        remotely(repo.root, "slow", deadline=0.2, settings=["alias.slow=!sleep 60"])


def test_what_a_remote_sends_is_limited(repo: Repo):
    alias = "alias.much=!head -c 1000000 /dev/zero >much"
    assert remotely(repo.root, "much", deadline=60, settings=[alias], largest=10_000).code
    assert (repo.root / "much").stat().st_size == 10_240
    assert not remotely(repo.root, "much", deadline=60, settings=[alias]).code


def test_what_a_remote_is_asked_with(repo: Repo):
    alias = 'alias.told=!echo "$TOKEN" "$GIT_OBJECT_DIRECTORY" "$GIT_TERMINAL_PROMPT"; false'
    environ = {**os.environ, "GIT_OBJECT_DIRECTORY": "/leaked"}
    given = {"deadline": 60.0, "settings": [alias], "environ": environ, "access": {"TOKEN": "x"}}
    assert remotely(repo.root, "told", **given) == Done(1, "x  0\n", "")
    objects = repo.root / ".git/objects"
    assert remotely(repo.root, "told", **given, objects=objects).out == f"x {objects} 0\n"


def test_a_helper_that_does_not_answer_is_ended(repo: Repo):
    repo.git("config", "credential.helper", "!f() { sleep 60; echo password=x; }; f")
    assert credential(repo.root, "https", "forge.example", os.environ, 0.2) is None

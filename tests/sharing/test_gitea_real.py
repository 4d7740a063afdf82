"""A real Gitea accepts the ref, and returns it to users with access."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sdd_hooks.errors import AccessRefused
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.laptops import Laptop, SharedRemote

PROGRAM = gitea_program()

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)


@pytest.fixture
def gitea(tmp_path: Path) -> Iterator[RealGitea]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path / "gitea") as server:
        yield server


def access(gitea: RealGitea, token: str) -> Mapping[str, str]:
    """The variables with which git sends a token to the server."""
    pair = b64encode(f"x:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{gitea.url}/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {pair}",
    }


def test_vectors_through_a_real_host(gitea: RealGitea, hub: SharedRemote) -> None:
    home = gitea.repository(private=True, auto_init=False)
    alice = access(gitea, gitea.tokens["alice"])
    gitea.call("PUT", f"/repos/alice/{home}/collaborators/bob", {"permission": "read"})

    def clone(name: str) -> Laptop:
        laptop = hub.laptop(name)
        laptop.repo.git("remote", "set-url", "origin", f"{gitea.url}/alice/{home}.git")
        return laptop

    runner, laptop = clone("runner"), clone("laptop")
    runner.repo.git("push", "--quiet", "origin", "main", env=alice)
    runner.embed()
    first = runner.push(access=alice)
    assert first.pushed == 2
    runner.write(*range(3, 20))
    runner.embed()
    assert runner.push(access=alice).pushed == 17
    # A user with read access gets all vectors, in one commit, and cannot push.
    bob = access(gitea, gitea.tokens["bob"])
    assert laptop.pull(access=bob).vectors == 19
    assert laptop.repo.git("ls-remote", "origin", first.ref, env=bob).split()[1] == first.ref
    laptop.write(30)
    laptop.embed()
    for wrong in (bob, access(gitea, "0" * 40), {}):
        with pytest.raises(AccessRefused, match=r"^origin refuses access \(") as caught:
            laptop.push(access=wrong)
        header = wrong.get("GIT_CONFIG_VALUE_0", "Basic none").split()[-1]
        assert header not in str(caught.value)
        assert caught.value.__cause__ is None
    laptop.write(31)
    assert laptop.pull(access=bob).vectors == 19

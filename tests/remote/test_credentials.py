"""The lookup of tokens, and the hosts to which they are sent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import AccessRefused
from sdd_hooks.remote.credentials import Secret, TokenLookup, TokenSources, TokenVariables
from sdd_hooks.remote.urls import parse_remote
from tests.support.repos import ISOLATION, Repo

FORGE = TokenSources(
    variables=(
        TokenVariables(("FORGE_TOKEN",), ("FORGE_URL", "FORGE_HOST"), ("forge.example",)),
        TokenVariables(("FORGE_USER", "FORGE_PASSWORD"), ("FORGE_URL",), ("*.cloud.example",)),
        TokenVariables(("JOB_TOKEN",), ("JOB_URL",)),
    ),
    headers=lambda secret: {"Authorization": f"token {secret.value}"},
    advice="set FORGE_TOKEN, or run `forge login`",
    git=True,
    commands=lambda host: (("forge", "token", "--host", host),),
    site=lambda host: host.removeprefix("api."),
)
HOME = "https://forge.example"
OWN = "https://own.example"


def find(
    environ: Mapping[str, str],
    url: str,
    root: Path = Path("/nonexistent"),
    origin: str = "",
    sources: TokenSources = FORGE,
) -> Secret | None:
    return TokenLookup(sources, lambda: parse_remote(origin), root, environ).find(url)


def advice(environ: Mapping[str, str], url: str, sources: TokenSources = FORGE) -> str:
    return TokenLookup(sources, lambda: None, Path("/nonexistent"), environ).advice(url)


# Tokens of the environment.


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "https://forge.example"),
        ({}, "https://FORGE.example:443/api/v1"),
        ({}, "https://api.forge.example"),
        ({"FORGE_URL": ""}, "https://forge.example"),
        ({"FORGE_URL": "https://own.example"}, "https://own.example/api/v1"),
        ({"FORGE_URL": "https://Own.Example/forge/"}, "https://own.example"),
        ({"FORGE_URL": "own.example"}, "https://own.example"),
        ({"FORGE_HOST": "own.example"}, "https://own.example"),
        ({"FORGE_HOST": "own.example:8443"}, "https://own.example:8443"),
        ({"FORGE_URL": "http://own.example"}, "https://own.example"),
        ({"FORGE_URL": "http://own.example"}, "http://own.example"),
        ({"FORGE_URL": "http://own.example:3000"}, "http://own.example:3000"),
        ({"FORGE_URL": "http://127.0.0.1:3000"}, "http://127.0.0.1:3000"),
        ({"FORGE_HOST": "localhost:3000"}, "http://localhost:3000"),
        ({"FORGE_URL": "https://a.example", "FORGE_HOST": "b.example"}, "https://b.example"),
    ],
)
def test_a_token_is_sent_to_its_hosts(environ: dict[str, str], url: str) -> None:
    assert find({"FORGE_TOKEN": " s3cret\n", **environ}, url) == Secret("s3cret", "FORGE_TOKEN")


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "https://evil.example"),
        ({}, "https://forge.example.evil"),
        ({}, "https://evilforge.example"),
        ({}, "https://forge.example@evil.example"),
        ({}, "https://forge.example:8443"),
        ({}, "http://forge.example"),
        ({}, "http://forge.example:443"),
        ({}, "http://127.0.0.1:3000"),
        ({}, "no address"),
        ({"FORGE_URL": "https://own.example"}, "https://forge.example"),
        ({"FORGE_URL": "https://own.example"}, "https://own.example:8443"),
        ({"FORGE_URL": "https://own.example"}, "http://own.example"),
        ({"FORGE_URL": "https://own.example:3000"}, "http://own.example:3000"),
        ({"FORGE_HOST": "own.example"}, "http://own.example"),
        ({"FORGE_URL": "http://own.example:3000"}, "http://own.example"),
        ({"FORGE_URL": "https://own.example@evil.example"}, "https://evil.example"),
        ({"FORGE_URL": "what?"}, "https://forge.example"),
    ],
)
def test_a_token_is_sent_to_no_other_host(environ: dict[str, str], url: str) -> None:
    assert find({"FORGE_TOKEN": "s3cret", **environ}, url) is None


@pytest.mark.parametrize("origin", ["https://evil.example/a/b", "git@evil.example:a/b"])
def test_an_origin_gets_no_token_of_the_environment(origin: str) -> None:
    assert find({"FORGE_TOKEN": "s3cret"}, "https://evil.example", origin=origin) is None


def test_plain_http_needs_an_origin_with_http() -> None:
    environ = {"FORGE_TOKEN": "s3cret", "FORGE_HOST": "own.example:3000"}
    url = "http://own.example:3000"
    assert find(environ, url) is None
    assert find(environ, url, origin="git@own.example:a/b") is None
    assert find(environ, url, origin="https://own.example:3000/a/b") is None
    assert find(environ, url, origin="http://own.example/a/b") is None
    assert find(environ, url, origin="http://own.example:3000/a/b") is not None


def test_a_user_and_a_token() -> None:
    environ = {"FORGE_USER": "ada@example.org", "FORGE_PASSWORD": "s3cret"}
    url = "https://team.cloud.example"
    assert find(environ, url) == Secret(
        "s3cret", "FORGE_USER and FORGE_PASSWORD", "ada@example.org"
    )
    assert find(environ, "https://cloud.example") is None
    assert find(environ, "https://evilcloud.example") is None
    assert find({"FORGE_PASSWORD": "s3cret"}, url) is None
    assert find({**environ, "FORGE_USER": " "}, url) is None


def test_a_token_without_a_home_needs_its_variable() -> None:
    job = {"JOB_TOKEN": "s3cret"}
    assert find(job, HOME) is None
    assert find({**job, "JOB_URL": OWN}, HOME) is None
    assert find({**job, "FORGE_URL": OWN}, OWN) is None
    assert find({**job, "JOB_URL": OWN}, OWN) == Secret("s3cret", "JOB_TOKEN")


def test_the_first_matching_variables_win() -> None:
    both = {"FORGE_TOKEN": "first", "JOB_TOKEN": "second", "JOB_URL": OWN}
    assert find({**both, "FORGE_URL": OWN}, OWN) == Secret("first", "FORGE_TOKEN")
    assert find(both, OWN) == Secret("second", "JOB_TOKEN")


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "bell\x07", "grün", "x\u2028x"])
def test_an_invalid_token_is_named_and_not_shown(value: str) -> None:
    with pytest.raises(AccessRefused) as refused:
        find({"FORGE_TOKEN": value}, HOME)
    assert str(refused.value) == (
        "FORGE_TOKEN: it has characters that no token has: check its value"
    )


def test_a_user_with_a_line_break_is_refused() -> None:
    environ = {"FORGE_USER": "ada\r\nX-Evil: 1", "FORGE_PASSWORD": "s3cret"}
    with pytest.raises(AccessRefused, match="FORGE_USER and FORGE_PASSWORD: it has"):
        find(environ, "https://team.cloud.example")


@given(st.dictionaries(st.sampled_from(["FORGE_URL", "FORGE_HOST"]), st.text(max_size=40)))
def test_no_value_of_a_variable_sends_a_token_to_another_host(environ: dict[str, str]) -> None:
    assert find({"FORGE_TOKEN": "s3cret", **environ}, "https://evil.example") is None


# Advice.


def test_advice_names_the_variable_that_would_help() -> None:
    environ = {"FORGE_TOKEN": "s3cret"}
    assert advice(environ, "https://own.example:8443/api") == (
        "FORGE_TOKEN is not sent to own.example:8443: "
        "set FORGE_URL=https://own.example:8443 if it belongs there"
    )
    assert advice({"FORGE_USER": "a", "FORGE_PASSWORD": "b"}, OWN) == (
        "FORGE_USER and FORGE_PASSWORD are not sent to own.example: "
        "set FORGE_URL=https://own.example if it belongs there"
    )


def test_advice_about_plain_http() -> None:
    environ = {"FORGE_TOKEN": "s3cret", "FORGE_HOST": "own.example"}
    assert advice(environ, "http://own.example") == (
        "FORGE_TOKEN is not sent to own.example over plain http: use https"
    )


def test_advice_where_no_variable_could_help() -> None:
    only = TokenSources(
        (TokenVariables(("KEY",), homes=("forge.example",)),), lambda _: {}, "set KEY"
    )
    assert advice({"KEY": "s3cret"}, OWN, only) == "KEY is not sent to own.example: set KEY"


def test_advice_about_a_token_that_is_sent() -> None:
    """A host that refuses it needs another token, not another variable."""
    environ = {"FORGE_TOKEN": "s3cret", "FORGE_URL": OWN}
    assert advice(environ, OWN) == "check that FORGE_TOKEN is valid and may access it"
    given = TokenLookup(FORGE, lambda: None, Path("/nonexistent"), environ, "SDD_TRACKER_TOKEN")
    assert given.advice(OWN) == "check that SDD_TRACKER_TOKEN is valid and may access it"
    found = given.find(OWN)
    assert found and found.source == "SDD_TRACKER_TOKEN"


@pytest.mark.parametrize("environ", [{}, {"FORGE_USER": "ada"}])
def test_advice_of_the_vendor(environ: dict[str, str]) -> None:
    assert advice(environ, HOME) == FORGE.advice
    assert advice(environ, "nowhere") == FORGE.advice


# git's credential helper.


@pytest.fixture
def helper(repo: Repo, tmp_path: Path) -> Repo:
    """A repository. The user's helper records its input, and has a credential for one host."""
    script = tmp_path / "helper"
    script.write_text(
        "#!/bin/sh\n"
        f'asked=$(cat); echo "$1 $asked" >>"{tmp_path}/asked"\n'
        'case "$asked" in *host=forge.example*)\n'
        "  echo username=ada; echo password=fr0m-git;; esac\n"
    )
    script.chmod(0o755)
    repo.git("config", "--file", str(tmp_path / "gitconfig"), "credential.helper", str(script))
    return repo


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **ISOLATION, **more}


def asking(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment in which the user has configured the helper."""
    return environment(GIT_CONFIG_GLOBAL=str(tmp_path / "gitconfig"), **more)


def test_the_helper_of_git(helper: Repo, tmp_path: Path) -> None:
    found = find(asking(tmp_path), "https://api.forge.example", helper.root)
    assert found == Secret("fr0m-git", "git's credential helper", "ada")
    assert (tmp_path / "asked").read_text().split() == [
        "get",
        "protocol=https",
        "host=forge.example",
    ]


def test_the_environment_has_precedence_over_the_helper(helper: Repo, tmp_path: Path) -> None:
    found = find(asking(tmp_path, FORGE_TOKEN="s3cret"), HOME, helper.root)
    assert found == Secret("s3cret", "FORGE_TOKEN")
    assert not (tmp_path / "asked").exists()


def test_a_helper_of_the_repository_is_not_started(helper: Repo, tmp_path: Path) -> None:
    helper.git("config", "credential.helper", str(tmp_path / "helper"))
    assert find(environment(), "https://api.forge.example", helper.root) is None
    assert not (tmp_path / "asked").exists()


def test_the_helper_is_asked_for_the_host_of_the_origin(helper: Repo, tmp_path: Path) -> None:
    url = "https://own.example:8443"
    assert find(asking(tmp_path), url, helper.root, origin="git@own.example:a/b") is None
    assert "host=own.example:8443\n" in (tmp_path / "asked").read_text()


def test_the_helper_is_not_asked_for_a_host_that_only_a_file_names(
    helper: Repo, tmp_path: Path
) -> None:
    assert find(asking(tmp_path), "https://evil.example", helper.root, origin=f"{HOME}/a/b") is None
    assert find(asking(tmp_path, FORGE_URL=OWN), HOME, helper.root) is None
    assert not (tmp_path / "asked").exists()


def test_the_helper_is_not_asked_for_plain_http(helper: Repo, tmp_path: Path) -> None:
    assert find(asking(tmp_path), "http://forge.example", helper.root) is None
    assert not (tmp_path / "asked").exists()


def test_a_vendor_without_a_credential_helper(helper: Repo, tmp_path: Path) -> None:
    other = TokenSources(
        (TokenVariables(("KEY",), homes=("forge.example",)),), lambda _: {}, "set KEY"
    )
    assert find(asking(tmp_path), HOME, helper.root, sources=other) is None
    assert not (tmp_path / "asked").exists()


def test_git_does_not_prompt_for_a_password(repo: Repo, tmp_path: Path) -> None:
    prompt = program(tmp_path / "askpass", f'touch "{tmp_path}/prompted"; echo typed')
    repo.git("config", "core.askPass", prompt)
    environ = asking(
        tmp_path, GIT_ASKPASS=prompt, SSH_ASKPASS=prompt, DISPLAY=":0", GIT_TERMINAL_PROMPT="1"
    )
    assert find(environ, HOME, repo.root) is None
    assert not (tmp_path / "prompted").exists()


def test_without_a_repository_there_is_no_helper(tmp_path: Path) -> None:
    assert find(environment(), HOME, tmp_path / "missing") is None


# The vendor's programs.


def program(path: Path, script: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def forge(tmp_path: Path) -> str:
    """A PATH with the vendor's program, which prints its arguments as a token."""
    program(tmp_path / "bin" / "forge", 'echo "$1:$3"')
    return f"{tmp_path / 'bin'}:/usr/bin:/bin"


def test_the_program_of_the_vendor(forge: str) -> None:
    found = find({"PATH": forge}, "https://api.own.example:8443/x")
    assert found == Secret("token:own.example:8443", "forge")


def test_the_program_does_not_see_tokens_or_the_repository(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "forge", 'echo "$FORGE_TOKEN$GH_ENTERPRISE_TOKEN$PWD$HOME"')
    environ = {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "FORGE_TOKEN": "s3cret",
        "GH_ENTERPRISE_TOKEN": "s3cret",
        "HOME": "/home/ada",
    }
    assert find(environ, "https://evil.example") == Secret("//home/ada", "forge")


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "echo s3cret; exit 1",
        "true",
        "echo not a token",
        "printf 'a\\nb\\n'",
        "kill -9 $$",
    ],
)
def test_a_program_without_a_token(tmp_path: Path, script: str) -> None:
    program(tmp_path / "bin" / "forge", script)
    assert find({"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}, OWN) is None


def test_a_child_process_of_a_program_is_not_waited_for(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "forge", "sleep 600 & echo s3cret")
    # A token that comes after the deadline does not count.
    found = find({"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}, OWN)
    assert found == Secret("s3cret", "forge")


def test_programs_of_the_repository_are_not_run(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    evil = f'touch "{tmp_path}/ran"; echo s3cret'
    program(root / "bin" / "forge", evil)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "forge").symlink_to(root / "bin" / "forge")
    for path in (root / "bin", tmp_path / "links", "bin", ".", ""):
        assert find({"PATH": f"{path}:/usr/bin:/bin"}, OWN, root) is None
    assert not (tmp_path / "ran").exists()


def test_a_host_is_one_argument(forge: str) -> None:
    assert find({"PATH": forge}, "https://$(id).example") is None
    assert find({"PATH": forge}, "https://-x.example") == Secret("token:-x.example", "forge")


# Files of the vendor's program.


def test_a_token_in_the_files_of_the_vendor(forge: str) -> None:
    stores = TokenSources(
        (),
        lambda _: {},
        "log in",
        stored=lambda host, environ: Secret(f"{host}-{environ['X']}", "forge's file"),
    )
    found = find({"X": "1"}, "https://own.example", sources=stores)
    assert found == Secret("own.example-1", "forge's file")
    assert find({"X": "1"}, "http://own.example", sources=stores) is None
    assert find({"X": "a b"}, "https://own.example", sources=stores) is None


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("s3cret", "FORGE_TOKEN", "ada")
    assert "s3cret" not in repr(secret)
    assert "s3cret" not in str(secret)

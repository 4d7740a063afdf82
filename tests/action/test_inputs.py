from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.action.inputs import (
    COMMANDS,
    ON_PUSHES,
    AllowedCommands,
    Command,
    Inputs,
    WrongInput,
    read_inputs,
    select_commands,
)
from sdd_hooks.action.tokens import Tokens
from sdd_hooks.forges.protocol import JobContext, PullRequest

NONE = Tokens()
NAMES = (
    *("command", "engine", "fail-on", "base", "comment", "comment-key", "inline", "sarif-file"),
    *("embed-model", "judge", "report", "scan"),
)


def test_defaults_of_inputs() -> None:
    given = {**dict.fromkeys(NAMES, "  "), "command": "review"}
    assert read_inputs(given, NONE) == Inputs("review") == read_inputs({"command": "review"}, NONE)


def test_every_input_is_read() -> None:
    given = {
        "command": "ALL",
        "engine": "Embedded",
        "fail-on": "Warning\n",
        "base": "release/1",
        "comment": "no",
        "inline": "True",
        "sarif-file": "out.sarif",
        "embed-model": "owner/model",
        "judge": "small",
        "report": "a b.json",
        "scan": "one.sarif\n two.sarif, three.sarif\n",
    }
    assert read_inputs(given, Tokens("one", "two")) == Inputs(
        command="all",
        engine="embedded",
        token="one",
        tracker_token="two",
        fail_on="warning",
        base="release/1",
        comment=False,
        inline=True,
        sarif_file="out.sarif",
        embed_model="owner/model",
        judge="small",
        report="a b.json",
        scans=("one.sarif", "two.sarif", "three.sarif"),
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "command",
            "",
            "command must be one of sync, update, embed, review, all: it was not given",
        ),
        ("command", "push", "command must be one of sync, update, embed, review, all, not 'push'"),
        (
            "fail-on",
            "severe",
            "fail-on must be one of critical, warning, info, never, not 'severe'",
        ),
        ("engine", "elastic", "engine must be one of embedded, postgres, qmd, not 'elastic'"),
        ("comment", "maybe", "comment must be true or false, not 'maybe'"),
        ("inline", "2", "inline must be true or false, not '2'"),
        ("inline", "::error::x\ny\x1b", "inline must be true or false, not '::error::x y\\x1b'"),
        ("comment", "x" * 999, f"comment must be true or false, not '{'x' * 59}…'"),
    ],
)
def test_a_wrong_value_is_one_line(name: str, value: str, message: str) -> None:
    with pytest.raises(WrongInput) as wrong:
        read_inputs({"command": "review", name: value}, NONE)
    assert str(wrong.value) == message
    assert wrong.value.exit_code == 2


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "nön", "\x00"])
def test_an_invalid_token_is_not_shown(token: str) -> None:
    for tokens, name in ((Tokens(token), "token"), (Tokens("", token), "tracker-token")):
        with pytest.raises(WrongInput) as wrong:
            read_inputs({"command": "review"}, tokens)
        assert str(wrong.value) == f"{name} has characters that no token has: check the secret"


def test_nothing_shows_a_token() -> None:
    tokens = Tokens("s3cret", "s3cret-too")
    inputs = read_inputs({"command": "review"}, tokens)
    assert "s3cret" not in f"{inputs} {inputs!r} {tokens} {tokens!r}"


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=80)), st.text(max_size=20))
def test_any_text_is_an_input_or_one_line(given: dict[str, str], token: str) -> None:
    try:
        inputs = read_inputs(given, Tokens(token.strip()))
    except WrongInput as wrong:
        assert str(wrong).isprintable()
        assert len(str(wrong)) < 200
    else:
        assert inputs.token == token.strip()


PULL = PullRequest(7, "", "", "", "main", "", is_fork=True, ref="refs/pull/7/head")
PUSH = JobContext("https://forge.example", "https://forge.example/api", "acme/shop", "push")
ABOUT_PULLS = [
    PUSH._replace(pull=PULL),
    PUSH._replace(followed_sha="a" * 40),
    PUSH._replace(is_unmerged=True),
]


@pytest.mark.parametrize("run", [None, PUSH])
@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_pull_request_every_command_runs(
    command: Command, run: JobContext | None
) -> None:
    assert select_commands(command, run) == AllowedCommands(
        ON_PUSHES if command == "all" else (command,)
    )


@pytest.mark.parametrize("run", ABOUT_PULLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_on_a_pull_request_only_a_review_runs(command: Command, run: JobContext) -> None:
    found = select_commands(command, run)
    assert found.commands == (("review",) if command in {"review", "all"} else ())
    assert bool(found.note) == (command != "review")


def test_a_note_names_the_commands_that_are_left_out() -> None:
    assert select_commands("sync", ABOUT_PULLS[0]).note == (
        "left out on a pull request, which must not decide where tokens go: sync"
        " (for pushes and schedules)"
    )


@pytest.mark.parametrize("key", ["a", "strict", "python-3.13_b", "a" * 40])
def test_a_key_of_the_comment(key: str) -> None:
    assert read_inputs({"command": "review", "comment-key": key}, Tokens()).comment_key == key


@pytest.mark.parametrize("key", ["-a", "a--b", "a b", "-->", "a\n", "a" * 41, "é", "a)"])
def test_an_invalid_key_of_the_comment(key: str) -> None:
    if key == "a\n":
        key = "a\nb"
    with pytest.raises(WrongInput, match="comment-key must be up to 40 letters"):
        read_inputs({"command": "review", "comment-key": key}, Tokens())

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.action.inputs import Inputs, Tokens, WrongInput, read_inputs, take_tokens

NONE = Tokens()
NAMES = (
    "command engine fail-on base comment inline sarif-file embed-model judge report".split()  # noqa: SIM905
)


def test_what_is_not_given() -> None:
    given = {**dict.fromkeys(NAMES, "  "), "command": "review"}
    assert read_inputs(given, NONE) == Inputs("review") == read_inputs({"command": "review"}, NONE)


def test_everything() -> None:
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
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
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
        ("engine", "elastic", "engine must be one of embedded, qmd, not 'elastic'"),
        ("comment", "maybe", "comment must be true or false, not 'maybe'"),
        ("inline", "2", "inline must be true or false, not '2'"),
        ("inline", "::error::x\ny\x1b", "inline must be true or false, not '::error::x y\\x1b'"),
        ("comment", "x" * 999, f"comment must be true or false, not '{'x' * 59}…'"),
    ],
)
def test_a_wrong_value_is_one_line(name: str, value: str, said: str) -> None:
    with pytest.raises(WrongInput) as wrong:
        read_inputs({"command": "review", name: value}, NONE)
    assert str(wrong.value) == said
    assert wrong.value.exit_code == 2


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "nön", "\x00"])
def test_what_is_no_token_is_not_shown(token: str) -> None:
    for tokens, name in ((Tokens(token), "token"), (Tokens("", token), "tracker-token")):
        with pytest.raises(WrongInput) as wrong:
            read_inputs({"command": "review"}, tokens)
        assert str(wrong.value) == f"{name} has characters that no token has: check the secret"


def test_tokens_are_taken_out_of_the_environment() -> None:
    environ = {
        "SDD_TOKEN": " one\n",
        "SDD_TRACKER_TOKEN": "two",
        "INPUT_TOKEN": "one",
        "INPUT_TRACKER-TOKEN": "two",
        "SDD_JUDGE": "small",
    }
    tokens = take_tokens(environ)
    assert tokens == ("one", "two")
    assert environ == {"SDD_JUDGE": "small"}
    assert take_tokens(environ) == ("", "")


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

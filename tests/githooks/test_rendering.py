"""A hook as a file: whatever the path, whatever the file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.githooks.shims import command_of, is_edited, is_ours, render


@given(st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8"), min_size=1))
def test_any_path_survives_the_quotes(name: str) -> None:
    path = Path("/") / name
    content = render("post-commit", path)
    assert is_ours(content)
    assert not is_edited(content)
    assert command_of(content) == path
    line = next(one for one in content.decode().split("\n") if one.startswith("sdd="))
    done = subprocess.run(
        ["sh", "-c", f'{line}\nprintf %s "$sdd"'], capture_output=True, check=True
    )
    assert os.fsdecode(done.stdout) == str(path)


@given(st.binary(max_size=200))
def test_anything_can_be_asked_whether_it_is_ours(content: bytes) -> None:
    is_ours(content)
    marked = content[:50] + b"\n# sdd-hooks managed hook, " + content
    assert is_ours(marked)
    assert is_edited(marked)
    command_of(marked)

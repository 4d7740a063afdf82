"""Rendering and parsing shims, for any path and any content."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.githooks.shims import command_of, is_edited, is_shim, render_shim


@given(st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8"), min_size=1))
def test_any_path_is_quoted(name: str) -> None:
    path = Path("/") / name
    content = render_shim("post-commit", path)
    assert is_shim(content)
    assert not is_edited(content)
    assert command_of(content) == path
    line = next(one for one in content.decode().split("\n") if one.startswith("sdd="))
    done = subprocess.run(
        ["sh", "-c", f'{line}\nprintf %s "$sdd"'], capture_output=True, check=True
    )
    assert os.fsdecode(done.stdout) == str(path)


@given(st.binary(max_size=200))
def test_any_content_is_classified(content: bytes) -> None:
    is_shim(content)
    marked = content[:50] + b"\n# sdd-hooks managed hook, " + content
    assert is_shim(marked)
    assert is_edited(marked)
    command_of(marked)

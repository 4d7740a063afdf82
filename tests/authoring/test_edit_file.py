from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.artifacts.frontmatter_edit import set_field
from sdd_hooks.authoring.edit_file import edit_file
from sdd_hooks.system.file_edits import FileNotEditable


def test_the_byte_order_mark_stays(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf---\nstatus: x\n---\r\n")
    edit = edit_file(tmp_path, "a.md", lambda text: set_field(text, "status", "accepted"))
    assert edit.after == b"\xef\xbb\xbf---\nstatus: accepted\n---\r\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"caf\xe9\n", "a.md: is not UTF-8: edit it by hand"),
        (b"---\nstatus: |\n  x\n---\n", "a.md:2: `status` in the frontmatter has a form that"),
        (None, "a.md: there is no such file"),
    ],
)
def test_a_file_that_cannot_be_edited(tmp_path: Path, data, message) -> None:
    if data is not None:
        (tmp_path / "a.md").write_bytes(data)
    with pytest.raises(FileNotEditable, match=message):
        edit_file(tmp_path, "a.md", lambda text: set_field(text, "status", "accepted"))

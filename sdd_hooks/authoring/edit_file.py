"""Edit the text of a file of the work tree."""

# Governing: SPEC-0024 REQ "Edits"

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sdd_hooks.artifacts.frontmatter_edit import NotEditable
from sdd_hooks.system.file_edits import MAX_BYTES, FileEdit, FileNotEditable
from sdd_hooks.system.files import read_inside
from sdd_hooks.text.decoding import split_mark


def edit_file(root: Path, path: str, change: Callable[[str], str]) -> FileEdit:
    """The edit that `change` makes of the text of a file, which may begin with a byte order mark.

    Raises FileNotEditable for a file that is missing or not UTF-8, or whose form `change` cannot
    edit, and PathRefused and FileTooLarge.
    """
    try:
        before = read_inside(root, path, MAX_BYTES)
        mark, text = split_mark(before)
        after = change(text.decode("utf-8"))
    except NotEditable as error:
        raise FileNotEditable(f"{path}:{error}") from None
    except FileNotFoundError:
        raise FileNotEditable(f"{path}: there is no such file") from None
    except UnicodeDecodeError:
        raise FileNotEditable(f"{path}: is not UTF-8: edit it by hand") from None
    return FileEdit(path, before, mark + after.encode("utf-8"))

"""Install the hooks of coding agents in a repository, and remove them."""

# Governing: SPEC-0029 REQ "Installing", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.agents.json_hooks import add_hooks, remove_hooks
from sdd_hooks.agents.memory_section import add_section, remove_section
from sdd_hooks.agents.programs import PROGRAMS, AgentProgram, opencode_plugin
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.system.file_edits import MAX_BYTES, FileEdit, FileNotEditable
from sdd_hooks.system.files import read_inside, resolve_inside

_BOM = "\ufeff"
_MARK = "// Written by `sdd agent install opencode`"


class NoProgram(SddError):
    """The repository has no files of a program, and the user names none."""

    exit_code = EXIT_USAGE
    code = "usage"


def plan_install(root: Path, programs: Sequence[AgentProgram], *, prime: bool) -> list[FileEdit]:
    """The edits that install the hooks of some programs; none when they are installed.

    With `prime`, a session starts with what `sdd prime` prints. Raises FileNotEditable for a file
    that cannot be extended, PathRefused for one that leaves the repository.
    """
    edits: dict[str, FileEdit] = {}
    for program in programs:
        _plan(root, edits, program.file, _installing(program, prime))
        _plan(root, edits, _memory_file(root, program), add_section)
    return [edit for edit in edits.values() if edit.before != edit.after]


def plan_uninstall(root: Path, programs: Sequence[AgentProgram]) -> list[FileEdit]:
    """The edits that remove the hooks of some programs, and the section that no other one needs.

    Raises like `plan_install`.
    """
    edits: dict[str, FileEdit] = {}
    for program in programs:
        _plan(root, edits, program.file, _removing(program))
    kept = [one for one in PROGRAMS.values() if one not in programs and _is_installed(root, one)]
    needed = {_memory_file(root, one) for one in kept}
    for program in programs:
        path = _memory_file(root, program)
        if path not in needed:
            _plan(root, edits, path, lambda text: None if text is None else remove_section(text))
    return [edit for edit in edits.values() if edit.before != edit.after]


def remove_empty_directories(root: Path, edits: Sequence[FileEdit]) -> None:
    """Remove the directories that the deletion of files has left empty."""
    for edit in edits:
        if edit.after is None:
            for directory in (root / edit.path).parents:
                if directory == root:
                    break
                with suppress(OSError):
                    directory.rmdir()


_Change = Callable[[str | None], str | None]


def _plan(root: Path, edits: dict[str, FileEdit], path: str, change: _Change) -> None:
    """Add what a change makes of a file to the edits, after those that are planned."""
    if path not in edits:
        try:
            before = read_inside(root, path, MAX_BYTES)
        except FileNotFoundError:
            before = None
        edits[path] = FileEdit(path, before, before)
    edit = edits[path]
    try:
        text = None if edit.after is None else edit.after.decode()
        mark = _BOM if text and text.startswith(_BOM) else ""
        changed = change(text.removeprefix(_BOM) if text is not None else None)
    except UnicodeDecodeError:
        raise FileNotEditable(f"{path}: not UTF-8: convert it") from None
    except ValueError as error:
        raise FileNotEditable(f"{path}: {error}: mend it, or add the hooks by hand") from None
    edits[path] = edit._replace(after=None if changed is None else (mark + changed).encode())


def _installing(program: AgentProgram, prime: bool) -> _Change:
    def install(text: str | None) -> str | None:
        if program.hooks is None:
            _refuse_foreign(program, text)
            return opencode_plugin(prime)
        return add_hooks(text, program.hooks(prime), program.version)

    return install


def _removing(program: AgentProgram) -> _Change:
    def remove(text: str | None) -> str | None:
        if text is None:
            return None
        if program.hooks is None:
            return None if text.startswith(_MARK) else text
        return remove_hooks(text)

    return remove


def _refuse_foreign(program: AgentProgram, text: str | None) -> None:
    if text is not None and not text.startswith(_MARK):
        raise FileNotEditable(f"{program.file}: another plug-in has this name: rename it")


def _is_installed(root: Path, program: AgentProgram) -> bool:
    try:
        text = read_inside(root, program.file, MAX_BYTES).decode("utf-8", "replace")
    except (OSError, SddError):
        return False
    try:
        return _removing(program)(text) != text
    except ValueError:
        return False


def _memory_file(root: Path, program: AgentProgram) -> str:
    """The file of instructions; of a link, the file that it leads to."""
    target = resolve_inside(root, program.memory_file)
    return target.relative_to(resolve_inside(root, ".")).as_posix()

"""Install the hooks of coding agents in a repository, and remove them.

Beside the hooks: the section of the memory file that tells an agent of the decisions, and for
Claude Code the plug-in, which belongs to the user: its own command copies it into its directory.
"""

# Governing: SPEC-0029 REQ "Installing", SPEC-0029 REQ "Section of the memory file",
# SPEC-0031 REQ "Installation", ADR-0012 (untrusted input never leaves the repository),
# ADR-0030 (a repository starts no program)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import sdd_hooks
from sdd_hooks.agents.json_hooks import add_hooks, remove_hooks
from sdd_hooks.agents.programs import PROGRAMS, AgentProgram, opencode_plugin
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.system.file_edits import MAX_BYTES, FileEdit, FileNotEditable
from sdd_hooks.system.files import read_inside, resolve_inside
from sdd_hooks.system.processes import Program, find_executable, run_program
from sdd_hooks.text.display import one_line

_BOM = "\ufeff"
_MARK = "// Written by `sdd agent install opencode`"

BEGIN = "<!-- sdd agent: begin -->"
END = "<!-- sdd agent: end -->"

SECTION = (
    BEGIN,
    "## Decisions and specifications",
    "",
    "Records in this repository govern its code.",
    "Before an edit, a hook of sdd quotes the sentence of a record that decides, as data.",
    "",
    "- `sdd list --for PATH`: the records that govern a file; `sdd show ID`: one of them",
    '- `sdd search "question"`: others; `sdd check PATH --json`: what a change breaks',
    END,
)

MARKETPLACE = "claude-plugin-sdd"
PLUGIN = f"sdd@{MARKETPLACE}"
_PLUGIN_SECONDS = 120.0


class NoProgram(SddError):
    """The repository has no files of a program, and the user names none."""

    exit_code = EXIT_USAGE
    code = "usage"


class PluginNotChanged(SddError):
    """Claude Code is missing, or refused."""


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


def add_section(text: str | None) -> str:
    """The file with the section at its end, or in place of an older one. None: there is no file."""
    newline = "\r\n" if text and "\r\n" in text else "\n"
    section = newline.join(SECTION)
    if text is None:
        return f"{section}{newline}"
    span = _find_section(text)
    if span:
        return text[: span[0]] + section + text[span[1] :]
    if text.endswith(newline):
        return f"{text}{newline}{section}{newline}"
    return f"{text}{newline}{newline}{section}" if text else section


def remove_section(text: str) -> str | None:
    """The file without the section, as it was before; None when `add_section` created it."""
    span = _find_section(text)
    if not span:
        return text
    before, after = text[: span[0]], text[span[1] :]
    newline = "\r\n" if before.endswith("\r\n") or after.startswith("\r\n") else "\n"
    if not before and after == newline:
        return None
    if after.startswith(newline) and before.endswith(newline * 2):
        return before.removesuffix(newline) + after.removeprefix(newline)
    return before.removesuffix(newline * 2) + after


def _find_section(text: str) -> tuple[int, int] | None:
    """From where to where the section is; None for none, or an incomplete one."""
    start = text.find(BEGIN)
    end = text.find(END, start)
    return None if start < 0 or end < 0 else (start, end + len(END))


def plugin_directory() -> Path:
    """Return the directory of the plug-in in this installation, which is a marketplace."""
    return Path(sdd_hooks.__file__).resolve().parent / "plugin"


def install_plugin(root: Path, environ: Mapping[str, str]) -> str:
    """Install the plug-in for the user. `root` is a repository, whose programs are not run.

    Returns a line about it. Raises PluginNotChanged.
    """
    _claude(root, environ, "marketplace", "add", str(plugin_directory()))
    _claude(root, environ, "install", PLUGIN)
    return f"installed the plug-in {PLUGIN}"


def uninstall_plugin(root: Path, environ: Mapping[str, str]) -> str:
    """Remove the plug-in and its marketplace, with all that is installed from it.

    Returns a line about it. Raises PluginNotChanged.
    """
    _claude(root, environ, "marketplace", "remove", MARKETPLACE)
    return f"removed the plug-in {PLUGIN}"


def _claude(root: Path, environ: Mapping[str, str], *arguments: str) -> None:
    command = find_executable("claude", environ, outside=root)
    if command is None:
        raise PluginNotChanged(
            "the plug-in needs Claude Code on PATH: install it, or run in it"
            f" `/plugin marketplace add {plugin_directory()}` and `/plugin install {PLUGIN}`"
        )
    words = ("plugin", *arguments)
    name = f"claude {' '.join(words[:2])}"
    program = Program(name, [command, *words], Path(os.sep), dict(environ), PluginNotChanged)
    done = run_program(program, _PLUGIN_SECONDS)
    if done.code:
        raise PluginNotChanged(f"claude {' '.join(words)}: {one_line(done.err or done.out)}")

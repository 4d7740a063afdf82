"""The section of AGENTS.md or CLAUDE.md that tells an agent of the decisions, in ten lines."""

# Governing: SPEC-0029 REQ "Section of the memory file"

from __future__ import annotations

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


def add_section(text: str | None) -> str:
    """The file with the section at its end, or in place of an older one. None: there is no file."""
    newline = "\r\n" if text and "\r\n" in text else "\n"
    section = newline.join(SECTION)
    if text is None:
        return f"{section}{newline}"
    span = _find(text)
    if span:
        return text[: span[0]] + section + text[span[1] :]
    if text.endswith(newline):
        return f"{text}{newline}{section}{newline}"
    return f"{text}{newline}{newline}{section}" if text else section


def remove_section(text: str) -> str | None:
    """The file without the section, as it was before; None when `add_section` created it."""
    span = _find(text)
    if not span:
        return text
    before, after = text[: span[0]], text[span[1] :]
    newline = "\r\n" if before.endswith("\r\n") or after.startswith("\r\n") else "\n"
    if not before and after == newline:
        return None
    if after.startswith(newline) and before.endswith(newline * 2):
        return before.removesuffix(newline) + after.removeprefix(newline)
    return before.removesuffix(newline * 2) + after


def _find(text: str) -> tuple[int, int] | None:
    """From where to where the section is; None for none, or an incomplete one."""
    start = text.find(BEGIN)
    end = text.find(END, start)
    return None if start < 0 or end < 0 else (start, end + len(END))

"""The rules of the project: `project_rules.md`, and what the project learned in it.

A rule is an item of a list, or a line, of any section. New ones go under "Evolved Conventions".
"""

# Governing: SPEC-0028 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.knowledge.same_advice import Judge
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.file_edits import MAX_BYTES, FileEdit
from sdd_hooks.system.files import read_inside
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, parse_sections

RULES_FILE = "project_rules.md"
EVOLVED = "Evolved Conventions"

MAX_RULE = 1_000
"""The most characters of a rule."""

_ITEM = lazy_regex(r"\A\s*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_FENCE = lazy_regex(r"\s*(?:`{3,}|~{3,})")


class RuleRefused(SddError):
    """A rule that cannot be added: it is empty, too long, or contradicts another one."""

    code = "rule"


class EmptyRule(RuleRefused):
    """A rule without a text, or with a text too long for one."""

    exit_code = EXIT_USAGE
    code = "usage"


class ProjectRule(NamedTuple):
    """A rule of the file, and its 1-based line."""

    text: str
    line: int


class RuleAnalysis(NamedTuple):
    """A proposed rule, the rule that says the same already, and those that contradict it."""

    text: str
    same: ProjectRule | None
    conflicts: tuple[ProjectRule, ...]


def read_rules_file(root: Path) -> bytes | None:
    """The content of the file of rules; None without it. Raises PathRefused and FileTooLarge."""
    try:
        return read_inside(root, RULES_FILE, MAX_BYTES)
    except FileNotFoundError:
        return None


def list_rules(content: bytes | None) -> list[ProjectRule]:
    """The rules of the file: the items of its lists, and its other lines of prose."""
    return list(_rules((content or b"").decode("utf-8", "replace")))


def analyse_rule(text: str, rules: Sequence[ProjectRule], judge: Judge) -> RuleAnalysis:
    """Compare a proposed rule with the existing ones. Raises EmptyRule."""
    text = clean_rule(text)
    same = next((rule for rule in rules if judge.same(text, rule.text)), None)
    conflicts = tuple(rule for rule in rules if judge.contradicts(text, rule.text))
    return RuleAnalysis(text, same, conflicts)


def clean_rule(text: str) -> str:
    """A rule as one line that Markdown shows as text. Raises EmptyRule."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    line = _ITEM.sub("", " ".join(printable.split()) + " ", count=1).strip()
    line = line.lstrip("#> ").replace("<!--", "&lt;!--")
    if not line:
        raise EmptyRule("the rule is empty: say what always holds in this project")
    if len(line) > MAX_RULE:
        raise EmptyRule(f"the rule has {len(line)} characters: {MAX_RULE} are the most")
    return f"\\{line}" if _FENCE.match(line) else line


def add_rules(content: bytes | None, texts: Sequence[str]) -> FileEdit:
    """The edit that appends rules under "Evolved Conventions", and changes nothing else."""
    text = (content or b"# Project Rules\n").decode("utf-8", "surrogateescape")
    newline = "\r\n" if "\r\n" in text else "\n"
    items = [f"- {one}" for one in texts]
    section = _evolved(text)
    if section is None:
        head = text.rstrip()
        after = newline.join([head, "", f"## {EVOLVED}", "", *items, ""])
    else:
        head, tail = text[: section.end].rstrip(), text[section.end :]
        is_list = bool(_ITEM.match(head.replace("\r", "\n").rpartition("\n")[2]))
        after = newline.join([head, *([] if is_list else [""]), *items, ""])
        after += newline + tail if tail.strip() else ""
    return FileEdit(RULES_FILE, content, after.encode("utf-8", "surrogateescape"))


def _evolved(text: str) -> Section | None:
    found = [one for one in parse_sections(text) if one.level and _is_evolved(one.title)]
    return found[0] if found else None


def _is_evolved(title: str) -> bool:
    return " ".join(title.split()).casefold() == EVOLVED.casefold()


def _rules(text: str) -> Iterator[ProjectRule]:
    fenced = hidden = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
        opened, closed = "<!--" in line, "-->" in line
        if hidden or opened:
            hidden = not closed
            continue
        shown = _ITEM.sub("", line, count=1).strip()
        if shown and not fenced and not shown.startswith(("#", "|", "---", "```", "~~~")):
            yield ProjectRule(shown, number)

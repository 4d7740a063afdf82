"""The check of a finished branch against the code that exists and the brief of its issue."""

# Governing: SPEC-0026 REQ "Check of a branch", ADR-0053 (a duplicate is found by its name and its
# code), ADR-0012 (untrusted input)

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.imports import find_imports, supports_imports
from sdd_hooks.code.paths import is_test
from sdd_hooks.code.symbols import Symbol, without_comments
from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.work.brief import ExistingCode, WorkBrief
from sdd_hooks.planning.work.definitions import can_import, declares_type
from sdd_hooks.planning.work.duplicates import Duplicate, text_words
from sdd_hooks.planning.work.existing_code import IMPORT_SEPARATOR
from sdd_hooks.planning.work.likeness import split_name
from sdd_hooks.planning.work.siblings import SiblingManifest
from sdd_hooks.reporting.escape import code_span, escape_inline
from sdd_hooks.text.display import format_count


class BranchCheck(NamedTuple):
    """The result of a check.

    `issue` is the id of the issue, "" for none. `base` and `head` are commit ids, `added` is the
    number of new definitions. `messages` are those that a worker sends to others, `warnings` are
    about what could not be read.
    """

    issue: str
    branch: str
    base: str
    head: str
    files: int
    added: int
    duplicates: tuple[Duplicate, ...]
    findings: tuple[Finding, ...]
    messages: tuple[str, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether a finding is more than a remark."""
        return any(one.severity != "info" for one in self.findings)


def duplicate_findings(duplicates: Iterable[Duplicate]) -> Iterator[Finding]:
    """A warning for each new definition that exists already."""
    for one in duplicates:
        new, existing = one.new, one.existing
        message = (
            f"`{new.name}` duplicates `{existing.name}` in `{existing.place}`"
            f" ({one.likeness.code:.0%} of the code is the same): import `{existing.signature}`"
        )
        if not one.is_copy:
            message += ", or give the new one its own name"
        yield Finding(
            new.path, new.first_line, "duplicate-definition", "warning", message, new.signature
        )


def sibling_findings(
    added: Sequence[Symbol], change: Change, siblings: SiblingManifest
) -> Iterator[Finding]:
    """New types that a sibling introduces too, and files that siblings change."""
    theirs = {
        split_name(one.symbol.rpartition(".")[2]): one
        for one in siblings.definitions
        if one.is_type and one.status != "merged"
    }
    for symbol in added:
        other = theirs.get(split_name(symbol.simple_name))
        if other and declares_type(symbol) and not is_test(symbol.path):
            message = (
                f"`{symbol.name}` is also introduced by {other.sibling}, in `{other.path}`: agree"
                " on one of them, and import it"
            )
            yield Finding(symbol.path, symbol.first_line, "sibling-type", "warning", message)
    own = {path for one in change.files for path in (one.path, one.before)}
    for file in siblings.files:
        if file.path in own:
            names = ", ".join(file.siblings)
            message = f"{names} changes this file too: merge one after the other"
            yield Finding(file.path, 0, "sibling-file", "info", message)


def brief_findings(change: Change, head: Tree, branch: str, brief: WorkBrief) -> Iterator[Finding]:
    """Where the branch departs from its brief: its name, protected paths, requirements."""
    if branch != brief.branch.name:
        message = f"the branch is called `{branch}`, by convention `{brief.branch.name}`"
        yield Finding("", 0, "branch-name", "info", message)
    for file in change.files:
        place = next((one for one in brief.protected if _is_below(file.path, one)), "")
        if place:
            message = f"`{place}` is protected: change it in a branch for itself"
            yield Finding(file.path, 0, "protected-path", "warning", message)
    named = set(_named_requirements(change, head))
    for one in brief.requirements:
        if (one.spec, one.name.casefold()) not in named:
            message = (
                f'no changed file names {one.spec} REQ "{one.name}" in a governing comment: add'
                " one where it is implemented"
            )
            yield Finding(one.path, one.first_line, "requirement-not-named", "info", message)


def worker_messages(
    brief: WorkBrief, change: Change, head: Tree, added: Sequence[Symbol]
) -> Iterator[str]:
    """What a worker tells the others: definitions of the brief that the branch imports now, types
    that it creates, and files that siblings change too."""
    issue = issue_reference(brief.issue.id)
    new = {split_name(one.simple_name) for one in added}
    for one in brief.existing:
        is_new = split_name(one.symbol.rpartition(".")[2]) in new
        if not is_new and any(_imports(file, head, one) for file in change.files):
            yield one.announcement(issue)
    for symbol in added:
        if declares_type(symbol) and not is_test(symbol.path):
            yield f"TYPE_CREATED: {issue} created {symbol.name} in {symbol.path}"
    theirs = {one.path for one in brief.siblings.files}
    for path in sorted(theirs & {one.path for one in change.files}):
        yield f"CONFLICT_ALERT: {issue} also needs {path}"


def _imports(file: ChangedFile, head: Tree, one: ExistingCode) -> bool:
    """Whether new code uses a definition, which its file imports or has beside it."""
    name = one.symbol.rpartition(".")[2]
    lines = "\n".join(line.text for line in file.added)
    used = name.encode() in text_words(without_comments(file.path, lines))
    if not used or not can_import(file.path, one.path):
        return False
    folder, _, own = one.path.rpartition("/")
    names = {name, folder.rpartition("/")[2], own.partition(".")[0]}
    text = head.texts([Blob(file.path, file.blob)]).get(file.path, "")
    data = text.encode("utf-8", "replace")
    found = find_imports(file.path, data, parse=False, comments=False).found
    is_beside = posixpath.dirname(file.path) == folder or not supports_imports(file.path)
    return is_beside or any(names.intersection(IMPORT_SEPARATOR.split(one.name)) for one in found)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity, path and line."""
    return tuple(
        sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.path, one.line))
    )


def summary(check: BranchCheck) -> str:
    """The result in one line."""
    judged = f"{format_count(check.added, 'new definition')} in {format_count(check.files, 'file')}"
    if not check.findings:
        return f"Nothing to mend: {judged}"
    return f"{format_count(len(check.findings), 'finding')}: {judged}"


def _named_requirements(change: Change, head: Tree) -> Iterator[tuple[str, str]]:
    blobs = [Blob(one.path, one.blob) for one in change.files if one.is_file]
    for text in head.texts(blobs).values():
        for reference in read_governing(text):
            yield str(reference.id), reference.requirement.casefold()


def _is_below(path: str, place: str) -> bool:
    if path.endswith("/tasks.md"):
        # The tracker of a specification: a story ticks its boxes.
        return False
    return path == place or (place.endswith("/") and path.startswith(place))


def check_lines(check: BranchCheck) -> Iterator[str]:
    """The lines of the report. Untrusted text is escaped, or in code."""
    yield f"# {summary(check)}"
    yield ""
    about = f", issue {escape_inline(check.issue)}" if check.issue else ""
    yield f"{code_span(check.branch)} since {code_span(check.base[:12])}{about}"
    for note in check.notes:
        yield ""
        yield f"> {escape_inline(note)}"
    if check.findings:
        yield ""
    for one in check.findings:
        place = f"{one.path}:{one.line}" if one.line else one.path
        where = f" {code_span(place)}" if place else ""
        yield f"- **{one.severity}** {one.rule}{where}: {escape_inline(one.message)}"
    if check.messages:
        yield ""
        yield "Messages to other workers:"
        yield ""
        yield from (f"- {code_span(message)}" for message in check.messages)


def check_data(check: BranchCheck) -> dict[str, object]:
    """The check as an object."""
    return {
        "issue": check.issue or None,
        "branch": check.branch,
        "base": check.base,
        "head": check.head,
        "files": check.files,
        "added": check.added,
        "duplicates": [
            {
                "new": _symbol(one.new),
                "existing": _symbol(one.existing),
                "score": round(one.score, 3),
                "name_likeness": round(one.likeness.name, 3),
                "code_likeness": round(one.likeness.code, 3),
            }
            for one in check.duplicates
        ],
        "findings": [
            {
                "rule": one.rule,
                "severity": one.severity,
                "path": one.path,
                "line": one.line,
                "message": one.message,
            }
            for one in check.findings
        ],
        "messages": list(check.messages),
    }


def _symbol(symbol: Symbol) -> dict[str, object]:
    return {
        "symbol": symbol.name,
        "path": symbol.path,
        "first_line": symbol.first_line,
        "last_line": symbol.last_line,
        "signature": symbol.signature,
    }

"""Answer the findings of a review: propose the edit that settles each, and make what is accepted.

An answer is computed from the files and the commit of today. What a report says is only looked for
in them: a report may be of another commit, or come from another person.
"""

# Governing: SPEC-0010 REQ "Answers", ADR-0049 (an edit is verified by reading), ADR-0012 (untrusted
# input)

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, cast

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_work_tree
from sdd_hooks.authoring.edit_file import edit_file
from sdd_hooks.code.paths import is_markdown
from sdd_hooks.code.source_files import comment_line, find_parts
from sdd_hooks.errors import EXIT_USAGE, RepositoryError, SddError
from sdd_hooks.findings import SEVERITIES, Finding, ReportedFinding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.json import document
from sdd_hooks.review.rules import registered
from sdd_hooks.review.successors import find_replacements, find_successors
from sdd_hooks.review.suppressions import read_suppressions
from sdd_hooks.system.file_edits import FileEdit, FileNotEditable, apply_edits
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end
from sdd_hooks.text.stated import has_reason
from sdd_hooks.usecases.authoring.renumber import RenumberRequest, renumber
from sdd_hooks.usecases.authoring.status import StatusRequest, set_status
from sdd_hooks.usecases.forge import find_forge, open_forge
from sdd_hooks.usecases.review import CommitRange, review_range
from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write

SUGGESTION = "reference"
"""The rule of a suggested decision, which is no finding in the report."""
MESSAGE = "COMMIT_EDITMSG"
"""The path of an edit of the message of HEAD."""

_COMMIT = lazy_regex(r"[0-9a-f]{40,64}")
_QUOTED = lazy_regex(r'"([^"\n]{1,300})"')
_FIRST_LINE = lazy_regex(r"#!|<[?]|<!doctype|.{0,3}-[*]-|[ \t]*#.{0,40}coding[:=]", re.IGNORECASE)
_NO_PLACE = {"path": "", "line": 0, "rule": SUGGESTION, "severity": "info", "evidence": ""}

Kind = Literal["", "reference", "exemption", "correction", "number", "status", "suppression"]


class NotAReview(SddError):
    """What was handed over is no report of a review."""

    exit_code = EXIT_USAGE
    code = "usage"


class Review(NamedTuple):
    """The findings that are answered, suggestions among them, and the commit that is the base."""

    findings: tuple[ReportedFinding, ...]
    base: str = ""


class ReviewAnswer(NamedTuple):
    """What settles a finding: edits of one `kind`, or with none `advice` for the author.

    An edit with the path `MESSAGE` is one of the message of HEAD.
    """

    found: ReportedFinding
    kind: Kind = ""
    edits: tuple[FileEdit, ...] = ()
    advice: str = ""


def read_report(data: bytes) -> Review:
    """The findings of a report that `--json` printed. Raises NotAReview."""
    try:
        return _review(json.loads(data))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise NotAReview("this is no review: hand over what `sdd review --json` prints") from None


def review_branch(project: Project, pull: int, now: float) -> Review:
    """Review what is checked out, as `sdd review` does, or as CI does for the pull request `pull`.

    The comment on a pull request follows from its commits, title and description, so it is computed
    again from them. Raises NoForge, RemoteError, and RepositoryError for a pull request of other
    commits.
    """
    change = CommitRange()
    if pull:
        with open_forge(find_forge(project, now)) as forge:
            found = forge.pull_request(pull)
        git = project.repository.git
        if git.run("merge-base", "--is-ancestor", found.head, "HEAD", "--").returncode:
            raise RepositoryError(
                f"HEAD has not the commits of pull request {pull}: check its branch"
                f" {found.head_ref or found.head} out"
            )
        change = change._replace(base=found.base, title=found.title, body=found.body)
    return _review(document(review_range(project, change).review))


def _review(report: Any) -> Review:
    suggested = (one for one in report["references"]["ranked"] if one["suggested"])
    asked = (
        {**_NO_PLACE, "message": one["question"], "fingerprint": one["id"]} for one in suggested
    )
    base = report["base"]
    return Review(
        tuple(map(_finding, (*asked, *report["findings"]))),
        base if _COMMIT.fullmatch(base) else "",
    )


def _finding(one: Any) -> ReportedFinding:
    names = ("path", "rule", "severity", "message", "evidence", "fingerprint")
    texts = [one[name] for name in names if isinstance(one[name], str)]
    if len(texts) < len(names) or not isinstance(one["line"], int) or texts[2] not in SEVERITIES:
        raise TypeError
    path, rule, severity, message, evidence, fingerprint = texts
    finding = Finding(path, one["line"], rule, cast("Severity", severity), message, evidence)
    return ReportedFinding(finding, fingerprint)


class Responder:
    """Proposes answers for the files as they are when it is asked. `now` is in epoch seconds."""

    def __init__(self, project: Project, base: str, now: float) -> None:
        self._project = project
        self._base = base
        self._now = now
        self._git = project.repository.git
        self._guards = {rule.id for rule in registered() if rule.guards_records}

    def answer(self, found: ReportedFinding) -> ReviewAnswer:
        """Propose what settles a finding without a reason."""
        rule = found.finding.rule
        advice = "" if self.can_dismiss(found) else "no reason settles it: do what it says"
        propose = {
            SUGGESTION: self._reference,
            "dangling-reference": self._correction,
            "frontmatter/unknown-id": self._correction,
            "superseded-reference": self._successor,
            "frontmatter/superseded-status": self._status,
            "duplicate-number": self._number,
        }.get(rule)
        try:
            return propose(found) if propose else ReviewAnswer(found, advice=advice)
        except SddError as error:
            return ReviewAnswer(found, advice=str(error))

    def can_dismiss(self, found: ReportedFinding) -> bool:
        """Whether a reason settles a finding: an exemption, or a suppression that takes effect."""
        if found.finding.rule == SUGGESTION:
            return True
        settings = self._project.configuration.review
        is_guard = found.finding.rule.partition("/")[0] in self._guards
        return bool(found.finding.path) and not is_guard and settings.suppressions != "base"

    def dismiss(self, found: ReportedFinding, reason: str) -> ReviewAnswer:
        """Propose to exempt the change, or to suppress the finding, for a reason.

        Raises NotAReview for a reason that a comment cannot hold.
        """
        reason = " ".join(reason.split())
        if not has_reason(reason):
            raise NotAReview(f"{reason!a} is no reason: say why the finding does not hold")
        if not self.can_dismiss(found):
            return self.answer(found)
        if found.finding.rule == SUGGESTION:
            return self._trailer(found, "exemption", f"ADR-Exempt: {reason}")
        try:
            edit = self._edit(found.finding.path, partial(_suppressed, found.finding, reason))
        except SddError as error:
            return ReviewAnswer(found, advice=str(error))
        return ReviewAnswer(found, "suppression", (edit,))

    def apply(self, answer: ReviewAnswer) -> tuple[str, ...]:
        """Make the edits of an answer, all or none. Returns warnings. Raises as `apply_edits`."""
        files = [edit for edit in answer.edits if edit.path != MESSAGE]
        for edit in answer.edits:
            if edit.path == MESSAGE:
                command = ("commit", "--amend", "--only", "--allow-empty", "--cleanup=verbatim")
                self._git.output(*command, "--quiet", "-F", "-", stdin=edit.after)
        if not files:
            return ()
        apply_edits(self._git.root, files)
        written = collections_containing(self._project, [edit.path for edit in files])
        return refresh_after_write(self._project, written)

    def _corpus(self) -> Corpus:
        return read_work_tree(self._git, self._project.select(tuple(ARTIFACT_KINDS)))[0]

    def _edit(self, path: str, change: Callable[[str], str]) -> FileEdit:
        """An edit of a file, or for "" of the message of HEAD, if HEAD was pushed nowhere."""
        if path:
            return edit_file(self._git.root, path, change)
        if self._git.output("for-each-ref", "--contains=HEAD", "refs/remotes"):
            raise FileNotEditable("the commit is pushed already, so its message stays as it is")
        if self._base and self._git.output("rev-parse", "HEAD").decode().strip() == self._base:
            raise FileNotEditable("there is no commit yet whose message could be edited")
        before = self._git.output("log", "-1", "--format=%B", "HEAD").rstrip() + b"\n"
        return FileEdit(MESSAGE, before, change(before.decode("utf-8", "replace")).encode())

    def _trailer(self, found: ReportedFinding, kind: Kind, line: str) -> ReviewAnswer:
        """Add a line to the message of HEAD."""

        def change(text: str) -> str:
            command = ("interpret-trailers", f"--trailer={line}")
            return self._git.output(*command, stdin=text.encode()).decode("utf-8", "replace")

        try:
            return ReviewAnswer(found, kind, (self._edit("", change),))
        except FileNotEditable as error:
            advice = f"{error}: write `{line}` on a line of the pull request's description"
            return ReviewAnswer(found, advice=advice)

    def _reference(self, found: ReportedFinding) -> ReviewAnswer:
        """Name a decision in the message of HEAD, or else above the first changed source file."""
        id = found.fingerprint
        title = next((one.title for one in self._corpus().resolve(id)), "")
        answer = self._trailer(found, "reference", f"Refs: {id}")
        if answer.edits or not self._base:
            return answer
        names = ("diff", "--name-only", "-z", "--diff-filter=AMR", f"{self._base}...HEAD", "--")
        for path in self._git.output(*names).decode("utf-8", "replace").split("\0"):
            line = comment_line(path, f"Governing: {id} ({title})")
            if line and not is_markdown(path):
                edit = self._edit(path, partial(_governed, path, line))
                return ReviewAnswer(found, "reference", (edit,))
        return answer

    def _correction(self, found: ReportedFinding) -> ReviewAnswer:
        """Replace an id, or the name of a requirement, by the only one that is like it."""
        finding = found.finding
        problem, _, meant = finding.message.partition("did you mean ")
        wrong, right = _QUOTED.findall(problem)[-1:], _QUOTED.findall(meant)
        if not right:
            corpus = self._corpus()
            right = [str(one.id) for one in find_id_references(meant, corpus.names)]
            wrong = [str(one.id) for one in find_id_references(problem, corpus.names)]
        if len(right) != 1 or not wrong:
            return ReviewAnswer(found, advice="write which one is meant, or take the reference out")
        edit = self._edit(finding.path, partial(_replaced, finding, {wrong[-1]: right[0]}))
        return ReviewAnswer(found, "correction", (edit,))

    def _successor(self, found: ReportedFinding) -> ReviewAnswer:
        """Replace the id and the title of a record by those of the only one that replaced it."""
        corpus = self._corpus()
        named = find_id_references(found.finding.message, corpus.names)
        old = next((one for id in named for one in corpus.resolve(id.id)), None)
        following = find_replacements(old, find_successors(corpus)) if old else ()
        if old is None or len(following) != 1:
            return ReviewAnswer(found, advice="say in the line why the old record still matters")
        (new,) = following
        names = {str(old.id): str(new.id), **({old.title: new.title} if old.title else {})}
        edit = self._edit(found.finding.path, partial(_replaced, found.finding, names))
        return ReviewAnswer(found, "correction", (edit,))

    def _status(self, found: ReportedFinding) -> ReviewAnswer:
        """Give what a record supersedes its status."""
        corpus = self._corpus()
        holder = corpus.by_path.get(found.finding.path)
        if holder is None:
            raise FileNotEditable(f"{found.finding.path} is no record")
        wanted = ("superseded", holder.name) if holder.kind == "ADR" else ("deprecated", "")
        request = StatusRequest(found.finding.evidence, *wanted, dry_run=True)
        return ReviewAnswer(found, "status", (set_status(self._project, request).edit,))

    def _number(self, found: ReportedFinding) -> ReviewAnswer:
        """Give a record the next free number, and rewrite what refers to it."""
        request = RenumberRequest(found.finding.path, dry_run=True)
        outcome = renumber(self._project, request, self._now)
        advice = "; ".join(f"look at {one.path}:{one.line}" for one in outcome.leftovers)
        return ReviewAnswer(found, "number", outcome.edits, advice)


def _governed(path: str, line: str, text: str) -> str:
    return _inserted(text.split("\n"), _top(path, text), line)


def _inserted(lines: Sequence[str], at: int, line: str) -> str:
    """The text with another line, which ends as the one that follows, and begins as far in."""
    following = lines[at] if at < len(lines) else ""
    indent = following[: len(following) - len(following.lstrip())].strip("\r")
    end = "\r" if following.endswith("\r") else ""
    return "\n".join((*lines[:at], f"{indent}{line}{end}", *lines[at:]))


def _top(path: str, text: str) -> int:
    """The index of the first line at which a comment about a whole file can stand."""
    if is_markdown(path):
        return text.count("\n", 0, find_frontmatter_end(text))
    first = text.split("\n", 2)[:2]
    return next((n for n, one in enumerate(first) if not _FIRST_LINE.match(one)), len(first))


def _line_of(finding: Finding, text: str) -> int:
    """The index of the line that shows a finding, the nearest one. Raises FileNotEditable."""
    evidence = finding.evidence.strip()
    shown = [n for n, line in enumerate(text.split("\n")) if evidence in line]
    if not shown or not evidence:
        raise FileNotEditable("the line is no longer there: run `sdd review` again")
    return min(shown, key=lambda n: abs(n + 1 - finding.line))


def _replaced(finding: Finding, names: Mapping[str, str], text: str) -> str:
    """The text with names replaced in the line of a finding, an id in each of its spellings."""
    lines, at = text.split("\n"), _line_of(finding, text)
    line = lines[at]
    for wrong, right in names.items():
        ids = [one for one in find_id_references(line) if str(one.id) == wrong]
        for one in reversed(ids):
            line = f"{line[: one.start]}{right}{line[one.end :]}"
        line = line if ids else line.replace(wrong, right)
    if line == lines[at]:
        raise FileNotEditable("the line does not spell the name out: edit it by hand")
    return "\n".join((*lines[:at], line, *lines[at + 1 :]))


def _suppressed(finding: Finding, reason: str, text: str) -> str:
    """The text with a comment that suppresses a finding, verified by reading it."""
    lines, path, after = text.split("\n"), finding.path, text
    comment = f"sdd-ignore: {finding.rule} ({reason})"
    at = _line_of(finding, text) if finding.line else _top(path, text)
    line = comment_line(path, comment)
    if is_markdown(path) and finding.line:
        # A line above would end a table or a paragraph.
        if at < _top(path, text):
            raise FileNotEditable("no comment suppresses what a field of frontmatter says")
        end = "\r" if lines[at].endswith("\r") else ""
        after = "\n".join((*lines[:at], f"{lines[at].rstrip()} {line}{end}", *lines[at + 1 :]))
    elif line and not (at and lines[at - 1].rstrip("\r").endswith("\\")):
        offset = sum(len(one) + 1 for one in lines[:at])
        after = text if find_parts(path, text)(offset) == "string" else _inserted(lines, at, line)
    if not any(
        one.names(finding.rule) and one.reason == reason and one.line in (at + 1, at + 2)
        for one in read_suppressions(path, after)
    ):
        raise FileNotEditable(f"write `{comment}` in a comment on the line or the one above")
    return after

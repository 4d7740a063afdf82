"""The rules that the decisions of the repository state in `sdd-rule` blocks."""

# Governing: ADR-0021 (a decision's own rules run in linear time), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Decision rules", SPEC-0010 REQ "Incomplete"

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.added_text import AddedText, join_added_lines
from sdd_hooks.changes.change import UnreadPart
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.findings import SEVERITIES, Finding, Severity, incomplete_finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.decision.applied import (
    ID,
    MAX_EVIDENCE,
    AppliedRule,
    find_applied_rules,
    severity_of_unapplied,
    severity_of_unchecked,
)
from sdd_hooks.review.rules.decision.blocks import DecisionRule, RuleVerb
from sdd_hooks.review.rules.decision.kinds import KINDS
from sdd_hooks.review.rules.decision.searched import SearchedFile, read_searched
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.linear_regex import Pattern

MAX_RULES = 500
"""Rules of all records that are applied."""
MAX_FINDINGS = 200
"""Findings of one rule."""
MAX_FINDINGS_PER_FILE = 20
"""Findings of one rule in one file."""
MAX_COST = 3_000_000_000
"""Bytes of text times instructions of patterns in one review: 20 seconds in the worst case."""
ATTRIBUTE = "working-tree-encoding"
MAX_FILES = 1_000
"""Files with an ATTRIBUTE that are compared."""

_SUBMODULE = "160000"
_UNSET = frozenset({"unspecified", "unset", "set", ""})
# Others transform the text: the file that git writes may be another program.
_ENCODINGS = lazy_regex(
    r"(?:utf_?(?:8|16|32)\w*|ascii|latin_?1|iso8859_?\d+|cp\d+|koi8_[rtu]|mac_\w+|gb\w+|big5\w*"
    r"|euc_\w+|shift_jis\w*|johab)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Find each violation of a rule that a record in force states, at the head or at the base.

    An invalid block is a finding when the change touches its record.
    """
    applied = find_applied_rules(subject)
    yield from applied.findings
    if applied.rules:
        yield from _apply(subject, applied.rules)
        for part in _find_unreadable(subject):
            if not part.path or any(rule.searches(part.path) for rule in applied.rules):
                severity = severity_of_unchecked(subject, part.path)
                yield incomplete_finding(part.reason, severity, part.path.rstrip("/"))


class _Search(NamedTuple):
    """One name of a rule as a pattern, with the text that it searches."""

    applied: AppliedRule
    name: str
    pattern: Pattern
    text: AddedText
    files: Mapping[str, SearchedFile]

    @property
    def cost(self) -> int:
        """Bytes times instructions: an upper bound of the time."""
        return len(self.text.data) * self.pattern.size


def _apply(subject: Subject, applied: Sequence[AppliedRule]) -> Iterator[Finding]:
    # The worst first: a change cannot add so many rules or findings that these are left out.
    ordered = sorted(applied, key=lambda one: SEVERITIES.index(one.rule.severity))
    if len(ordered) > MAX_RULES:
        first = ordered[MAX_RULES]
        reason = f"the records state more than {MAX_RULES} rules: this one and others"
        severity = severity_of_unapplied(subject, first)
        yield incomplete_finding(reason, severity, first.path, first.rule.line)
    cost = 0
    # A rule of the base and its changed version can find the same line: the worse finding counts.
    findings: dict[tuple[str, str, int, str], Finding] = {}
    # The cheapest first, so that an expensive search uses the rest of the limit only.
    searches = list(_searches(subject, ordered[:MAX_RULES], findings))
    for search in sorted(searches, key=lambda search: search.cost):
        cost += search.cost
        if cost > MAX_COST:
            yield _too_expensive(search, severity_of_unapplied(subject, search.applied))
            continue
        for finding in _find(search):
            _keep(findings, search.name, finding)
    yield from sorted(findings.values(), key=_rank)


def _keep(findings: dict[tuple[str, str, int, str], Finding], name: str, finding: Finding) -> None:
    key = (finding.rule, finding.path, finding.line, name)
    if key not in findings or _rank(finding) < _rank(findings[key]):
        findings[key] = finding


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _searches(
    subject: Subject,
    applied: Sequence[AppliedRule],
    findings: dict[tuple[str, str, int, str], Finding],
) -> Iterator[_Search]:
    """Every name of every rule, with the text of the files that the rule applies to.

    Adds to `findings` what could not be read.
    """
    kinds: dict[tuple[RuleVerb, str], list[AppliedRule]] = {}
    for one in applied:
        kinds.setdefault((one.rule.verb, one.rule.what), []).append(one)
    for (verb, what), rules in kinds.items():
        filters = {one: _path_filter(subject, one.rule) for one in rules}
        searched = read_searched(subject, verb, KINDS[what], _any_of([*filters.values()]))
        for part in searched.unread:
            severity = severity_of_unchecked(subject, part.path)
            _keep(findings, part.reason, incomplete_finding(part.reason, severity, part.path))
        texts: dict[object, tuple[AddedText, Mapping[str, SearchedFile]]] = {}
        for one in rules:
            key = (one.rule.within, one.rule.outside)
            if key not in texts:
                texts[key] = _joined(searched.files, verb, filters[one])
            for name, pattern in zip(one.rule.names, one.rule.patterns(), strict=True):
                yield _Search(one, name, pattern, *texts[key])


def _path_filter(subject: Subject, rule: DecisionRule) -> Callable[[str], bool]:
    """Whether the rule searches a file at a path.

    Without `in`, records are left out: they name what they forbid.
    """
    matches, may_have = rule.path_filter(), rule.kind.may_have
    if rule.within:
        return lambda path: may_have(path) and matches(path)
    return lambda path: may_have(path) and matches(path) and not subject.is_artifact(path)


def _any_of(filters: Sequence[Callable[[str], bool]]) -> Callable[[str], bool]:
    return lambda path: any(applies_to(path) for applies_to in filters)


def _joined(
    files: Sequence[SearchedFile], verb: RuleVerb, applies_to: Callable[[str], bool]
) -> tuple[AddedText, Mapping[str, SearchedFile]]:
    found = {file.file.path: file for file in files}
    lines = {path: file.lines(verb, applies_to) for path, file in found.items()}
    texts = [
        found[path].file._replace(added=text) for path, text in lines.items() if text is not None
    ]
    return join_added_lines(texts), found


def _find(search: _Search) -> Iterator[Finding]:
    """The findings of one search: lines that are forbidden, or files that lack what is required."""
    name, path, rule = search.applied
    explanation = f": {rule.message.rstrip('.')}" if rule.message else ""
    source = f"{explanation} ({path}:{rule.line})"
    rule_id = f"{ID}/{name}"
    what = rule.kind.named.format(one_line(search.name))
    if rule.verb == "forbid":
        matches = search.text.search(
            search.pattern, limit=MAX_FINDINGS, limit_per_file=MAX_FINDINGS_PER_FILE
        )
        for file, line in matches:
            message = f"{name} forbids {what}{source}"
            text = search.files[file.path].evidence(line.number)
            evidence = (text or line.text.strip())[:MAX_EVIDENCE]
            yield Finding(file.path, line.number, rule_id, rule.severity, message, evidence)
        return
    searched = search.text.files
    matches = search.text.search(search.pattern, limit=len(searched), limit_per_file=1)
    satisfied = {match.file.path for match in matches}
    for file in [file for file in searched if file.path not in satisfied][:MAX_FINDINGS]:
        message = f"{name} requires {what} in this file{source}"
        yield Finding(file.path, 0, rule_id, rule.severity, message)


def _too_expensive(search: _Search, severity: Severity) -> Finding:
    name, path, rule = search.applied
    reason = (
        f"this rule of {name}, since the change is too large for all rules: narrow its `in`, make"
        " its pattern smaller, or divide the change"
    )
    return incomplete_finding(reason, severity, path, rule.line)


def _find_unreadable(subject: Subject) -> Iterator[UnreadPart]:
    """Find new submodules, and files that a new attribute has git write in another encoding.

    A whole tree is read as git wrote it, and has the files of its submodules.

    Raises GitError when git cannot read the attributes.
    """
    if not subject.whole_tree:
        yield from _submodules(subject)
        yield from _encoded(subject)


def _submodules(subject: Subject) -> Iterator[UnreadPart]:
    files = subject.change.files
    redirected = any(file.path == ".gitmodules" for file in files)
    reason = "the content of a submodule, which is another repository: review its commits there"
    for file in files:
        is_new = file.mode_before != _SUBMODULE or redirected
        if file.mode == _SUBMODULE and is_new:
            yield UnreadPart(f"{file.path}/", reason)


def _encoded(subject: Subject) -> Iterator[UnreadPart]:
    after = subject.after
    # Without a change of attributes, git writes every file as the base has it written.
    if not any(_is_attributes(file.path) for file in subject.change.files):
        return
    if not after.grep((ATTRIBUTE,), (":(glob)**/.gitattributes",), "-a"):
        return
    blobs = {blob.path: blob for blob in after.blobs()}
    head = _encodings(after, list(blobs))
    base = _encodings(subject.before, list(head))
    new = [path for path, name in head.items() if base.get(path) != name]
    for path in new[:MAX_FILES]:
        if not _is_same_text(after, blobs[path], head[path]):
            reason = f"a file that git writes as {head[path]!a}: remove its {ATTRIBUTE}"
            yield UnreadPart(path, reason)
    if new[MAX_FILES:]:
        yield UnreadPart("", f"more than {MAX_FILES:,} files with a {ATTRIBUTE}: divide the change")


def _is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitattributes"


def _encodings(tree: Tree, paths: Sequence[str]) -> Mapping[str, str]:
    """The encodings that the attributes of a tree give to files."""
    with TemporaryDirectory(prefix="sdd-attributes-") as folder:
        index = tree.index
        if tree.commit:
            index = str(Path(folder, "index"))
            tree.git.output("read-tree", tree.commit, index=index)
        command = ("check-attr", "--cached", "-z", "--stdin", ATTRIBUTE)
        listed = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
        fields = tree.git.output(*command, stdin=listed, index=index).split(b"\0")
    rows = zip(fields[::3], fields[2::3], strict=False)
    found = {
        path.decode("utf-8", "surrogateescape"): value.decode("ascii", "replace")
        for path, value in rows
    }
    return {path: value for path, value in found.items() if value not in _UNSET}


def _is_same_text(tree: Tree, blob: Blob, encoding: str) -> bool:
    """Whether the file that git writes has the text that git compares, however it is read."""
    (data,) = read_blobs(tree.git, [blob.id], limit=MAX_ARTIFACT_BYTES)
    if data is None or len(data) > MAX_ARTIFACT_BYTES:
        return False
    # git alone knows these: with a mark, whatever the order of the bytes.
    name = re.sub(r"(?i)-?BOM$", "", encoding)
    try:
        codec = codecs.lookup(name).name.replace("-", "_")
        text = data.decode()
        written = text.encode(codec) if _ENCODINGS.fullmatch(codec) else b""
    except (LookupError, ValueError):
        return False
    return decode(written).replace("\0", "").lstrip("\ufeff") == text.lstrip("\ufeff")


RULE = Rule(
    ID,
    "critical",
    "A decision's own rule is broken, cannot be read, or is taken out.",
    "A decision record states what it forbids or requires in an sdd-rule block. Change the code, or"
    " supersede the record by one that decides otherwise.",
    check,
    whole_tree=True,
)

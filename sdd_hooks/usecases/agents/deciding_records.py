"""Find the records that govern files which are about to change, and the sentence of each that
decides.

A record governs a file by what is written down (a governing comment, `applies-to`, an `sdd-rule`, a
sentence that names it), or by the judgement of the review, made without the lines of the change.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), ADR-0036 (a record says what it
# applies to), SPEC-0029 (hooks of coding agents)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.artifacts.governing import may_govern, read_governing
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, Origins, parse_id, parse_reference
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.prepared import (
    Edit,
    Judgement,
    PreparedEvidence,
    PreparedHead,
    read_head,
)
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.decoding import decode, is_text
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.globs import compile_glob, compile_path_pattern, is_named
from sdd_hooks.text.lines import NumberedLine
from sdd_hooks.usecases.agents.table import STATED, AgentTable, StatedArtifact, StatedRule

THRESHOLD = 0.5
"""The probability from which a record is handed over by judgement: `python -m benchmarks.edits`
measures it."""
MAX_FILE_BYTES = 2 << 20
"""Bytes of a file in which governing comments and symbols are looked for."""
MAX_RECORD_BYTES = 8 << 20
"""Bytes of a record. A larger one is not quoted."""
MAX_TITLE = 200
"""Characters of a title that are compared: a prompt begins with what is wanted."""


class Governs(NamedTuple):
    """A record that governs a file: why, and on which line of which file that is written.

    `reason` is comment, applies-to, rule, named or judgement. `stated` is the requirement of a
    comment, the glob or the symbol, the rule, the sentence that names the file, or "".
    """

    artifact: StatedArtifact
    reason: str
    stated: str
    file: str
    line: int


class DecidingRecords(NamedTuple):
    """The records that govern the files, the certain ones first, and the judgement about them."""

    records: Sequence[Governs]
    judgement: Judgement | None
    head: PreparedHead


def find_deciding(
    table: AgentTable, root: Path, title: str, paths: Sequence[str], written: str = ""
) -> DecidingRecords | None:
    """Find the records that govern the files at `paths`, relative to `root`, which may not exist.

    `title` is what the author wants, `written` what the edit adds, "" for unknown. Only records in
    force are found; instead of a replaced one, what replaces it. None for a table of another
    version.
    """
    head = read_head(table.row(""))
    rows = table.row(STATED)
    if head is None or not isinstance(rows, list):
        return None
    stated = [StatedArtifact(*row) for row in rows]
    by_path = {one.path: one for one in stated}
    changed = [path for path in paths if path not in by_path]
    texts = {path: read_text(root, path, MAX_FILE_BYTES) for path in changed}
    found: dict[str, Governs] = {}
    for path, text in texts.items():
        for one in _stated(table, stated, path, text):
            for record in _in_force(one, by_path):
                found.setdefault(record.artifact.path, record)

    def text_of(path: str) -> str:
        return as_markdown(path, read_text(root, path, MAX_RECORD_BYTES))

    judged = None
    if changed:
        headline = title.strip().partition("\n")[0][:MAX_TITLE]
        added = {changed[0]: [NumberedLine(*one) for one in enumerate(written.splitlines(), 1)]}
        edit = Edit(headline, texts, added)
        judged = PreparedEvidence(head, table.row, text_of, edit).judge(THRESHOLD)
    for likely in judged.likely if judged else ():
        for index in head.records[likely.record_index].offers[:1]:
            artifact = by_path.get(head.records[index].path)
            if artifact and artifact.path not in found:
                found[artifact.path] = Governs(artifact, "judgement", "", "", 0)
    return DecidingRecords(tuple(found.values()), judged, head)


def _in_force(one: Governs, by_path: dict[str, StatedArtifact]) -> Iterator[Governs]:
    if one.artifact.in_force:
        yield one
        return
    for path in one.artifact.successors:
        if path in by_path:
            yield one._replace(artifact=by_path[path], stated="")


def _stated(
    table: AgentTable, artifacts: Sequence[StatedArtifact], path: str, text: str
) -> Iterator[Governs]:
    """What is written down about a file, in the order comments, patterns and symbols, rules."""
    names = _names(artifacts) if may_govern(text) else NO_ORIGINS
    for reference in read_governing(text, names):
        for index in table.row(f"g:{reference.id}") or ():
            yield Governs(artifacts[index], "comment", reference.requirement, path, reference.line)
    for artifact in artifacts:
        for pattern, line in artifact.globs:
            if compile_path_pattern(pattern)(path):
                yield Governs(artifact, "applies-to", pattern, artifact.path, line)
                break
        yield from _symbols(artifact, path, text)
    for artifact in artifacts:
        for rule in (StatedRule(*row) for row in artifact.rules):
            if covers(rule, path):
                yield Governs(artifact, "rule", rule.shown, artifact.path, rule.line)
    for artifact in artifacts:
        for name, line, sentence in artifact.named:
            if is_named(path, name):
                yield Governs(artifact, "named", sentence, artifact.path, line)
                break


def _names(artifacts: Sequence[StatedArtifact]) -> Origins:
    """The names of the artifacts without a number. Few repositories have some."""
    named = [one for one in artifacts if not parse_id(one.id)]
    if not named:
        return NO_ORIGINS
    from sdd_hooks.artifacts.artifact import Artifact
    from sdd_hooks.artifacts.names import NamesOfArtifacts

    return NamesOfArtifacts(
        Artifact(one.kind, parse_reference(one.id, one.kind), one.path, "") for one in named
    )


def covers(rule: StatedRule, path: str) -> bool:
    """Whether a rule is for a path, as `DecisionRule.path_filter` decides."""
    lowered = path.lower()
    inside = any(compile_glob(pattern.lower())(lowered) for pattern in rule.within)
    return inside and not any(compile_glob(pattern)(path) for pattern in rule.outside)


def _symbols(artifact: StatedArtifact, path: str, text: str) -> Iterator[Governs]:
    """The symbols of an artifact that the file defines."""
    written = [one for one, _ in artifact.symbols if _last_name(one) in text]
    if not written:
        return
    from sdd_hooks.artifacts.applies_to import AppliesTo, AppliesToEntry
    from sdd_hooks.usecases.reading.governing import find_defined_symbols

    entries = tuple(AppliesToEntry("symbol", one, 0) for one in written)
    for entry, line in find_defined_symbols(AppliesTo(entries), path, text):
        yield Governs(artifact, "applies-to", entry.text, path, line)


def _last_name(symbol: str) -> str:
    bare = symbol.removesuffix("()")
    for separator in ("::", "->", ".", "#"):
        bare = bare.rpartition(separator)[2]
    return bare


def read_text(root: Path, path: str, limit: int) -> str:
    """The text of a file; "" for one that is absent, refused, too large or binary."""
    try:
        data = read_inside(root, path, limit)
    except (OSError, FileTooLarge, PathRefused):
        return ""
    return decode(data) if is_text(data) else ""

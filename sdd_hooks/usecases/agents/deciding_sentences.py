"""Quote the sentence of a record that decides what a change is about."""

# Governing: ADR-0056 (agents are handed the deciding sentence), SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.evidence.records import DecisionRecord, read_content
from sdd_hooks.review.references.explanation.passages import find_passage, find_passage_at
from sdd_hooks.review.references.prepared import WordRow
from sdd_hooks.review.references.words.code_words import CodeWords
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.usecases.agents.deciding_records import (
    MAX_RECORD_BYTES,
    DecidingRecords,
    Governs,
    read_text,
)
from sdd_hooks.usecases.agents.table import AgentTable


class DecidingSentence(NamedTuple):
    """A sentence of a record with its line, and the id and the title of the record.

    `sentence` is "" for a record without a sentence that can be quoted.
    """

    id: str
    title: str
    path: str
    line: int
    sentence: str
    governs: Governs


def quote_deciding(
    table: AgentTable, root: Path, found: DecidingRecords
) -> Iterator[DecidingSentence]:
    """Quote the deciding sentence of each record, in order, as its file has it now.

    A record that is no longer in force, or no record any more, is left out.
    """
    weights = found.judgement.similarity.weights if found.judgement else {}
    rows = {word: WordRow(*(table.row(f"w:{word}") or ())) for word in weights}
    code = CodeWords(found.head.code_files, {word: row.code for word, row in rows.items()})

    def worth(word: str) -> float:
        # As in the explanation of a review.
        idf = found.judgement.similarity.idf(word) if found.judgement else 0.0
        return idf / 4 if code.is_common(word) else idf

    for one in found.records:
        path = one.artifact.path
        text = as_markdown(path, read_text(root, path, MAX_RECORD_BYTES))
        artifact = _parse(path, one.artifact.kind, text)
        if artifact is None or not artifact.status.authoritative:
            continue
        if one.stated and one.reason == "comment":
            artifact = _only_requirement(artifact, one.stated)
        record = DecisionRecord(artifact, text, read_content(artifact, text))
        passage = (
            find_passage_at(record, one.stated, one.line)
            if one.reason == "named"
            else find_passage(record, weights, worth)
        )
        name = one.artifact.id or artifact.name
        sentence = passage.sentence if passage else None
        line = passage.section.first_line if passage else 1
        yield DecidingSentence(
            name,
            artifact.title,
            path,
            sentence.line if sentence else line,
            sentence.text if sentence else "",
            one,
        )


def _parse(path: str, kind: str, text: str) -> Artifact | None:
    if not text:
        return None
    return read_adr(path, text) if kind == "ADR" else read_spec(path, text, "")


def _only_requirement(artifact: Artifact, requirement: str) -> Artifact:
    """The artifact with the sections of one requirement only, or all when it has no such one."""
    wanted = requirement.casefold()
    sections = tuple(
        section
        for section in artifact.sections
        if any(wanted in title.casefold() for title in (section.title, *section.path))
    )
    return artifact._replace(sections=sections) if sections else artifact

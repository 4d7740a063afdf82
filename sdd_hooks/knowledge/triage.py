"""Triage: what happens to each draft, before anything is written.

A draft that repeats an entry is merged into it. A rule for the whole project is promoted to
`project_rules.md`, a detail of one feature is skipped, and the rest is saved.
"""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Triage"

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.knowledge.drafts import ACTIONS, Action, Draft
from sdd_hooks.knowledge.entries import (
    MAX_TAGS,
    MAX_TEXT,
    Entry,
    EntryKind,
    Lesson,
    ReusablePattern,
    one_line,
    title_of,
)
from sdd_hooks.knowledge.index import IndexEntry, KnowledgeIndex
from sdd_hooks.knowledge.levels import ProjectEvidence, classify
from sdd_hooks.knowledge.rules import EmptyRule, ProjectRule, analyse_rule
from sdd_hooks.knowledge.same_advice import Judge, read_advice, shared_words
from sdd_hooks.knowledge.store import read_entry
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KnowledgePlace

MIN_OVERLAP = 0.5
"""The share of tags in common from which an entry can be a duplicate."""

MAX_COMPARED = 20
"""Entries that are read to compare a draft with them: those with the most similar summaries."""

NEW_WORDS = 0.5
"""The share of words that a sentence adds to an entry, from which a merge keeps it."""

_MAX_SHOWN_TAGS = 2


class WrongAnswer(SddError):
    """An answer to a row that is not there, or that cannot be done."""

    exit_code = EXIT_USAGE
    code = "usage"


class TriageRow(NamedTuple):
    """What happens to a draft, and why. `target` is the entry that it is merged into."""

    number: int
    draft: Draft
    action: Action
    reason: str
    target: IndexEntry | None = None

    @property
    def action_text(self) -> str:
        """The action as the table shows it."""
        if self.action == "MERGE" and self.target:
            return f"MERGE into {self.target.id}"
        return {"SAVE": "SAVE (new)", "PROMOTE": "PROMOTE to rules"}.get(self.action, self.action)


class Stock(NamedTuple):
    """What drafts are compared with: the entries, the rules, and what the project shows."""

    place: KnowledgePlace
    known: KnowledgeIndex
    rules: Sequence[ProjectRule]
    evidence: ProjectEvidence


def triage(drafts: Iterable[Draft], stock: Stock, judge: Judge) -> list[TriageRow]:
    """Decide what happens to each draft, in order. Writes nothing.

    A draft may repeat one before it, which is then its target.
    """
    rows: list[TriageRow] = []
    earlier: dict[tuple[EntryKind, str], Entry] = {}
    for number, draft in enumerate(drafts, 1):
        row = _row(number, draft, stock, judge, earlier)
        rows.append(row)
        if row.action == "SAVE":
            earlier[draft.kind, draft.entry.id] = draft.entry
    return rows


def answer_rows(rows: Sequence[TriageRow], answers: Mapping[int, Action]) -> list[TriageRow]:
    """The rows with the actions that were chosen for them.

    Raises WrongAnswer for a row that is not there, and for a merge without a target.
    """
    unknown = set(answers) - {row.number for row in rows}
    if unknown:
        raise WrongAnswer(f"there is no row {min(unknown)}: the rows are 1 to {len(rows)}")
    answered = []
    for row in rows:
        action = answers.get(row.number, row.draft.answer or row.action)
        if action == row.action:
            answered.append(row)
            continue
        if action == "MERGE" and row.target is None:
            raise WrongAnswer(
                f"row {row.number} has no similar entry to merge into: save or skip it"
            )
        answered.append(row._replace(action=action, reason="Chosen by the user"))
    return answered


def parse_answer(text: str) -> tuple[int, Action]:
    """Parse an answer such as `2=SKIP`. Raises WrongAnswer."""
    number, equals, name = text.partition("=")
    for action in ACTIONS:
        if equals and number.strip().isdecimal() and name.strip().upper() == action:
            return int(number), action
    raise WrongAnswer(f"{text!r} is no answer: write the row and the action, such as 2=SKIP")


def render_table(rows: Sequence[TriageRow]) -> list[str]:
    """The table of the triage in Markdown, with aligned columns."""
    cells = [["#", "Type", "Title", "Action", "Reason"]]
    for row in rows:
        title, reason = _cell(title_of(row.draft.entry)), _cell(row.reason)
        kind = row.draft.kind.capitalize()
        cells.append([str(row.number), kind, title, row.action_text, reason])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def merge(existing: Entry, draft: Entry) -> Entry:
    """The existing entry with the tags of the draft, and with what its texts lack.

    The id, the trigger and the name stay. What would make it larger than an entry may be is left
    out.
    """
    tags = tuple(dict.fromkeys((*existing.tags, *draft.tags)))[:MAX_TAGS]
    if isinstance(existing, Lesson) and isinstance(draft, Lesson):
        return existing._replace(
            tags=tags,
            context=_add_sentences(existing.context, draft.context),
            advice=_add_sentences(existing.advice, draft.advice),
        )
    if isinstance(existing, ReusablePattern) and isinstance(draft, ReusablePattern):
        return existing._replace(
            tags=tags,
            problem=_add_sentences(existing.problem, draft.problem),
            solution=_add_sentences(existing.solution, draft.solution),
            example=existing.example or draft.example,
        )
    return existing


def tag_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The tags in common as a share of the smaller set: tags that a merge added do not count."""
    least = min(len(set(one)), len(set(other)))
    return len(set(one) & set(other)) / least if least else 0.0


def _row(
    number: int,
    draft: Draft,
    stock: Stock,
    judge: Judge,
    earlier: Mapping[tuple[EntryKind, str], Entry],
) -> TriageRow:
    duplicate = _find_duplicate(draft, stock, judge, earlier)
    if duplicate:
        overlap = tag_overlap(draft.entry.tags, duplicate.tags)
        return TriageRow(number, draft, "MERGE", f"{overlap:.0%} overlap with existing", duplicate)
    level = classify(draft, stock.evidence)
    if level == "feature-specific":
        return TriageRow(number, draft, "SKIP", "Feature-specific detail")
    if level == "project-wide":
        return _promotion(number, draft, stock, judge)
    return TriageRow(number, draft, "SAVE", f"Domain-specific{_domains(draft)}")


def _promotion(number: int, draft: Draft, stock: Stock, judge: Judge) -> TriageRow:
    try:
        analysis = analyse_rule(draft.advice, stock.rules, judge)
    except EmptyRule as error:
        return TriageRow(number, draft, "SKIP", one_line(str(error)))
    if analysis.same:
        return TriageRow(number, draft, "SKIP", f"Rule on line {analysis.same.line} says it")
    if analysis.conflicts:
        line = analysis.conflicts[0].line
        return TriageRow(number, draft, "SKIP", f"Contradicts the rule on line {line}")
    return TriageRow(number, draft, "PROMOTE", "Project-wide, not feature-bound")


def _find_duplicate(
    draft: Draft,
    stock: Stock,
    judge: Judge,
    earlier: Mapping[tuple[EntryKind, str], Entry],
) -> IndexEntry | None:
    """The most similar entry with half of the tags and the same advice.

    The index decides which entries are read, at most MAX_COMPARED.
    """
    own = read_advice(draft.advice)
    entries: list[tuple[float, IndexEntry, Entry | None]] = []
    for known in stock.known.of(draft.kind).values():
        if tag_overlap(draft.entry.tags, known.tags) >= MIN_OVERLAP:
            entries.append((shared_words(own, read_advice(known.summary)), known, None))
    for (kind, identifier), entry in earlier.items():
        if kind == draft.kind and tag_overlap(draft.entry.tags, entry.tags) >= MIN_OVERLAP:
            known = IndexEntry(kind, identifier, entry.tags, title_of(entry))
            entries.append((1.0, known, entry))
    entries.sort(key=lambda one: (-one[0], one[1].id))
    for _, known, read in entries[:MAX_COMPARED]:
        existing = read or _read(stock.place, known)
        if existing and _says_the_same(draft.entry, existing, judge):
            return known
    return None


def _says_the_same(draft: Entry, existing: Entry, judge: Judge) -> bool:
    if isinstance(draft, Lesson) and isinstance(existing, Lesson):
        return judge.same(draft.advice, existing.advice)
    if not (isinstance(draft, ReusablePattern) and isinstance(existing, ReusablePattern)):
        return False
    if one_line(draft.name).casefold() == one_line(existing.name).casefold():
        return True
    if not (draft.solution and existing.solution):
        return judge.same(draft.name, existing.name)
    return judge.same(draft.solution, existing.solution)


def _read(place: KnowledgePlace, known: IndexEntry) -> Entry | None:
    try:
        return read_entry(place, known.kind, known.id)
    except (FileNotFoundError, ValueError):
        # The index names the file that cannot be read at the next comparison with the files.
        return None


def _domains(draft: Draft) -> str:
    """The first tags in brackets, in the spelling of the draft: ` (Prisma + ORM)`."""
    entry = draft.entry
    text = f"{draft.advice} {entry.context if isinstance(entry, Lesson) else entry.name}"
    tags = entry.tags[:_MAX_SHOWN_TAGS]
    names = [tag.upper() if len(tag) <= 3 else _spelled(tag, text) for tag in tags]
    return f" ({' + '.join(names)})" if names else ""


def _spelled(tag: str, text: str) -> str:
    found = re.search(rf"\b{re.escape(tag)}\b", text, re.IGNORECASE)
    return found[0] if found and not found[0].islower() else tag.capitalize()


def _add_sentences(existing: str, addition: str) -> str:
    """The text with the sentences of the other that say something new: with other words."""
    if not existing.strip():
        return addition
    known = read_advice(existing).words
    text = existing.rstrip()
    for one in re.split(r"(?<=[.!?])\s+", addition.strip()):
        words = read_advice(one).words
        if len(words - known) < max(len(words) * NEW_WORDS, 1) or one in text:
            continue
        longer = f"{text}{'' if text.endswith(('.', '!', '?', ':')) else '.'} {one}"
        text = longer if len(longer) <= MAX_TEXT else text
    return text


def _cell(text: str) -> str:
    return one_line(text, 60).replace("\\", "\\\\").replace("|", "\\|")

"""Record patterns, lessons and rules: triage first, then write what was confirmed."""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Triage", REQ "Rules"

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from sdd_hooks.errors import SddError
from sdd_hooks.knowledge.drafts import Action, Draft, Surroundings
from sdd_hooks.knowledge.entries import (
    Entry,
    EntryKind,
    EntryRefused,
    Lesson,
    entry_file,
    kind_of,
    one_line,
)
from sdd_hooks.knowledge.index import KnowledgeIndex
from sdd_hooks.knowledge.levels import ProjectEvidence
from sdd_hooks.knowledge.rules import (
    MAX_RULE,
    RULES_FILE,
    ProjectRule,
    RuleAnalysis,
    RuleRefused,
    add_rules,
    analyse_rule,
    list_rules,
    read_rules_file,
)
from sdd_hooks.knowledge.same_advice import Judge
from sdd_hooks.knowledge.state import read_state_of_project
from sdd_hooks.knowledge.store import load_index, read_entry, read_index, write_entries
from sdd_hooks.knowledge.triage import Stock, TriageRow, answer_rows, merge, triage
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, refresh_shared, writing

NOT_CONFIRMED = "nothing was written: confirm with --yes, or answer rows with --answer 2=SKIP"


_TOOLS = frozenset(
    [
        *("build", "code-quality", "continuous-integration", "dependency-updates", "monorepo"),
        *("documentation", "git-hooks", "packages", "releases", "runtime"),
    ]
)
"""Categories whose technologies serve all features: who names one names no domain."""


class Decision(NamedTuple):
    """What was decided about the rows: their actions by number, and drafts that were edited."""

    actions: Mapping[int, Action] = MappingProxyType({})
    edited: Mapping[int, Draft] = MappingProxyType({})


Ask = Callable[[Sequence[TriageRow]], "Decision | None"]
"""Shows the rows and returns what was decided, None to write nothing."""

ReadDrafts = Callable[[Surroundings], Sequence[Draft]]
"""Returns the drafts, completed from what is known about the project."""


class RecordRequest(NamedTuple):
    """What to record. `ask` None takes the actions as proposed; a `dry_run` writes nothing."""

    drafts: ReadDrafts
    actions: Mapping[int, Action] = MappingProxyType({})
    ask: Ask | None = None
    dry_run: bool = False


class Recorded(NamedTuple):
    """The rows and what was done: entries with their actions, and rules that were added.

    `written` is whether the actions were carried out.
    """

    rows: tuple[TriageRow, ...]
    saved: tuple[Entry, ...] = ()
    merged: tuple[Entry, ...] = ()
    promoted: tuple[str, ...] = ()
    written: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class RuleUpdate(NamedTuple):
    """A proposed rule, and the edit of the file of rules; None for a rule that is there already."""

    analysis: RuleAnalysis
    edit: FileEdit | None


def record(base: KnowledgeBase, request: RecordRequest) -> Recorded:
    """Triage drafts, ask, and write what was confirmed.

    Raises EntryRefused, WrongAnswer, and StorageError. Nothing is written then.
    """
    judge = Judge(embedder(base))
    around = read_surroundings(base)
    drafts = list(request.drafts(around))
    decision = Decision(request.actions)
    if request.ask or request.dry_run:
        rows, notes = _propose(base, drafts, around, judge, request.actions)
        asked = request.ask(rows) if request.ask and not request.dry_run else None
        if asked is None:
            return Recorded(tuple(rows), notes=notes)
        decision = Decision({**request.actions, **asked.actions}, asked.edited)
    drafts = [decision.edited.get(number, one) for number, one in enumerate(drafts, 1)]
    with writing(base) as now:
        index, notes = load_index(now.place)
        # Another process may have written since the rows were shown.
        rows = triage(drafts, _stock(now, index, around), judge)
        rows = answer_rows(rows, decision.actions)
        done = _execute(now, index, rows, judge)
    files = [entry_file(kind_of(one), one.id) for one in (*done.saved, *done.merged)]
    return done._replace(
        notes=(*notes, *done.notes), warnings=(*done.warnings, *refresh_shared(now, files))
    )


def update_rules(base: KnowledgeBase, text: str, *, force: bool, dry_run: bool) -> RuleUpdate:
    """Add a rule to the file of rules, unless a rule says the same.

    Raises EmptyRule, and RuleRefused for a rule that another one contradicts, without `force`.
    """
    with writing(base):
        content = read_rules_file(base.repository.root)
        analysis = analyse_rule(text, list_rules(content), Judge(embedder(base)))
        if analysis.same:
            return RuleUpdate(analysis, None)
        if analysis.conflicts and not force:
            rule = analysis.conflicts[0]
            raise RuleRefused(
                f"{RULES_FILE}:{rule.line} contradicts it ({one_line(rule.text, 80)!r}): change"
                " that rule, or add --force"
            )
        edit = add_rules(content, [analysis.text])
        if not dry_run:
            apply_edits(base.repository.root, [edit])
    return RuleUpdate(analysis, edit)


def read_surroundings(base: KnowledgeBase) -> Surroundings:
    """What drafts are completed from, as the state of the project says."""
    saved = read_state_of_project(base.own_root)
    fields = saved.fields if saved else {}
    feature = str(fields.get("current_feature", ""))
    completed = fields.get("completed_features")
    listed = completed if isinstance(completed, list) else []
    features = tuple(str(one) for one in (feature, *listed) if one)
    stage = str(fields.get("current_stage", ""))
    return Surroundings(stage, feature, features, base.place.shared)


def embedder(base: KnowledgeBase) -> Callable[[Sequence[str]], Sequence[bytes]] | None:
    """What embeds texts, loaded when it is first called; None without a model on this machine.

    A model that is a service is not used: drafts stay on this machine.
    """
    from sdd_hooks.models.embedding_model import is_on_machine, load_model, model_device

    name, root = base.configuration.search.embed_model, base.repository.root
    environ = base.repository.environ
    try:
        if not is_on_machine(name, root, environ) or model_device(name, root, environ) == "remote":
            return None
    except SddError:
        return None

    def embed(texts: Sequence[str]) -> Sequence[bytes]:
        try:
            return load_model(name, root, environ).embed(texts)
        except SddError:
            # The words decide then.
            return ()

    return embed


def _propose(
    base: KnowledgeBase,
    drafts: Sequence[Draft],
    around: Surroundings,
    judge: Judge,
    actions: Mapping[int, Action],
) -> tuple[list[TriageRow], tuple[str, ...]]:
    index, notes = read_index(base.repository, base.place)
    rows = triage(drafts, _stock(base, index, around), judge)
    return answer_rows(rows, actions), notes


def _stock(base: KnowledgeBase, index: KnowledgeIndex, around: Surroundings) -> Stock:
    rules = list_rules(read_rules_file(base.repository.root))
    return Stock(base.place, index, rules, read_evidence(base, around.features))


def read_evidence(base: KnowledgeBase, features: Sequence[str]) -> ProjectEvidence:
    """What the repository shows about drafts, read when a draft needs it."""
    from sdd_hooks.changes.work_tree import WorkFiles
    from sdd_hooks.drift.discover.choices import find_purposes

    files = WorkFiles(base.repository.git)

    return ProjectEvidence(
        features,
        lambda: [path for _, path, _ in files.entries()],
        lambda texts: files.grep(texts, (), ("-w", "-i")),
        lambda text: find_purposes(text) - _TOOLS,
    )


class _Work(NamedTuple):
    """The entries to write by kind and id, and the rules to add, while rows are carried out."""

    entries: dict[tuple[EntryKind, str], Entry]
    new: dict[tuple[EntryKind, str], tuple[EntryKind, str]]
    merged: dict[tuple[EntryKind, str], None]
    rules: dict[str, None]


def _execute(
    base: KnowledgeBase, index: KnowledgeIndex, rows: Sequence[TriageRow], judge: Judge
) -> Recorded:
    work = _Work({}, {}, {}, {})
    taken = {one.id for one in index}
    for row in rows:
        if row.action == "MERGE" and row.target:
            _merge(base, row, work, taken)
        elif row.action == "SAVE":
            _save(row, work, taken)
        elif row.action == "PROMOTE":
            work.rules[row.draft.advice] = None
    rules, warnings, edit = _plan_rules(base, work.rules, judge)
    if work.entries:
        write_entries(base.place, index, work.entries.values())
    if edit:
        apply_edits(base.repository.root, [edit])
    new = set(work.new.values())
    return Recorded(
        tuple(rows),
        tuple(work.entries[key] for key in work.entries if key in new),
        tuple(work.entries[key] for key in work.merged),
        tuple(rules),
        written=True,
        notes=_notes(work),
        warnings=tuple(warnings),
    )


def _save(row: TriageRow, work: _Work, taken: set[str]) -> None:
    entry = row.draft.entry
    kind = row.draft.kind
    identifier = entry.id
    if identifier in taken and row.draft.has_id:
        raise EntryRefused(f"the id {identifier} is taken: choose another, or delete that entry")
    number = 2
    while identifier in taken:
        identifier, number = f"{entry.id}-{number}", number + 1
    taken.add(identifier)
    work.entries[kind, identifier] = entry._replace(id=identifier)
    work.new[kind, entry.id] = (kind, identifier)


def _merge(base: KnowledgeBase, row: TriageRow, work: _Work, taken: set[str]) -> None:
    """Merge a draft into its target. A lesson that repeats an earlier one becomes a rule, too."""
    assert row.target is not None
    key = (row.target.kind, row.target.id)
    key = work.new.get(key, key)
    existing = work.entries.get(key)
    if existing is None:
        try:
            existing = read_entry(base.place, *key)
        except (FileNotFoundError, ValueError):
            # The draft that it repeats was skipped.
            _save(row, work, taken)
            return
    work.entries[key] = merge(existing, row.draft.entry)
    if key not in work.new.values():
        work.merged[key] = None
    if isinstance(existing, Lesson):
        work.rules[existing.advice] = None


def _plan_rules(
    base: KnowledgeBase, texts: Iterable[str], judge: Judge
) -> tuple[list[str], list[str], FileEdit | None]:
    """The rules to add, warnings about those that are not, and the edit."""
    content = read_rules_file(base.repository.root)
    rules = list_rules(content)
    added: list[str] = []
    warnings: list[str] = []
    for text in texts:
        try:
            analysis = analyse_rule(one_line(text, MAX_RULE), rules, judge)
        except SddError as error:
            warnings.append(f"not promoted: {error}")
            continue
        if analysis.same:
            continue
        if analysis.conflicts:
            line = analysis.conflicts[0].line
            where = f"{RULES_FILE}:{line}" if line else "another new rule"
            warnings.append(
                f"not promoted, as {where} contradicts it: {one_line(analysis.text, 80)!r}"
            )
            continue
        added.append(analysis.text)
        rules.append(ProjectRule(analysis.text, 0))
    return added, warnings, add_rules(content, added) if added else None


def _notes(work: _Work) -> tuple[str, ...]:
    return tuple(
        f"{entry.id} has no solution yet: `sdd knowledge pattern-save` with the same name adds it"
        for entry in work.entries.values()
        if not isinstance(entry, Lesson) and not entry.solution
    )

"""Write down what the review reads from a repository, for judgements of `prepared`.

Records are those of the work tree, committed or not; history and code are those of HEAD.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), ADR-0020 (a decision is found by
# equal votes of evidence)

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Tree
from sdd_hooks.project.collections import CollectionMap
from sdd_hooks.project.project import Project
from sdd_hooks.review.references.asking.question import Eligibility
from sdd_hooks.review.references.evidence.applies import MAX_PATHS, MAX_PATTERNS
from sdd_hooks.review.references.evidence.commits import find_citing_commits, find_touching_commits
from sdd_hooks.review.references.evidence.context import (
    RepositoryContext,
    count_mention_words,
    count_message_words,
    find_neighbourhoods,
    score_past,
)
from sdd_hooks.review.references.evidence.mentions import RecordNames, read_file_mentions
from sdd_hooks.review.references.evidence.past_changes import (
    Background,
    decision_words,
    read_past_changes,
)
from sdd_hooks.review.references.evidence.records import (
    DecisionRecord,
    read_content,
    without_copies,
)
from sdd_hooks.review.references.prepared import FORMAT, PreparedRecord, WordRow
from sdd_hooks.review.references.words.code_words import CodeWords, read_code_words
from sdd_hooks.review.references.words.query import ChangeQuery

HEAD = ""
"""The key of the first row."""

_NOTHING = Change("", "", "", "", (), ())


def prepare_evidence(
    project: Project, corpus: Corpus, texts: Mapping[str, str], commit: str
) -> dict[str, Any]:
    """The rows of the table for the records of `corpus`, by their keys.

    `texts` are those of the artifacts by path. `commit` is HEAD, "" without a commit. Raises
    GitError.
    """
    context = _read_context(project, corpus, texts, commit)
    code = CodeWords(0, {})
    if commit:
        code = read_code_words(project.repository, Tree(project.repository.git, commit))
    background = Background(
        context.past, ChangeQuery(_NOTHING), context.records, project.repository
    )
    words = _word_rows(context, background, code)
    rows: dict[str, Any] = {f"w:{word}": row for word, row in words.items()}
    names: dict[str, list[int]] = defaultdict(list)
    for index, record in enumerate(context.records):
        for name in record.content.identifiers:
            names[f"i:{name}"].append(index)
        for path in record.content.paths:
            names[f"p:{path}"].append(index)
    rows.update(names)
    for path, mentions in context.mentioned.items():
        rows[f"f:{path}"] = [sorted(indexes) for indexes in mentions]
    for path, around in find_neighbourhoods(context).items():
        rows[f"d:{path}"] = [around.files, sorted(around.records.items())]
    for path, scores in score_past(context).items():
        rows[f"h:{path}"] = sorted(scores.items())
    records = _head_records(context, corpus)
    rows[HEAD] = [FORMAT, records, len(context.past), background.usual_fits(), code.files]
    return rows


def _read_context(
    project: Project, corpus: Corpus, texts: Mapping[str, str], commit: str
) -> RepositoryContext:
    repository = project.repository
    artifacts = corpus.artifacts
    records = without_copies(
        DecisionRecord(one, texts[one.path], read_content(one, texts[one.path]))
        for one in sorted(artifacts, key=lambda one: one.path)
        if one.kind == "ADR" and one.path in texts
    )
    specs = [one for one in artifacts if one.kind == "SPEC"]
    if not commit:
        return RepositoryContext((), records, specs, {}, (), ())
    collections = CollectionMap(
        tuple(one for one in project.collections if one.kind in ("adrs", "specs"))
    )

    def is_wanted(path: str) -> bool:
        return not collections.containing(path)

    paths = [blob.path for blob in Tree(repository.git, commit).blobs()]
    find_ids = RecordNames(artifacts).find
    return RepositoryContext(
        paths,
        records,
        specs,
        read_file_mentions(repository, commit, is_wanted, find_ids),
        find_citing_commits(repository, commit, find_ids),
        find_touching_commits(repository, commit, paths, find_ids),
        read_past_changes(repository, commit, is_wanted),
    )


def _word_rows(
    context: RepositoryContext, background: Background, code: CodeWords
) -> dict[str, WordRow]:
    places: dict[str, list[list[Any]]] = defaultdict(lambda: [[], [], [], [], []])
    for index, record in enumerate(context.records):
        compared = {id(counts): at for at, (_, counts) in enumerate(record.sections)}
        for counts in record.content.counts:
            at = compared.get(id(counts))
            for word, count in counts.items():
                if at is None:
                    places[word][1].append(index)
                else:
                    places[word][0].append((index, at, count))
        every = {word for counts in record.content.counts for word in counts}
        for word, count in decision_words(record, every)[0].items():
            places[word][2].append((index, count))
    for kind, documents in (
        (3, count_mention_words(context)),
        (4, count_message_words(context)),
    ):
        for index, document in enumerate(documents):
            for word, count in document.items():
                places[word][kind].append((index, count))
    frequency = background.rarity.frequency
    known = {*places, *frequency}
    rows = {}
    for word in known:
        sections, short, decision, mentions, messages = places[word]
        changes, files = frequency.get(word, 0), code.frequency.get(word, 0)
        rows[word] = WordRow(sections, short, decision, mentions, messages, changes, files)
    return rows


def _head_records(context: RepositoryContext, corpus: Corpus) -> list[PreparedRecord]:
    mentions = [sum(one.values()) for one in count_mention_words(context)]
    messages = [sum(one.values()) for one in count_message_words(context)]
    index_of = {record.artifact.path: index for index, record in enumerate(context.records)}
    eligibility = Eligibility(corpus, set(), set())
    sample = context.paths[:: max(1, -(-len(context.paths) // MAX_PATHS))]
    room = MAX_PATTERNS
    head = []
    for index, record in enumerate(context.records):
        applies = read_applies_to(record.artifact, record.text)
        room -= len(applies.entries)
        globs = [(one.text, one.line) for one in applies.entries if one.kind == "glob"]
        matched = sum(bool(applies.match(path)) for path in sample) if globs else 0
        offers = eligibility.find_eligible(record.artifact)
        head.append(
            PreparedRecord(
                record.artifact.path,
                sorted(record.title_words),
                [sum(counts.values()) for _, counts in record.sections],
                decision_words(record, frozenset())[1],
                mentions[index],
                messages[index],
                len(record.content.identifiers),
                sorted(context.find_linked(index)),
                [index_of[path] for path in offers if path in index_of],
                1 - matched / max(1, len(sample)),
                globs if room >= 0 else (),
            )
        )
    return head

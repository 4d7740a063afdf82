"""The triage decides as the seed says, and shows the seed's table."""

import pytest

from sdd_hooks.knowledge.drafts import Draft, Surroundings, parse_draft
from sdd_hooks.knowledge.entries import entry_data, parse_entry
from sdd_hooks.knowledge.index import index_entry, index_of
from sdd_hooks.knowledge.levels import ProjectEvidence, classify
from sdd_hooks.knowledge.rules import ProjectRule
from sdd_hooks.knowledge.same_advice import Judge
from sdd_hooks.knowledge.triage import (
    MAX_COMPARED,
    Stock,
    TriageRow,
    WrongAnswer,
    answer_rows,
    merge,
    parse_answer,
    render_table,
    tag_overlap,
    triage,
)
from sdd_hooks.usecases.knowledge.record import read_evidence
from tests.knowledge.bases import LESSON, PATTERN, base_of, fill, lesson

TABLE = """\
| # | Type    | Title                        | Action           | Reason                         |
|---|---------|------------------------------|------------------|--------------------------------|
| 1 | Pattern | Form validation scaffold     | MERGE into P-003 | 80% overlap with existing      |
| 2 | Lesson  | Always use camelCase naming  | PROMOTE to rules | Project-wide, not feature-bound |
| 3 | Lesson  | Prisma no returning in batch | SAVE (new)       | Domain-specific (Prisma + ORM) |
| 4 | Pattern | Auth token structure         | SKIP             | Feature-specific detail        |
"""


def draft(kind="lesson", **fields):
    return parse_draft(kind, fields, Surroundings())


def stock(repo, *entries, rules=(), features=()):
    base = fill(repo, *entries) if entries else base_of(repo)
    return Stock(base.place, index_of(map(index_entry, entries)), rules, ProjectEvidence(features))


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_of_the_seed(repo):
    """The four drafts of the seed get its rows, from what the knowledge base has."""
    existing = PATTERN._replace(
        id="p-003",
        name="Form validation scaffold for all forms",
        tags=("form", "validation", "zod", "react", "ui"),
        solution="A zod schema next to each form, and one hook that maps errors to fields",
    )
    drafts = [
        draft(
            "pattern",
            name="Form validation scaffold",
            tags=["form", "validation", "zod", "react", "errors"],
            solution="One zod schema next to each form, and one hook to map errors to fields",
        ),
        draft(advice="Always use camelCase naming", tags=["naming"]),
        draft(
            advice="Prisma no returning in batch",
            context="createMany returns a count",
            tags=["prisma", "orm", "batch"],
        ),
        draft(
            "pattern",
            name="Auth token structure",
            problem="The user-auth table needs a provider column",
            solution="provider: text",
        ),
    ]
    rows = triage(drafts, stock(repo, existing), Judge())
    expected = [cells(line) for line in TABLE.replace("P-003", "p-003").splitlines()]
    assert [cells(line) for line in render_table(rows)[2:]] == expected[2:]
    assert cells(render_table(rows)[0]) == expected[0]


def test_the_columns_are_aligned():
    rows = [TriageRow(1, draft(advice="Use | and \\"), "SAVE", "Domain-specific")]
    lines = render_table(rows)
    assert len({len(line) for line in lines}) == 1
    assert lines[0].startswith("| # | Type   | Title")
    assert lines[2].startswith("| 1 | Lesson | Use \\| and \\\\ |")


def test_a_duplicate_has_half_of_the_tags_and_the_same_advice(repo):
    existing = stock(repo, LESSON)
    same = "createMany in Prisma cannot return the records: use a transaction with create instead."
    for advice, tags, action in (
        (same, ["prisma", "sql"], "MERGE"),
        (same, ["sql", "batch", "x"], "SAVE"),
        ("Prisma migrate reset deletes the data", ["prisma", "orm"], "SAVE"),
    ):
        (row,) = triage([draft(advice=advice, tags=tags)], existing, Judge())
        assert row.action == action
    (row,) = triage([draft(advice=same, tags=["prisma", "sql"])], existing, Judge())
    assert (row.action_text, row.reason) == (
        "MERGE into prisma-no-returning",
        "50% overlap with existing",
    )


def test_tag_overlap_is_a_share_of_the_smaller_set():
    assert tag_overlap(("a", "b"), ("a", "b", "c", "d")) == 1
    assert tag_overlap(("a", "b"), ("b", "c")) == 0.5
    assert tag_overlap((), ("a",)) == 0


def test_a_draft_repeats_one_before_it(repo):
    twice = [draft(advice="Redis keys need a time to live", tags=["redis"])] * 2
    first, second = triage(twice, stock(repo), Judge())
    assert (first.action, second.action) == ("SAVE", "MERGE")
    assert second.target.id == first.draft.entry.id


def test_a_bounded_number_of_entries_is_read(repo):
    """Of many entries with the tags, those with the most similar summaries are compared."""
    many = [lesson(f"l-{n}", advice=f"Prisma hint number {n} of many") for n in range(60)]
    existing = stock(repo, *many, LESSON)
    folder = repo.root / ".sdd/knowledge/lessons"
    for one in many:
        (folder / f"{one.id}.json").unlink()
    (row,) = triage([draft(advice=LESSON.advice, tags=["prisma"])], existing, Judge())
    assert row.target.id == LESSON.id
    assert len(many) > MAX_COMPARED


STATED = (
    ({"advice": "Always use camelCase", "tags": ["naming"]}, "project-wide"),
    ({"advice": "Auth flows always need refresh tokens", "tags": ["auth"]}, "domain-specific"),
    ({"advice": "Validate it on this screen", "tags": ["ui"]}, "feature-specific"),
    ({"advice": "In order history, sort by date", "tags": ["ui"]}, "feature-specific"),
    ({"advice": "x", "level": "Project-wide"}, "project-wide"),
    ({"advice": "x", "level": "feature-specific"}, "feature-specific"),
)
# The examples of the requirement, and rules as projects write them. None depends on "always".
BY_WORDS = {
    "project-wide": """
        always use camelCase
        add indexes to FKs
        Wrap errors with context before returning them
        Do not reformat code outside the scope of the requested change
        NEVER hardcode API keys, secrets, or credentials in source files
        Tests must not depend on the order in which they run
        Fail fast on missing configuration instead of falling back to a default
        Run ruff before each commit
        Use `atomic()` for every write""",
    "domain-specific": """
        auth flows need refresh tokens
        CRUD endpoints need pagination
        Prisma createMany does not support returning. Use transaction + create instead.
        Prepared statements do not survive a pooled connection
        In Playwright, always use role locators
        Always verify webhooks before the body is parsed""",
    "feature-specific": """
        the user-auth table needs a provider column
        The AbsenceForm always has to send the half-day flag
        `deadlock_parser.go` never sees lines longer than 8 kB
        The deadlock parser must accept log lines without a database
        The doctor command should check every webhook
        QuotaNumber needs all its certificates
        Always sort all rows of AbsenceForm by date""",
}


def test_how_far_a_draft_applies(repo):
    """What a draft names decides: one place of the code, a technology, a kind of feature, or
    nothing of these. "Always" and "every" do not."""
    repo.write("web/absence/AbsenceForm.tsx", "export const AbsenceForm = 1;\n")
    repo.write("web/absence/page.tsx", "import { AbsenceForm } from './AbsenceForm';\n")
    repo.write("monitors/deadlock_parser.go", "package monitors\n")
    repo.write("cmd/doctor.go", "package cmd\n")
    repo.write("quotas/models.py", "class QuotaNumber:\n    pass\n")
    repo.write("db/atomic.py", "def atomic():\n    pass\n")
    for name in ("a", "b", "c"):
        repo.write(f"{name}/x.py", "from db.atomic import atomic\n")
    repo.write("docs/doctor.md", "# doctor\n")
    evidence = read_evidence(base_of(repo), ("order-history",))
    cases = [(draft(**fields), level) for fields, level in STATED]
    for level, lines in BY_WORDS.items():
        cases += [(draft(advice=line.strip()), level) for line in lines.strip().splitlines()]
    assert [
        (one.advice, classify(one, evidence), level)
        for one, level in cases
        if classify(one, evidence) != level
    ] == []


def test_a_rule_that_is_there_is_not_promoted_again(repo):
    rules = [ProjectRule("Use camelCase always", 7)]
    drafts = [
        draft(advice="Always use camelCase", tags=["naming"]),
        draft(advice="Never use camelCase", tags=["naming"]),
    ]
    rows = triage(drafts, stock(repo, rules=rules), Judge())
    assert [(row.action, row.reason) for row in rows] == [
        ("SKIP", "Rule on line 7 says it"),
        ("SKIP", "Contradicts the rule on line 7"),
    ]


def test_answers_replace_actions():
    row = TriageRow(1, draft(advice="a b"), "SAVE", "Domain-specific")
    (answered,) = answer_rows([row], {1: "SKIP"})
    assert (answered.action_text, answered.reason) == ("SKIP", "Chosen by the user")
    assert answer_rows([row], {1: "SAVE"}) == [row]
    (stated,) = answer_rows([row._replace(draft=row.draft._replace(answer="PROMOTE"))], {})
    assert stated.action == "PROMOTE"
    with pytest.raises(WrongAnswer, match="the rows are 1 to 1"):
        answer_rows([row], {2: "SKIP"})
    with pytest.raises(WrongAnswer, match="no similar entry"):
        answer_rows([row], {1: "MERGE"})


def test_answers_are_parsed():
    assert parse_answer("2=skip") == (2, "SKIP")
    for text in ("2", "x=SKIP", "2=DROP", "=SAVE", "²=SAVE"):
        with pytest.raises(WrongAnswer, match="such as 2=SKIP"):
            parse_answer(text)


def test_a_merge_keeps_the_wider_tags_and_what_is_new():
    addition = LESSON._replace(
        tags=("prisma", "sqlite"),
        trigger="designing-x",
        context="It also happened with SQLite.",
        advice="Use transaction + create instead. SQLite drivers behave alike everywhere.",
    )
    merged = merge(LESSON, addition)
    assert merged.tags == ("prisma", "orm", "batch", "sqlite")
    assert merged.trigger == LESSON.trigger
    assert merged.advice == f"{LESSON.advice} SQLite drivers behave alike everywhere."
    assert merged.context == f"{LESSON.context} It also happened with SQLite."
    assert merge(LESSON, LESSON) == LESSON


def test_a_merge_never_outgrows_what_an_entry_may_be():
    full = LESSON._replace(tags=tuple(f"t-{n}" for n in range(30)), advice="x" * 19_990)
    merged = merge(full, LESSON)
    assert parse_entry("lesson", entry_data(merged)) == merged
    assert merged.tags == full.tags


def test_a_merge_of_patterns_fills_what_is_empty():
    bare = PATTERN._replace(problem="", solution="")
    assert merge(bare, PATTERN) == PATTERN
    assert merge(PATTERN, bare._replace(example="x")).example == "x"
    assert merge(PATTERN, LESSON) == PATTERN


def test_a_draft_knows_what_it_says():
    assert Draft(LESSON).advice == LESSON.advice
    assert Draft(PATTERN._replace(solution="")).advice == PATTERN.name

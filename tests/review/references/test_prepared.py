"""The judgement from a prepared table is the one of the review for the same title and files."""

import math
import os
import random

import pytest

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.tree import Tree
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.asking.question import confidence_in_first
from sdd_hooks.review.references.evidence.gather import gather_evidence
from sdd_hooks.review.references.prepared import Edit, PreparedEvidence, read_head
from sdd_hooks.review.subject import Subject
from sdd_hooks.usecases.agents.prepare import prepare_table
from sdd_hooks.usecases.agents.table import open_table
from tests.support.repos import Repo

TOPICS = ("outbox", "cache", "token", "queue", "retry", "metrics", "schema")
WORDS = [
    "broker",
    "client",
    "message",
    "durable",
    "transaction",
    "memory",
    "answer",
    "keychain",
    "expiry",
    "session",
    "worker",
    "delay",
    "counter",
    "label",
    "column",
    "table",
    "migration",
    "index",
    "partition",
]


def record(random_, number, topic):
    """A record about a topic, with paths, identifiers and links."""
    words = " ".join(random_.sample(WORDS, 6))
    link = f"See ADR-{random_.randint(1, 7):04d}." if random_.random() < 0.5 else ""
    status = random_.choice(
        ["accepted", "accepted", "accepted", "superseded\nsuperseded-by: ADR-0001"]
    )
    applies = f"\napplies-to: src/{topic}/" if random_.random() < 0.3 else ""
    return (
        f"---\nstatus: {status}{applies}\n---\n# ADR-{number:04d}: {topic.title()} {words[:20]}\n\n"
        f"## Context\n\nThe `{topic}_store` in `src/{topic}/store.py` had {words}. {link}\n\n"
        f"## Decision\n\nThe {topic} must use {words} with the {random_.choice(TOPICS)} worker.\n"
    )


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A repository with records, code that mentions them, and 30 commits."""
    random_ = random.Random(7)
    repo = Repo.init(tmp_path_factory.mktemp("history") / "repo")
    files = {"CLAUDE.md": "# X\n\n- Architecture Decision Records are in `docs/adrs/`\n"}
    for number, topic in enumerate(TOPICS, 1):
        files[f"docs/adrs/ADR-{number:04d}-{topic}.md"] = record(random_, number, topic)
        files[f"src/{topic}/store.py"] = f"# Governing: ADR-{number:04d}\n{topic} = 1\n"
        files[f"src/{topic}/client.py"] = f"{topic}_client = 1  # see ADR-{number:04d}, ADR-0002\n"
    repo.commit("Start", files)
    for number in range(30):
        topic = random_.choice(TOPICS)
        named = f" (ADR-{random_.randint(1, 7):04d})" if random_.random() < 0.4 else ""
        path = f"src/{topic}/{random_.choice(['store', 'client', 'new'])}.py"
        text = f"{topic} = {number}\n# {' '.join(random_.sample(WORDS, 3))}\n"
        repo.commit(f"{topic}: {random_.choice(WORDS)} {number}{named}", {path: text})
    (repo.root / ".sdd").mkdir()
    prepare_table(load_project(repo.root, os.environ))
    return repo


def review(repo, title, paths):
    """The paths of the records, best first, their scores, and the probability."""
    project = load_project(repo.root, os.environ)
    head = repo.git("rev-parse", "HEAD").strip()
    tree = Tree(project.repository.git, head)
    files = tuple(ChangedFile(path, path, "M") for path in paths)
    change = Change(head, "", title, "", (), files)
    found = gather_evidence(
        project.repository, Subject(change, tree, tree, project.select(("adrs", "specs")))
    )
    ranked = [(found.path(one), one.score, one.shares) for one in found.ranked]
    return sorted(ranked), confidence_in_first(change, found.weighed).probability


def from_table(repo, title, paths):
    """The same from the table."""
    table = open_table(load_project(repo.root, os.environ).repository)
    head = read_head(table.row(""))

    def text_of(path):
        return (repo.root / path).read_text()

    judged = PreparedEvidence(
        head, table.row, text_of, Edit(title, dict.fromkeys(paths, ""))
    ).judge(1.0)
    table.close()
    ranked = [(head.records[one.record_index].path, one.score, one.shares) for one in judged.ranked]
    return sorted(ranked), 1 / (1 + math.exp(-judged.features[0].logit))


@pytest.mark.parametrize(
    ("title", "paths"),
    [
        ("", ["src/outbox/store.py"]),
        ("Write events to the durable outbox broker", ["src/outbox/store.py"]),
        ("cache: keep the answer in memory", ["src/cache/new.py", "src/cache/client.py"]),
        ("chore: bump versions", ["README.md"]),
        ("Fix the OutboxStore worker delay in src/queue/client.py", ["src/queue/elsewhere/a.py"]),
        ("Retry the token migration", ["src/token/store.py", "src/retry/new.py", "a/b/c.sql"]),
    ],
)
def test_the_judgement_is_the_one_of_the_review(history, title, paths):
    expected, probability = review(history, title, paths)
    found, same = from_table(history, title, paths)
    assert same == pytest.approx(probability, abs=1e-9)
    assert len(found) == len(TOPICS)
    for one, other in zip(found, expected, strict=True):
        assert one[0] == other[0]
        assert one[1] == pytest.approx(other[1], abs=1e-9)
        assert one[2] == pytest.approx(other[2], abs=1e-9)


@pytest.mark.parametrize(
    ("title", "path", "text", "expected"),
    [
        # A word of the title is in two of the prompt, the path and the file, or in one alone.
        ("Fix the outbox", "src/outbox/a.py", "", True),
        ("Fix the outbox", "a.py", "from src import OutboxStore\n", True),
        ("Fix the outbox", "a.py", "import outboxes2\n", False),
        ("Fix the broker", "broker.py", "broker", False),
    ],
)
def test_a_word_of_the_title_that_is_used_twice(history, title, path, text, expected):
    table = open_table(load_project(history.root, os.environ).repository)
    head = read_head(table.row(""))
    judged, once = (
        PreparedEvidence(head, table.row, lambda _: "", Edit(title, {one: text})).judge(1.0)
        for one, text in ((path, text), ("z.py", ""))
    )
    table.close()
    assert (judged.features[0].twice > 0) == expected
    assert not expected or judged.features[0].twice > once.features[0].twice


def test_likely_are_the_first_and_one_beside_it_and_none_that_is_withdrawn(history):
    table = open_table(load_project(history.root, os.environ).repository)
    head = read_head(table.row(""))
    edit = Edit("Fix the outbox", {"src/outbox/a.py": ""})

    def likely(head, threshold):
        judged = PreparedEvidence(head, table.row, lambda _: "", edit).judge(threshold)
        return [head.records[one.record_index].path.rpartition("-")[2] for one in judged.likely]

    first, second = likely(head, 0.0)
    withdrawn = [
        one._replace(offers=[] if first in one.path else one.offers) for one in head.records
    ]
    assert first == "outbox.md"
    assert likely(head, 0.99) == []
    assert likely(head, 0.5)[:1] == [first]
    assert likely(head._replace(records=withdrawn), 0.0)[0] == second
    table.close()


def test_generated_files_are_not_judged(history):
    table = open_table(load_project(history.root, os.environ).repository)
    head = read_head(table.row(""))
    judged = PreparedEvidence(
        head, table.row, lambda _: "", Edit("x", {"package-lock.json": ""})
    ).judge(1.0)
    table.close()
    assert judged is None


@pytest.mark.parametrize("row", [None, 3, [], [0, [], 1, [], 2], [1, [[1]], 1, [], 2], "text"])
def test_a_head_of_another_form_is_none(row):
    assert read_head(row) is None

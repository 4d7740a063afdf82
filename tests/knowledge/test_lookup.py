"""A lookup matches tags and phases, and opens the index and the matching files alone."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.index import index_entry, index_of
from sdd_hooks.knowledge.lookup import (
    EmptyLookup,
    Wanted,
    load_matches,
    match_entries,
    matches_phase,
    parse_wanted,
)
from tests.knowledge.bases import LESSON, PATTERN, fill, lesson
from tests.support.cpu_time import assert_linear
from tests.support.programs import run_python
from tests.support.waiting import TIMEOUT

COUNTING = """
import json, os, sys
from pathlib import Path
opened = []
def note(event, arguments):
    if event in {"open", "os.listdir", "os.scandir"} and isinstance(arguments[0], (str, bytes)):
        opened.append(os.fsdecode(arguments[0]))
sys.addaudithook(note)
from sdd_hooks.knowledge.lookup import parse_wanted
from sdd_hooks.usecases.knowledge.entries import look_up, open_knowledge
base = open_knowledge(Path.cwd(), os.environ)
del opened[:]
found, _ = look_up(base, parse_wanted([sys.argv[1]], []))
print(json.dumps([[Path(path).name for path in opened], len(found.entries)]))
"""


def names(entries, tags=(), phases=()):
    known = index_of(map(index_entry, entries))
    return [one.id for one, _ in match_entries(known, Wanted(tuple(tags), tuple(phases)))]


@pytest.mark.parametrize(
    ("tag", "files"),
    [
        ("orm", ["index.json", "prisma-no-returning.json"]),
        ("jwt", ["index.json", "auth-jwt-flow.json"]),
        ("nothing", ["index.json"]),
    ],
)
def test_only_the_index_and_the_matching_files_are_opened(repo, tag, files):
    fill(repo, LESSON, PATTERN, lesson("other", tags=("other",)))
    done = run_python(COUNTING, tag, cwd=repo.root, timeout=TIMEOUT)
    opened, count = json.loads(done.stdout)
    # The others are the directories on the way to the file, and the package's compiled patterns.
    assert [name for name in opened if name.endswith(".json")] == files
    assert {name for name in opened if not name.endswith(".patterns")} <= {
        *files,
        ".sdd",
        "knowledge",
        "patterns",
        "lessons",
        repo.root.name,
    }
    assert count == len(files) - 1


def test_a_lookup_imports_nothing_slow(repo):
    fill(repo, LESSON)
    code = (
        "import sys; from sdd_hooks.cli.entry import main; main(); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = run_python(code, "knowledge", "lookup", "--tags", "orm", cwd=repo.root, timeout=TIMEOUT)
    assert done.stdout.startswith("lesson prisma-no-returning: ")
    imported = set(done.stderr.split())
    assert "sdd_hooks.knowledge.lookup" in imported
    slow = {"apsw", "git", "httpx", "llm", "numpy", "onnxruntime", "yaml"}
    assert not imported & slow


def test_the_most_tags_in_common_come_first():
    entries = [lesson("one", tags=("a",)), lesson("two", tags=("a", "b")), PATTERN]
    assert names(entries, ["a", "b"]) == ["two", "one"]
    assert names(entries, ["jwt"]) == ["auth-jwt-flow"]
    assert names(entries, ["none"]) == []


def test_lessons_match_the_phase_too_and_patterns_need_a_tag():
    designing = lesson("d", tags=("auth",), trigger="designing-auth")
    entries = [designing, lesson("g", tags=("auth",), trigger="guard-check-code"), PATTERN]
    assert names(entries, ["auth"], ["designing-*"]) == ["d", "auth-jwt-flow"]
    assert names(entries, [], ["guard-check-*"]) == ["g"]
    assert names(entries, [], ["designing", "guard-check"]) == ["d", "g"]


@pytest.mark.parametrize(
    ("trigger", "phase", "expected"),
    [
        ("designing-auth", "designing-*", True),
        ("designing-auth", "designing-auth", True),
        ("designing-auth", "designing", True),
        ("designing-*", "designing-auth", True),
        ("Designing-Auth", "designing-*", True),
        ("guard-check-code", "guard-check-*", True),
        ("designing-auth", "planning-*", False),
        ("designing-auth", "design", False),
        ("designing-auth", "designing-a", False),
    ],
)
def test_wildcards_of_phases(trigger, phase, expected):
    assert matches_phase(trigger, (phase,)) is expected
    assert matches_phase(trigger, ())


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_a_phase(trigger, phase):
    assert matches_phase(trigger, (phase,)) in {True, False}


def test_tags_and_phases_are_separated_by_commas():
    assert parse_wanted(["Auth, jwt", "api"], ["designing-*,planning"]) == Wanted(
        ("auth", "jwt", "api"), ("designing-*", "planning")
    )
    for tags in ((), (" ,",)):
        with pytest.raises(EmptyLookup, match="--tags"):
            parse_wanted(tags, [])


def test_what_is_beyond_the_limit_is_counted(repo):
    base = fill(repo, *(lesson(f"l-{n}") for n in range(7)))
    known = index_of(index_entry(lesson(f"l-{n}")) for n in range(7))
    found = load_matches(base.place, known, parse_wanted(["orm"], []))
    assert (len(found.entries), len(found.left_out)) == (5, 2)


def test_a_file_that_is_gone_or_damaged_is_a_warning(repo):
    base = fill(repo, LESSON)
    path = repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json"
    known = index_of([index_entry(LESSON)])
    path.write_text("{")
    assert "correct it" in load_matches(base.place, known, Wanted(("orm",), ())).warnings[0]
    Path(path).unlink()
    found = load_matches(base.place, known, Wanted(("orm",), ()))
    assert found.entries == ()
    assert "is missing: run `sdd knowledge reindex`" in found.warnings[0]


def test_the_cost_grows_with_the_entries():
    def make(size):
        return index_of(index_entry(lesson(f"l-{n}", tags=(f"t-{n}", "x"))) for n in range(size))

    assert_linear(lambda known: match_entries(known, Wanted(("t-5",), ("design*",))), make, 8_000)

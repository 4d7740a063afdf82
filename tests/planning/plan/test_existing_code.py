from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.plan.existing_code import find_existing, merge_existing
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import CodePlace, ReusedCode
from tests.planning.plan.specs import code_hit, planned

STORE = "internal/session/store.go"
FILES = frozenset({STORE, "internal/mail/send.go", "internal/session/clock.go"})
(SESSIONS,) = planned(("User session management", "A session MUST be stored with its owner."))


def found(*hits: Hit, one: PlannedRequirement = SESSIONS) -> tuple[ReusedCode, ...]:
    """What is found where each search has these hits."""
    return find_existing(one, lambda _text: hits, FILES)


def test_a_file_is_found_with_its_definitions_and_lines() -> None:
    hits = (code_hit(STORE, "Store.SaveSession", 20), code_hit(STORE, "NewStore", 8))
    (one,) = found(*hits)
    assert (one.path, one.reason) == (STORE, "both are about stored, session")
    assert one.places == (CodePlace("NewStore", 8, 17), CodePlace("Store.SaveSession", 20, 29))


def test_a_long_definition_is_one_place() -> None:
    hits = (code_hit(STORE, "SaveSession", 20), code_hit(STORE, "SaveSession", 40))
    (one,) = found(*hits)
    assert one.places == (CodePlace("SaveSession", 20, 49),)


def test_a_file_without_common_words_is_not_found() -> None:
    assert found(code_hit("internal/mail/send.go", "Deliver", score=0.9)) == ()
    assert found(code_hit("internal/mail/send.go", "SessionMail", score=0.5)) == ()
    assert len(found(code_hit("internal/mail/send.go", "SessionMail", score=0.6))) == 1


def test_a_file_that_one_search_finds_alone_is_not_found() -> None:
    asked: list[str] = []

    def search(text: str) -> Sequence[Hit]:
        asked.append(text)
        return [code_hit(STORE, "SaveSession")] if text == SESSIONS.name else []

    assert find_existing(SESSIONS, search, FILES) == ()
    assert len(asked) == 3
    assert asked[0].endswith("A session MUST be stored with its owner.")
    assert asked[2].endswith("User session management in use")


def test_further_files_are_nearly_as_good_as_the_first() -> None:
    near = code_hit("internal/session/clock.go", "SessionStored", score=0.75)
    far = near._replace(score=0.6)
    assert len(found(code_hit(STORE, "SaveSession"), near)) == 2
    assert len(found(code_hit(STORE, "SaveSession"), far)) == 1


def test_a_file_that_the_requirement_names_comes_first() -> None:
    (one,) = planned(("Mail", "Mails MUST be sent by `mail/send.go:12`, not by `other/x.go`."))
    (named,) = found(one=one)
    assert named == ReusedCode("internal/mail/send.go", (), "the requirement names it")


def test_other_files_do_not_count() -> None:
    assert found(code_hit("tests/session_store_test.go", "TestSessionStore")) == ()


def test_merged_files_have_all_places() -> None:
    first = ReusedCode("a", (CodePlace("x", 1, 2),), "one")
    second = ReusedCode("a", (CodePlace("y", 5, 6), CodePlace("x", 1, 2)), "two")
    other = ReusedCode("b", (), "three")
    assert merge_existing([first, second, other]) == (
        ReusedCode("a", (CodePlace("x", 1, 2), CodePlace("y", 5, 6)), "one"),
        other,
    )

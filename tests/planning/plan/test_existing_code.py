from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.existing_code import find_existing, merge_existing
from sdd_hooks.planning.plan.story import CodePlace, ReusedCode
from tests.planning.plan.specs import code_base, planned

STORE = "internal/session/store.go"
# What the requirement's own scenario has: no name of the file has a word of it.
CODE = {
    "internal__session__store": "type Session struct {\n}\n\n// List the sessions of a user.\n"
    "func List() {\n}\n",
    "internal__pay__charge": "// Charge the user of an order.\nfunc Charge() {\n}\n",
    "internal__audit__trail": "func ManageTrail() {\n}\n",
    "internal__export__csv": "func WriteCSV() {\n}\n",
    "internal__note__order": 'func Order() {\n} // Governing: SPEC-0003 REQ "Priority of notes"\n',
    "internal__mail__send": "func Deliver() {\n}\n",
    "tests__session__store": "func TestSession() {\n}\n",
}


@pytest.mark.parametrize(
    ("name", "statement", "paths"),
    [
        ("User session management", "A user MUST be able to revoke one.", [STORE]),
        ("Export as CSV", "The list MUST be written.", ["internal/export/csv.go"]),
        ("Mail", "Mails MUST be sent by `mail/send.go:12`.", ["internal/mail/send.go"]),
        # What spec-kit adds to a name is none of its words, and a governing comment is enough.
        ("Rates of tax (Priority: P1)", "A rate MUST be kept.", []),
        ("Priority of notes", "Notes MUST be ordered.", ["internal/note/order.go"]),
        # Nothing is about it: what any code has says nothing.
        ("User management", "Users MUST be managed.", []),
        ("Tax rates of countries", "A rate MUST be kept.", []),
    ],
)
def test_the_distinctive_words_of_a_requirement_find_its_code(
    name: str, statement: str, paths: list[str]
) -> None:
    (one,) = planned((name, statement))
    assert [found.path for found in find_existing(one, code_base(**CODE))] == paths


def test_a_file_is_found_with_the_definitions_that_share_words() -> None:
    (one,) = planned(("User session management", "A session MUST be listed."))
    (found,) = find_existing(one, code_base(STORE, "tests/session/store.go", **CODE))
    assert found == ReusedCode(
        STORE,
        (CodePlace("Session", 1, 2), CodePlace("List", 4, 6)),
        "both are about session, user",
    )


def test_a_file_that_the_requirement_names_comes_first() -> None:
    (one,) = planned(("Session mail", "Sent by `mail/send.go`, not by `other/x.go`."))
    found = find_existing(one, code_base(**CODE))
    assert (found[0].path, found[0].reason) == ("internal/mail/send.go", "the requirement names it")


def test_merged_files_have_all_places() -> None:
    first = ReusedCode("a", (CodePlace("x", 1, 2),), "one")
    second = ReusedCode("a", (CodePlace("y", 5, 6), CodePlace("x", 1, 2)), "two")
    other = ReusedCode("b", (), "three")
    assert merge_existing([first, second, other]) == (
        ReusedCode("a", (CodePlace("x", 1, 2), CodePlace("y", 5, 6)), "one"),
        other,
    )

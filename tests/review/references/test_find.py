import io
import os
from pathlib import Path

import pytest

from sdd_hooks import tracing
from sdd_hooks.changes.diff import read_change
from sdd_hooks.project.repository import discover
from sdd_hooks.reporting.outcome import References
from sdd_hooks.review.references.asking import question
from sdd_hooks.review.references.asking.confidence import THRESHOLD, ConfidenceFeatures
from sdd_hooks.review.references.evidence.gather import MIN_COMMITS
from sdd_hooks.review.references.find import find_references
from sdd_hooks.review.review import subject_of as make_subject
from sdd_hooks.review.subject import Subject
from tests.review.repositories import Files, subject_of
from tests.support.repos import Repo

OUTBOX = """---
status: accepted
---

# ADR-0007: Sweep the outbox under a lease

## Context

Messages that a crash left in the outbox must be sent once, and only once.

## Decision Outcome

An `OutboxSweeper` sends what is left in the outbox every minute. It takes a lease in
`outbox_lease` before it sends, so that two sweepers never send the same message twice.
Everything about it lives in `src/outbox/`.
"""
STORAGE = """---
status: accepted
---

# ADR-0003: Keep orders in PostgreSQL

## Decision Outcome

Orders, customers and their invoices are kept in PostgreSQL, one schema for each service.
Reports read from a replica. Nightly exports go to the warehouse.
"""
STYLE = """---
status: accepted
---

# ADR-0004: Pages are rendered on the server

## Decision Outcome

Pages are rendered on the server with templates. Scripts add behaviour to what is there.
"""
BEFORE = {
    "docs/adrs/ADR-0003-storage.md": STORAGE,
    "docs/adrs/ADR-0004-pages.md": STYLE,
    "docs/adrs/ADR-0007-outbox.md": OUTBOX,
    "src/outbox/store.py": "# Governing: ADR-0007 (outbox)\nclass Store:\n    pass\n",
    "src/orders/models.py": "# Governing: ADR-0003\nclass Order:\n    pass\n",
    "requirements.txt": "httpx==0.27\n",
}
SWEEPER = '''"""Send what a crash left in the outbox."""


class OutboxSweeper:
    """Sends messages that are left, under a lease in outbox_lease."""

    def sweep(self, store, lease):
        with lease.take("outbox_lease"):
            for message in store.left():
                self.send(message)
'''
AFTER = {"src/outbox/sweeper.py": SWEEPER}


PRICES = {"src/prices.py": "PRICE = 4\n"}
SWEEPING = "Sweep the outbox each minute"


def references(subject: Subject, most: int = 1) -> References:
    return find_references(discover(subject.after.root, os.environ), subject, most)


def names(result: References) -> list[str]:
    return [reference.id for reference in result.suggested]


def test_the_record_that_a_change_should_cite_is_suggested(tmp_path: Path) -> None:
    result = references(subject_of(tmp_path, BEFORE, AFTER, message="Sweep the outbox each minute"))
    assert names(result) == ["ADR-0007"]
    first = result.ranked[0]
    assert first.title == "Sweep the outbox under a lease"
    assert first.section == "Decision Outcome"
    assert not first.referenced
    lines = OUTBOX.split("\n")
    assert first.quote.split(" ", 1)[0] in lines[first.line - 1]
    assert first.quote in " ".join(" ".join(lines[first.line - 1 :]).split())
    assert [reference.id for reference in result.folded] == [
        reference.id for reference in result.ranked[1:3]
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"message": "Sweep the outbox (ADR-0007)"},
        {"message": "Sweep the outbox\n\nRefs: adr 7"},
        {"message": "Sweep the outbox", "body": "As ADR-0007 says."},
        {"message": "Sweep the outbox", "title": "ADR-0007: sweep"},
    ],
)
def test_a_cited_record_is_not_suggested(tmp_path: Path, options: dict[str, str]) -> None:
    result = references(subject_of(tmp_path, BEFORE, AFTER, **options))
    assert result.suggested == result.folded == ()
    assert [reference.id for reference in result.ranked if reference.referenced] == ["ADR-0007"]


def test_a_governing_comment_cites_a_record(tmp_path: Path) -> None:
    after = {"src/outbox/sweeper.py": "# Governing: ADR-0007 (lease)\n" + SWEEPER}
    assert not references(subject_of(tmp_path, BEFORE, after, message="Sweep")).suggested


TYPES = """---
status: accepted
---

# ADR-0009: Types are shared

## Context

`src/style.css` must be fast.

## Decision Outcome

Types must stay in sync with `src/types.js`. We build `src/build.js`.
"""
NAMED = {**BEFORE, "docs/adrs/ADR-0009-types.md": TYPES, "src/types.js": "exports.a = 1;\n"}


@pytest.mark.parametrize(
    ("after", "message", "asked"),
    [
        ({"src/types.js": "exports.b = 2;\n"}, "Change it", True),
        ({"src/types.js": None}, "Drop it", True),
        ({"src/types.js": "exports.b = 2;\n"}, "chore: tidy", False),
        ({"src/types.js": "exports.b = 2;\n"}, "Change it\n\nADR-Exempt: a rename", False),
        ({"src/types.js": "exports.b = 2;\n"}, "Change it\n\nRefs: ADR-0009", False),
        ({"src/build.js": "run();\n"}, "Change it", False),
        ({"src/style.css": "b { margin: 0 }\n"}, "Change it", False),
    ],
)
def test_a_rule_about_a_changed_file_is_asked_about(
    tmp_path: Path, after: Files, message: str, asked: bool
) -> None:
    result = references(subject_of(tmp_path, NAMED, after, message=message))
    assert [one.id for one in result.suggested] == ["ADR-0009"] * asked
    for one in result.suggested:
        assert one.quote == "Types must stay in sync with `src/types.js`."
        assert one.line == TYPES.split("\n").index(f"{one.quote} We build `src/build.js`.") + 1
        reason = "it has a rule about src/types.js, which the change touches"
        assert one.evidence[0].detail == reason


def test_a_file_that_most_changes_touch_is_not_asked_about(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, NAMED, {"src/types.js": "exports.z = 2;\n"}, message="Change it")
    repo = Repo(subject.after.root)
    for number in range(MIN_COMMITS):
        repo.commit(f"Change {number}", {"src/types.js": f"exports.a = {number};\n"})
    base = repo.head()
    repo.commit("Change it", {"src/types.js": "exports.y = 3;\n"})
    change = read_change(repo.handle, base, repo.head())
    assert not references(make_subject(repo.project(), change)).suggested


def test_a_copy_is_neither_ranked_nor_suggested(tmp_path: Path) -> None:
    superseded = STYLE.replace("accepted", "superseded by ADR-0007")
    copy = {"docs/adrs/site/ADR-0007-outbox.md": f"{OUTBOX}\n[Source](../ADR-0007-outbox.md)\n"}
    before = {**BEFORE, **copy, "docs/adrs/ADR-0004-pages.md": superseded}
    result = references(subject_of(tmp_path, before, AFTER, message="Sweep the outbox each minute"))
    assert [one.path for one in result.suggested] == ["docs/adrs/ADR-0007-outbox.md"]
    assert sorted(one.id for one in result.ranked) == ["ADR-0003", "ADR-0004", "ADR-0007"]
    assert [one.id for one in result.folded] == ["ADR-0003"]


def test_a_change_of_a_copy_cites_its_original(tmp_path: Path) -> None:
    path = "docs/adrs/site/ADR-0007-outbox.md"
    after = {**AFTER, path: OUTBOX.replace("every minute", "every second")}
    subject = subject_of(tmp_path, {**BEFORE, path: OUTBOX}, after, message="Sweep the outbox")
    result = references(subject)
    assert result.suggested == ()
    assert [one.path for one in result.governing] == ["docs/adrs/ADR-0007-outbox.md"]


def test_a_trailer_prevents_suggestions_and_is_reported(tmp_path: Path) -> None:
    message = "Sweep the outbox\n\nADR-Exempt: a spike, thrown away tomorrow"
    result = references(subject_of(tmp_path, BEFORE, AFTER, message=message))
    assert result.suggested == ()
    assert result.silenced == "ADR-Exempt: a spike, thrown away tomorrow"
    assert result.ranked[0].id == "ADR-0007"


def test_a_trivial_change_has_no_suggestion(tmp_path: Path) -> None:
    after = {"requirements.txt": "httpx==0.28\n"}
    result = references(subject_of(tmp_path, BEFORE, after, message="Bump httpx from 0.27 to 0.28"))
    assert result.suggested == ()


def test_a_reformatted_file_has_no_suggestion(tmp_path: Path) -> None:
    before = {**BEFORE, "src/outbox/sweeper.py": SWEEPER}
    after = {"src/outbox/sweeper.py": SWEEPER.replace("    ", "\t")}
    result = references(subject_of(tmp_path, before, after, message="Sweep the outbox each minute"))
    assert result.suggested == ()
    after = {"src/outbox/sweeper.py": SWEEPER.replace("left()", "unsent()")}
    result = references(subject_of(tmp_path / "2", before, after, message="Sweep the outbox lease"))
    assert names(result) == ["ADR-0007"]


def test_what_replaced_the_record_is_suggested_in_its_place(tmp_path: Path) -> None:
    before = {
        **BEFORE,
        "docs/adrs/ADR-0007-outbox.md": OUTBOX.replace("accepted", "superseded by ADR-0011"),
        "docs/adrs/ADR-0011-inbox.md": "---\nstatus: accepted\n---\n\n# ADR-0011: Send through it"
        "\n\n## Decision Outcome\n\nA broker is asked.\n",
    }
    result = references(subject_of(tmp_path, before, AFTER, message="Sweep the outbox each minute"))
    assert result.ranked[0].id == "ADR-0007"
    assert names(result) == ["ADR-0011"]


def test_more_are_suggested_where_more_are_wanted(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, AFTER, message="Sweep the outbox each minute")
    result = references(subject, most=2)
    assert names(result) == ["ADR-0007", result.ranked[1].id]
    assert len(result.folded) == 1


def test_a_repository_without_records_has_no_references(tmp_path: Path) -> None:
    result = references(subject_of(tmp_path, {"a.py": "\n"}, {"a.py": "x\n"}))
    silence = "nothing to compare with: no decision record in docs/adrs/"
    assert result == References(silence=silence)
    assert result.compared_nothing


@pytest.mark.parametrize(
    ("status", "after", "silence"),
    [
        (
            "accepted",
            {"src/orders/list.py": "value = 4\n"},
            "3 decisions compared with 1 file: none fits well enough. Nearest: ADR-0003 (Keep"
            " orders in PostgreSQL), since a file beside the change mentions it",
        ),
        ("superseded", PRICES, "nothing to compare with: none of 3 decisions is in force"),
        (
            "accepted",
            {"package-lock.json": "{}\n"},
            "nothing to compare: the change has only white space and generated files",
        ),
        ("accepted", AFTER, ""),
    ],
)
def test_a_review_that_asks_nothing_says_what_it_compared(
    tmp_path: Path, status: str, after: Files, silence: str
) -> None:
    before = {path: text.replace("accepted", status) for path, text in BEFORE.items()}
    message = SWEEPING if after is AFTER else "Tidy"
    result = references(subject_of(tmp_path, before, after, message=message))
    assert result.silence == silence
    assert result.compared_nothing == (status != "accepted")


def test_the_result_is_the_same_with_and_without_a_cache(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, AFTER, message="Sweep the outbox each minute")
    (subject.after.root / ".sdd").mkdir()
    assert references(subject) == references(subject)


def test_hostile_records_and_changes_are_ranked(tmp_path: Path) -> None:
    hostile = "# ADR-0001: " + "`a" * 5_000 + "\n\n## Decision\n\n" + "a/" * 50_000 + "x\n"
    before = {
        **BEFORE,
        "docs/adrs/ADR-0001-h.md": hostile,
        "docs/adrs/ADR-0002-e.md": "",
        "docs/adrs/ADR-0005-n.md": "# ADR-0005\n\n" + "\x1b[31m<b>\u202e ADR-0005 " * 100,
        "docs/adrs/ADR-0006-b.md": b"\xff\xfe# ADR-0006: \x00\xd8\n",
    }
    after = {
        "src/x.py": "a" * 200_000 + "\n" + "a." * 100_000,
        "docs/adrs/ADR-0007-outbox.md": None,
    }
    result = references(subject_of(tmp_path, before, after, title="a/" * 20_000))
    assert len(result.ranked) >= 4


def test_a_section_with_a_sentence_is_quoted_before_a_title(tmp_path: Path) -> None:
    """The title has the most words of the change, and no sentence."""
    record = OUTBOX.replace("Sweep the outbox under a lease", "OutboxSweeper outbox_lease sweep")
    before = {**BEFORE, "docs/adrs/ADR-0007-outbox.md": record}
    subject = subject_of(tmp_path, before, AFTER, message="OutboxSweeper outbox_lease sweep")
    (first,) = references(subject).suggested
    assert first.section == "Decision Outcome"
    assert first.quote


def test_a_record_is_not_suggested_without_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "THRESHOLD", 0.0)
    with_reason = subject_of(tmp_path / "with", BEFORE, AFTER, message="Sweep the outbox")
    assert references(with_reason).suggested
    after = {"src/x.py": "value = 1\n"}
    without = references(subject_of(tmp_path / "without", BEFORE, after, message="Tidy"))
    assert without.suggested == without.folded == ()


@pytest.mark.parametrize(
    ("message", "after", "most", "reason"),
    [
        (SWEEPING, AFTER, 1, ""),
        (SWEEPING, AFTER, 0, "`Max Suggestions` is reached"),
        (f"{SWEEPING} (ADR-0007)", AFTER, 1, "the change names or edits it"),
        (
            f"{SWEEPING}\n\nADR-Exempt: a spike",
            AFTER,
            1,
            "a trailer of the change asks for no suggestion",
        ),
        ("chore: raise a price", PRICES, 1, "the probability is below the threshold"),
        (
            "Lock it",
            {"package-lock.json": "{}\n"},
            1,
            "the change has only white space and generated files",
        ),
    ],
)
def test_a_review_says_why_it_asks_and_why_not(
    tmp_path: Path, message: str, after: Files, most: int, reason: str
) -> None:
    stream = io.StringIO()
    tracing.enable(stream)
    try:
        first, *others = references(
            subject_of(tmp_path, BEFORE, after, message=message), most
        ).ranked
    finally:
        tracing.disable()
    assert first.confidence is not None
    assert first.why_not == reason
    assert first.suggested == (reason == "")
    assert first.confidence.threshold == THRESHOLD
    assert [name for name, _ in first.confidence.features] == [*ConfidenceFeatures._fields]
    probable = first.confidence.probability >= THRESHOLD
    assert probable or reason.startswith(("the probability", "the change has only"))
    assert {one.why_not for one in others} <= {
        "another record comes first",
        "`Max Suggestions` is reached",
    }
    (line,) = [line for line in stream.getvalue().splitlines() if "question" in line]
    assert f"question {first.id}: {'not asked' if reason else 'asked'}" in line
    assert f"probability {first.confidence.probability:.2f}, threshold {THRESHOLD:.2f}; " in line


def test_a_record_in_place_of_a_superseded_one_has_the_confidence_in_that(tmp_path: Path) -> None:
    outdated = OUTBOX.replace("accepted", "superseded by ADR-0011")
    newer = "---\nstatus: accepted\n---\n\n# ADR-0011: Ask a broker\n\nA broker is asked.\n"
    before = {
        **BEFORE,
        "docs/adrs/ADR-0007-outbox.md": outdated,
        "docs/adrs/ADR-0011-broker.md": newer,
    }
    result = references(subject_of(tmp_path, before, AFTER, message=SWEEPING))
    (asked,) = result.suggested
    assert (asked.id, result.ranked[0].id) == ("ADR-0011", "ADR-0007")
    assert asked.confidence == result.ranked[0].confidence is not None
    assert result.ranked[0].why_not == "it is not in force: what replaces it is asked about"


SUBJECTS = {
    "Add CDN route": "Static files are served by a route of the CDN, which `terraform` describes.",
    "Connection pool for each worker": "A worker has a pool of ten connections, and waits for one.",
    "Do not use moment": "Dates are handled by the platform. moment is not imported in new code.",
    "Protected paths": "A tool refuses to write below these without a confirmation by a person.",
    "Use Auth0 for authentication": "Users sign in with Auth0, and the web client has its library.",
    "Queue for emails": "Emails are sent by a queue with retries, and not in the request.",
}
UNCITED = {
    **{
        f"docs/adr/{number:04}-{title.lower().replace(' ', '-')}.md": f"# {number}. {title}\n\n"
        f"## Status\n\nAccepted\n\n## Decision\n\n{text}\n\n## Consequences\n\nWe keep to it.\n"
        for number, (title, text) in enumerate(SUBJECTS.items(), 1)
    },
    "terraform/cdn-route.tf": 'resource "cdn_route" "static" {\n  origin = "files"\n}\n',
    "src/pool.py": "def take(free):\n    return free.pop()\n",
    "src/dates.ts": 'import { day } from "./day";\n',
    "src/label.py": "LABEL = 1\n",
    "package.json": '{"dependencies": {"auth0-spa-js": "^1"}}\n',
}


@pytest.mark.parametrize(
    ("title", "after", "number"),
    [
        ("Remove the CDN route", {"terraform/cdn-route.tf": None}, "0001"),
        ("Clean up terraform", {"terraform/cdn-route.tf": None}, "0001"),
        (
            "Connection pool fix",
            {"src/pool.py": "def take(free):\n    return free.pop() if free else wait(free)\n"},
            "0002",
        ),
        (
            "Format dates by locale",
            {"src/dates.ts": 'import moment from "moment";\nexport const day = moment();\n'},
            "0003",
        ),
        (
            "Check a protected path",
            {"src/write.py": "def write(path):\n    # Confirm below protected paths.\n"},
            "0004",
        ),
        (
            "feat!: Replace Auth0 with Keycloak",
            {"package.json": '{"dependencies": {"keycloak-js": "^24"}}\n'},
            "0005",
        ),
        ("Rename a label", {"src/label.py": "TITLE = 1\n"}, ""),
        ("chore: remove what is unused", {"src/label.py": None}, ""),
    ],
)
def test_a_record_that_nothing_cites_is_asked_about_by_its_subject(
    tmp_path: Path, title: str, after: Files, number: str
) -> None:
    result = references(subject_of(tmp_path, UNCITED, after, message=title))
    assert [one.path.split("/")[-1][:4] for one in result.suggested] == [number] * bool(number)
    assert dict(result.ranked[0].confidence.features)["cites"] == 0.0


@pytest.mark.parametrize("form", ["{}", "https://git.example/team/app/blob/main/{}"])
def test_a_record_that_is_the_page_of_a_folder_is_cited_by_its_path(
    tmp_path: Path, form: str
) -> None:
    path = "docs/adr/keep-orders/README.md"
    text = STORAGE.replace("ADR-0003: ", "")
    before = {path: text, "docs/adr/draw-pages/README.md": STYLE.replace("ADR-0004: ", "")}
    message = f"Rename an order\n\nSee {form.format(path)}"
    subject = subject_of(tmp_path, before, {"src/orders.py": "ORDER = 1\n"}, message=message)
    assert {one.path for one in references(subject).ranked if one.referenced} == {path}

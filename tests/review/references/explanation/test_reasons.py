import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.changes.diff import read_change
from sdd_hooks.project.repository import discover
from sdd_hooks.reporting.outcome import Candidate, Evidence
from sdd_hooks.review.references.explanation.reasons import MAX_REASONS
from sdd_hooks.review.references.find import find_references
from sdd_hooks.review.review import subject_of as subject_of_change
from sdd_hooks.review.subject import Subject
from tests.review.references.test_find import BEFORE, OUTBOX, SWEEPER
from tests.review.repositories import Files, subject_of
from tests.support.repos import Repo

PLAIN_OUTBOX = OUTBOX.replace("Everything about it lives in `src/outbox/`.\n", "")
PLAIN = {
    "docs/adrs/ADR-0003-storage.md": BEFORE["docs/adrs/ADR-0003-storage.md"],
    "docs/adrs/ADR-0007-outbox.md": PLAIN_OUTBOX,
    "src/other/store.py": "class Store:\n    pass\n",
}
SPEC = "---\nimplements: [ADR-0007]\n---\n\n# SPEC-0004: Outbox\n"


def outbox_of(subject: Subject) -> Candidate:
    """The candidate ADR-0007 of a review."""
    repository = discover(subject.after.root, os.environ)
    ranked = find_references(repository, subject, 1).ranked
    candidate = next(one for one in ranked if one.id == "ADR-0007")
    assert len(candidate.evidence) <= MAX_REASONS
    for evidence in candidate.evidence:
        check_place(subject, evidence)
    return candidate


def reasons_of(subject: Subject) -> Mapping[str, Evidence]:
    return {evidence.kind: evidence for evidence in outbox_of(subject).evidence}


def line_of(subject: Subject, evidence: Evidence) -> str:
    return subject.text(evidence.path).split("\n")[evidence.line - 1]


def check_place(subject: Subject, evidence: Evidence) -> None:
    """The line at the place contains what the evidence says."""
    if not evidence.path:
        assert evidence.kind in {"history", "messages"}
        return
    line = line_of(subject, evidence)
    if found := re.search(r"(?:in common|in it|side by side): (.+)$", evidence.detail):
        plain = line.replace("*", "")
        assert all(word in plain for word in found[1].split(", ")), (evidence, line)
    elif found := re.search(r"^it names ([^,]+), ", evidence.detail):
        assert found[1] in line, (evidence, line)
    elif found := re.search(r"mentions (it|SPEC-[0-9]+)", evidence.detail):
        assert (found[1] if found[1] != "it" else "ADR-0007") in line, (evidence, line)
    else:
        assert evidence.kind == "links"
        assert "ADR-0007" in line, (evidence, line)


def change(tmp_path: Path, after: Files, before: Files = PLAIN, message: str = "Change") -> Subject:
    files = {path: content for path, content in before.items() if content is not None}
    return subject_of(tmp_path, files, after, message=message)


def test_a_record_has_its_most_specific_reasons(tmp_path: Path) -> None:
    after = {"src/outbox/sweeper.py": SWEEPER}
    reasons = reasons_of(change(tmp_path, after, BEFORE, "Sweep the outbox each minute"))
    assert list(reasons) == ["identifiers", "paths", "neighbours"]
    assert reasons["identifiers"].detail == "it names OutboxSweeper, which the change touches"
    assert reasons["paths"].detail == "it names src/outbox, where a changed file lies"
    assert reasons["neighbours"].detail == "a file beside the change mentions it"


def test_a_named_file_is_one_that_the_change_touches(tmp_path: Path) -> None:
    before = {**PLAIN, "docs/adrs/ADR-0007-outbox.md": PLAIN_OUTBOX + "\nSee `other/store.py`.\n"}
    reasons = reasons_of(change(tmp_path, {"src/other/store.py": "x = 1\n"}, before))
    assert reasons["paths"].detail == "it names other/store.py, which the change touches"


def test_a_longer_path_is_not_taken_for_the_named_one(tmp_path: Path) -> None:
    text = OUTBOX.replace(
        "## Context\n", "## Context\n\nNot `src/outbox/later` or `old/src/outbox`.\n"
    )
    before = {**BEFORE, "docs/adrs/ADR-0007-outbox.md": text}
    paths = reasons_of(change(tmp_path, {"src/outbox/sweeper.py": SWEEPER}, before))["paths"]
    assert text.split("\n")[paths.line - 1].startswith("Everything about it")


def test_a_directory_with_most_of_the_files_is_no_reason(tmp_path: Path) -> None:
    before = {
        **PLAIN,
        "docs/adrs/ADR-0007-outbox.md": PLAIN_OUTBOX + "\nIt lives in `src/shop/`.\n",
        **{f"src/shop/part{number}.py": "x = 1\n" for number in range(20)},
    }
    assert "paths" not in reasons_of(change(tmp_path, {"src/shop/part1.py": "y = 2\n"}, before))


def test_shared_words_of_any_code_are_no_reason(tmp_path: Path) -> None:
    words = "get the error, fmt a byte, set the value of the result and return a string list"
    before = {
        **PLAIN,
        "docs/adrs/ADR-0007-outbox.md": f"# ADR-0007: Fields\n\n## Decision\n\nWe {words}.\n",
    }
    after = {"src/x.py": f"# {words}\n"}
    assert not reasons_of(change(tmp_path, after, before, f"Fix: {words}"))


def test_words_that_most_files_have_are_no_reason(tmp_path: Path) -> None:
    files = {f"src/part{number}.py": "sweeper = lease\n" for number in range(20)}
    after = {"src/x.py": "sweeper = lease\n"}
    message = "A sweeper and a lease"
    assert list(reasons_of(change(tmp_path / "few", after, PLAIN, message))) == ["words"]
    assert not reasons_of(change(tmp_path / "many", after, {**PLAIN, **files}, message))


def test_words_are_listed_as_the_record_spells_them(tmp_path: Path) -> None:
    after = {"src/x.py": "# an outboxsweeper sends messages of the outbox each minute\n"}
    words = reasons_of(change(tmp_path, after))["words"]
    assert "OutboxSweeper" in words.detail or "outbox" in words.detail


def test_a_name_and_its_parts_are_listed_once(tmp_path: Path) -> None:
    after = {"src/x.py": "# the OutboxSweeper sends messages of the outbox each minute\n"}
    listed = reasons_of(change(tmp_path, after))["words"].detail.partition(": ")[2].split(", ")
    lowered = [word.lower() for word in listed]
    assert not any(one in other for one in lowered for other in lowered if one != other)


def test_a_mention_has_its_line_after_the_change(tmp_path: Path) -> None:
    text = "# Governing: ADR-0007\nclass Store:\n    pass\n"
    before = {**PLAIN, "src/other/store.py": text}
    subject = change(tmp_path, {"src/other/store.py": f"import os\nimport re\n{text}"}, before)
    comments = reasons_of(subject)["comments"]
    assert (comments.path, comments.line) == ("src/other/store.py", 3)


def test_a_removed_mention_is_no_reason(tmp_path: Path) -> None:
    before = {**PLAIN, "src/other/store.py": "# Governing: ADR-0007\nclass Store:\n    pass\n"}
    subject = change(tmp_path, {"src/other/store.py": "class Store:\n    x = 1\n"}, before)
    assert "comments" not in reasons_of(subject)


def test_a_mention_of_a_spec_says_so(tmp_path: Path) -> None:
    before = {
        **PLAIN,
        "docs/openspec/specs/outbox/spec.md": SPEC,
        "docs/openspec/specs/outbox/design.md": "# Design of SPEC-0004: O\n",
        "src/other/store.py": "# Governing: SPEC-0004\nclass Store:\n    pass\n",
    }
    after = {"src/other/store.py": "# Governing: SPEC-0004\nclass Store:\n    x = 1\n"}
    comments = reasons_of(change(tmp_path, after, before))["comments"]
    assert comments.detail == "a changed file mentions SPEC-0004, which refers to it"


def test_a_record_that_names_another_one_has_the_line(tmp_path: Path) -> None:
    naming = "# ADR-0009: Relay\n\n## Decision\n\nThe relay reads rows.\n\nIt extends ADR-0007.\n"
    before = {
        **PLAIN,
        "docs/adrs/ADR-0007-outbox.md": "# ADR-0007: Queues\n\n## Decision\n\nRabbits only.\n",
        "docs/adrs/ADR-0009-relay.md": naming,
    }
    after = {"src/relay.py": "# the relay reads rows\n"}
    links = reasons_of(change(tmp_path, after, before, "Relay rows"))["links"]
    assert links.detail == "ADR-0009, which fits as well, names it"
    assert (links.path, links.line) == ("docs/adrs/ADR-0009-relay.md", 7)


@pytest.mark.parametrize("touched", [True, False])
def test_earlier_commits_are_named(tmp_path: Path, *, touched: bool) -> None:
    repo = Repo.init(tmp_path / "repo")
    for path, content in PLAIN.items():
        repo.write(path, content)
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.commit("Before")
    path = "src/other/store.py" if touched else "src/far/away.py"
    repo.write(path, "a = 1\n")
    named = repo.commit("Lease rabbits to the hutch\n\nRefs: ADR-0007")
    base = repo.head()
    repo.write("src/other/store.py", "b = 2\n")
    head = repo.commit("Rabbits leave the hutch")
    subject = subject_of_change(repo.project(), read_change(repo.handle, base, head))
    reasons = reasons_of(subject)
    kind = "history" if touched else "messages"
    start = (
        "an earlier commit to src/other/store.py" if touched else "a commit about hutch, rabbits"
    )
    assert reasons[kind].detail == f"{start} named it: `{named[:10]}` “Lease rabbits to the hutch”"


def test_a_commit_that_names_many_records_is_no_reason(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    for path, content in PLAIN.items():
        repo.write(path, content)
    for number in range(20, 31):
        repo.write(f"docs/adrs/ADR-{number:04}-x.md", f"# ADR-{number:04}: Topic {number}\n")
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.commit("Keep rabbits in the hutch: ADR-0007, ADR-0020..0030")
    base = repo.head()
    repo.write("src/other/store.py", "b = 2\n")
    head = repo.commit("Rabbits leave the hutch")
    subject = subject_of_change(repo.project(), read_change(repo.handle, base, head))
    assert not {"history", "messages"} & set(reasons_of(subject))


def test_words_that_another_reason_has_are_listed_once(tmp_path: Path) -> None:
    after = {"src/x.py": "sweeper = OutboxSweeper()\n"}
    reasons = reasons_of(change(tmp_path, after, message="Start the outbox sweeper"))
    assert reasons["identifiers"].detail == "it names OutboxSweeper, which the change touches"
    assert "phrases" not in reasons


def test_a_phrase_of_common_words_is_a_reason_if_there_is_no_other(tmp_path: Path) -> None:
    record = "# ADR-0007: Ledgers\n\n## Decision\n\nThe paper ledger is kept.\n"
    files = {f"src/part{number}.py": "paper = ledger\n" for number in range(20)}
    before = {**PLAIN, **files, "docs/adrs/ADR-0007-outbox.md": record}
    after = {"src/x.py": "ledger = paper\n"}
    reasons = reasons_of(change(tmp_path, after, before, "Keep the paper ledger"))
    assert list(reasons) == ["phrases"]
    assert reasons["phrases"].detail.endswith("side by side: paper ledger")


def test_the_parts_of_a_hash_are_no_words(tmp_path: Path) -> None:
    key = "hxIQHTEzCMWXHtPF2p8bf4Bxb0C6X6FkVTKJJDO3MCF"
    record = f"# ADR-0007: Keys\n\n## Decision\n\nThe signer has the ledger key {key}.\n"
    before = {**PLAIN, "docs/adrs/ADR-0007-outbox.md": record}
    after = {"src/x.py": f'ledger = "{key}"\n'}
    reasons = reasons_of(change(tmp_path, after, before, "Sign with the ledger"))
    assert reasons["identifiers"].detail == f"it names {key}, which the change touches"
    assert reasons["words"].detail == "words in common: ledger"


def test_a_record_that_fits_much_less_is_no_reason_for_those_that_it_names(tmp_path: Path) -> None:
    naming = "# ADR-0009: Colours\n\n## Decision\n\nButtons are blue. It extends ADR-0007.\n"
    before = {**PLAIN, "docs/adrs/ADR-0009-colours.md": naming}
    after = {"src/x.py": "# an OutboxSweeper takes a lease of the outbox before it sends\n"}
    subject = change(tmp_path, after, before, "Sweep the outbox")
    candidate = outbox_of(subject)
    assert "links" not in {one.kind for one in candidate.evidence}


def test_a_path_is_a_reason_once_and_another_file_is_not_touched(tmp_path: Path) -> None:
    record = PLAIN_OUTBOX + "\nSee `src/other/store.py` and `tools/outbox/sweep.py`.\n"
    before = {**PLAIN, "docs/adrs/ADR-0007-outbox.md": record}
    own = {"src/other/store.py": "# src/other/store.py keeps it\n"}
    found = outbox_of(change(tmp_path / "own", own, before)).evidence
    assert [one.detail for one in found if "store.py" in one.detail] == [
        "it names src/other/store.py, which the change touches"
    ]
    other = {"src/x.py": "# as tools/outbox/sweep.py does\n"}
    reasons = reasons_of(change(tmp_path / "other", other, before))
    expected = "it names tools/outbox/sweep.py, and so does a changed line"
    assert reasons["identifiers"].detail == expected


@pytest.mark.parametrize("name", ["utf-8", "v0.21.1", "ubuntu-latest"])
def test_an_encoding_a_version_or_a_platform_is_no_name(tmp_path: Path, name: str) -> None:
    record = PLAIN_OUTBOX + f"\nIt has `{name}`.\n"
    before = {**PLAIN, "docs/adrs/ADR-0007-outbox.md": record}
    subject = change(tmp_path, {"src/x.py": f"outbox('{name}')\n"}, before, "Sweep the outbox")
    assert "identifiers" not in reasons_of(subject)


def test_a_phrase_is_printed_without_emphasis(tmp_path: Path) -> None:
    record = "# ADR-0007: Ledgers\n\n## Decision\n\nA paper **ledger** is on the desk.\n"
    before = {**PLAIN, "docs/adrs/ADR-0007-outbox.md": record}
    reasons = reasons_of(change(tmp_path, {"src/x.py": "x = 1\n"}, before, "Keep the paper ledger"))
    assert reasons["phrases"].detail.endswith("side by side: paper ledger")


def test_a_file_that_lists_records_is_no_reason(tmp_path: Path) -> None:
    listed = "".join(f"- docs/adrs/ADR-{number:04} ADR-{number}\n" for number in range(1, 20))
    records = {
        f"docs/adrs/ADR-{number:04}-x.md": f"# ADR-{number:04}: Page {number}\n\nA page.\n"
        for number in range(8, 20)
    }
    before = {**PLAIN, **records, "src/other/nav.yml": listed}
    reasons = reasons_of(change(tmp_path, {"src/other/store.py": SWEEPER}, before))
    assert "neighbours" not in reasons


def test_the_history_of_a_lock_file_is_no_reason(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    for path, content in PLAIN.items():
        repo.write(path, content)
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.commit("Before")
    repo.write("Cargo.lock", "a\n")
    repo.commit("Lease rabbits to the hutch\n\nRefs: ADR-0007")
    base = repo.head()
    repo.write("Cargo.lock", "b\n")
    repo.write("src/x.py", "sweeper = OutboxSweeper()\n")
    head = repo.commit("Rabbits leave the hutch")
    subject = subject_of_change(repo.project(), read_change(repo.handle, base, head))
    reasons = reasons_of(subject)
    assert "history" not in reasons
    assert "identifiers" in reasons


def test_a_commit_is_named_once(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    for path, content in PLAIN.items():
        repo.write(path, content)
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.commit("Before")
    repo.write("src/other/store.py", "a = 1\n")
    named = repo.commit("Lease rabbits to the hutch\n\nRefs: ADR-0007")
    base = repo.head()
    repo.write("src/other/store.py", "b = 2\n")
    head = repo.commit("Rabbits leave the hutch")
    subject = subject_of_change(repo.project(), read_change(repo.handle, base, head))
    details = [one.detail for one in outbox_of(subject).evidence]
    assert sum(named[:10] in detail for detail in details) == 1

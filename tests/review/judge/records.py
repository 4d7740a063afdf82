"""A repository with three records, and a change that concerns two of them."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.reporting.outcome import Candidate, Evidence, References
from sdd_hooks.review.judge.records import RecordText, select_records
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of

TOKENS = "docs/adrs/ADR-0001-encrypt-tokens.md"
QUEUE = "docs/adrs/ADR-0002-one-queue.md"
OLD = "docs/adrs/ADR-0003-old-queue.md"
SPEC = "docs/openspec/specs/login/spec.md"

MUST = "Tokens MUST NOT be stored in plain text."
SHOULD = "A queue SHOULD be the shared one."
PLAIN = "Operators read the database now and then."
SPEC_MUST = "A login MUST end after an hour."

RECORDS = {
    TOKENS: f"""---
status: accepted
---

# ADR-0001: Encrypt tokens at rest

## Context

{PLAIN}

## Decision Outcome

{MUST} The vault holds their key.
""",
    QUEUE: f"""---
status: accepted
---

# ADR-0002: One queue

## Decision Outcome

{SHOULD}
""",
    OLD: """---
status: superseded
---

# ADR-0003: A queue for each service

## Decision Outcome

Every service MUST have a separate queue.
""",
    SPEC: f"""# SPEC-0004: Login

## Requirements

### Requirement: Expiry

{SPEC_MUST}

#### Scenario: An hour later

- WHEN an hour has passed
- THEN the login is gone
""",
    "docs/openspec/specs/login/design.md": "# SPEC-0004: Login\n\nDesign.\n",
}

STORE = "    database.write(token)"
CODE = f"def save(token):\n{STORE}\n"


def subject(tmp_path: Path, code: str = CODE, body: str = "It is simpler.") -> Subject:
    """The subject of a change that adds `src/tokens.py`."""
    return subject_of(tmp_path, RECORDS, {"src/tokens.py": code}, title="Keep tokens", body=body)


def references(*, suggested: str = "", referenced: str = "", silenced: str = "") -> References:
    """A ranking of every ADR, with the suggested and the referenced one."""
    ranked = (
        Candidate(QUEUE, "ADR-0002", "One queue", 0.8, evidence=(Evidence("words", "queue"),)),
        Candidate(TOKENS, "ADR-0001", "Encrypt tokens at rest", 0.5),
        Candidate(OLD, "ADR-0003", "A queue for each service", 0.3),
    )
    marked = tuple(
        reference._replace(
            suggested=reference.path == suggested, referenced=reference.path == referenced
        )
        for reference in ranked
    )
    return References(marked, silenced=silenced)


def candidates(subject: Subject) -> list[RecordText]:
    """The records that a model can choose from."""
    return select_records(subject, references().ranked, 20)

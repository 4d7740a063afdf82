"""Draft a specification: the pair of spec.md and design.md, with a requirement and a scenario."""

# Governing: SPEC-0024 REQ "A specification"

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from sdd_hooks.authoring.record_draft import RecordDraft
from sdd_hooks.text.lazy_regex import lazy_regex

_BOLD_STEP = lazy_regex(r"^[-*] \*\*(?:WHEN|GIVEN|THEN)\*\*", re.MULTILINE)
_PLAIN_STEP = lazy_regex(r"^[-*] (?:WHEN|GIVEN|THEN)\b", re.MULTILINE)


def spec_directory(title: str) -> str:
    """The name of the directory of a specification: its title in kebab case."""
    words = "-".join(re.findall(r"[^\W_]+", title.lower().replace("'", "")))
    return words[:60].rstrip("-") or "spec"


def draft_spec(draft: RecordDraft, samples: Sequence[str]) -> tuple[str, str]:
    """The texts of spec.md and design.md. `samples` are those of the specifications there are."""
    bold = sum(bool(_BOLD_STEP.search(text)) for text in samples)
    plain = sum(bool(_PLAIN_STEP.search(text)) for text in samples)
    when, then = ("WHEN", "THEN") if plain > bold else ("**WHEN**", "**THEN**")
    spec = f"""\
# {draft.id.kind}-{draft.id.number:04d}: {draft.title}

## Overview

<!-- What is the capability, and who needs it? -->

## Requirements

### Requirement: {draft.title}

The system MUST <!-- what it does, in a form that a test can check -->.

#### Scenario: <!-- what happens -->

- {when} <!-- what a user or a system does -->
- {then} <!-- what can be observed -->
"""
    design = f"""\
# Design: {draft.title}

## Context

<!-- What does the design start from? -->

## Decisions

<!-- What is chosen, and why? -->

## Risks

<!-- What can go wrong? -->
"""
    return _with_frontmatter(spec, draft.date), _with_frontmatter(design, draft.date)


def _with_frontmatter(text: str, date: str) -> str:
    # The import is slow, and `sdd adr` does without it.
    import frontmatter

    post = frontmatter.Post(text, None, status="draft", date=datetime.date.fromisoformat(date))
    return frontmatter.dumps(post, sort_keys=False) + "\n"

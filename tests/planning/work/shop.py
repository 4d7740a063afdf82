"""A repository of a shop in Go, with a decision, a specification and code for its sessions."""

from __future__ import annotations

ADR = """\
---
status: accepted
date: 2026-01-02
---

# ADR-0001: Keep user sessions in memory

## Context and Problem Statement

Where do user sessions live?

## Decision Outcome

Chosen option: in memory, because restarts are rare.
"""

SPEC = """\
---
status: approved
implements: [ADR-0001]
---

# SPEC-0001: User sessions

## Requirements

### Requirement: Session lookup

A request with a token MUST be resolved to the id of its user.

#### Scenario: Unknown token

- WHEN a token is unknown
- THEN the request is refused

### Requirement: Session expiry

A session MUST expire after 30 minutes.

#### Scenario: Expired

- WHEN 31 minutes passed
- THEN the lookup fails
"""

PARSE = """\
// Governing: ADR-0001 (sessions)
package auth

import (
\t"strconv"

\t"example.com/shop/internal/errs"
)

// parseUserID reads the numeric id of a user.
func parseUserID(text string) (int64, error) {
\tid, err := strconv.ParseInt(text, 10, 64)
\tif err != nil {
\t\treturn 0, errs.Wrap(err, "user id")
\t}
\treturn id, nil
}
"""

STORE = """\
package session

import "example.com/shop/internal/errs"

// Store keeps sessions.
type Store struct {
\tsessions map[string]int64
}

// Load returns the user of a session.
func (s *Store) Load(token string) (int64, error) {
\tuser, ok := s.sessions[token]
\tif !ok {
\t\treturn 0, errs.Missing("session")
\t}
\treturn user, nil
}
"""

SMALL = """\
package session

import "example.com/shop/internal/errs"

func {name}() error {{
\treturn errs.Missing("{name}")
}}
"""

FILES = {
    "CLAUDE.md": "# Shop\n",
    ".gitignore": ".sdd/\n.claude/\n",
    "docs/adrs/ADR-0001-sessions.md": ADR,
    "docs/openspec/specs/sessions/spec.md": SPEC,
    "docs/openspec/specs/sessions/design.md": "# Design\n\nA map of tokens.\n",
    "internal/auth/parse.go": PARSE,
    "internal/session/store.go": STORE,
    "internal/session/renew.go": SMALL.format(name="renew"),
    "internal/session/revoke.go": SMALL.format(name="revoke"),
    "internal/errs/errs.go": "package errs\n\nfunc Missing(what string) error {\n\treturn nil\n}\n",
}

COPY = """\
package api

import "strconv"

func ParseUserId(value string) (int64, error) {
\tnumber, err := strconv.ParseInt(value, 10, 64)
\tif err != nil {
\t\treturn 0, errs.Wrap(err, "user id")
\t}
\treturn number, nil
}
"""
"""`parseUserID` once more, under another name and with other variables."""

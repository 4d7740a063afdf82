"""`sdd knowledge`: what the team learned, and the table of its commands."""

# Governing: SPEC-0028 (knowledge base)

from __future__ import annotations

import click

from sdd_hooks.cli.shared.lazy import LazyCommand, LazyGroup

COMMANDS = {
    "learn": LazyCommand(
        "knowledge.record:learn", "Record a lesson: what went wrong, and what to do instead."
    ),
    "pattern-save": LazyCommand(
        "knowledge.record:pattern_save", "Save a reusable pattern, to be found by its tags."
    ),
    "lookup": LazyCommand(
        "knowledge.lookup:lookup", "Show the patterns and lessons that have one of the tags."
    ),
    "triage": LazyCommand(
        "knowledge.record:triage",
        "Decide what happens to the drafts in FILE, and do it when it is confirmed.",
    ),
    "rule-update": LazyCommand(
        "knowledge.rules:rule_update",
        'Add a rule to project_rules.md, under "Evolved Conventions".',
    ),
    "log": LazyCommand("knowledge.state:log", "Add an event to .sdd/logs/session.md."),
    "finish": LazyCommand(
        "knowledge.record:finish",
        "Draw lessons from the session log, triage them, and clear the log.",
    ),
    "save": LazyCommand(
        "knowledge.state:save",
        "Save the state of the project to .sdd/context/context.json, with a summary.md.",
    ),
    "load": LazyCommand("knowledge.state:load", "Show the saved state of the project."),
    "delete": LazyCommand(
        "knowledge.entries:delete",
        "Delete a pattern or a lesson, its file and its line in the index.",
    ),
    "reindex": LazyCommand(
        "knowledge.entries:reindex", "Write the index again from every pattern and lesson."
    ),
    "share": LazyCommand(
        "knowledge.entries:share",
        "Move the knowledge base to a directory that git has.",
    ),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def knowledge() -> None:
    """Record patterns and lessons, and find those that matter.

    \b
    Example:
      sdd knowledge learn "Use DECIMAL for currency, not FLOAT" --tags database,money
      sdd knowledge lookup --tags database --phase 'implementing-*'
    """

"""Rules of records about a file that the change touches, by the name of the file."""

# Governing: ADR-0066 (what a record names it governs), SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice

from sdd_hooks.artifacts.named_code import CodePaths, NamedCode, read_named_code
from sdd_hooks.review.references.evidence.context import RepositoryContext
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.system.git import Git

MAX_COMMITS = 100
"""Commits among which those that touch a file are counted, newest first, without merges."""
USUAL_SHARE = 0.15
"""The share of these commits from which a change of a file is usual: a rule says nothing of it."""
MIN_COMMITS = 20
"""Commits from which it is known what is usual."""


def find_file_rules(
    query: ChangeQuery, context: RepositoryContext, git: Git, base: str
) -> Mapping[int, NamedCode]:
    """Find the records in force with a rule that names a changed file, each by its index.

    A file that most changes touch, such as a manifest, has none. Raises GitError.
    """
    files = {file.path for file in query.files}
    names = {path.rpartition("/")[2].lower() for path in files}
    rules: dict[int, NamedCode] = {}
    paths: CodePaths | None = None
    for index, record in enumerate(context.records):
        content = record.content
        is_likely = content.identifiers & names or content.paths & query.path_names.keys()
        if not is_likely or not record.artifact.status.authoritative:
            continue
        paths = paths or CodePaths((*context.paths, *files))
        for named in read_named_code(record.artifact, record.text, paths):
            if named.is_rule and named.path in files:
                rules[index] = named
                break
    if not rules:
        return rules
    usual = _usual_files(git, base)
    return {index: named for index, named in rules.items() if named.path not in usual}


def _usual_files(git: Git, base: str) -> frozenset[str]:
    """The files that many of the latest commits up to `base` touch."""
    options = ("--no-merges", "--no-renames", f"-n{MAX_COMMITS}", "--format=%x01", "--name-only")
    listed = git.output("-c", "core.quotePath=false", "log", "-z", *options, base, "--")
    commits = listed.decode("utf-8", "replace").split("\1")[1:]
    if len(commits) < MIN_COMMITS:
        return frozenset()
    counts = Counter(path.strip("\n") for one in commits for path in {*one.split("\0")})
    usual = (path for path, count in counts.most_common() if count > USUAL_SHARE * len(commits))
    return frozenset(islice(usual, MAX_COMMITS))

"""How many records govern code, and which directories no record governs."""

# Governing: SPEC-0019 REQ "Coverage", SPEC-0019 REQ "Right or silent"

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import chain

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import DecisionCoverage, UncitedRecord
from sdd_hooks.text.display import format_count
from sdd_hooks.text.globs import is_named
from sdd_hooks.text.lazy_regex import lazy_regex

GAP = "coverage-gap"

MIN_FILES = 5
"""Source files of a directory that is a gap."""
MIN_GOVERNED = 0.3
"""The share of the source files that records govern, before a directory without is a gap."""
MAX_FOLDERS, MAX_RECORDS = 80, 3
"""Folders of code that a map shows, and records of each."""
MAX_GAPS = 100
"""Directories that are looked at, the largest first."""
MAX_UNGOVERNED = 12
"""More files without a governing comment count only where as many files have one."""


# A path or a word. An expression that needs a `/` tries each character of a long word.
_TOKEN = lazy_regex(r"[\w.@+-]+(?:/[\w.@+-]+)*")
# No decision is expected about hidden directories, sites of documentation, and texts.
_NO_GAP = lazy_regex(
    r"(?:^|/)(?:\.|(?:(?:docs?|web)[-_]?)?(?:site|website)(?:/|$)|docusaurus(?:/|$)"
    r"|(?:translations?|locales?|i18n|lang|languages|messages|migrations?|alembic|gen|generated)"
    r"(?:/|$))",
    re.IGNORECASE,
)


class NearRecord(NamedTuple):
    """The record that a search finds for a directory, and whether its text names the directory."""

    name: str
    title: str
    names_it: bool


def measure_coverage(audited: Audited) -> DecisionCoverage:
    """Count the records in force that govern code, and the source files that they govern."""
    in_force = [one for one in audited.records if one.status.authoritative]
    cited = {one.path for one in in_force if audited.named_in_code(one)}
    named = {one.path: frozenset(_named_files(audited, one)) for one in in_force}
    stating = (one for one in in_force if audited.applies_to(one).entries or audited.rules_of(one))
    naming = {path for path, files in named.items() if files} | {one.path for one in stating}
    governed = audited.governed.union(*named.values())
    in_scope = [path for path in audited.sources if audited.scope.contains(path)]
    return DecisionCoverage(
        records=len(in_force),
        cited=len(cited),
        stated=len(naming - cited),
        uncited=tuple(
            UncitedRecord(one.name, one.title, one.path)
            for one in in_force
            if one.path not in cited | naming
        ),
        files=len(in_scope),
        governed=sum(path in governed for path in in_scope),
        both=len(naming & cited),
    )


def _named_files(audited: Audited, artifact: Artifact) -> Iterator[str]:
    """The source files that the text of a record names where it decides, alone or by a folder."""
    for named in audited.names_of(artifact):
        if named.governs and named.path in audited.source_set:
            yield named.path
        elif named.governs and named.path[-1] in "/*":
            yield from (path for path in audited.sources if is_named(path, named.path))


def count_folders(audited: Audited) -> Iterator[tuple[str, int, int, list[str]]]:
    """Each of the largest folders of code, by name: its files, and how many of them are governed.

    With the paths of the records in force that govern it above all, by comments, scopes or names in
    their text. The first folder is the whole repository, "".
    """
    governing: dict[str, list[str]] = defaultdict(list)
    for one in audited.corpus.artifacts:
        if one.status.authoritative:
            stated = (*audited.stated_files(one), *_named_files(audited, one))
            for path in {*audited.named_in_code(one), *stated}:
                governing[path].append(one.path)
    bare, total = "", Counter(chain.from_iterable(governing.values()))
    folders: dict[str, list[str]] = defaultdict(list)
    for path in audited.sources:
        for folder in (*_parents(path), ""):
            folders[folder].append(path)
    for folder in sorted(sorted(folders, key=lambda one: -len(folders[one]))[:MAX_FOLDERS]):
        files = folders[folder]
        if bare and folder.startswith(bare):
            continue
        governed = sum(path in governing for path in files)
        # What is in a folder without a decision has none either.
        bare = f"{folder}/" if folder and not governed else ""
        records = Counter(record for path in files for record in governing.get(path, ()))
        # Those that govern much of the folder and little else.
        by = sorted(records, key=lambda one: -(records[one] ** 2) / total[one])[:MAX_RECORDS]
        yield folder, len(files), governed, by


def ungoverned_files(audited: Audited) -> list[str]:
    """The source files that a record names in its text and no record governs, sorted.

    There are none where few files have a governing comment: its absence means nothing there.
    """
    found = [path for path in named_paths(audited) if path not in audited.governed]
    labelled = audited.source_set & {one.path for one in audited.citations.comments}
    return found if labelled and len(found) <= max(MAX_UNGOVERNED, len(labelled)) else []


def named_paths(audited: Audited) -> list[str]:
    """The source files that a record in force names, sorted."""
    in_force = [one for one in audited.corpus.artifacts if one.status.authoritative]
    found = {named.path for one in in_force for named in audited.names_of(one)}
    return sorted(found & audited.source_set)


def _named_directories(audited: Audited) -> frozenset[str]:
    """The directories that records in force name: by paths in them, and by names of two words."""
    found: set[str] = set()
    for one in audited.corpus.artifacts:
        for path in one.paths if one.status.authoritative else ():
            for token in _TOKEN.findall(audited.subject.text(path)):
                named = token.strip(".")
                found.update((named, *_parents(named)) if "/" in named else ())
                found.update(word for word in named.split("/") if "-" in word or "_" in word)
    return frozenset(found)


def find_gaps(audited: Audited, near: Callable[[str], NearRecord | None]) -> Iterator[Finding]:
    """Find the directories of code that no record governs, where records govern most of it.

    `near` searches the index for a directory. One that the record found names is no gap.
    """
    governed = audited.governed
    if len(governed) < max(1, MIN_GOVERNED * len(audited.sources)):
        return
    gaps = [one for one in _ungoverned(audited, governed) if not _NO_GAP.search(one[0])]
    named = _named_directories(audited) if gaps else frozenset()
    for directory, files in gaps[:MAX_GAPS]:
        if directory in named or directory.rpartition("/")[2] in named:
            continue
        record = near(directory)
        if record and record.names_it:
            continue
        advice = (
            f"name {record.name} ({record.title}) there if it applies, or record the decision"
            if record
            else "record the decision that it rests on"
        )
        message = (
            f"no record governs {directory} ({format_count(files, 'source file')}): {advice} with"
            " `Governing:` in a comment or `applies-to` in a record"
        )
        yield Finding(directory, 0, GAP, "info", message, directory)


def _ungoverned(audited: Audited, governed: frozenset[str]) -> list[tuple[str, int]]:
    """The topmost directories in scope without a governed file, with the number of their files."""
    files = Counter(parent for path in audited.sources for parent in _parents(path))
    with_record = {parent for path in governed for parent in _parents(path)}
    topmost = [
        (directory, number)
        for directory, number in files.items()
        if number >= MIN_FILES
        and directory not in with_record
        and directory.rpartition("/")[0] in (with_record | {""})
        and audited.scope.contains(directory)
    ]
    return sorted(topmost, key=lambda one: (-one[1], one[0]))


def _parents(path: str) -> Iterator[str]:
    """The directories around a file, without the root."""
    end = len(path)
    while (end := path.rfind("/", 0, end)) > 0:
        yield path[:end]

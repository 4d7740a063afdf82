"""Plan what an import adds to the frontmatter of each record, and report it. The text below the
frontmatter stays."""

# Governing: ADR-0049 (an edit is verified by reading), ADR-0012 (untrusted input), SPEC-0024 REQ
# "Records of other tools"

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.document import ArtifactDocument, read_document
from sdd_hooks.artifacts.edges import FORWARD, Edge, find_cycles
from sdd_hooks.artifacts.frontmatter_edit import NotEditable, add_list_items, set_field
from sdd_hooks.artifacts.identifiers import ArtifactId, find_ids, id_from_name, parse_id
from sdd_hooks.authoring.foreign.header import (
    NotUnderstood,
    Understood,
    find_form,
    read_header,
    read_scopes,
)
from sdd_hooks.authoring.foreign.links import ForeignLink, read_links
from sdd_hooks.authoring.renumber import stem
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.escape import code_span, table_cell
from sdd_hooks.text.display import format_count, printable_line, shortened
from sdd_hooks.text.lazy_regex import lazy_regex

_DATE_NAME = lazy_regex(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}[-_. ]")
_KINDS = tuple(FORWARD["ADR"])
NO_RECORD = "there is no such record"

MAX_TEXT = 120
"""Characters of a quotation."""


class ImportedRecord(NamedTuple):
    """A record: what is added to it, what was not understood, and its text before and after.

    `form` is the form that its tool writes, "" for no known one.
    """

    artifact: Artifact
    name: str
    form: str
    added: tuple[Understood, ...]
    unknown: tuple[NotUnderstood, ...]
    before: str
    after: str


class _Record(NamedTuple):
    """A record before the links of all records are known. `id` is its own, or a new one."""

    artifact: Artifact
    document: ArtifactDocument
    text: str
    id: ArtifactId
    links: tuple[ForeignLink, ...]


class _PlannedEdge(NamedTuple):
    """An edge of the record at `path`, and the link that says it."""

    path: str
    edge: Edge
    link: ForeignLink


def plan_import(corpus: Corpus, texts: Mapping[str, str]) -> list[ImportedRecord]:
    """What is added to the records whose `texts` are given by path; links lead to all of a corpus.

    A record that its file names by a date gets a number, in the order of the dates.
    """
    numbers = _new_numbers(corpus, texts)
    records = {
        one.path: _read(one, texts[one.path], numbers)
        for one in corpus.artifacts
        if one.kind == "ADR" and one.path in texts
    }
    resolver = _Resolver(corpus, numbers)
    edges, unknown = _edges(records, resolver)
    edges = _without_cycles(corpus, edges, unknown)
    return [
        _plan(record, [one for one in edges if one.path == path], unknown[path], numbers, resolver)
        for path, record in records.items()
    ]


def _read(artifact: Artifact, text: str, numbers: Mapping[str, ArtifactId]) -> _Record:
    document = read_document(text, "ADR", artifact.module)
    id = numbers.get(artifact.path, artifact.id)
    status = artifact.status
    # A status is read in more forms than a link.
    named = (
        ForeignLink("supersedes", True, (str(one),), status.line, status.text)
        for one in artifact.successors
    )
    return _Record(artifact, document, text, id, (*read_links(document), *named))


def _new_numbers(corpus: Corpus, texts: Mapping[str, str]) -> Mapping[str, ArtifactId]:
    """The numbers of records without one whose files are named by a date."""
    highest: dict[str, int] = defaultdict(int)
    for id in corpus.by_id:
        if id.kind == "ADR":
            highest[id.module] = max(highest[id.module], id.number)
    found: dict[str, ArtifactId] = {}
    dated = (
        one
        for one in corpus.artifacts
        if one.kind == "ADR" and one.id.name and one.path in texts
        if _DATE_NAME.match(PurePosixPath(one.path).name)
    )
    for one in sorted(
        dated, key=lambda one: (one.module, stem(one.path).replace("-", ""), one.path)
    ):
        highest[one.module] += 1
        found[one.path] = ArtifactId("ADR", highest[one.module], "", one.module)
    return found


class _Resolver:
    """Finds the record that the target of a link means."""

    def __init__(self, corpus: Corpus, numbers: Mapping[str, ArtifactId]) -> None:
        self._corpus = corpus
        self._ids = {one.path: numbers.get(one.path, one.id) for one in corpus.artifacts}
        self._paths: dict[ArtifactId, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_own_id: dict[str, list[str]] = defaultdict(list)
        for one in corpus.artifacts:
            self._paths[self._ids[one.path]].append(one.path)
            if one.kind == "ADR":
                self._by_stem[stem(one.path)].append(one.path)
                own = one.frontmatter.get("id")
                if isinstance(own, str) and own:
                    self._by_own_id[own.lower()].append(one.path)

    def find(self, record: Artifact, link: ForeignLink) -> tuple[str, ArtifactId] | str:
        """The path and the id of the record that a link of `record` leads to, or why none."""
        found: Sequence[str] = ()
        for target in link.targets:
            found = found or self._paths_of(record.path, record.module, target)
        if not found:
            return NO_RECORD
        if len(found) > 1:
            return f"it may mean {' or '.join(sorted(found)[:3])}"
        id = self._ids[found[0]]
        if len(self._paths[id]) > 1:
            return f"several records are {id}: renumber them first"
        return found[0], id

    def _paths_of(self, path: str, module: str, target: str) -> Sequence[str]:
        if "://" in target:
            # A record of another repository may have the same name.
            return ()
        address = re.split("[#?]", target)[0]
        if address.lower().endswith((".md", ".mdx", ".markdown")) or "/" in address:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
            for candidate in (joined, f"{joined}.md", address.lstrip("/")):
                if candidate in self._ids:
                    return [candidate]
            return self._by_stem.get(stem(address), ())
        for names in (self._by_stem, self._by_own_id):
            if found := names.get(address) or names.get(address.lower()):
                return found
        id = parse_id(target, "ADR", module) or id_from_name(target, "ADR", module)
        return self._paths.get(id, ()) if id else ()


def _edges(
    records: Mapping[str, _Record], resolver: _Resolver
) -> tuple[list[_PlannedEdge], dict[str, list[NotUnderstood]]]:
    """The edges that the links of the records say, and by path what is none."""
    planned: dict[tuple[str, str, ArtifactId], _PlannedEdge] = {}
    unknown: dict[str, list[NotUnderstood]] = defaultdict(list)
    for path, record in records.items():
        for link in record.links:
            reason = ""
            found = resolver.find(record.artifact, link)
            if isinstance(found, str):
                reason = "" if found == NO_RECORD and _is_page(link) else found
            elif found[0] == path:
                continue
            elif not link.kind:
                reason = "no known kind of a link"
            elif not link.is_inverse:
                edge = Edge(link.kind, record.id, found[1], path, link.line)
                planned.setdefault((path, link.kind, found[1]), _PlannedEdge(path, edge, link))
            elif found[0] not in records:
                reason = f"the edge belongs into {found[0]}, which is not imported"
            else:
                edge = Edge(link.kind, found[1], record.id, found[0])
                planned.setdefault(
                    (found[0], link.kind, record.id), _PlannedEdge(found[0], edge, link)
                )
            if reason:
                unknown[path].append(NotUnderstood(link.line, link.text, reason))
        _add_prose_edges(record, planned)
    return list(planned.values()), unknown


def _is_page(link: ForeignLink) -> bool:
    """Whether a link that leads to no record is one to a page, and not to a missing record."""
    if any("://" in target for target in link.targets) or not link.kind:
        return True
    is_vague = not link.is_typed or link.kind == "related"
    return is_vague and not any(find_ids(target, "ADR") for target in link.targets)


def _add_prose_edges(
    record: _Record, planned: dict[tuple[str, str, ArtifactId], _PlannedEdge]
) -> None:
    """Add the edges that are read in the text already.

    Those of one kind do not count any more as soon as the frontmatter has that kind.
    """
    for edge in record.artifact.edges:
        if edge.origin == "prose":
            link = ForeignLink(edge.kind, False, (), edge.line, str(edge.target))
            key = (edge.path, edge.kind, edge.target)
            planned.setdefault(key, _PlannedEdge(edge.path, edge, link))


def _without_cycles(
    corpus: Corpus, planned: Sequence[_PlannedEdge], unknown: dict[str, list[NotUnderstood]]
) -> list[_PlannedEdge]:
    """The planned edges without those of cycles, which are not understood."""
    kept = list(planned)
    written = [edge for one in corpus.artifacts for edge in one.edges if edge.origin != "prose"]
    for cycle in find_cycles([*written, *(one.edge for one in kept)]):
        for one in [one for one in kept if one.edge in cycle]:
            kept.remove(one)
            reason = f"{one.edge.kind} {one.edge.target} would close a circle"
            unknown[one.path].append(NotUnderstood(one.edge.line, one.link.text, reason))
    return kept


def _plan(
    record: _Record,
    edges: Sequence[_PlannedEdge],
    unknown_links: Sequence[NotUnderstood],
    numbers: Mapping[str, ArtifactId],
    resolver: _Resolver,
) -> ImportedRecord:
    artifact, document = record.artifact, record.document
    understood, unknown = read_header(document, stem(artifact.path))
    scopes, unread = read_scopes(artifact, document, record.text)
    new = numbers.get(artifact.path)
    wanted = [
        *([Understood("id", f"ADR-{new.number:04d}", 1, stem(artifact.path))] if new else []),
        *(_with_successor(one, record, resolver) for one in understood),
        *_edge_values(artifact, edges),
        *scopes,
    ]
    added, after = [], record.text
    for one in wanted:
        try:
            edited = _write(after, one)
        except NotEditable as error:
            unknown.append(NotUnderstood(one.line, one.text, str(error)))
            continue
        if edited != after:
            added.append(one)
        after = edited
    problems = sorted(dict.fromkeys((*unknown, *unknown_links, *unread)))
    name = str(record.id)
    form = find_form(artifact.path, document)
    return ImportedRecord(artifact, name, form, tuple(added), tuple(problems), record.text, after)


def _write(text: str, value: Understood) -> str:
    if isinstance(value.value, str):
        return set_field(text, value.key, value.value)
    return add_list_items(text, value.key, value.value)


def _with_successor(value: Understood, record: _Record, resolver: _Resolver) -> Understood:
    """The status superseded with the records that replace this one, if it names them."""
    if value.value != "superseded":
        return value
    module = record.artifact.module
    names = [
        found[1]
        for link in record.links
        if link.kind == "supersedes" and link.is_inverse
        if not isinstance(found := resolver.find(record.artifact, link), str)
    ]
    successors = dict.fromkeys([*names, *record.artifact.successors])
    if not successors:
        return value
    phrase = ", ".join(_spelled(id, module) for id in successors)
    return value._replace(value=f"superseded by {phrase}")


def _edge_values(artifact: Artifact, edges: Sequence[_PlannedEdge]) -> Iterator[Understood]:
    written = {(one.kind, one.target) for one in artifact.edges if one.origin == "frontmatter"}
    for kind in _KINDS:
        new = [
            one for one in edges if one.edge.kind == kind and (kind, one.edge.target) not in written
        ]
        if new:
            ids = tuple(_spelled(one.edge.target, artifact.module) for one in new)
            line = new[0].edge.line
            texts = ", ".join(dict.fromkeys(one.link.text for one in new))
            yield Understood(kind, ids, line, texts)


def _spelled(id: ArtifactId, module: str) -> str:
    return str(id._replace(module="") if id.module == module else id)


def render_lines(records: Sequence[ImportedRecord]) -> Iterator[str]:
    """The report as lines for a terminal. A record with nothing to say is left out."""
    for one in records:
        if not (one.added or one.unknown):
            continue
        yield printable_line("  ".join(filter(None, (one.artifact.path, one.name, one.form))))
        for value in one.added:
            yield f"  {printable_line(f'{value.key}: {_written(value)}')}  ({_source(value)})"
        for problem in one.unknown:
            text = shortened(printable_line(problem.text), MAX_TEXT)
            reason = printable_line(problem.reason)
            yield f"  not understood: line {problem.line}: {text} ({reason})"
    yield _summary(records)


def render_markdown(records: Sequence[ImportedRecord]) -> Iterator[str]:
    """The report as lines of Markdown: a table of what was taken over, one of what was not."""
    yield "# Imported records"
    yield ""
    yield _summary(records)
    rows = [(one, value) for one in records for value in one.added]
    if rows:
        yield from ("", "| record | form | key | value | line |", "| --- | --- | --- | --- | --- |")
    for one, value in rows:
        cells = (one.form, value.key, _written(value))
        middle = " | ".join(table_cell(cell) for cell in cells)
        yield f"| {code_span(one.artifact.path)} | {middle} | {value.line or ''} |"
    problems = [(one, problem) for one in records for problem in one.unknown]
    if problems:
        yield from ("", "## Not understood", "")
        yield from ("| record | line | text | reason |", "| --- | --- | --- | --- |")
    for one, problem in problems:
        text, reason = table_cell(problem.text, MAX_TEXT), table_cell(problem.reason)
        yield f"| {code_span(one.artifact.path)} | {problem.line} | {text} | {reason} |"


def _summary(records: Sequence[ImportedRecord]) -> str:
    """One line about all records."""
    changed = sum(one.before != one.after for one in records)
    values = sum(len(one.added) for one in records)
    problems = sum(len(one.unknown) for one in records)
    return (
        f"{format_count(len(records), 'record')}: {format_count(values, 'value')} added to"
        f" {format_count(changed, 'record')}, {format_count(problems, 'text')} not understood"
    )


def _written(value: Understood) -> str:
    """A value as the frontmatter has it."""
    return value.value if isinstance(value.value, str) else f"[{', '.join(value.value)}]"


def _source(value: Understood) -> str:
    text = shortened(printable_line(value.text), MAX_TEXT)
    return f"line {value.line}: {text}" if value.line else text

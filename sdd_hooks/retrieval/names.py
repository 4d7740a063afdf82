"""A query that is a name: the id of a record, the name of a file, or that of a definition.

Words do not find them: a record need not contain its id, and others mention it more often.
"""

# Governing: SPEC-0005 REQ "Search", SPEC-0002 REQ "Identifiers in every spelling"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, id_from_name
from sdd_hooks.artifacts.summary import summarize, summary_section
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, list_paths
from sdd_hooks.code.paths import has_sections, is_document
from sdd_hooks.engines.protocol import Hit, Query, SubQuery
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, select_paths
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.records import Records
from sdd_hooks.text.answers import MAX_ANSWER
from sdd_hooks.text.excerpts import code_excerpt
from sdd_hooks.text.forms import fold_forms
from sdd_hooks.text.lazy_regex import lazy_regex

_ID = lazy_regex(
    r"""(?:\[(?P<module>[A-Za-z0-9][\w.-]{0,63})\]/)?(?:(?P<kind>adr|spec)s?[-_ #:.]{0,3})?\#?
    (?P<number>[0-9]{1,5})(?P<suffix>[a-z]?)[.:]?""",
    re.VERBOSE | re.IGNORECASE,
)
_SYMBOL = lazy_regex(r"(?=.*[^\W\d])[\w$]+(?:[.:#]+[\w$]+){0,8}")
_FILES = 10
"""Files in which a definition is looked for."""
_MENTIONS = 40
"""Documents that are looked at for a record whose id is in its text only."""


class QueryName(NamedTuple):
    """A query as a name. `ids` are those that it spells: of a bare number, one of each kind."""

    text: str
    ids: tuple[ArtifactId, ...] = ()

    def is_record(self, artifact: Artifact) -> bool:
        """Whether the query is the id of the record. An id without a module is of any module."""
        return any(_same(identifier, artifact.id) for identifier in self.ids)

    def is_hit(self, hit: Hit) -> bool:
        """Whether the query is the path or name of the hit's file, or names its definition."""
        text = fold_forms(self.text).casefold()
        path = fold_forms(hit.path).casefold()
        file = path.rpartition("/")[2]
        if text in (path, file, file.rpartition(".")[0]):
            return True
        symbol = fold_forms(hit.section).casefold()
        is_symbol = bool(text) and (symbol == text or symbol.endswith(f".{text}"))
        return is_symbol and not has_sections(hit.path)


def parse_name(query: str) -> QueryName:
    """Parse a query such as `ADR-0008`, `adr 8`, `0008`, `[api]/SPEC-0007` or `relay.go`."""
    text = " ".join(query.split())
    # Compiling the pattern takes longer than opening the index, and most queries have no number.
    match = _ID.fullmatch(text) if any(map(str.isdigit, text)) else None
    if match is None:
        return QueryName(text)
    kinds: tuple[ArtifactKind, ...] = ("ADR", "SPEC")
    return QueryName(
        text,
        tuple(
            ArtifactId(kind, int(match["number"]), match["suffix"].lower(), match["module"] or "")
            for kind in kinds
            if kind == (match["kind"] or kind).upper()
        ),
    )


def named_hits(
    project: Project, records: Records, name: QueryName, collections: Sequence[Collection]
) -> list[Hit]:
    """Return a hit for each record in the collections whose id is the query.

    The names of the files find them, else the sections that mention the id.
    """
    if not name.ids or not any(collection.kind in ARTIFACT_KINDS for collection in collections):
        return []
    found: dict[str, Hit] = {}
    for identifier in name.ids:
        one = QueryName(name.text, (identifier,))
        of_id: dict[str, Hit] = {}
        for collection, path in _by_file_name(project, one, collections):
            _add(of_id, records, one, collection.name, path)
        if not of_id:
            for hit in _by_mention(records, one, collections):
                _add(of_id, records, one, hit.collection, hit.path)
        found.update(of_id)
    return list(found.values())


def _add(
    found: dict[str, Hit], records: Records, name: QueryName, collection: str, path: str
) -> None:
    artifact = records.artifact(collection, path)
    if artifact and name.is_record(artifact) and artifact.path not in found:
        found[artifact.path] = record_hit(records, collection, artifact)


def record_hit(records: Records, collection: str, artifact: Artifact) -> Hit:
    """Return the hit for a record as a whole: the section that says most, and its summary."""
    section = summary_section(artifact)
    path = artifact.path
    summary = summarize(artifact, records.text(path) or "", MAX_ANSWER)
    title = f"{artifact.id}: {artifact.title}"
    return Hit(
        id=f"{path}#{section.anchor if section else 'file'}",
        collection=collection,
        path=path,
        first_line=section.first_line if section else 1,
        last_line=section.last_line if section else 1,
        title=title,
        section=section.title if section else "",
        score=1.0,
        cosine=None,
        snippet=summary.text,
        context=records.collection(collection).context,
        lines=summary.lines,
    )


def definition_hits(records: Records, name: QueryName, hits: Sequence[Hit]) -> list[Hit]:
    """Return hits for the definitions with the name of the query in the files of the first hits.

    None if a hit is named like the query, or the query cannot be the name of a definition. Some
    engines find a file by its words, but not the definition.
    """
    if not _SYMBOL.fullmatch(name.text) or any(name.is_hit(hit) for hit in hits):
        return []
    files = list({hit.path: hit for hit in hits if not is_document(hit.path)}.values())[:_FILES]
    if not files:
        return []
    from sdd_hooks.chunking.document import chunk_document

    found = []
    for hit in files:
        data = (records.text(hit.path) or "").encode("utf-8", "surrogatepass")
        for chunk in chunk_document(hit.path, data).chunks:
            if chunk.title and name.is_hit(hit._replace(section=chunk.title)):
                words = frozenset({fold_forms(name.text).casefold()})
                found.append(
                    hit._replace(
                        id=f"{hit.path}#{chunk.anchor}",
                        first_line=chunk.first_line,
                        last_line=chunk.last_line,
                        section=chunk.title,
                        snippet=code_excerpt(chunk.text, chunk.title, words),
                    )
                )
                break
    return found


def _by_file_name(
    project: Project, name: QueryName, collections: Sequence[Collection]
) -> Iterator[tuple[Collection, str]]:
    """Yield the files of records whose names have one of the ids. Reads no file."""
    for collection in collections:
        kind = ARTIFACT_KINDS.get(collection.kind)
        wanted = [identifier for identifier in name.ids if identifier.kind == kind]
        if kind is None or not wanted:
            continue
        listed = sorted(list_paths(project.repository.git, collection.repository, [collection]))
        for path in select_paths(collection, listed):
            *_, folder, file = ("", "", *path.split("/"))
            of_file = id_from_name(file.rpartition(".")[0], kind, collection.module)
            of_folder = id_from_name(folder, kind, collection.module) if folder else None
            if any(_same(one, of_file) or _same(one, of_folder) for one in wanted):
                yield collection, path


def _by_mention(
    records: Records, name: QueryName, collections: Sequence[Collection]
) -> Iterator[Hit]:
    for identifier in name.ids:
        names = tuple(c.name for c in collections if ARTIFACT_KINDS.get(c.kind) == identifier.kind)
        if not names:
            continue
        rest = identifier.suffix
        padded = (f"{identifier.number:0{width}d}{rest}" for width in (4, 3, 1))
        spelled = " ".join(dict.fromkeys(f'"{identifier.kind}-{number}"' for number in padded))
        query = Query((SubQuery("lex", spelled),), names, "", _MENTIONS)
        seen = set()
        for hit in records.search(query):
            if hit.path not in seen:
                seen.add(hit.path)
                yield hit


def _same(wanted: ArtifactId, other: ArtifactId | None) -> bool:
    return other is not None and wanted._replace(module=wanted.module or other.module) == other

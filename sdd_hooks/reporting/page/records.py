"""The artifacts of a page as data: what its list shows of each, and what its own view adds."""

# Governing: SPEC-0020 REQ "Artifacts"

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.artifacts.statement import UNKNOWN
from sdd_hooks.artifacts.summary import summarize
from sdd_hooks.changes.record_history import PENDING, RecordOrigin, days_since
from sdd_hooks.findings import count_severities
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.page.links import (
    NAMED_PATH,
    RECORD,
    Hyperlinks,
    RecordRelation,
    assign_keys,
    find_relations,
)
from sdd_hooks.reporting.page.markdown_tree import (
    MAX_TEXT,
    Node,
    TextLinks,
    common_length,
    cut,
    render_tree,
)
from sdd_hooks.reporting.page.model import AuditPage, PageCitation, PageRequirement
from sdd_hooks.text.display import printable_line, shortened
from sdd_hooks.text.markdown import parse_sections
from sdd_hooks.text.prose import plain_text

MAX_CITATIONS = 500
"""Citations of one artifact that its view lists."""

MAX_RENDERED = 6_000_000
"""Characters of all texts that are rendered: more do not fit into a page."""

MAX_SUMMARY = 240
MAX_TITLE = 300
MAX_STATUS = 120


class Row(NamedTuple):
    """An artifact in the list of the page. `number` is its place in the corpus.

    `counts` has its findings by severity, `cited` the number of files that name it. `replaced_by`
    are the key and the label of each artifact that replaces it, the key "" for an unknown one.
    `waits` is for how many days it is proposed, None for a decided one.
    """

    number: int
    key: str
    name: str
    kind: str
    title: str
    status: str
    label: str
    date: str
    waits: int | None
    module: str
    path: str
    in_force: bool
    cited: int
    counts: Mapping[str, int]
    replaced_by: tuple[tuple[str, str], ...]


class Texts(NamedTuple):
    """The rendered files of an artifact, and the numbers of the artifacts that they mention.

    `left_out` is how many characters of the files are not rendered.
    """

    body: Sequence[Node]
    design: Sequence[Node] = ()
    mentions: tuple[int, ...] = ()
    left_out: int = 0


class PageRecords:
    """The artifacts of a page with what the page says about each."""

    def __init__(self, page: AuditPage) -> None:
        self.page = page
        self.artifacts = page.corpus.artifacts
        self.numbers = {one.path: number for number, one in enumerate(self.artifacts)}

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The key of each artifact by its path."""
        return assign_keys(self.artifacts)

    @cached_property
    def relations(self) -> Mapping[str, tuple[RecordRelation, ...]]:
        """The relations of each artifact by its path."""
        return find_relations(self.page.corpus)

    @cached_property
    def texts(self) -> tuple[Texts, ...]:
        """The rendered texts of each artifact."""
        page = self.page
        hyperlinks = Hyperlinks(page.corpus, self.keys, page.links, page.paths)
        sizes = [len(self._text(path)) for one in self.artifacts for path in one.paths]
        longest = min(common_length(sizes, MAX_RENDERED), MAX_TEXT)
        return tuple(self._render(hyperlinks, artifact, longest) for artifact in self.artifacts)

    @cached_property
    def findings(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the findings of each artifact: in its files, and those that name it."""
        found: dict[str, dict[int, None]] = defaultdict(dict)
        corpus = self.page.corpus
        for number, (finding, *_) in enumerate(self.page.findings):
            if artifact := corpus.by_path.get(finding.path):
                found[artifact.path][number] = None
            for reference in find_id_references(finding.message[:2_000]):
                for named in corpus.resolve(reference.id)[:1]:
                    found[named.path][number] = None
        return {path: tuple(numbers) for path, numbers in found.items()}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The artifacts as the list has them, in the order of the corpus."""
        return tuple(self._row(number, one) for number, one in enumerate(self.artifacts))

    def citations(self, artifact: Artifact) -> tuple[PageCitation, ...]:
        """The places that name an artifact."""
        return self.page.citations.get(artifact.path, ())

    def data(self, number: int, files: dict[str, int]) -> dict[str, Any]:
        """What the view of an artifact shows besides its row. `files` numbers the paths."""
        artifact = self.artifacts[number]
        cited = [one for one in self.citations(artifact) if not one.issue]
        issues = [one for one in self.citations(artifact) if one.issue]
        return {
            "summary": self._summary(artifact),
            "written": shortened(plain_text(printable_line(artifact.status.text)), MAX_STATUS),
            "people": self._origin(artifact).who,
            "design": printable_line(artifact.design),
            "relations": [self._relation(one) for one in self.relations[artifact.path]],
            "applies": list(self.page.applies_to.get(artifact.path, ())),
            "cited": [
                [
                    files.setdefault(one.path, len(files)),
                    one.line,
                    printable_line(one.requirement),
                    shortened(printable_line(one.reason), MAX_TITLE),
                ]
                for one in cited[:MAX_CITATIONS]
            ],
            "uncited": max(0, len(cited) - MAX_CITATIONS),
            "issues": [
                [one.issue, printable_line(one.reason), one.status, one.path]
                for one in issues[:MAX_CITATIONS]
            ],
            "mentions": list(self.texts[number].mentions),
            "findings": list(self.findings.get(artifact.path, ())),
            "requirements": [
                self._requirement(one, files)
                for one in self.page.requirements.get(artifact.path, ())
            ],
        }

    def _origin(self, artifact: Artifact) -> RecordOrigin:
        return self.page.origins.get(artifact.path) or RecordOrigin(artifact.date, "")

    def _waits(self, artifact: Artifact) -> int | None:
        """The days that a record has waited for a decision when the page was made."""
        if artifact.status.value not in PENDING:
            return None
        made = datetime.fromtimestamp(self.page.made, timezone.utc).date()
        return days_since(self._origin(artifact).since, made)

    def _relation(self, relation: RecordRelation) -> list[Any]:
        number = self.numbers[relation.path] if relation.path else -1
        return [relation.kind, number, relation.label, int(relation.derived)]

    @staticmethod
    def _requirement(covered: PageRequirement, files: dict[str, int]) -> list[Any]:
        requirement = covered.requirement

        def places(citations: Iterable[PageCitation]) -> list[int]:
            return [
                value
                for one in list(citations)[:20]
                for value in (files.setdefault(one.path, len(files)), one.line)
            ]

        return [
            shortened(printable_line(requirement.name), MAX_TITLE),
            requirement.level or "",
            requirement.anchor,
            len(requirement.scenarios),
            covered.tested,
            places(covered.code),
            places(covered.tests),
        ]

    def _summary(self, artifact: Artifact) -> str:
        return summarize(artifact, self._text(artifact.path), MAX_SUMMARY).text.replace("`", "")

    def _row(self, number: int, artifact: Artifact) -> Row:
        status = artifact.status
        labelled = printable_line(status.text) if status.value == UNKNOWN else status.value
        found = [self.page.findings[one].finding for one in self.findings.get(artifact.path, ())]
        replaced_by = [
            (self.keys.get(one.path, ""), one.label)
            for one in self.relations[artifact.path]
            if one.kind == "superseded-by"
        ]
        known = {label for _, label in replaced_by}
        replaced_by += [("", str(one)) for one in artifact.successors if str(one) not in known]
        return Row(
            number=number,
            key=self.keys[artifact.path],
            name=printable_line(artifact.name),
            kind=artifact.kind,
            title=shortened(plain_text(printable_line(artifact.title)).replace("`", ""), MAX_TITLE),
            status=status.value or "none",
            label=shortened(labelled, 30).replace("-", " ").capitalize() or "No status",
            date=self._origin(artifact).since,
            waits=self._waits(artifact),
            module=printable_line(artifact.module),
            path=printable_line(artifact.path),
            in_force=status.authoritative,
            cited=len({one.path for one in self.citations(artifact)}),
            counts=count_severities(found)._asdict(),
            replaced_by=tuple(replaced_by),
        )

    def _text(self, path: str) -> str:
        return self.page.texts.get(path, "")

    def _render(self, hyperlinks: Hyperlinks, artifact: Artifact, longest: int) -> Texts:
        mentioned: dict[int, None] = {}

        def mentions(text: str) -> list[tuple[int, int, str]]:
            found = hyperlinks.mentions(text, artifact)
            mentioned.update((self._numbers_by_key[one.key], None) for one in found)
            named = [(one.start, one.end, f"{RECORD}{one.key}") for one in found]
            paths = [(*one.span(), hyperlinks.file(one[0])) for one in NAMED_PATH.finditer(text)]
            return [*named, *(one for one in paths if one[2])]

        def tree(path: str) -> list[Node]:
            def address(href: str) -> str:
                found = hyperlinks.address(href, artifact, path)
                key = found.removeprefix(RECORD).partition("/")[0]
                if found.startswith(RECORD) and key != self.keys[artifact.path]:
                    mentioned[self._numbers_by_key[key]] = None
                return found

            text = self._text(path)
            anchors = {one.first_line: one.anchor for one in parse_sections(text)}
            links = TextLinks(address, mentions, hyperlinks.file)
            return render_tree(cut(text, longest), anchors, links)

        body, *designs = [tree(path) for path in artifact.paths]
        left_out = sum(max(0, len(self._text(path)) - longest) for path in artifact.paths)
        return Texts(body, designs[0] if designs else [], tuple(mentioned), left_out)

    @cached_property
    def _numbers_by_key(self) -> Mapping[str, int]:
        return {key: self.numbers[path] for path, key in self.keys.items()}

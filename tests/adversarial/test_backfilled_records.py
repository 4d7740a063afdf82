"""Random records: writing proposed edges changes the frontmatter alone, and breaks nothing."""

from __future__ import annotations

import random
from pathlib import Path

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.edges import find_cycles
from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.drift.backfill import find_proposals, write_proposals
from tests.adversarial.conftest import Rounds

HEADERS = (
    "",
    "---\nstatus: accepted\n---\n",
    "---\nstatus: accepted\nextends: [{}]\nrelated:\n  - {}\n---\n",
    '---\nstatus: "accepted"   # yes\nrelated: "{}"\ntags: [a, "b, c"]\n---\n',
    "---\nsupersedes: [\n  {},\n]\nnotes: |\n  # text\n  related: [{}]\n---\n",
    "---\nextends:\n- {}   # why\n---\n\n",
    "---\nrelated: []\nenables:\n---\n",
    "---\nbroken: [\n---\n",
    "+++\nstatus = 'accepted'\n+++\n",
)
SENTENCES = (
    "Supersedes {}.", "It builds on {} and {}.", "Related: {}, {}", "Replaced by {}.",
    "See [{}](x.md).", "`extends {}`", "It is not related to {}.", "It enables {}; it requires {}.",
    "- **Extends**: {}", "{} governs {}.", "> implements {}", "\u00e4 \u00a0 {}\t",
)  # fmt: skip
TITLES = ("More Information", "Related", "Overview", "Consequences", "Decision Outcome", "Context")


def draw(chance: random.Random, path: str, number: int) -> bytes:
    """A record with a heading, some frontmatter, and sections."""

    def filled(text: str) -> str:
        while "{}" in text:
            kind = "SPEC" if chance.random() < 0.2 else "ADR"
            text = text.replace("{}", f"{kind}-{chance.randint(1, 6):04d}", 1)
        return text

    kind = "SPEC" if path.endswith("spec.md") else "ADR"
    sections = "".join(
        f"## {title}\n\n{' '.join(filled(one) for one in chance.choices(SENTENCES, k=2))}\n\n"
        for title in chance.sample(TITLES, 3)
    )
    status = chance.choice(("", "- Status: accepted\n- Extends: ADR-0002\n\n"))
    text = f"{filled(chance.choice(HEADERS))}# {kind}-{number:04d}: T\n\n{status}{sections}"
    text = text.replace("\n", chance.choice(("\n", "\n", "\r\n")))
    mark = chance.choice((b"", b"", b"\xef\xbb\xbf"))
    return mark + text.encode(chance.choice(("utf-8", "utf-8", "latin-1")))


def load(root: Path) -> Corpus:
    return load_corpus(
        ArtifactFile(
            path.relative_to(root).as_posix(),
            path.read_bytes(),
            "SPEC" if path.name == "spec.md" else "ADR",
        )
        for path in sorted(root.rglob("*.md"))
    )


def errors(corpus: Corpus) -> set[str]:
    """The errors but for cycles, whose first edge depends on all edges."""
    found = validate_artifacts(corpus)
    return {one.message for one in found if one.severity == "critical" and one.rule != "cycle"}


def cyclic(corpus: Corpus) -> set[tuple[str, str, str]]:
    """The edges that are part of a cycle."""
    edges = (edge for one in corpus.artifacts for edge in one.edges if edge.origin == "frontmatter")
    cycles = find_cycles(edges)
    return {(edge.kind, edge.path, str(edge.target)) for cycle in cycles for edge in cycle}


def test_writing_proposals_changes_frontmatter_alone(tmp_path: Path, rounds: Rounds) -> None:
    def case(chance: random.Random) -> None:
        for number in range(1, 7):
            for path in (f"adr/{number:04d}-x.md", f"specs/c{number}/spec.md"):
                file = tmp_path / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(draw(chance, path, number))
        before = load(tmp_path)
        proposals, left_out = find_proposals(tmp_path, before, frozenset())
        assert left_out == ()
        writable = [one for one in proposals if not one.problem]
        write_proposals(tmp_path, writable)
        for proposal in writable:
            removed = [line for line in proposal.edit.diff(0).splitlines() if line.startswith("-")]
            assert len(removed) <= 1 + len({edge.type for edge in proposal.edges})
            assert proposal.edit.before is not None
            body = proposal.edit.before.partition(b"# ADR")[2] or proposal.edit.before[-80:]
            assert (proposal.edit.after or b"").endswith(body)
        after = load(tmp_path)
        assert errors(after) == errors(before)
        proposed = {
            (edge.type, edge.source.path, edge.target.name)
            for one in writable
            for edge in one.edges
        }
        assert not cyclic(after) & proposed
        statuses = {one.path: one.status.value for one in before.artifacts}
        assert {one.path: one.status.value for one in after.artifacts} == statuses
        again, _ = find_proposals(tmp_path, after, frozenset())
        edges = (edge for one in again for edge in one.edges)
        left = {(edge.type, edge.source.path, edge.target.name) for edge in edges}
        assert not left & proposed

    rounds.run(case)

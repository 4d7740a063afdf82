"""Records for tests, without a repository."""

from collections import Counter

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import named_id
from sdd_hooks.review.references.evidence.records import DecisionRecord, RecordContent
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.markdown import parse_sections


def record_of(path: str, text: str) -> DecisionRecord:
    """The record that a text is, without the names that it contains."""
    sections = tuple(parse_sections(text))
    bare = Artifact("ADR", named_id("ADR", path), path, "", sections=sections)
    artifact = read_adr(path, text) or bare
    parts = [text[section.start : section.end] for section in artifact.sections]
    counts = tuple(Counter(split_words(section)) for section in parts)
    content = RecordContent(counts, frozenset(), frozenset(), frozenset())
    return DecisionRecord(artifact, text, content)

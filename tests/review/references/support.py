"""Records for tests, without a repository."""

from collections import Counter

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.evidence.records import DecisionRecord, RecordContent
from sdd_hooks.review.references.words.splitting import split_words


def record_of(path: str, text: str) -> DecisionRecord:
    """The record that a text is, without the names that it contains."""
    artifact = read_adr(path, text)
    sections = [text[section.start : section.end] for section in artifact.sections]
    counts = tuple(Counter(split_words(section)) for section in sections)
    content = RecordContent(counts, frozenset(), frozenset(), frozenset())
    return DecisionRecord(artifact, text, content)

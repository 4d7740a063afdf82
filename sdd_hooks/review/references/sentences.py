"""The sentence of a record that best explains why it governs a change, quoted from the file."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdd_hooks.review.references.words import split_words
from sdd_hooks.text.markdown import Section
from sdd_hooks.text.sentences import Sentence, split_sentences

MIN_SENTENCE = 30
"""Characters of a sentence that is quoted."""
MAX_SENTENCE = 300
"""Characters of a quoted sentence. A longer one is cut after a word."""


def find_best_sentence(
    text: str, section: Section, weights: Mapping[str, float], idf: Callable[[str], float]
) -> Sentence | None:
    """Find the sentence of a section of `text` with the most words of `weights`, weighted by idf.

    None when no sentence has one. Headings, tables, code and HTML are no sentences. A complete
    sentence is preferred to a cut one, and the first one to later ones of equal score.
    """
    best, highest = None, (False, 0.0)
    for sentence in split_sentences(text[section.start : section.end], section.first_line):
        shortened = sentence._replace(text=_shorten(sentence.text))
        shared = {word for word in split_words(shortened.text) if word in weights}
        score = (shortened == sentence, sum(idf(word) for word in sorted(shared)))
        if shared and score > highest and len(shortened.text) >= MIN_SENTENCE:
            best, highest = shortened, score
    return best


def _shorten(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE:
        return sentence
    return sentence[:MAX_SENTENCE].rpartition(" ")[0] or sentence[:MAX_SENTENCE]

"""The sentence of a record that can be quoted alone, for a change whose words it shares.

Of what `text.answers` reads, a quote is a whole sentence that decides: no lead-in, question, note,
argument about an option, rejected one, pointer to another text, or entry of a list of changes.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.answers import RULES, AnswerPart, form, read_sentences
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.prose import CODE
from sdd_hooks.text.sentences import without_conjunction

_ARGUMENT = lazy_regex(
    r"\(|[*_]{0,2}(?:without|however|because|since|for example|e\.g\.|i\.e\.|note that"
    r"|one consequence|this (?:also )?(?:means|makes|allows|would)|it (?:would|also|completes)"
    r"|we (?:accept|acknowledge|considered|rejected that)"
    r"|that said|as a result|if it|we['’]ll revisit|supports|enables|provides|allows|integrates"
    r"|keeps|reduces|improves|simplifies|increases|makes|gives|lets)\b",
    re.I,
)
_REFERRING = lazy_regex(r"(?:it|they|this|that|these|those|both|its|their)\b", re.I)
_LESS = 0.7
"""What multiplies the value of a sentence that argues, that begins with a word for what the one
before it says, that is no whole one, and that is cut."""
MEAN_WORDS = 25
"""Words from which a longer sentence is worth less for each word that it shares."""
MIN_SENTENCE = 30
"""Characters of a sentence that is quoted. One of a wide script has two thirds of them."""
MIN_CHOICE = 15
"""Characters of a quoted choice whose arguments follow: `Chosen option: queues, because`."""
MAX_SENTENCE = 300
"""Characters of a quoted sentence. A longer one is cut after a word."""
# Block quotes are amendments, notices of a status, and texts of a template.
_LEFT_OUT = lazy_regex(
    r"^[ \t]*(?:>|:::|!!!|\|"
    r"|(?:[-*+][ \t]+)?[*_]{0,2}(?:status|date|author|deciders?|tags)[*_]{0,2}[ \t]*[:：]).*",
    re.I | re.M,
)
_WORD = lazy_regex(r"[^\W\d_]{2,}")
_WIDE = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NO_END = (":", "：", "?", "？", "…", "...", ",", "—")
_END = lazy_regex(r"[.!?;。！？；][)*_`\"'”’）]*$")
_MARKUP = "*_`\"'“”‘’( "

# What stands at the beginning of an argument for or against an option, of a rejected one, of an
# entry of a list of changes or references, and of a text that a template asks to be replaced.
_ASIDE = lazy_regex(
    r"(?:good|bad|neutral|pros?|cons?|advantages?|disadvantages?)\b\s*(?:,|:|because|—|-)"
    r"|(?:rejected|not chosen|discarded|deferred|superseded|amended|amendment|updated?"
    r"|revised|added|status|see|see also|refs?|references?|related|supersedes|relates to|note)\b"
    r"\s*(?:[:：,(—-]|by\b|because\b|in favou?r\b|as\b|also\b|the\b|adr\b|spec\b|$)"
    r"|(?:[⚠❌✗👎🚫])|alternatives?\b|considered\b|options? [0-9a-z]\b"
    r"|[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}\b|(?:v?[0-9]+\.[0-9]+(?:\.[0-9]+)?)\s*[:—-]\s"
    r"|(?:requirements?|specs?|specifications?|adrs?|issues?|prs?|epics?)\s*[:：]"
    r"|(?:this section|describe|explain|list|provide|write|fill in|insert|summari[sz]e)\b.{0,40}"
    r"\b(?:here|the (?:decision|change|context|options?|consequences?|section|problem|title))\b"
    r"|this (?:adr|decision|document|record) (?:is|was|has been|does not|supersedes|amends"
    r"|extends)\b"
    r"|this (?:supersedes|amends|extends)\b"
    r"|for (?:(?:more|further|full|additional) )?(?:details?|information)\b[^.]{0,40}"
    r"\b(?:refer to|see|consult|check|read|visit)\b"
    r"|(?:please )?refer to\b|(?:please )?see\s|please (?:consult|check|read|visit)\b"
    r"|(?:the|these|this) (?:\w+ ){0,2}(?:rows?|tables?|lists?|sections?|diagrams?|figures?"
    r"|examples?|snippets?|listings?|bullets?|items?|entries|steps?)"
    r" (?:below|above|that follows?)\b"
    r"|what (?:is|are|becomes) |the (?:issue|change) (?:that )?(?:is )?motivating",
    re.I,
)


class QuotableSentence(NamedTuple):
    """A sentence as plain text, and the line of the file on which it begins.

    `cut` is whether it is only the beginning of a longer one.
    """

    text: str
    line: int
    cut: bool = False


def find_quotes(part: AnswerPart) -> Iterator[QuotableSentence]:
    """Yield the sentences of a part that can be quoted, in order.

    Of `Chosen option: queues, because` before a list, the choice is quoted.
    """
    for one in read_sentences(part._replace(text=_LEFT_OUT.sub("", part.text))):
        whole = without_conjunction(one.text)
        if _is_quotable(whole, MIN_SENTENCE if whole == one.text else MIN_CHOICE):
            yield make_quote(whole, one.line)


def make_quote(sentence: str, line: int) -> QuotableSentence:
    """Return the quote of a sentence that begins at a line."""
    if len(sentence) <= MAX_SENTENCE:
        return QuotableSentence(sentence, line)
    return QuotableSentence(
        sentence[:MAX_SENTENCE].rpartition(" ")[0] or sentence[:MAX_SENTENCE], line, True
    )


def best_quote(
    parts: Iterable[AnswerPart], worth: Mapping[str, float], split: Callable[[str], Iterable[str]]
) -> tuple[AnswerPart, QuotableSentence] | None:
    """Return the quote that shares most with a change, and its part. None if none shares a word.

    `worth` is what each word of the change is worth, and `split` returns the words of a text.
    """
    best, highest = None, 0.0
    for part in parts:
        for quote in find_quotes(part):
            value = part.worth * _value(quote, worth, [*split(quote.text)])
            if value > highest:
                best, highest = (part, quote), value
    return best


def ruling_quote(parts: Iterable[AnswerPart]) -> tuple[AnswerPart, QuotableSentence] | None:
    """Return the first quote that says how it is to be, else the first one, and its part."""
    quotes = [(part, quote) for part in parts for quote in find_quotes(part)]
    return next((one for one in quotes if RULES.search(one[1].text)), next(iter(quotes), None))


def _value(quote: QuotableSentence, worth: Mapping[str, float], words: list[str]) -> float:
    shared = sum(worth[word] for word in sorted({*words} & worth.keys()))
    prose = CODE.sub("", quote.text)
    part = quote.cut or not _END.search(quote.text) or prose.count("(") != prose.count(")")
    less = (_ARGUMENT.match(quote.text), _REFERRING.match(quote.text), part)
    long = math.sqrt(max(1.0, len(words) / MEAN_WORDS))
    return shared * form(quote.text, False) * _LESS ** sum(map(bool, less)) / long


def _is_quotable(sentence: str, shortest: int) -> bool:
    wide = len(_WIDE.findall(sentence)) * 4 > len(sentence)
    told = CODE.sub("", sentence)
    return (
        len(sentence) >= (shortest * 2 // 3 if wide else shortest)
        and not sentence.rstrip(_MARKUP + ")").endswith(_NO_END)
        and "~~" not in sentence
        and not _ASIDE.match(sentence.lstrip(_MARKUP))
        # `keys add --chain <ID>` is an example.
        and (len(_WORD.findall(told)) > 1 or _WIDE.search(told) is not None)
    )

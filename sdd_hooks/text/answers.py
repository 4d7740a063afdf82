"""Choose the sentences that answer a question, among those of a document's parts.

A sentence is worth the words of the question that it holds, more if it says how it is to be, and by
its part: what was decided comes before what led to it. Titles, fields, names of options, entries of
a changelog and placeholders of a template are no answer.
"""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, takewhile

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.prose import CODE, read_prose, split_sentences
from sdd_hooks.text.query_match import count_matches, find_words
from sdd_hooks.text.sentences import introduces, without_conjunction

MAX_ANSWER = 400
"""Characters of an answer: about four lines of a terminal."""

MAX_SENTENCES = 3

MAX_COMPARED = 12
"""Sentences that are compared with a question by meaning."""

Compare = Callable[[Sequence[str]], Sequence[float]]
"""Returns how near each sentence is to the question in meaning, -1 to 1."""

RULES = lazy_regex(
    r"\b(?:must|shall|should|will|never|always|only|cannot|may not|required?s?|mandatory"
    r"|forbidden|we (?:use|chose|have chosen|decided?|adopt|keep|store|put|do not|don't)"
    r"|chosen|decision|replaces?|instead of|no longer"
    r"|wir (?:haben uns|verwenden|nutzen|werden)|entschieden|muss|müssen|darf|dürfen|nur"
    r"|choisie?s?|retenue?s?|doit|doivent|nous (?:avons|allons|utilis\w+)|décidé"
    r"|se (?:eligió|usa|decidió)|usamos|elegid[ao]|debe|solo|sólo|nunca|siempre|decidi\w*|sempre"
    r"|escolhid[ao]|deve|scelt[oa]|используем|решено|решили|выбран\w*|должн\w+|только)\b"
    r"|必须|不得|禁止|统一|只能|唯一|应当|决定|采用|採用|使用する|한다",
    re.IGNORECASE,
)
"""What a sentence has that says how it is to be."""
PAST = lazy_regex(
    r"\b(?:was|were|had|previously|before this|used to|currently|today|today's|existing|at present"
    r"|at the time|so far|until now|originally|could have|would have|might|possibly)\b",
    re.IGNORECASE,
)
"""What a sentence has that tells how it was, or could have been."""
_WHY = lazy_regex(
    r"\b(?:why|reasons?|warum|wieso|weshalb|pourquoi|perch[eé]|por ?qu[eêé]|motivo|waarom|почему"
    r"|зачем|neden|niye|dlaczego)\b|为什么|为何|為什麼|なぜ|왜",
    re.IGNORECASE,
)
_NUMBER = lazy_regex(
    r"\b(?:how (?:many|much|long|often|large|big|old)|(?:which|what|welche|quelle|qual\w*)"
    r" versi?\w+|wie (?:viele?|lange|oft|gro(?:ß|ss))|combien|quant[oaie]|cu[aá]nt[oa]s?|hoeveel"
    r"|сколько|kaç)\b|多少|几|いくつ|何[回個日秒件分時人]|몇",
    re.IGNORECASE,
)
_FAILURE = lazy_regex(
    r"\b(?:(?:what|how) (?:\w+ ){0,3}(?:happens?|if|when)|fails?|errors?|was (?:passiert|geschieht)"
    r"|que se passe|cosa (?:succede|accade)|o que acontece|qu[eé] (?:pasa|ocurre|sucede)"
    r"|что (?:будет|происходит|делать|если)|ne olur)\b|どうなる|怎么办|会怎样|어떻게 되",
    re.IGNORECASE,
)
_FAILS = lazy_regex(
    r"\b(?:fail\w*|fall(?:s|ing)?[ -]?back|errors?|cannot|can't|unable|degrad\w+|retr(?:y|ies)"
    r"|reject\w*|silent\w*|block\w*|without|ignor\w+|fehl\w*|scheiter\w*|échou\w+|échec\w*"
    r"|erreurs?|fall\w+|errore|falh\w+|erros?|error(?:es)?|ошибк\w+|hata\w*|başarısız\w*)\b"
    r"|失败|失敗|エラー|错误|실패",
    re.IGNORECASE,
)
_BECAUSE = lazy_regex(
    r"\b(?:because|since|due to|so that|in order to|reasons?|therefore|avoids?|allows?|too|weil|da"
    r"|denn|damit|vermeide\w*|statt|parce que|car|afin|puisque|permet\w*|perch[eé]|poich[eé]"
    r"|per evitare|porque|pois|ya que|para|потому|чтобы|çünkü|için)\b|因为|因此|ため|から|理由",
    re.IGNORECASE,
)
_SIGNS = (_WHY, _BECAUSE), (_NUMBER, lazy_regex("[0-9]")), (_FAILURE, _FAILS)
"""What asks for a thing, and what a sentence has that says it."""
_PLACEHOLDER = lazy_regex(
    r"\{[^{}`]{3,}\}|(?<!\w)\[[a-z][^\[\]`]{8,}\](?![(\[])|<[a-z][^<>`]{6,} [^<>`]+>"
)
_STEP = lazy_regex(r"(?:GIVEN|WHEN|THEN|AND|BUT)\b")
# An entry of a changelog, a field at the top of a record, a link, a tag or a name by itself.
_NO_ANSWER = lazy_regex(
    r"""(?:v?[0-9]+\.[0-9]+(?:\.[0-9]+)?\b|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\b) .*
    | (?:status|date|deciders?|decision-makers?|consulted|informed|authors?|tags?|updated|created
        |supersedes|superseded\ by|related|technical\ story|issue|pr|pull\ request)\ ?: .*
    | (?:[\w.-]+\ ){0,3}[\w.-]+\ ?:\ \W* | (?:https?://|www\.)\S+ | (?:\#[\w-]+[\s,]*)+
    | TODO\b.*""",
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE_END = lazy_regex(r"[.!?…:;。！？]['\"”’)\]`]{0,3}$")
_ROW = lazy_regex(r"\s*\|(?P<cells>.*\w.*)\|?\s*$")
_DELIMITER = lazy_regex(r"\s*\|?[\s:|-]*-[\s:|-]*$")
_MIN_WORDS = 9
"""A list item with fewer words and without an end of sentence is the name of an option."""

_RULING, _TELLING, _LABEL, _INTRODUCING = 1.2, 0.9, 0.6, 0.85
"""What multiplies the worth of a sentence that says how it is to be, that tells how it was, that is
a name, and that goes on in a list."""
_MIN_LENGTH = 20
"""Characters of a sentence that stands by itself."""
_HEADED = 0.5
"""What a word of a heading is worth to a sentence of the first blocks below it."""
_NEAR = 2
_MAX_PARTS = 3
"""Parts whose sentences are compared with a question, besides the one that leads."""
_SIGNED = 0.2
"""What it is worth that a sentence says such a thing as is asked for, as a number or a reason."""
_LEAST = 0.05
"""What a further sentence has to add."""


class SearchQuestion(NamedTuple):
    """The words of a question in lower case, whether it asks for a reason, and what a sentence has
    that answers such a question: a number, a failure."""

    words: frozenset[str]
    why: bool = False
    signs: tuple[re.Pattern[str], ...] = ()


def read_question(text: str, words: frozenset[str]) -> SearchQuestion:
    """Return the question of a text of which these are the words that a search looks for."""
    signs = tuple(sign for asks, sign in _SIGNS if asks.search(text))
    return SearchQuestion(words, bool(_WHY.search(text)), signs)


class AnswerPart(NamedTuple):
    """A part of a document: its Markdown, the line of the file on which it begins, what a word of
    the question is worth in it, what its first sentence is worth beyond these words, and its
    heading."""

    text: str
    first_line: int = 1
    worth: float = 1.0
    lead: float = 0.0
    heading: str = ""


class Answer(NamedTuple):
    """Sentences as plain text, the line of each, that of the best of them first, and how much of
    the question this one answers (0 for nothing, 1 for all of it).

    A sentence after a gap begins with an ellipsis, and those of a list are one with its beginning.
    """

    sentences: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    evidence: float = 0.0

    @property
    def text(self) -> str:
        """The sentences on one line."""
        return " ".join(self.sentences)


class ReadSentence(NamedTuple):
    """A sentence, its part, its block there, its line, and whether it is only the name of something
    and the first of its part."""

    text: str
    part: AnswerPart
    block: int
    line: int
    is_label: bool = False
    is_first: bool = False
    is_item: bool = False


def find_answer(
    parts: Iterable[AnswerPart],
    question: SearchQuestion,
    compare: Compare | None = None,
    max_length: int = MAX_ANSWER,
) -> Answer:
    """Return at most three sentences of the parts that answer a question.

    They have at most `max_length` characters, and those of a list follow what introduces it. If no
    sentence has a word, they are those of `find_lead`. `compare` adds what the sentences mean.
    """
    parts, words = [*parts], question.words
    about = [*_about(parts, question, every=compare is not None)]
    found = [one for part in about for one in read_sentences(part)]
    held = [find_words(one.text, words) for one in found]
    counts = Counter(word for some in held for word in some)
    if not counts and not compare:
        return find_lead(parts, max_length)
    weights = {word: math.log(1 + len(found) / max(1, counts[word])) for word in words}
    total = sum(weights.values()) or 1.0
    headed = {part: find_words(part.heading, words) for part in about}
    signed = [_SIGNED * any(s.search(one.text) for s in question.signs) for one in found]
    leads = [one.part.lead if one.is_first else 0.0 for one in found]

    def value(at: int, covered: frozenset[str] = frozenset()) -> float:
        one = found[at]
        own = sum([weights[word] for word in held[at] if word not in covered])
        if one.block <= _NEAR and headed[one.part]:
            above = headed[one.part] - held[at] - covered
            own += _HEADED * sum([weights[word] for word in above])
        if not own:
            return 0.0
        return form(one.text, one.is_label) * one.part.worth * (own / total + signed[at])

    values = [value(at) + leads[at] for at in range(len(found))]
    if compare:
        _add_meaning(values, found, compare)
    every = range(len(found))
    usable = [at for at in every if not found[at].is_label or _with_list(found, at, values)[1:]]
    if not usable:
        return Answer()
    first = max(usable, key=lambda at: (values[at], -at))
    chosen = _with_list(found, first, values)
    covered = frozenset[str]().union(*(held[at] for at in chosen))
    rest = [at for at in usable if at not in chosen and values[at] > 0]
    while rest and len(chosen) < MAX_SENTENCES:
        at = max(rest, key=lambda at: (value(at, covered) + leads[at], -at))
        if value(at, covered) + leads[at] <= _LEAST:
            break
        rest.remove(at)
        chosen += _with_list(found, at, values)
        covered |= held[at]
    chosen += [at for at in range(first, len(found)) if found[at].part is found[first].part]
    return _join(found, chosen, words, max_length)._replace(evidence=min(1.0, value(first)))


def _add_meaning(values: list[float], found: Sequence[ReadSentence], compare: Compare) -> None:
    """Add to the values of the best sentences how near they are to the question in meaning."""
    best = sorted(range(len(found)), key=lambda at: (-values[at], at))[:MAX_COMPARED]
    for at, cosine in zip(best, compare([found[at].text for at in best]), strict=True):
        values[at] += cosine * found[at].part.worth


def find_lead(parts: Iterable[AnswerPart], max_length: int = MAX_ANSWER) -> Answer:
    """Return the first three sentences of the part that leads most and has any.

    One that introduces what is no sentence is left out, unless it is the only one.
    """
    for part in sorted(parts, key=lambda part: -part.lead):
        sentences = islice(read_sentences(part), 4 * MAX_SENTENCES)
        found: list[ReadSentence] = []
        for one in sentences:
            found.append(one)
            if not one.is_label:
                break
        else:
            continue
        first = len(found) - 1
        found += islice(sentences, MAX_SENTENCES - 1)
        last = len(found) - 1
        while last > first and introduces(found[last].text):
            last -= 1
        return _join(found, range(first, last + 1), frozenset(), max_length)
    return Answer()


def _about(
    parts: Sequence[AnswerPart], question: SearchQuestion, *, every: bool
) -> Iterator[AnswerPart]:
    """Yield the part that leads, and those that hold most of the question, in order."""
    found = [find_words(f"{part.heading} {part.text}", question.words) for part in parts]
    counts = Counter(word for some in found for word in some)
    weights = {word: math.log(1 + len(parts) / counts[word]) for word in counts}
    signed = _SIGNED * sum(weights.values())
    held = [0.0] * len(parts)
    for at, part in enumerate(parts):
        if own := sum([weights[word] for word in found[at]]):
            own += signed * any(sign.search(part.text) for sign in question.signs)
            held[at] = own * part.worth
    best = sorted(range(len(parts)), key=lambda at: -held[at])[:_MAX_PARTS]
    for at, part in enumerate(parts):
        if part.lead or (at in best and (held[at] or every)):
            yield part


@lru_cache(maxsize=256)
def form(sentence: str, is_label: bool) -> float:
    """Return what the form of a sentence makes of its worth."""
    kind = _LABEL if is_label else _INTRODUCING if introduces(sentence) else 1.0
    if sentence.endswith(("?", "？")):
        kind = _LABEL
    rules = RULES.search(sentence)
    return kind * (_RULING if rules else _TELLING if PAST.search(sentence) else 1.0)


def read_sentences(part: AnswerPart) -> Iterator[ReadSentence]:
    """Yield the sentences of a part that may answer, in order."""
    steps: list[str] = []
    number = line = 0
    is_first = True
    for block in read_prose(_rows_as_items(part.text)):
        if block.kind == "item" and _STEP.match(block.text):
            line = line if steps else part.first_line + block.line
            steps.append(block.text)
            continue
        if block.is_link:
            continue
        if steps:
            yield ReadSentence(", ".join(steps), part, number, line)
            steps = []
        number += 1
        pieces = [*block.sentences()]
        if pieces[1:] and len(pieces[0][0]) < _MIN_LENGTH:
            pieces[:2] = [(f"{pieces[0][0]} {pieces[1][0]}", pieces[0][1])]
        for sentence, at in pieces:
            is_empty = _PLACEHOLDER.search(sentence) and _PLACEHOLDER.search(CODE.sub("", sentence))
            if not is_empty and not _NO_ANSWER.fullmatch(sentence):
                is_item = block.kind == "item"
                size = len(sentence.split())
                may_be = size < 3 or (is_item and ": " not in sentence)
                is_label = may_be and size < _MIN_WORDS and not _SENTENCE_END.search(sentence)
                line_at = part.first_line + at
                yield ReadSentence(sentence, part, number, line_at, is_label, is_first, is_item)
                is_first = False
    if steps:
        yield ReadSentence(", ".join(steps), part, number + 1, line)


def _rows_as_items(text: str) -> str:
    """The text with the rows of its tables as list items, whose cells have the names of columns."""
    lines = text.split("\n")
    names: list[str] = []
    for at, line in enumerate(lines):
        if not (row := _ROW.match(line)):
            names = names if line.lstrip().startswith("|") else []
            continue
        first, *cells = (cell.strip() for cell in row["cells"].rstrip().rstrip("|").split("|"))
        if at + 1 < len(lines) and _DELIMITER.match(lines[at + 1]):
            names, lines[at] = cells, ""
            continue
        named = [f"{name}: {cell}" for name, cell in zip(names, cells, strict=False) if cell]
        rest = "; ".join(named if len(cells) > 1 and named else filter(None, cells))
        lines[at] = f"- {first}: {rest}" if rest else f"- {first}"
    return "\n".join(lines)


def _with_list(found: Sequence[ReadSentence], at: int, values: Sequence[float]) -> list[int]:
    """A sentence with the best item of the list that it introduces, and the names in it, or a name
    with what introduces its list."""
    chosen = [at]
    if introduces(found[at].text):
        after = range(at + 1, len(found))
        listed = [*takewhile(lambda one: found[one].is_item or one == at + 1, after)]
        best = sorted(listed, key=lambda one: (-values[one], one))[:1]
        chosen += best + [one for one in listed if found[one].is_label and one not in best]
    elif found[at].is_label:
        before = at - 1
        while before >= 0 and found[before].is_label:
            before -= 1
        if before >= 0 and introduces(found[before].text):
            chosen.append(before)
    return [one for one in chosen if found[one].part is found[at].part]


def _join(
    found: Sequence[ReadSentence], chosen: Sequence[int], words: frozenset[str], max_length: int
) -> Answer:
    """Join the sentences in their order. The first of `chosen` is in any case, and is cut."""
    first = found[chosen[0]]
    if len(first.text) > max_length:
        return Answer((_cut(first.text, words, max_length),), (first.line,))
    shown: list[int] = []
    room, left = max_length + 3, MAX_SENTENCES
    for at in dict.fromkeys(chosen):
        goes_on = found[at].is_label and at - 1 in shown
        count = 0 if goes_on else len(split_sentences(found[at].text))
        if not shown or (count <= left and len(found[at].text) + 3 <= room):
            shown.append(at)
            room, left = room - len(found[at].text) - 3, left - count
    lines = tuple(found[at].line for at in shown)
    shown.sort()
    pieces = [found[shown[0]].text]
    for before, at in pairwise(shown):
        text, last = found[at].text, pieces[-1]
        if at != before + 1 or found[at].part is not found[before].part:
            pieces.append(f"… {text}")
        elif introduces(last) or len(last) < _MIN_LENGTH or found[at].is_label:
            pieces[-1] = (
                f"{last} {text}"
                if _SENTENCE_END.search(last) or introduces(last)
                else f"{last}; {text}"
            )
        else:
            pieces.append(text)
    pieces[-1] = without_conjunction(pieces[-1])
    return Answer(tuple(pieces), lines)


def _cut(sentence: str, words: frozenset[str], max_length: int) -> str:
    """Return the part of a long sentence with the most words."""
    pieces = sentence.split()
    best, best_count = "", -1
    for start in range(0, len(pieces), 8):
        part = ""
        for piece in pieces[start:]:
            if len(part) + len(piece) + 3 > max_length:
                break
            part = f"{part} {piece}".strip()
        if (count := count_matches(part, words)) > best_count:
            best, best_count = ("…" if start else "") + part, count
    return (best or sentence[: max_length - 1]) + "…"

"""What a record chooses, as far as its sentences and its layout tell."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Decided Candidates"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import split_lines

MAX_DECISION_LINES = 200
"""Lines that are read of a decision."""
MAX_CHOICE = 60
"""Characters between a verb and what it chooses."""
MAX_VERBS = 20
"""Verbs that are looked at in a sentence."""
MAX_BLOCK = 2_000
"""Characters that are read of a paragraph."""

_STANDING_OUT = lazy_regex(
    r"#{1,6}[ \t]+(.{1,200})|\|[ \t]*([^|]{1,100})\||(?:[-*+]|\d{1,3}\.)?[ \t]*\*\*(.{1,200}?)\*\*"
)
_BLOCK_START = lazy_regex(r"#{1,6}[ \t]|\||[-*+][ \t]|\d{1,3}\.[ \t]|>")
_POSSESSIVE = lazy_regex(r"[\w.]{1,80}`?['’]s\b")
# What is chosen is a part of a technology that is in use already. Hooks and components are not
# such: those of pre-commit and shadcn are what one chooses.
_PART = lazy_regex(
    r"""[\w.]{1,80}`?(?:[ ]session)?[ ]`?(?:adapters?|contexts?|handlers?|helpers?|middlewares?
    |patch(?:es)?|plug-?ins?|props|routes?|selectors?|wrappers?)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = lazy_regex(r"(?<=[.!?;])[ \t]")
_OPTION = lazy_regex(r"\bchosen[ \t]+(?:option|solution|alternative)\b", re.IGNORECASE)
_REASON = lazy_regex(r"[ ,\t](?:because|since|as it|so that)\b", re.IGNORECASE)
_ASIDE = lazy_regex(
    r",?[ \t](?:because|since|so|instead|rather|not|to|for|which|that)\b|[(—–]", re.I
)
_VERBS = (
    r"use[sd]?|using|adopt(?:s|ed|ing)?|chose|choose|chosen|select(?:ed)?|replaced?[ \t]+by",
    r"standardi[sz]ed?[ \t]+on|rel(?:y|ies)[ \t]+on|host(?:ed)?[ \t]+on|runs?[ \t]+on",
    r"buil[dt]s?[ \t]+(?:on|with|in|upon)|implement(?:ed)?[ \t]+(?:with|in|on)|stored?[ \t]+in",
    r"(?:switch(?:ed)?|migrat(?:e|ed|ing)|mov(?:e|ed|ing))[ \t]+to|(?:backed|powered)[ \t]+by",
    r"deploy(?:ed)?[ \t]+(?:on|to|with)|writ(?:e|ten)[ \t]+in",
)
_CHOOSING = lazy_regex(rf"\b(?:{'|'.join(_VERBS)})\b", re.IGNORECASE)


def find_choices(artifact: Artifact, text: str) -> list[str]:
    """The sentences in which a record chooses, and the words that stand out in its decision.

    A sentence chooses with a verb such as "use" or "adopt", or by "Chosen option". Headings, bold
    words and the first cells of tables stand out. The rest explains, and may name anything.
    """
    if artifact.decision is None:
        return []
    first, last = artifact.decision
    lines = split_lines(text)[first - 1 : min(last, first + MAX_DECISION_LINES)]
    found: list[str] = []
    for block in _blocks(lines):
        standing_out = _STANDING_OUT.match(block)
        if standing_out:
            found.append(next(filter(None, standing_out.groups())).strip(" `*:"))
        for sentence in _SENTENCE_END.split(block):
            found += _chosen(sentence)
    return found


def _chosen(sentence: str) -> Iterator[str]:
    """What a sentence chooses: the words behind its verb, without the reason."""
    option = _OPTION.search(sentence)
    if option:
        yield _REASON.split(sentence[option.start() :])[0]
        return
    for verb in islice(_CHOOSING.finditer(sentence), MAX_VERBS):
        yield _ASIDE.split(sentence[verb.start() : verb.end() + MAX_CHOICE])[0]


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """The paragraphs, items and rows of Markdown, each on one line, without code and quotes."""
    block: list[str] = []
    is_code = False
    for line in (*lines, ""):
        stripped = line.strip()[:MAX_BLOCK]
        is_fence = stripped.startswith(("```", "~~~"))
        starts = is_fence or not stripped or bool(_BLOCK_START.match(stripped))
        if starts and block:
            yield " ".join(block)[:MAX_BLOCK]
            block = []
        if is_fence:
            is_code = not is_code
        elif stripped and not is_code and not stripped.startswith(">"):
            block.append(stripped)


def chooses(name: str, choice: str, is_common: bool) -> bool:
    """Whether a choice of `find_choices` is one for a name, or stands out as the name alone."""
    if _CHOOSING.match(choice) or _OPTION.match(choice):
        # `Playwright's page.route`, `Hono middleware`
        return is_named(name, _PART.sub(" ", _POSSESSIVE.sub(" ", choice)), is_common)
    words = choice.split("(", maxsplit=1)[0].strip(" `*:")
    return words.lower() == name.lower()


def is_named(name: str, text: str, is_common: bool = False) -> bool:
    """Whether a text has a name as a word; a common one spelled exactly so, or as code.

    `React` is not named by `React Query`, another technology of the catalogue.
    """
    found = _expression(name, is_common).search(text)
    if not found:
        return False
    longer = _longer_names(name)
    return not longer or bool(_expression(name, is_common).search(longer.sub(" ", text)))


def find_purposes(text: str) -> set[str]:
    """The categories of the technologies that a text names. `log` is a word, too: it counts not."""
    return {
        one.category.id
        for one in load_catalogue()
        for name in (one.name, *one.aliases)
        if not (one.common and name.islower()) and is_named(name, text, one.common)
    }


@lru_cache(maxsize=4096)
def _expression(name: str, is_common: bool) -> re.Pattern[str]:
    # A letter of another script may follow a name without a space. `Create-React-App` is another.
    word = rf"(?<![A-Za-z0-9_])(?<![A-Za-z]-){_spelled(name)}(?![A-Za-z0-9_])"
    if not is_common:
        return re.compile(word, re.IGNORECASE)
    code = rf"`[^`\n]{{0,80}}(?<![A-Za-z0-9_])(?i:{_spelled(name)})(?![A-Za-z0-9_])"
    return re.compile(f"{word}|{code}")


@lru_cache(maxsize=4096)
def _longer_names(name: str) -> re.Pattern[str] | None:
    """The names of other technologies that contain a name as a word."""
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", re.IGNORECASE)
    longer = {
        other
        for one in load_catalogue()
        for other in (one.name, *one.aliases)
        if name not in (one.name, *one.aliases) and len(other) > len(name) and word.search(other)
    }
    if not longer:
        return None
    spelled = "|".join(_spelled(one) for one in sorted(longer, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{spelled})(?![A-Za-z0-9_])", re.IGNORECASE)


def _spelled(name: str) -> str:
    return re.escape(name).replace(r"\ ", r"[\s-]?")

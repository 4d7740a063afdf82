"""Whether the text that describes a collection is still true: qmd shows it with every hit.

A text claims something when it names a range of artifacts (`ADR-0001 to ADR-0020`) or the status of
one (`ADR-0007 is proposed`).
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Contexts"

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.status import STATUSES

if TYPE_CHECKING:
    from sdd_hooks.artifacts.artifact import Artifact

_ID = r"(?P<kind>adr|spec)s?[- ]?(?P<number>[0-9]{1,5})"
_TO = r"(?:-{1,2}|–|—|…|\.{2,3}|to|through|until)"
_RANGE = re.compile(
    rf"\b{_ID}\s{{0,3}}{_TO}\s{{0,3}}(?:(?:adr|spec)s?[- ]?)?(?P<last>[0-9]{{1,5}})\b(?!-[0-9])",
    re.IGNORECASE,
)
_STATUS = re.compile(
    rf"\b{_ID}(?: (?:is|remains)(?: (?:still|now))? | ?[:=(] ?)(?P<status>{'|'.join(STATUSES)})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Drift:
    """A phrase of a text that is no longer true, and the text as it would be."""

    phrase: str
    corrected: str


def claims(text: str) -> bool:
    """Whether the text says anything about artifacts that could become untrue."""
    shown = _shown(text)
    return bool(_RANGE.search(shown) or _STATUS.search(shown))


def drift(text: str, artifacts: Sequence[Artifact]) -> Drift | None:
    """The first phrase of the text that `artifacts`, of one module, contradict; None when none do.

    A range is outdated when its end is below the highest number there is, a status when no artifact
    of that number has it. All outdated phrases are corrected.
    """
    text = _shown(text)
    phrases: list[tuple[int, str]] = []

    def widened(found: re.Match[str]) -> str:
        numbers = [one.id.number for one in _of(artifacts, found["kind"]) if one.id]
        highest = max(numbers, default=0)
        if not int(found["number"]) < int(found["last"]) < highest:
            return found[0]
        phrases.append((found.start(), found[0]))
        start = found.start("last") - found.start()
        return f"{found[0][:start]}{highest:0{len(found['last'])}d}"

    def restated(found: re.Match[str]) -> str:
        number = int(found["number"])
        there = [one for one in _of(artifacts, found["kind"]) if one.id and one.id.number == number]
        now = [one.status.value for one in there if one.status.value in STATUSES]
        if not now or found["status"].lower() in now:
            return found[0]
        phrases.append((found.start(), found[0]))
        return f"{found[0][: found.start('status') - found.start()]}{now[0]}"

    corrected = _STATUS.sub(restated, _RANGE.sub(widened, text))
    if not phrases:
        return None
    return Drift(min(phrases)[1], " ".join(corrected.split()))


def warnings(
    contexts: Mapping[str, str], artifacts: Mapping[str, Sequence[Artifact]], directory: str
) -> list[str]:
    """A line for each collection whose text is no longer true.

    `artifacts` are those of the collection's module; `directory` is that of the index, relative to
    the top of the repository, where the command in the line is to be run.
    """
    found = []
    for name, text in contexts.items():
        outdated = drift(text, artifacts.get(name, ()))
        if outdated is not None:
            where = shlex.quote(directory)
            command = (
                f"QMD_CONFIG_DIR={where} INDEX_PATH={where}/index.sqlite"
                f' qmd context add "qmd://{name}/" {shlex.quote(outdated.corrected)}'
            )
            found.append(
                f"Context for {name} still says '{outdated.phrase}' — refresh it with `{command}`"
            )
    return found


def _shown(text: str) -> str:
    """The text as one line that a terminal only prints."""
    return "".join(char if char.isprintable() else " " for char in text)


def _of(artifacts: Sequence[Artifact], kind: str) -> list[Artifact]:
    return [one for one in artifacts if one.kind == kind.upper() and one.id]

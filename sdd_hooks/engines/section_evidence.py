"""How much a section of a document says about its subject, by its heading.

What a record decides is in its title, its outcome and its consequences. Its changelog, its links
and the options it rejects contain words of other subjects.
"""

# Governing: ADR-0045 (evidence of names and paths)

from __future__ import annotations

from functools import lru_cache

from sdd_hooks.text.lazy_regex import lazy_regex

_ASIDE = 0.8
_OPTION = 0.9

_ASIDES = lazy_regex(
    r"change ?log|changes|revision history|version history|history|references?|related\b.*"
    r"|see also|links|further reading|more information|bibliography|sources|acknowledge?ments?"
    r"|glossary|table of contents|contents|non[- ]goals|out of scope"
)
_OPTIONS = lazy_regex(
    r"(?:considered |other |rejected |alternative )?(?:options|alternatives)(?: .*)?"
    r"|pros and cons.*|rejected.*"
)
_MARKS = lazy_regex(r"^[\W\d_]+|[\W_]+$")


@lru_cache(maxsize=4096)
def section_factor(section: str) -> float:
    """Return the factor of a section: less than 1 if its heading, or one above it, is an aside.

    `section` is the heading with those above it, as chunks have it; "" is the head of a document.
    """
    headings = [_MARKS.sub("", part).lower() for part in section.split("›")]
    if any(map(_ASIDES.fullmatch, headings)):
        return _ASIDE
    return _OPTION if any(map(_OPTIONS.fullmatch, headings)) else 1.0

"""Where the links in the text of an artifact lead: to other artifacts, to files, to the web."""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "Hostile texts"

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from urllib.parse import unquote

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references, in_module
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.registry import Links

MAX_ADDRESS = 2_000
"""Longer addresses, in characters, are no links."""

RECORD = "#/record/"
"""The address of an artifact in the page, before its key."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ALLOWED = re.compile(r"(?:https?://[^\s/]|mailto:[^\s@]+@)", re.IGNORECASE)
# A browser drops these inside a scheme: `java<TAB>script:` is a script.
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]")
_ANCHOR = re.compile(r"[\w.-]{1,200}")


class TextMention(NamedTuple):
    """An artifact that a text names between two offsets, and its key."""

    start: int
    end: int
    key: str


class Hyperlinks(NamedTuple):
    """What the links of all artifacts need: `keys` has the key of each artifact by its path."""

    corpus: Corpus
    keys: Mapping[str, str]
    links: Links | None = None

    def address(self, href: str, artifact: Artifact, path: str) -> str:
        """Return where a link in the file at `path` of an artifact leads, "" for nowhere.

        That is `#/record/KEY`, an address of http, https or mail, or a file on the forge.
        """
        if len(href) > MAX_ADDRESS:
            return ""
        if _SCHEME.match(_INVISIBLE.sub("", href)) or href.startswith(("//", "\\")):
            return href if _ALLOWED.match(href) else ""
        name, _, anchor = href.partition("#")
        anchor = unquote(anchor)
        anchor = f"/{anchor}" if _ANCHOR.fullmatch(anchor) else ""
        if not name:
            return f"{RECORD}{self.keys[artifact.path]}{anchor}" if anchor else ""
        target = self._path(name.partition("?")[0], path)
        if not target:
            return ""
        found = self.corpus.by_path.get(target) or self.corpus.by_path.get(f"{target}/spec.md")
        if found:
            return f"{RECORD}{self.keys[found.path]}{anchor}"
        return self.links.address(target, 0) if self.links else ""

    def mentions(self, text: str, artifact: Artifact) -> list[TextMention]:
        """Return the other artifacts whose ids a text has. Never raises."""
        folded = text.casefold()
        if "adr" not in folded and "spec" not in folded:
            return []
        found = []
        for reference in find_id_references(text):
            for one in self._resolve(reference.id, artifact.module)[:1]:
                if one.path != artifact.path:
                    found.append(TextMention(reference.start, reference.end, self.keys[one.path]))
        return found

    def _resolve(self, identifier: ArtifactId, module: str) -> tuple[Artifact, ...]:
        inside = self.corpus.resolve(in_module(identifier, module)) if module else ()
        return inside or self.corpus.resolve(identifier)

    def _path(self, name: str, path: str) -> str:
        """The path that a relative link leads to, "" outside of the repository."""
        name = unquote(name)
        start = "" if name.startswith("/") else posixpath.dirname(path)
        target = posixpath.normpath(posixpath.join(start, name.lstrip("/")))
        return "" if target.startswith("..") or target in (".", "/") else target

"""The files, folders, packages and patterns of the code that a record names in its text.

A name governs where the record decides: in its title, its decision, a requirement or a consequence.
In a context, an option, an aside or a list of links it is only mentioned. A name that leads to
several files, or to half of the repository, names nothing.
"""

# Governing: ADR-0066 (what a record names it governs), SPEC-0002 REQ "Named code"

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.section_roles import SectionRole, find_role
from sdd_hooks.code.languages import MARKDOWN_SUFFIXES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.globs import MAX_PATTERN, compile_path_pattern
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end
from sdd_hooks.text.sentences import split_sentences

MAX_NAMES = 200
"""Names of one record that are read."""
MAX_SECTION = 50_000
"""Characters of a section that are read."""
MAX_SENTENCE = 2_000
"""Characters of a sentence that are read."""
MAX_RULE = 300
"""Characters of a sentence that rules. A longer one tells, and has such a word among many."""
MIN_HALF = 10
"""Files from which a folder or a pattern can hold half of a repository, which names nothing."""

_CODE = lazy_regex(r"`([^`\s]{2,300})`")
_LINK = lazy_regex(r"\]\(<?([^()\s<>]{2,300})>?(?:[ ][^()\n]{0,200})?\)")
# The lookbehind makes the search linear: a match cannot begin within a run of such characters.
_BARE = lazy_regex(r"(?<![\w.@/:*`-])(?:\./)?[\w.@-]+(?:/[\w.@*-]+)*/?(?![\w`*])")
_DOCUMENT = lazy_regex(
    r"(?i)\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|pdf|png|jpe?g|gif|svg|webp|drawio|puml|mmd)$"
)
_PLACE = lazy_regex(r"(?::\d+(?:[-:]\d+)?|#.*)$")
_FILE = lazy_regex(r"[^/.][^/]*\.[A-Za-z][A-Za-z0-9]{0,9}$")
_MODULE = lazy_regex(r"[a-z_]\w*(?:\.[a-z_]\w*)+")
_TELLING = lazy_regex(r"^@[\w.-]+/[\w.-]+$|^[\w.]+-[\w.-]+$|^[A-Z]\w*[a-z]\w*[A-Z]\w*$")
_MANIFESTS = frozenset({"package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml"})
_ASIDE = lazy_regex(r"(?i)\((?:see|cf|e\.g|i\.e|for example|such as)\b[^()\n]*\)")
_ITEM = lazy_regex(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
# Words of a rule. The scripts without spaces have no boundaries of words.
_RULE = lazy_regex(
    r"(?i)\b(?:must|shall|should|never|always|may not|has to|have to|required"
    r"|mandatory|forbidden|not allowed|muss|müssen|darf|dürfen|soll|sollen|immer|niemals?"
    r"|doit|doivent|toujours|jamais|debe|deben|siempre|nunca|deve|devem|devono|sempre|moet|moeten"
    r"|mag|altijd|nooit|musi|muszą|zawsze|nigdy|должен|должн[аоы]|нельзя|всегда|никогда)\b"
    r"|必须|必須|不得|禁止|只能|なければならない|必ず|べき|해야|반드시|금지"
)


class NamedCode(NamedTuple):
    """Code that a record names: the path of a file, of a folder with `/` at its end, or a glob.

    `line` and `sentence` say where the record names it. `governs` is false where it is only
    mentioned, and `is_rule` true where the sentence says what must be.
    """

    path: str
    line: int
    sentence: str
    governs: bool
    is_rule: bool


class CodePaths:
    """The files of a tree, relative to its root, to which names are resolved."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted({*paths})

    def including(self, path: str) -> CodePaths:
        """These files and one more, which may be a new one."""
        return self if path in self else CodePaths((*self._paths, path))

    def resolve(self, name: str) -> str:
        """The file, the folder (with `/`) or the pattern that a name means; "" for none or many."""
        if "*" in name or "{" in name:
            return self._pattern(name)
        path = posixpath.normpath(name).lstrip("/")
        if path.startswith("..") or path in ("", "."):
            return ""
        if not name.endswith("/") and path in self:
            return path
        folder = self._folder(f"{path}/")
        if folder and "/" not in name and self.is_large(folder):
            # The database or the product of that name more often than its folder.
            return ""
        return folder or ("" if name.endswith("/") else self._ending(path))

    def _ending(self, path: str) -> str:
        # The name is written from a folder that the reader of the record knows.
        found = self._ending_in(path) if _FILE.search(path) else ()
        if not found and _TELLING.search(path):
            found = self._by_subject.get(path.rpartition("/")[2] if path[0] == "@" else path, ())
        if not found and _MODULE.fullmatch(path):
            return self._module(path)
        return found[0] if len(found) == 1 else ""

    def lacks(self, path: str) -> bool:
        """Whether no file has this path, alone or below a folder."""
        return path not in self and not self._ending_in(path)

    def _ending_in(self, path: str) -> Sequence[str]:
        named = self._by_name.get(path.rpartition("/")[2], ())
        return [one for one in named if one.endswith(f"/{path}")]

    def __contains__(self, path: str) -> bool:
        at = bisect_left(self._paths, path)
        return at < len(self._paths) and self._paths[at] == path

    def _folder(self, folder: str) -> str:
        first = bisect_left(self._paths, folder)
        held = bisect_left(self._paths, folder[:-1] + "0") - first
        return folder if held and not self._is_half(held) else ""

    def is_large(self, named: str) -> bool:
        """Whether a folder or a pattern holds more than a tenth of the files, so that little is
        said of one of them."""
        is_pattern = "*" in named or "{" in named
        matches = compile_path_pattern(named) if is_pattern else None
        held = sum(matches(one) if matches else one.startswith(named) for one in self._paths)
        return held >= MIN_HALF and 10 * held > len(self._paths)

    def _is_half(self, held: int) -> bool:
        return held >= MIN_HALF and 2 * held > len(self._paths)

    def _pattern(self, pattern: str) -> str:
        if len(pattern) > MAX_PATTERN or not re.search(r"\w", pattern):
            return ""
        try:
            matches = compile_path_pattern(pattern)
        except ValueError:
            return ""
        held = sum(1 for path in self._paths if matches(path))
        return pattern if held and not self._is_half(held) else ""

    def _module(self, dotted: str) -> str:
        """The file or the folder of a dotted name such as `shop.cart`."""
        path = dotted.replace(".", "/")
        found = [one for one in (f"{path}.py", f"src/{path}.py") if one in self]
        return found[0] if found else self._folder(f"{path}/") or self._folder(f"src/{path}/")

    @cached_property
    def _by_subject(self) -> Mapping[str, Sequence[str]]:
        """The files that have the name of a symbol, and the folders that have that of a package."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            folder, _, name = path.rpartition("/")
            is_package = name in _MANIFESTS and folder
            subject = folder.rpartition("/")[2] if is_package else name.rpartition(".")[0]
            if not _DOCUMENT.search(name):
                found[subject].append(f"{folder}/" if is_package else path)
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            found[path.rpartition("/")[2]].append(path)
        return found


def may_name(text: str, path: str) -> bool:
    """Whether the text of a record can name a file: a quick test, which only rules out."""
    folder, _, name = path.rpartition("/")
    parts = folder.split("/") if folder else []
    stem = name.rpartition(".")[0] or name
    return (
        stem in text
        or "*" in text
        or any(
            f"{one}/" in text or f"/{one}" in text or ("-" in one and one in text) for one in parts
        )
    )


def read_named_code(record: Artifact, text: str, paths: CodePaths) -> tuple[NamedCode, ...]:
    """Read what a record names of the files at `paths`. `text` is that of its file.

    Rules come first, then what governs, then what is mentioned, each in the order of the text; of
    one path, only the first is kept. Never raises.
    """
    found = sorted(
        _resolved(record, text, paths), key=lambda one: (not one.is_rule, not one.governs, one.line)
    )
    first: dict[str, NamedCode] = {}
    for one in found:
        first.setdefault(one.path, one)
    return tuple(first.values())


def find_unresolved(record: Artifact, text: str, paths: CodePaths) -> Iterator[NamedCode]:
    """Find the files that a record names by a path from the root, and that are not at `paths`."""
    known: set[str] = set()
    for written, name in islice(_names(record, text), MAX_NAMES):
        path = name.removeprefix("./").lstrip("/")
        is_path = "/" in path and _FILE.search(path) and not re.search(r"[*{]|\.\.", path)
        if is_path and path not in known and paths.lacks(path):
            known.add(path)
            yield written._replace(path=path)


def _resolved(record: Artifact, text: str, paths: CodePaths) -> Iterator[NamedCode]:
    known: dict[str, str] = {}
    beside = f"{posixpath.dirname(record.path)}/"
    for written, name in _names(record, text):
        if name not in known:
            if len(known) == MAX_NAMES:
                return
            path = paths.resolve(name)
            # Another record, or a drawing of this one, is no code.
            known[name] = "" if path.startswith(beside) and _DOCUMENT.search(path) else path
        if path := known[name]:
            # A rule that names a symbol is often about its users.
            is_rule = written.is_rule and ("." in name or "/" in name)
            yield written._replace(path=path, is_rule=is_rule)


def _names(record: Artifact, text: str) -> Iterator[tuple[NamedCode, str]]:
    """Each name of code as it is written, with where it stands; the path is still empty."""
    top = next((one.first_line for one in record.sections if one.title), 1)
    for name in _written(record.title, record):
        yield NamedCode("", top, record.title, True, False), name
    lines = text.split("\n")
    head = find_frontmatter_end(text)
    for section in record.sections:
        role = find_role(section, record)
        governs = role > SectionRole.CONTEXT
        introduced = False
        start = max(section.start, head)
        first_line = section.first_line + text.count("\n", section.start, start)
        for sentence in split_sentences(text[start : section.end][:MAX_SECTION], first_line):
            written = sentence.text[:MAX_SENTENCE]
            in_list = bool(_ITEM.match(lines[sentence.line - 1])) if lines else False
            rules = bool(_RULE.search(written)) or (introduced and in_list)
            is_rule = governs and rules and len(written) <= MAX_RULE
            introduced = (is_rule and written.endswith((":", "："))) or (introduced and in_list)
            place = NamedCode("", sentence.line, written, governs, is_rule)
            ruled = _ASIDE.sub("", written)
            for name in _written(written, record):
                aside = name not in ruled and place._replace(governs=False, is_rule=False)
                yield aside or place, name


def _written(sentence: str, record: Artifact) -> Iterator[str]:
    """The names of code in a sentence: code spans, relative links, and paths in prose."""
    for span in _CODE.findall(sentence):
        yield _PLACE.sub("", span)
    for target in _LINK.findall(sentence):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            relative = posixpath.join(posixpath.dirname(record.path), _PLACE.sub("", target))
            name = target.lstrip("/") if target.startswith("/") else posixpath.normpath(relative)
            if not name.lower().endswith(MARKDOWN_SUFFIXES):
                yield name + "/" * target.endswith("/")
    for token in _BARE.findall(_CODE.sub(" ", sentence)):
        name = token.rstrip(".")
        # `client/server` is prose; `client/server/` and `client/server.js` are paths.
        if _FILE.search(name) or ("/" in name and (name.endswith("/") or name.count("/") > 1)):
            yield name

"""The added lines of a change in a prompt, and the search for a line that a model quotes."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.paths import is_external
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.judge.prompt import PromptPart, escape_invisible, format_fields, size_of
from sdd_hooks.review.judge.quotes import normalize_space
from sdd_hooks.text.lines import NumberedLine

MAX_LINE = 300
"""Characters of a line that are shown."""
MIN_LETTERS = 4
"""Letters and digits of a line that can be quoted."""


class ShownLines(NamedTuple):
    """The part of a prompt with added lines, and these lines by the paths of their files."""

    part: PromptPart
    lines: Mapping[str, Sequence[NumberedLine]]

    @property
    def total(self) -> int:
        """The number of lines."""
        return sum(map(len, self.lines.values()))


def show_added_lines(files: Iterable[ChangedFile], limit: int) -> ShownLines:
    """Format added lines with their numbers below the paths of their files, up to `limit` bytes.

    Blank lines and vendored or generated files are left out. When the lines do not fit, each file
    gets an equal share, and a short file leaves the rest of its share to longer ones.
    """
    added = {
        file.path: _first_lines(iterate_added(file), limit)
        for file in files
        if file.added and not is_external(file.path)
    }
    left = limit
    kept: dict[str, Sequence[NumberedLine]] = {}
    for done, path in enumerate(sorted(added, key=lambda path: (_size(added[path]), path))):
        header = size_of(format_fields(path=path)) + 1
        if lines := _first_lines(added[path], left // (len(added) - done) - header):
            kept[path] = lines
            left -= header + _size(lines)
    texts = [
        text
        for path in added
        if path in kept
        for text in (format_fields(path=path), *map(_format_line, kept[path]))
    ]
    return ShownLines(PromptPart("added lines", "\n".join(texts)), kept)


def find_quoted_line(shown: ShownLines, path: str, quote: str, near: int) -> NumberedLine | None:
    """Find the line of `path` that `quote` equals, the closest one to line `near`.

    None when no shown line is equal. White space is ignored; the quote must be the whole line, as
    in the file or as shown. A line with less than MIN_LETTERS letters is never found.
    """
    wanted = normalize_space(escape_invisible(quote))
    if sum(map(str.isalnum, wanted)) < MIN_LETTERS:
        return None
    matches = [
        line
        for line in shown.lines.get(path, ())
        if wanted
        in (normalize_space(escape_invisible(line.text)), normalize_space(_shown_text(line)))
    ]
    return min(matches, key=lambda line: abs(line.number - near), default=None)


def iterate_added(file: ChangedFile) -> Iterator[NumberedLine]:
    """Iterate over the added lines that are not blank."""
    return (line for line in file.added if line.text.strip())


def _first_lines(lines: Iterable[NumberedLine], limit: int) -> list[NumberedLine]:
    """The first lines that fit into `limit` bytes of a part."""
    kept = []
    for line in lines:
        limit -= size_of(_format_line(line)) + 1
        if limit < 0:
            break
        kept.append(line)
    return kept


def _format_line(line: NumberedLine) -> str:
    return f"{line.number}: {_shown_text(line)}"


def _shown_text(line: NumberedLine) -> str:
    return escape_invisible(line.text[:MAX_LINE].expandtabs(4))[:MAX_LINE]


def _size(lines: Iterable[NumberedLine]) -> int:
    return sum(size_of(_format_line(line)) + 1 for line in lines)

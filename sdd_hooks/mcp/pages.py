"""Pages of a result: what fits into a budget of tokens, and the cursor of the next page.

A result is an object that a client puts into the context of a language model. It never has more
tokens than the call allows: what does not fit is on the next page.
"""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "Budget and cursors"

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.budget import BYTES_PER_TOKEN, count_tokens
from sdd_hooks.text.display import is_unicode

MIN_BUDGET = 500
MAX_BUDGET = 20_000

_MAX_OFFSET = 1_000_000_000
_DIGEST = 12
_CURSOR = "cursor"
_BUDGET = "budget"
_SHORTEST = 40
"""Characters to which a text of an entry is cut at most."""

Data = dict[str, object]


class PageRequest(NamedTuple):
    """Which page of a result is requested: at most `budget` tokens, from the entry `offset`.

    `call` identifies the call, without its cursor and budget.
    """

    budget: int
    offset: int
    call: str


def page_parameters(budget: int) -> tuple[Parameter, ...]:
    """Return the parameters that every tool with pages has; `budget` is the default in tokens."""
    return (
        Parameter(
            _BUDGET,
            "number",
            "The maximum size of the result in tokens.",
            default=budget,
            low=MIN_BUDGET,
            high=MAX_BUDGET,
        ),
        Parameter(_CURSOR, "text", "next_cursor of the same call, for what did not fit.", high=200),
    )


def read_page_request(tool: str, arguments: Mapping[str, object]) -> PageRequest:
    """Return the page that checked arguments request.

    Raises BadArgument for a cursor that a call with other arguments returned.
    """
    others = {name: one for name, one in arguments.items() if name not in (_CURSOR, _BUDGET)}
    text = json.dumps([tool, others], sort_keys=True, default=str)
    call = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    cursor = arguments.get(_CURSOR)
    offset = read_cursor(str(cursor), call) if cursor else 0
    budget = arguments[_BUDGET]
    assert isinstance(budget, int)
    return PageRequest(budget, offset, call)


def read_cursor(cursor: str, call: str) -> int:
    """Return the offset in a cursor of this call. Raises BadArgument for any other text."""
    try:
        offset, of_call = json.loads(urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, TypeError, RecursionError):
        offset, of_call = None, call
    if not isinstance(offset, int) or not 0 <= offset <= _MAX_OFFSET:
        raise BadArgument("the cursor is not one that this server returned: leave it out")
    if of_call != call:
        raise BadArgument("the cursor belongs to a call with other arguments: leave it out")
    return offset


def write_cursor(offset: int, call: str) -> str:
    """Return the cursor of the entries of a call from an offset."""
    return urlsafe_b64encode(json.dumps([offset, call]).encode()).decode("ascii")


def render(data: Mapping[str, object]) -> str:
    """Return an object as JSON text, whose strings are valid Unicode."""
    return json.dumps(clean(data), ensure_ascii=False)


def clean(value: object) -> object:
    """Return a JSON value whose strings UTF-8 can encode: U+FFFD replaces a lone surrogate."""
    if isinstance(value, str):
        return (
            value
            if is_unicode(value)
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, Mapping):
        return {key: clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean(one) for one in value]
    return value


def _tokens(data: Mapping[str, object]) -> int:
    return count_tokens(render(data))


def page_of_entries(
    head: Data, name: str, entries: Sequence[Data], request: PageRequest, notes: Sequence[str] = ()
) -> Data:
    """Return `head` with as many of the `entries` as fit, under `name`.

    `left_out` counts the entries of later pages. A page that is not the last has at least one
    entry: the texts of one that is too large are cut. Notes are included where they fit.
    """
    rest = entries[request.offset :]
    longest = write_cursor(_MAX_OFFSET, request.call)
    page = {**head, name: [], "left_out": len(entries), "next_cursor": longest}
    if notes:
        page = _with_notes(page, notes, request.budget)
    room = request.budget - _tokens(page)
    kept: list[Data] = []
    for entry in rest:
        cost = count_tokens(f"{render(entry)}, ")
        if cost > room:
            break
        kept.append(entry)
        room -= cost
    if rest and not kept:
        kept = [_cut(rest[0], room)]
    end = request.offset + len(kept)
    left = max(len(entries) - end, 0)
    page[name] = kept
    page["left_out"] = left
    page["next_cursor"] = write_cursor(end, request.call) if left else None
    return page


def _with_notes(page: Data, notes: Sequence[str], budget: int) -> Data:
    """Add the notes that take at most a third of the budget, each shortened."""
    kept: list[str] = []
    for note in notes:
        with_note = {**page, "notes": [*kept, note]}
        if _tokens(with_note) - _tokens(page) <= budget // 3 and _tokens(with_note) < budget:
            kept.append(note)
    return {**page, "notes": kept} if kept else page


def _cut(entry: Data, room: int) -> Data:
    """Cut the longest texts of an entry until it fits, or no text is left to cut."""
    cut = {**entry, "cut": True}
    while count_tokens(f"{render(cut)}, ") > room:
        lists = [key for key, value in cut.items() if isinstance(value, list) and value]
        texts = [key for key, value in cut.items() if isinstance(value, str)]
        longest = max(texts, key=lambda key: len(str(cut[key])), default="")
        text = str(cut.get(longest, ""))
        if lists:
            key = max(lists, key=lambda one: len(render({"": cut[one]})))
            value = cut[key]
            assert isinstance(value, list)
            cut[key] = value[: len(value) // 2]
        elif len(text) > _SHORTEST:
            cut[longest] = text[: max(_SHORTEST, len(text) // 2) - 1] + "…"
        else:
            break
    return cut


def page_of_text(
    head: Data, text: str, first_line: int, request: PageRequest, notes: Sequence[str] = ()
) -> Data:
    """Return `head` with the part of `text` that fits, from the character `offset`.

    `first_line` is the line of the file with which `text` begins. A part ends with a line where
    that leaves more than half of it.
    """
    start = min(request.offset, len(text))
    longest = write_cursor(_MAX_OFFSET, request.call)
    page = {
        **head,
        "first_line": _MAX_OFFSET,
        "last_line": _MAX_OFFSET,
        "text": "",
        "next_cursor": longest,
    }
    if notes:
        page = _with_notes(page, notes, request.budget)
    end = _fitting_end(text, start, request.budget - _tokens(page))
    line = first_line + text.count("\n", 0, start)
    shown = text[start:end]
    page["first_line"] = line
    page["last_line"] = line + shown.rstrip("\n").count("\n")
    page["text"] = shown
    page["next_cursor"] = write_cursor(end, request.call) if end < len(text) else None
    return page


def _fitting_end(text: str, start: int, room: int) -> int:
    low, high = start + 1, min(len(text), start + max(room, 1) * BYTES_PER_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(render({"": text[start:middle]})) <= room:
            low = middle
        else:
            high = middle - 1
    end = min(low, len(text))
    if end < len(text):
        line_end = text.rfind("\n", start, end) + 1
        if line_end - start > (end - start) // 2:
            return line_end
    return end

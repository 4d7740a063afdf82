"""Pull requests of a batch: the issues that each closes or belongs to, and the order of merges.

The order has tiers without overlap inside; pull requests that wait for each other are in none.
"""

# Governing: ADR-0054 (pull requests and issues are changed in batches), SPEC-0027 REQ "Arguments of
# a review", REQ "Merge order", REQ "Merge"

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.config.settings import PullRequestSettings
from sdd_hooks.forges.protocol import PullRequest
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import is_epic
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.stated import read_stated
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.registry import closing_words_of

MAX_TEXT = 100_000
"""Characters of a description that are read."""

_WORDS = r"close[sd]?|fix(?:e[sd])?|resolve[sd]?|bd\ close"
_NAME = r"\#?([\w][\w.-]{0,99})"
_KEY = lazy_regex(r"(?<![\w/.-])[A-Za-z]\w{0,30}-[0-9]{1,12}(?![\w-])", re.ASCII)


class PullIssues(NamedTuple):
    """The issues of a pull request: all that it belongs to, and those that it closes."""

    issues: tuple[StoredIssue, ...]
    closed: tuple[StoredIssue, ...]


def find_pull_issues(
    pull: PullRequest,
    issues: Sequence[StoredIssue],
    tracker: str,
    settings: PullRequestSettings,
) -> PullIssues:
    """Find the issues of a pull request by its description, its branch and the tracker's links.

    It closes those that follow a closing word and, for a tracker that closes by keys, those whose
    key it has. A key after the `Ref Keyword`, and an epic, is only referred to.
    """
    by_id = {issue.id.casefold(): issue for issue in issues}
    text = f"{pull.title}\n{_stated_body(pull)}"
    names = _closing_names(text, settings)
    if closing_words_of(tracker) == "{}":
        referred = re.compile(rf"{re.escape(settings.ref_keyword)}\s+\S+", re.IGNORECASE)
        names += _KEY.findall(referred.sub(" ", text.replace("`", " ")))
    named = (by_id.get(name.rstrip(".-").casefold()) for name in names)
    closed = {issue.id: issue for issue in named if issue and not is_epic("", issue.labels)}
    of_branch = branch_issue(pull.head_ref, issues)
    linked = [one for one in issues if any(link.number == str(pull.number) for link in one.pulls)]
    all_issues = {**closed, **{one.id: one for one in (*of_branch, *linked)}}
    return PullIssues(tuple(all_issues.values()), tuple(closed.values()))


def branch_issue(branch: str, issues: Sequence[StoredIssue]) -> tuple[StoredIssue, ...]:
    """The issue whose number or key a branch begins with after its prefix; () for none."""
    name = branch.rpartition("/")[2].casefold()
    if "/" not in branch:
        return ()
    found = [
        issue
        for issue in issues
        if name == issue.id.casefold() or name.startswith(f"{issue.id.casefold()}-")
    ]
    # `shop-12-3` begins with shop-12, too.
    return (max(found, key=lambda issue: len(issue.id)),) if found else ()


def belongs_to(pull: PullRequest, spec: str, issues: Sequence[StoredIssue]) -> bool:
    """Whether a pull request belongs to a specification: it, or one of its `issues`, names it."""
    text = f"{pull.title}\n{_stated_body(pull)}\n{pull.head_ref.replace('/', ' ')}"
    named = {str(reference.id) for reference in find_id_references(text)}
    return spec in named or any(spec in issue.specs for issue in issues)


def _stated_body(pull: PullRequest) -> str:
    return read_stated(pull.body[:MAX_TEXT], open_boxes=True)


def _closing_names(text: str, settings: PullRequestSettings) -> list[str]:
    """What follows a closing word, without `#`."""
    words = _WORDS
    if settings.close_keyword:
        words += f"|{re.escape(settings.close_keyword)}"
    pattern = re.compile(rf"(?<![\w-])(?:{words}):?\s+{_NAME}", re.IGNORECASE)
    return pattern.findall(text)


class OrderedPull(NamedTuple):
    """What the order depends on.

    `files` are the paths that a pull request changes, None if they are unknown: then it overlaps
    with every other one. `after` are the numbers of those that must be merged before it.
    """

    number: int
    files: frozenset[str] | None
    after: frozenset[int] = frozenset()
    is_foundation: bool = False


class MergeOrder(NamedTuple):
    """The tiers, each sorted by size, in the order of merges.

    `overlaps` has the shared paths of two pull requests, by number, () for unknown ones. `circles`
    are the pull requests that wait for each other, each with its first member repeated at its end.
    `waiting` are those that come after a member of a circle.
    """

    tiers: tuple[tuple[int, ...], ...]
    overlaps: Mapping[int, Mapping[int, tuple[str, ...]]]
    circles: tuple[tuple[int, ...], ...] = ()
    waiting: tuple[int, ...] = ()

    def tier_of(self, number: int) -> int | None:
        """The tier of a pull request, from 1 on; None for one without a place."""
        places = (place for place, tier in enumerate(self.tiers, 1) if number in tier)
        return next(places, None)


def merge_order(pulls: Sequence[OrderedPull]) -> MergeOrder:
    """Order pull requests: those without overlap, then foundation, then by overlap.

    Inside a class, the one with fewer overlaps comes first, then the smaller one, then the older
    one. What `after` names comes before all that. Predecessors outside of `pulls` do not count.
    """
    by_number = {pull.number: pull for pull in pulls}
    overlaps = _overlaps(pulls)
    before = {pull.number: (pull.after & by_number.keys()) - {pull.number} for pull in pulls}
    rank = {pull.number: _rank(pull, overlaps[pull.number]) for pull in pulls}
    placed: dict[int, int] = {}
    left = set(by_number)
    while ready := [number for number in left if before[number] <= placed.keys()]:
        number = min(ready, key=lambda one: rank[one])
        placed[number] = _tier(number, placed, before[number] | overlaps[number].keys(), rank)
        left.remove(number)
    tiers: dict[int, list[int]] = {}
    for number, tier in placed.items():
        tiers.setdefault(tier, []).append(number)
    circles = _circles(left, before)
    members = {number for circle in circles for number in circle}
    ordered = (tuple(sorted(tiers[tier], key=lambda one: rank[one])) for tier in sorted(tiers))
    return MergeOrder(tuple(ordered), overlaps, circles, tuple(sorted(left - members)))


def _rank(pull: OrderedPull, overlaps: Mapping[int, object]) -> tuple[int, int, int, int]:
    kind = 0 if not overlaps else 1 if pull.is_foundation else 2
    size = len(pull.files) if pull.files is not None else 1 << 30
    return kind, len(overlaps), size, pull.number


def _tier(
    number: int,
    placed: Mapping[int, int],
    predecessors: Set[int],
    rank: Mapping[int, tuple[int, int, int, int]],
) -> int:
    """The first tier after the predecessors that are placed, and after those of lower classes."""
    kind = rank[number][0]
    earlier = (
        tier for other, tier in placed.items() if other in predecessors or rank[other][0] < kind
    )
    return max(earlier, default=0) + 1


def _overlaps(pulls: Sequence[OrderedPull]) -> dict[int, dict[int, tuple[str, ...]]]:
    overlaps: dict[int, dict[int, tuple[str, ...]]] = {pull.number: {} for pull in pulls}
    changed: dict[str, list[int]] = {}
    for pull in pulls:
        for path in pull.files or ():
            changed.setdefault(path, []).append(pull.number)
    for path in sorted(changed):
        for number in changed[path]:
            for other in changed[path]:
                if other != number:
                    overlaps[number][other] = (*overlaps[number].get(other, ()), path)
    unknown = [pull.number for pull in pulls if pull.files is None]
    for number in unknown:
        for other, shared in overlaps.items():
            if other != number:
                overlaps[number].setdefault(other, ())
                shared.setdefault(number, ())
    return overlaps


def _circles(left: Iterable[int], before: Mapping[int, Set[int]]) -> tuple[tuple[int, ...], ...]:
    """The circles among these numbers, each once, from its smallest member on.

    Every number has a predecessor among them, so that a walk backwards ends in a circle.
    """
    found: dict[frozenset[int], tuple[int, ...]] = {}
    known = set(left)
    for start in sorted(known):
        walk: list[int] = []
        at = start
        while at not in walk:
            walk.append(at)
            at = min(before[at] & known)
        circle = walk[walk.index(at) :]
        smallest = circle.index(min(circle))
        # The walk went from each one to one that comes before it.
        turned = [*circle[smallest:], *circle[:smallest], circle[smallest]]
        found.setdefault(frozenset(circle), tuple(reversed(turned)))
    return tuple(sorted(found.values()))

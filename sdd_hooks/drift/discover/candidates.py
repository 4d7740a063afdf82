"""Candidates: decisions that the evidence shows, ranked by how much of the code depends on them."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Candidates",
# SPEC-0028 REQ "State"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt

from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.code.languages import describe_language
from sdd_hooks.drift.discover.catalogue import Category, Technology, load_catalogue
from sdd_hooks.drift.discover.survey import EvidenceLine, Findings, Role, survey
from sdd_hooks.drift.discover.tree import SourceTree
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.text.display import join_names
from sdd_hooks.text.names import slugify

MAX_NAMES = 3
"""Technologies of one role that a title names."""
MAX_EVIDENCE = 20
"""Lines of evidence of a candidate."""

_KEPT_SHARE = 0.1
_USE_WEIGHT = 40.0
_MAX_DECLARED = 4
_ALWAYS_KEPT = frozenset({"store"})
_WRITTEN = {"csharp": "C#", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP"}


class ImplicitDecision(NamedTuple):
    """A decision that no record may have: `title` is a sentence, `id` is stable and unique.

    The most used of the `technologies` comes first. `names` are what a record may call the
    decision; those in `common` are ordinary words, too. `files` counts the source
    files that depend on it, of `all_files`; `folders` are the directories with the most of them.
    """

    id: str
    title: str
    category: str
    technologies: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    common: frozenset[str]
    evidence: tuple[EvidenceLine, ...]
    files: int
    all_files: int
    score: float
    folders: tuple[str, ...] = ()


class _Fact(NamedTuple):
    """A technology that is shown to be in use in one ecosystem ("": by its files only)."""

    technology: Technology
    ecosystem: str
    evidence: tuple[EvidenceLine, ...]
    users: frozenset[str]


def find_candidates(findings: Findings) -> tuple[ImplicitDecision, ...]:
    """Return the decisions that the evidence shows, the weightiest first."""
    total = sum(findings.sources.values()), sum(findings.tests.values())
    found: list[ImplicitDecision] = []
    for category, facts in _by_category(findings):
        if category.grouped:
            groups = _by_ecosystem(facts)
            for ecosystem, group in groups.items():
                name = category.id if len(groups) == 1 else f"{category.id}-{ecosystem}"
                found += _grouped(name, category, group, total)
        else:
            found += _separate(category, facts, total)
    return tuple(sorted(found, key=lambda one: (-one.score, one.id)))


def _by_category(findings: Findings) -> Iterator[tuple[Category, Sequence[_Fact]]]:
    proven: dict[str, tuple[Category, list[_Fact]]] = {}
    for technology, evidence in findings.evidence:
        category = technology.category
        facts = list(_facts(technology, evidence))
        if facts:
            proven.setdefault(category.id, (category, []))[1].extend(facts)
    yield from proven.values()


def _facts(technology: Technology, evidence: Sequence[EvidenceLine]) -> Iterator[_Fact]:
    by_ecosystem: dict[str, list[EvidenceLine]] = {}
    for one in evidence:
        by_ecosystem.setdefault(one.ecosystem or "", []).append(one)
    for ecosystem, shown in by_ecosystem.items():
        roles: tuple[Role, ...] = ("used",)
        if technology.category.proof == "tests":
            roles = ("used", "tested")
        users = frozenset(one.path for one in shown if one.role in roles)
        if _is_proven(technology, shown, len(users)):
            yield _Fact(technology, ecosystem, tuple(shown), users)


def _is_proven(technology: Technology, evidence: Sequence[EvidenceLine], users: int) -> bool:
    category = technology.category
    if users >= category.least:
        return True
    if category.proof != "declared" and not technology.declared:
        return any(one.role == "marked" for one in evidence)
    if technology.confirm:
        return any(one.role == "marked" for one in evidence)
    takes_development = category.proof != "imported" or category.development
    return any(
        one.role == "marked"
        or (one.role == "declared" and (takes_development or not one.is_development))
        for one in evidence
    )


def _by_ecosystem(facts: Iterable[_Fact]) -> Mapping[str, Sequence[_Fact]]:
    """The facts of each ecosystem. What only files show joins the ecosystem with the most users."""
    groups: dict[str, list[_Fact]] = {}
    loose: list[_Fact] = []
    for fact in facts:
        (groups.setdefault(fact.ecosystem, []) if fact.ecosystem else loose).append(fact)
    if not groups:
        return {"": loose} if loose else {}
    users = {name: len(_union(group)) for name, group in groups.items()}
    largest = max(groups, key=lambda name: users[name])
    for fact in loose:
        same = next(
            (one for group in groups.values() for one in group if _is_same(one, fact)), None
        )
        groups[same.ecosystem if same else largest].append(fact)
    return groups


def _is_same(one: _Fact, other: _Fact) -> bool:
    return one.technology.name == other.technology.name


def _grouped(
    name: str, category: Category, facts: Sequence[_Fact], total: tuple[int, int]
) -> Iterator[ImplicitDecision]:
    merged = _merged(facts)
    phrases: list[str] = []
    kept: list[_Fact] = []
    for role, word in category.roles.items():
        of_role = _most_used([one for one in merged if one.technology.role == role], role)
        if not of_role or (role in category.additions and not kept):
            continue
        names = join_names([one.technology.name for one in of_role])
        phrases.append(f"{word} {names}" if word and phrases else names)
        kept += of_role
    if kept:
        yield _candidate(name, category, " ".join(phrases), kept, total)


def _separate(
    category: Category, facts: Sequence[_Fact], total: tuple[int, int]
) -> Iterator[ImplicitDecision]:
    for fact in _merged(facts):
        name = fact.technology.name
        yield _candidate(slugify(name), category, name, [fact], total)


def _merged(facts: Iterable[_Fact]) -> list[_Fact]:
    """One fact for each technology, with the evidence of all of its ecosystems."""
    merged: dict[str, _Fact] = {}
    for fact in facts:
        name = fact.technology.name
        known = merged.get(name, fact._replace(evidence=(), users=frozenset()))
        evidence, users = known.evidence + fact.evidence, known.users | fact.users
        merged[name] = fact._replace(evidence=evidence, users=users)
    return list(merged.values())


def _most_used(facts: Sequence[_Fact], role: str) -> Sequence[_Fact]:
    ordered = sorted(facts, key=lambda one: (-len(one.users), one.technology.name))
    if not ordered:
        return ()
    least = len(ordered[0].users) * _KEPT_SHARE
    kept = [one for one in ordered if role in _ALWAYS_KEPT or len(one.users) >= least]
    return kept[:MAX_NAMES]


def _candidate(
    name: str, category: Category, text: str, facts: Sequence[_Fact], total: tuple[int, int]
) -> ImplicitDecision:
    ordered = sorted(facts, key=lambda one: -len(one.users))
    users = _union(ordered)
    all_files = sum(total) if category.proof == "tests" else total[0]
    share = min(1.0, len(users) / all_files) if all_files else 0.0
    names = tuple((one.technology.name, *one.technology.aliases) for one in ordered)
    common = frozenset(
        name
        for one, written in zip(ordered, names, strict=True)
        for at, name in enumerate(written)
        # Several words together are no ordinary word: `Drizzle ORM`, `framer-motion`.
        if (one.technology.common and name.isalnum())
        or (at and name.isalpha() and name[1:].islower())
    )
    return ImplicitDecision(
        name,
        category.title.replace("{}", text),
        category.id,
        tuple(one.technology.name for one in ordered),
        names,
        common,
        tuple(_chosen([list(one.evidence) for one in ordered])),
        len(users),
        all_files,
        round(category.weight + _USE_WEIGHT * sqrt(share), 3),
        _folders(users),
    )


def _union(facts: Iterable[_Fact]) -> frozenset[str]:
    return frozenset().union(*(one.users for one in facts))


def _chosen(groups: Sequence[Sequence[EvidenceLine]]) -> Iterator[EvidenceLine]:
    """The lines that show most: declarations and marks of each technology, then uses.

    Of the uses, one of each directory comes first.
    """
    chosen: list[EvidenceLine] = []
    for group in groups:
        chosen += [one for one in group if one.role in ("declared", "marked")][:_MAX_DECLARED]
    uses = [one for group in groups for one in group if one.role in ("used", "tested")]
    uses.sort(key=lambda one: one.role == "tested")
    folders: set[str] = set()
    first = []
    for one in uses:
        folder = one.path.rpartition("/")[0]
        if folder not in folders:
            folders.add(folder)
            first.append(one)
    chosen += first
    chosen += [one for one in uses if one not in first]
    # A line may declare and use a technology, or show two of them.
    by_line: dict[tuple[str, int], EvidenceLine] = {}
    for one in chosen:
        by_line.setdefault((one.path, one.line), one)
    yield from list(by_line.values())[:MAX_EVIDENCE]


def _folders(paths: Iterable[str]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        counts[folder] = counts.get(folder, 0) + 1
    return tuple(sorted(counts, key=lambda one: (-counts[one], one))[:MAX_NAMES])


def show_state(repository: Repository) -> dict[str, object]:
    """The fields of the state that the work tree shows, and no other. Raises GitError."""
    tree = SourceTree(WorkFiles(repository.git, ()), lambda _: True)
    described = ((one, describe_language(one.path)) for one in tree.files)
    code = {one: found.name for one, found in described if found and found.imports}
    languages = (_WRITTEN.get(one, one.capitalize()) for one in _frequent(code.values()))
    stack = {"language": ", ".join(languages)} if code else {}
    for one in find_candidates(survey(tree, load_catalogue())):
        stack[one.category] = ", ".join(filter(None, (stack.get(one.category), *one.technologies)))
    tops = [(one.folder.partition("/")[0] or "the root", one.is_test) for one in code]
    folders = [_frequent(top for top, test in tops if test is own) for own in (False, True)]
    named = zip(("code in ", "tests in "), folders, strict=True)
    where = (kind + join_names(one) for kind, one in named if one)
    return {"tech_stack": stack, "project_structure_convention": ", ".join(where)}


def _frequent(values: Iterable[str]) -> list[str]:
    counts = Counter(values)
    return [one for one, n in counts.most_common() if n >= _KEPT_SHARE * counts.total()]

"""Requirements and scenarios of a specification that no code and no test names.

What a repository does nowhere is no gap: a requirement counts as missing only where others of the
same specification are named, and a scenario only where tests name others.
"""

# Governing: SPEC-0018 REQ "Coverage of requirements"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.requirements import Requirement, Scenario
from sdd_hooks.changes.tree import Tree
from sdd_hooks.code.paths import is_changelog, is_external, is_index, is_test
from sdd_hooks.drift.citations import Citation, resolve_citation
from sdd_hooks.drift.governing_comments import is_sample_source
from sdd_hooks.drift.rules import specs_in_scope
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_TESTS = 5_000
"""Files of tests in which names are looked for."""
MIN_WORDS = 2
"""Words of a name that is looked for in tests. A shorter one is in any test."""
MAX_TEXT = 200_000
"""Characters of a test that are read."""
MIN_NAMED = 0.25
"""The share of the requirements that comments name, so that the others are a gap."""
MIN_SCENARIOS = 0.5
"""The share of the scenarios that tests name, so that the others are a gap."""

_WORD = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


class TestWords(NamedTuple):
    """The words of tests in order, by path, and the paths of the tests that have a word."""

    texts: Mapping[str, str]
    having: Mapping[str, Sequence[str]]

    def naming(self, name: str) -> tuple[str, ...]:
        """The tests that have the words of a name in their order; none for a short name."""
        wanted = normalize(name)
        words = wanted.split()
        if len(words) < MIN_WORDS:
            return ()
        rarest = min((self.having.get(word, ()) for word in words), key=len)
        return tuple(path for path in rarest if wanted in self.texts[path])


def read_test_words(tree: Tree) -> TestWords:
    """Read the words of the first MAX_TESTS tests of a tree. Raises GitError."""
    blobs = [one for one in tree.blobs() if is_test(one.path) and not is_external(one.path)]
    texts: dict[str, str] = {}
    having: dict[str, list[str]] = {}
    for blob in blobs[:MAX_TESTS]:
        text = normalize(tree.text(blob.path)[:MAX_TEXT])
        texts[blob.path] = text
        for word in set(text.split()):
            having.setdefault(word, []).append(blob.path)
    return TestWords(texts, having)


def normalize(name: str) -> str:
    """The words of a name or a text in lower case between blanks, so that a part consists of whole
    words. `ExpiredToken`, `expired_token` and `Expired token` are equal."""
    return f" {' '.join(word.lower() for word in _WORD.findall(name))} "


class RequirementState(NamedTuple):
    """A requirement, where governing comments name it, and the tests that name it or a scenario.

    `scenarios` has the tests that name each scenario.
    """

    requirement: Requirement
    comments: tuple[Citation, ...]
    tests: tuple[str, ...]
    scenarios: tuple[tuple[Scenario, tuple[str, ...]], ...]

    @property
    def is_covered(self) -> bool:
        """Whether code or a test names the requirement or one of its scenarios."""
        return bool(self.comments or self.tests or any(tests for _, tests in self.scenarios))


class SpecCoverage(NamedTuple):
    """The requirements of a specification with what names them.

    `citations` are all comments about the specification, with and without a requirement.
    """

    spec: Artifact
    requirements: tuple[RequirementState, ...]
    citations: tuple[Citation, ...]

    @property
    def covered(self) -> int:
        """How many requirements are covered."""
        return sum(one.is_covered for one in self.requirements)


def check_coverage(subject: Subject, citations: Sequence[Citation]) -> Iterator[Finding]:
    """Find the requirements and scenarios of the specs in scope that nothing names.

    `citations` are the governing comments of the whole work tree.
    """
    specs = list(specs_in_scope(subject))
    for coverage in measure_coverage(specs, subject.corpus, citations, subject.after):
        yield from _of_spec(coverage, subject, has_comments=bool(citations))


def measure_coverage(
    specs: Iterable[Artifact], corpus: Corpus, citations: Iterable[Citation], tree: Tree
) -> Iterator[SpecCoverage]:
    """Find what names each requirement of the specs: comments, and tests of the tree.

    A test names a requirement or a scenario if it has the words of the name in their order, in a
    text or in a name (`test_expired_token_is_rejected`).
    """
    of_spec: dict[str, list[Citation]] = {}
    for citation in citations:
        for artifact in resolve_citation(corpus, citation) if citation.id.kind == "SPEC" else ():
            of_spec.setdefault(artifact.path, []).append(citation)
    chosen = [spec for spec in specs if spec.requirements]
    tests = read_test_words(tree) if chosen else TestWords({}, {})
    for spec in chosen:
        about = of_spec.get(spec.path, [])
        states = tuple(_state(one, about, tests) for one in spec.requirements)
        yield SpecCoverage(spec, states, tuple(about))


def _state(one: Requirement, about: Sequence[Citation], tests: TestWords) -> RequirementState:
    names = [normalize(one.name), *(normalize(each.name) for each in one.scenarios)]
    comments = [
        citation
        for citation in about
        if citation.requirement
        and (
            citation.requirement.upper() == one.id.upper()
            or any(normalize(citation.requirement) in name for name in names)
        )
    ]
    scenarios = tuple((each, tests.naming(each.name)) for each in one.scenarios)
    return RequirementState(one, tuple(comments), tests.naming(one.name), scenarios)


def _of_spec(coverage: SpecCoverage, subject: Subject, *, has_comments: bool) -> Iterator[Finding]:
    spec, states, citations = coverage
    if not citations and not coverage.covered:
        if has_comments and not _find_named(subject, [spec.name]):
            yield _uncited(coverage)
        return
    lines = subject.text(spec.path).split("\n")
    by_comments = sum(bool(one.comments) for one in states)
    if by_comments >= max(2, MIN_NAMED * len(states)):
        uncovered = [one for one in states if not one.is_covered]
        named = _find_named(subject, [one.requirement.name for one in uncovered])
        for one in uncovered:
            if one.requirement.name not in named:
                message = (
                    f'no governing comment and no test names "{one.requirement.name}" of'
                    f" {spec.name}: name it where it is met, or meet it"
                )
                place = _place(spec, one.requirement.first_line, lines)
                yield _finding(place, RULE.id, _severity(spec, one), message)
    scenarios = [each for one in states for each in one.scenarios]
    tested = sum(bool(tests) for _, tests in scenarios)
    if tested > 1 and tested >= MIN_SCENARIOS * len(scenarios):
        for scenario, tests in scenarios:
            if not tests:
                message = (
                    f'no test names the scenario "{scenario.name}" of {spec.name}: name it in the'
                    " test that covers it, or write one"
                )
                place = _place(spec, scenario.first_line, lines)
                yield _finding(place, f"{RULE.id}/scenario", "info", message)


def _find_named(subject: Subject, names: Sequence[str]) -> frozenset[str]:
    """Those of the names that a file has literally, in any place, and that is no record or index.

    A name of one word is in any file, except an id.
    """
    wanted = [name for name in names if " " in name.strip() or name.startswith("SPEC-")]
    found: set[str] = set()
    if not wanted:
        return frozenset()
    for blob in subject.after.grep(wanted, (), "-i"):
        if subject.is_artifact(blob.path) or is_index(blob.path) or is_changelog(blob.path):
            continue
        if is_sample_source(blob.path):
            continue
        text = subject.after.text(blob.path).casefold()
        found.update(name for name in wanted if name.casefold() in text)
    return frozenset(found)


def _severity(spec: Artifact, state: RequirementState) -> Severity:
    """A specification that calls itself implemented has to have its binding requirements met."""
    is_binding = state.requirement.level == "must"
    return "warning" if spec.status.value == "implemented" and is_binding else "info"


def _uncited(coverage: SpecCoverage) -> Finding:
    spec = coverage.spec
    message = (
        f"no governing comment names {spec.name} or a requirement of it: name it where it is met"
        f' (`Implements: {spec.name} REQ "{coverage.requirements[0].requirement.name}"`)'
    )
    severity: Severity = "warning" if spec.status.value == "implemented" else "info"
    return Finding(spec.path, 0, f"{RULE.id}/spec", severity, message, spec.name)


class _Place(NamedTuple):
    """The heading of a requirement or of a scenario: the file, the line, and its text."""

    path: str
    line: int
    text: str


def _place(spec: Artifact, line: int, lines: Sequence[str]) -> _Place:
    return _Place(spec.path, line, lines[line - 1].strip() if line <= len(lines) else "")


def _finding(place: _Place, rule: str, severity: Severity, message: str) -> Finding:
    return Finding(place.path, place.line, rule, severity, message, place.text)


RULE = Rule(
    "requirement-coverage",
    "warning",
    "A requirement or a scenario that no code and no test names.",
    "A reader cannot find where it is met, and nothing notices when it is met no longer. Name it in"
    " a governing comment or in a test, or meet it.",
    lambda _: (),
    whole_tree=True,
)
"""The description; `coverage_rule` is the rule that finds something."""


def coverage_rule(read: Callable[[], Sequence[Citation]]) -> Rule:
    """The rule for a work tree whose governing comments `read` returns on the first need."""
    return RULE._replace(
        check=lambda subject: (
            check_coverage(subject, read()) if any(specs_in_scope(subject)) else ()
        )
    )

"""What the names of files and directories say: a record, a template, a copy, a place for records.

Names are compared by their words, so that `test-fixtures`, `testFixtures` and `TestFixtures` are
one name. Where a name does not decide, the content of the file does.
"""

# Governing: ADR-0027 (records are found by what directories hold)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, VENDORED
from sdd_hooks.text.lazy_regex import lazy_regex

Place = Literal["decisions", "proposals", "series", "numbered", "anywhere"]
"""What else is known about a document: it lies in a directory named after decisions, or after
proposals; it is one of many with numbers; its name has a number; or nothing."""

FOLDER_PAGES = frozenset({"readme", "index", "_index", "adr", "decision"})
"""The names, without suffix, of the file that is the text of a record with a folder of its own."""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_CAMEL = lazy_regex(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = lazy_regex(r"[\W_]+")

# A year is not a number: `2024-roadmap`. A date may stand before it.
_NUMBER = r"(?!(?:19|20)\d\d(?:[-_ .]|$))\d{3,5}[a-z]?(?![^-_ .])"
_DATE = lazy_regex(r"(?:19|20)\d\d-?(?:0[1-9]|1[0-2])(?:-?\d\d)?(?!\d)")
_YEAR = lazy_regex(r"(?:19|20)\d\d")
_NONZERO = lazy_regex(r"[1-9]")
_DIGITS = lazy_regex(r"\d{3}")
_NUMBERED = lazy_regex(rf"(?i)(?:\d{{4}}-\d\d-\d\d[-_ ])?{_NUMBER}[-_ .]?.*")
# `ODH-ADR-Operator-0001-x`, `PAY-0001-x`: what the number counts stands before it.
_PREFIXED = lazy_regex(rf"(?i)[a-z]{{2,16}}(?:[-_ ][a-z]{{1,20}}){{0,4}}[-_ ]?(?=0){_NUMBER}.*")
_ADR_AFFIX = lazy_regex(r"(?i)^(?:m?adr|rfc|proposal)[-_ .]|[-_ .](?:adr|rfc)$")
# `QEP-4-x`, `APE10`: short numbers count after a few capitals.
_CAPITALS = lazy_regex(r"(?!README)[A-Z]{2,6}-?(?!(?:19|20)\d\d)\d{1,5}(?![^-_ .]).*")
# `DEF-138-test-report`
_ISSUE = lazy_regex(r"([A-Z]{2,6}[-_]\d{1,5})(?![^-_ .])")
_SHARED_KEYS = 2
"""Keys that several files have, at least, and one of _OF_KEYS of all of the same project."""
_OF_KEYS = 4
# A proposal has any number: `rep-2000`.
_PROPOSED = lazy_regex(r"(?i)(?:rfc[-_ ]?|[a-z]{0,2}[ei]p[-_ ])\d{1,5}(?![^-_ .]).*")
# `A6-retries`, `tap10`, `trd101-time`: the form that the names of a series share.
_FORMED = lazy_regex(r"([A-Za-z]{1,16})[-_ ]?\d{1,5}(?![^-_ .])")
_CALLED_ADR = lazy_regex(r"(?i)m?adr[-_ .]?\d.*")
_NUMBERED_FOLDER = lazy_regex(r"\d+[-_ ](.+)")
_OF_YEAR = lazy_regex(r".*(?:19|20)\d\d")
# `adr-0030-phase2-trace-2026-04-21` is about a day of the decision in its name.
_DATED = lazy_regex(r"(?i).*[-_ .](?:19|20)\d\d-\d\d-\d\d")
# In a directory named after decisions, a short number and a date belong to records, too.
_SHORT = lazy_regex(r"(?i)\d{1,5}[a-z]?(?:[-_ .].*)?|\d{4}-\d\d-\d\d.*|(?:19|20)\d{6}[-_ ].*")

_TEMPLATE_WORD = lazy_regex(
    r"(?i)(?:\b|_)(?:templates?|boilerplate|skeleton|vorlage|plantilla|mod[eè]le|modelo|szablon"
    r"|模板|テンプレート|템플릿|шаблон)(?:\b|_)"
)
_BESIDE_TEMPLATE = lazy_regex(
    r"[0nx]+|adrs?|madr|rfc|architectur(?:e|al)|decisions?|records?|design|proposal|bare|minimal"
    r"|short|long|full|new|simple|example|default|a|an|the|for|of|en|de|fr|es|pt|it|nl|pl|ru|zh|ja|ko"
)
_PAGE_WORDS = _set(
    "index indexes readme toc contents log list overview summary process workflow guide guideline"
    " guidelines instructions conventions contributing changelog glossary register catalog"
    " catalogue home faq license agents claude"
)
_BESIDE_PAGE = _set(
    "adr adrs madr architecture architectural decision decisions record records rfc rfcs proposal"
    " proposals enhancement enhancements about our"
    " the how to write a an and of for"
)
_GENERIC_TITLE = lazy_regex(
    r"(?i)\W*(?:(?:lightweight|architectur(?:e|al)|design|technical) )*decision (?:records?|log)"
    r"(?:\W+adrs?)?\W*"
)

_NAMES_DECISIONS = lazy_regex(
    r"\w*decisions|(?:architectur(?:e|al)|arch|design|tech(?:nical)?|engineering|product)?decision"
    r"|\w*decisions?(?:records?|logs?|docs?|documents|register|history)"
    r"|m?adrs?(?:docs?|documents|files|records?|logs?)?"
    r"|\w*(?:entscheidung(?:en)?|décisions|decisiones|decisioni|decisoes|decisões|besluiten"
    r"|beslissingen|beslutninger|decyzje|решения|决策|决定|決定|결정)\w*"
)
_ADR_WORDS = frozenset({"adr", "adrs", "adl", "madr", "madrs"})
# `keps`, `geps`, `neps`, `eips`: the improvement proposals of a project have its letter in front.
_PROPOSAL = lazy_regex(
    r"rf[cd]s?|proposals?|enhancements?|(?!deps|reps|tips|zips|lips|pips)[a-z](?:ep|ip)s"
)
_STATUS_FOLDERS = _set(
    "accepted draft drafts active final implemented rejected superseded withdrawn deprecated"
    " retired proposed provisional done"
)
_DESIGN_WORDS = frozenset({"architecture", "design", "designs", "arch", "rationale"})
_MAX_FORM = 4
_FORM_WORD = 3
"""Letters that say enough without a number."""
_PART_WORDS = _set("v r ch day week part step task lab unit page note q h level year")
_SPEC_NAMES = frozenset({"spec", "specs", "specification", "specifications"})

_COPIES = frozenset(
    {
        *VENDORED,
        *("archive", "archived", "archives", "backup", "backups", "versioneddocs"),
        *("template", "templates", "snapshot", "snapshots", "cypress", "playground", "sandbox"),
        *(
            "worktree",
            "worktrees",
            "_site",
            "_book",
            "dist",
            "build",
            "target",
            "external",
            "deps",
            "out",
            "output",
            "tmp",
            "temp",
            "inbox",
        ),
        # Texts for agents tell how to write a record, and what they remember of one.
        *("agents", "commands", "memories", "prompts", "skills"),
    }
)
# Projects and data that tests run on, and examples, by the joined words of a name.
_TEST_NAME = lazy_regex(
    r"(?:\w*(?:integration|functional|acceptance|smoke|unit|system|regression|contract|e2e|ui|api"
    r"|endtoend|end2end|android|common|jvm|commonmain))?i?tests?|e2e"
    r"|i?tests?(?:data|cases?|files?|fixtures?|resources?|projects?|repos?|repositor(?:y|ies)"
    r"|suites?|assets|inputs?|outputs?|helpers?|apps?|sites?|samples?|support|utils?|docs"
    r"|workspaces?|bed|kit)"
    r"|(?:sample|example|demo|dummy|fake|mock|fixture|stub)s?"
    r"(?:projects?|apps?|repos?|repositor(?:y|ies)|data|sites?|docs|workspaces?|code|files?)?"
)
_COPY_WORDS = _set(
    "e2e examples fixture fixtures itest itests mocks samples testdata tests worktree worktrees"
)
# The last word of a longer name: `docs_archive`.
_LAST_COPY_WORDS = _set("archive archived archives template templates snapshots")
# A directory of other documents. Such a document may be named after the decision that it is about.
_OTHER_DOCUMENTS = frozenset(
    {
        *("changeset", "changesets", "changelog", "changelogs", "releasenotes"),
        *(
            "plan",
            "plans",
            "planning",
            "task",
            "tasks",
            "memory",
            "prd",
            "prds",
            "roadmap",
            "roadmaps",
            "backlog",
        ),
        *("handoff", "handoffs", "learning", "learnings", "research", "meetings", "minutes"),
        *("audit", "audits", "report", "reports", "review", "reviews"),
        *("validation", "validations", "benchmark", "benchmarks", "evidence"),
    }
)
# What a team keeps for its agents; most of it are notes about records.
_AGENTS = ".agents"
# What lies beside a record and belongs to it, in a directory of its own.
_ATTACHMENTS = _set(
    "appendix appendices asset assets attachment attachments diagram diagrams figures files image"
    " images img media notes resources supporting"
)


@lru_cache(maxsize=1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: at punctuation, and at capitals within it."""
    joined = name.replace("'", "").replace("’", "")
    return tuple(filter(None, _BETWEEN.split(_CAMEL.sub(" ", joined).lower())))


def plain(directory: str) -> str:
    """The last name of a path, in lower case and without punctuation."""
    return "".join(words(directory.rpartition("/")[2]))


@lru_cache(maxsize=1 << 14)
def names_decisions(segment: str) -> bool:
    """Whether a directory is named after decisions: `adr`, `09_architecture_decisions`."""
    if _CALLED_ADR.fullmatch(segment) and not _OF_YEAR.fullmatch(segment):
        return False
    own = tuple(word for word in words(segment) if not word.isdecimal())
    if own and own[-1] in _ADR_WORDS:
        return True
    return _NAMES_DECISIONS.fullmatch("".join(own)) is not None


def names_proposals(directory: str) -> bool:
    """Whether the last name of a path is that of requests for comments, or of proposals."""
    named = words(directory.rpartition("/")[2])
    own = [one for one in named if one not in _STATUS_FOLDERS] if len(named) > 1 else named
    return bool(own) and (
        _PROPOSAL.fullmatch(own[-1]) is not None
        or "".join(own[-2:]) in ("designdocs", "designdocuments")
    )


def find_place(directory: str) -> Place:
    """What the path of a directory says about the documents in it."""
    if decisions_above(directory) is not None:
        return "decisions"
    near = (directory, directory.rpartition("/")[0])
    return "proposals" if any(map(names_proposals, near)) else "anywhere"


def is_collection_name(segment: str) -> bool:
    """Whether a folder has records, and is none whose page is its text: `adr`, `rfcs`, `2024`."""
    return (
        not segment
        or names_decisions(segment)
        or names_proposals(segment)
        or _YEAR.fullmatch(segment) is not None
    )


def names_design(directory: str) -> bool:
    """Whether the last name of a path is about architecture, or is a status."""
    own = words(directory.rpartition("/")[2])
    return not _DESIGN_WORDS.isdisjoint(own) or "".join(own) in _STATUS_FOLDERS


def names_specs(directory: str) -> bool:
    """Whether the last name of a path is that of specifications."""
    return plain(directory) in _SPEC_NAMES


def parents(directory: str) -> Iterator[str]:
    """Yield the directories above one, from the nearest to the top ("")."""
    while directory:
        directory = directory.rpartition("/")[0]
        yield directory


def decisions_above(directory: str) -> str | None:
    """The nearest directory, from this one upwards, that is named after decisions."""
    above = (directory, *parents(directory))
    return next((one for one in above if names_decisions(one.rpartition("/")[2])), None)


def is_copy(directory: str) -> bool:
    """Whether the directory has other code, records that are not decisions about this one, or
    another kind of documents."""
    # Maven keeps the projects of its integration tests in `src/it`.
    above, _, name = directory.rpartition("/")
    # `evidence/adr-0012/README.md`
    kind = above.rpartition("/")[2] if _CALLED_ADR.fullmatch(name) else name
    if not _is_marked(kind) and not _OTHER_DOCUMENTS.isdisjoint((plain(kind), *words(kind)[-1:])):
        return True
    if "src/it/" in f"{directory}/":
        return True
    is_kept = names_decisions(directory.rpartition("/")[2]) or plain(directory) == "architecture"
    segments = directory.split("/")
    return any(_is_copy(one) for one in segments if not (is_kept and one.lower() == _AGENTS))


@lru_cache(maxsize=1 << 14)
def _is_copy(segment: str) -> bool:
    if _is_marked(segment):
        return False
    own = words(segment)
    joined = "".join(own)
    if segment.lower() in _COPIES or joined in _COPIES or _TEST_NAME.fullmatch(joined):
        return True
    return len(own) > 1 and (not _COPY_WORDS.isdisjoint(own) or own[-1] in _LAST_COPY_WORDS)


def _is_marked(segment: str) -> bool:
    """Whether it may be the folder of a record: `0012-e2e-tests`."""
    return bool(_DATE.match(segment) or _NUMBERED.fullmatch(segment))


def is_beside_records(path: str) -> bool:
    """Whether a file lies in a directory for what belongs to records, below one of records."""
    segments = path.split("/")[:-1]
    places = [at for at, one in enumerate(segments) if names_decisions(one) or names_proposals(one)]
    return bool(places) and any(
        (words(one)[-1:] and words(one)[-1] in _ATTACHMENTS)
        or (_is_copy(one) and not plain(one).startswith("archive"))
        for one in segments[places[0] + 1 :]
    )


def is_template_name(stem: str) -> bool:
    """Whether a file, by its name without suffix, is a template for records.

    `0012-template-engine` is a record about one.
    """
    if _TEMPLATE_WORD.search(stem) is None:
        return False
    own = words(stem)
    others = [word for word in own if not _TEMPLATE_WORD.fullmatch(word)]
    numbers = [word for word in others if word[-1].isdecimal() or not word.strip("nx")]
    is_first = bool(numbers) and not any(_NONZERO.search(word) for word in numbers)
    # `nep-template`, `roadmap-template`
    is_form = len(own) == 2 and not numbers and _TEMPLATE_WORD.fullmatch(own[1]) is not None
    return is_first or is_form or all(_BESIDE_TEMPLATE.fullmatch(word) for word in others)


def is_page_name(stem: str) -> bool:
    """Whether the name, without suffix, is that of an index or a guide of records."""
    own = words(stem)
    others = [word for word in own if word not in _PAGE_WORDS]
    is_about = all(word in _BESIDE_PAGE or not word.strip("0") for word in others)
    return is_about and len(others) < len(own)


def is_page_title(title: str) -> bool:
    """Whether the title is that of an index, a guide or a form of records."""
    return is_page_name(title) or _GENERIC_TITLE.fullmatch(title) is not None


def is_called_record(name: str) -> bool:
    """Whether the name of a file begins with `adr` and a number, and is not that of a day."""
    stem = _stem(name)
    return bool(_CALLED_ADR.fullmatch(stem)) and not _DATED.fullmatch(stem)


def has_number(name: str) -> bool:
    """Whether the name of a file has the number of a record, as far as names tell."""
    stem = _stem(name)
    if _CALLED_ADR.fullmatch(stem):
        return True
    is_possible = _DIGITS.search(stem) is not None
    if is_possible and any(one.fullmatch(stem) for one in (_NUMBERED, _PREFIXED)):
        return True
    return any(one.fullmatch(stem) for one in (_CAPITALS, _PROPOSED))


def looks_like_record(directory: str, name: str) -> bool:
    """Whether a file name in this directory looks like a decision record.

    Documents about architecture may be numbered too (`01-overview.md`), so fewer than three digits
    count only in a directory that is named after decisions.
    """
    stem = _stem(name)
    if not name.lower().endswith(DOCUMENT_SUFFIXES) or is_template_name(stem):
        return False
    if has_number(name):
        return True
    if _ADR_AFFIX.search(stem):
        return not is_page_name(stem)
    return names_decisions(directory.rpartition("/")[2]) and _SHORT.fullmatch(stem) is not None


def form_of(name: str) -> str:
    """The letters before the number of a name, in lower case: `tap` of `tap10-x`; "" without."""
    formed = _FORMED.match(name)
    return formed[1].lower() if formed else ""


def may_be_record(directory: str, name: str) -> bool:
    """Whether a file among other documents is one to read: `0012-x`, a date, `A6-x`, `tap10`.

    `step-3` and `v1` are parts and versions of other documents.
    """
    form = form_of(name)
    is_formed = 0 < len(form) <= _MAX_FORM and form not in _PART_WORDS
    return is_formed or is_dated(name) or looks_like_record(directory, name)


def is_of_series(stem: str, forms: frozenset[str]) -> bool:
    """Whether a name is one of a series: `trd101-time`, and beside it `trd-appid`."""
    if is_page_name(stem):
        return False
    word = words(stem)[0].rstrip("x") if words(stem) else ""
    is_alike = len(word) >= _FORM_WORD and word in forms
    return not forms or is_alike or form_of(stem) in forms


def issue_key(path: str) -> str:
    """The key with which the name of a file begins, as that of an issue does: `DEF-138`, or ""."""
    key = _ISSUE.match(path.rpartition("/")[2])
    return key[1] if key else ""


def find_issue_projects(paths: Iterable[str]) -> set[str]:
    """The projects of issues of which several files of one key tell: `DEF` of `DEF-138`."""
    files: dict[str, set[str]] = {}
    for path in paths:
        if key := issue_key(path):
            files.setdefault(key, set()).add(path.rpartition("/")[2])
    projects = Counter(map(issue_project, files))
    shared = Counter(issue_project(key) for key, names in files.items() if len(names) > 1)
    return {one for one, n in shared.items() if n >= _SHARED_KEYS and _OF_KEYS * n >= projects[one]}


def issue_project(key: str) -> str:
    """The project of a key: `DEF` of `DEF-138`."""
    return key.rstrip("-_0123456789")


def is_dated(name: str) -> bool:
    """Whether the name of a file begins with a date."""
    return _DATE.match(name) is not None


def record_stem(path: str) -> str:
    """The name of a record, without suffix: of the file, or of the folder whose page it is.

    "" for the page of a folder that has records: `adr/README.md`. `08-x/x.md` is a page, too.
    """
    directory, _, name = path.rpartition("/")
    if not is_folder_page(path):
        return _stem(name)
    folder = directory.rpartition("/")[2]
    return "" if is_collection_name(folder) else folder


def is_folder_page(path: str) -> bool:
    """Whether a file is the text of the folder that it is in."""
    directory, _, name = path.rpartition("/")
    return name.lower().partition(".")[0] in folder_pages(directory.rpartition("/")[2])


@lru_cache(maxsize=1 << 14)
def folder_pages(folder: str) -> frozenset[str]:
    """The names, up to the first dot, of the file that is the text of a folder: `08-x` or `x`."""
    numbered = _NUMBERED_FOLDER.match(folder.lower())
    return FOLDER_PAGES | {*numbered.group(0, 1)} if numbered else FOLDER_PAGES


def _stem(name: str) -> str:
    return name.rpartition(".")[0]

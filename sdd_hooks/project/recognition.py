"""Recognise the directories of decision records and specifications by what they hold.

The input is a list of paths and a reader of their contents, so that a work tree and a tree of git
give the same answer. A name that belongs to a record decides alone where most documents of the
directory have such a name; a name that other documents have too (`0001-x.md`), or one among many
other documents, decides together with the content of the file.
"""

# Governing: ADR-0027 (records are found by what directories hold), SPEC-0001 REQ "Artifact
# directories"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, VENDORED
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

Reader = Callable[[Sequence[str]], Iterable["bytes | None"]]
"""Returns the content of each path, in order; None for one that cannot be read. The first
MAX_HEAD_BYTES are enough."""

MAX_HEAD_BYTES = 32_000
"""Bytes of a file that decide whether it reads like a record."""

MAX_READ_DIRECTORIES = 200
"""Directories whose files are read, because their names do not decide."""

MAX_FOLDERS = 500
"""Directories of one kind that are found. A repository has a few."""

_SAMPLED_FILES = 3

_SUFFIX = "(?:" + "|".join(map(re.escape, DOCUMENT_SUFFIXES)) + ")"
_CALLED_ADR = lazy_regex(rf"(?i)adr[-_ .]?\d.*{_SUFFIX}")
# `adr-0030-phase2-trace-2026-04-21.md` is about a day of the decision in its name.
_DATED = lazy_regex(rf"(?i).*[-_ .](?:19|20)\d\d-\d\d-\d\d{_SUFFIX}")
# A year is not a number: `2024-roadmap.md`. A date may stand before it.
_NUMBERED = lazy_regex(
    r"(?i)(?:\d{4}-\d\d-\d\d[-_ ])?(?!(?:19|20)\d\d[-_ .])\d{3,5}[a-z]?[-_ .].*" + _SUFFIX
)
# In a directory named after decisions, a short number and a date belong to records, too.
_SHORT = lazy_regex(rf"(?i)(?:\d{{1,5}}[a-z]?(?:[-_ .].*)?|\d{{4}}-\d\d-\d\d.*){_SUFFIX}")
_TEMPLATE = lazy_regex(
    r"(?i)(?:_|(?:adr|madr|[0nx]+)[-_. ]?){0,3}template"
    r"(?:[-_.](?:bare|minimal|short|long|full|madr|en|de|fr|es|pt|it|nl|pl|ru|zh|ja|ko))*"
    rf"{_SUFFIX}"
)

# Names of directories, in lower case and without punctuation.
_ADR_NAMES = frozenset(
    {
        "adr",
        "adrs",
        "decision",
        "decisions",
        "decisionlog",
        "decisionrecord",
        "decisionrecords",
        "architecturedecision",
        "architecturedecisions",
        "architecturedecisionrecord",
        "architecturedecisionrecords",
        "architecturaldecision",
        "architecturaldecisions",
        "architecturaldecisionrecord",
        "architecturaldecisionrecords",
        "designdecisions",
        "technicaldecisions",
    }
)
_FOLDER_PAGES = frozenset({"readme", "index"})
_SPEC_NAMES = frozenset({"spec", "specs", "specification", "specifications"})
# A directory for every kind of document. What lies in it is no record because a record does.
_GENERAL = frozenset({"", "doc", "docs", "documentation"})

_PUNCTUATION = lazy_regex(r"[-_. ]+")
_COPIES = frozenset(
    {
        *VENDORED,
        *("archive", "archived", "archives", "backup", "backups", "versioneddocs"),
        *("example", "examples", "sample", "samples", "template", "templates"),
        *("fixture", "fixtures", "test", "tests", "testdata", "snapshots"),
        *("dist", "build", "target", "external", "deps"),
        # Texts for agents tell how to write a record, and what they remember of one.
        *("agents", "commands", "memories", "prompts", "skills"),
    }
)
# A directory of other documents. Such a document may be named after the decision that it is about.
_OTHER_DOCUMENTS = frozenset(
    {
        *("changeset", "changesets", "changelog", "changelogs", "releasenotes"),
        *("plan", "plans", "planning", "prd", "prds", "roadmap", "roadmaps", "backlog"),
        *("handoff", "handoffs", "learning", "learnings", "research", "meetings", "minutes"),
        *("audit", "audits", "report", "reports", "review", "reviews"),
        *("validation", "validations", "benchmark", "benchmarks"),
    }
)
# What a team keeps for its agents; most of it are notes about records.
_AGENTS = ".agents"
_OF_AGENTS = _ADR_NAMES | {"architecture"}
# The last word of a longer name: `test-fixtures`, `docs_archive`.
_COPY_WORDS = frozenset(
    {"archive", "archived", "archives", "examples", "fixtures", "samples", "templates", "testdata"}
)
# OpenSpec proposes changes to specifications in folders that look like specifications.
_SPEC_COPIES = frozenset({"changes"})

# Titles of sections, in the languages in which records are common, without numbers and punctuation.
_DECISION_TITLE = lazy_regex(
    r"(?i)(?:the |our |proposed )?(?:decisions?(?: outcome| made)?|resolution|what we decided)"
    r"|entscheidung|décision|decisión|decisão|decisione|besluit|решение|决策|决定|決定|결정"
)
_OTHER_TITLE = lazy_regex(
    r"(?i)status|context\b.*|consequences|(?:considered )?(?:options|alternatives)\b.*"
    r"|alternatives considered|decision drivers|problem(?: statement)?|background|rationale"
    r"|implications|kontext|konsequenzen|contexte|contexto|状态|背景|上下文|後果|后果|状況|影響"
)
# Not `ADR-0008 migration plan` and `ADR-0048..ADR-0138 gap map`: those are about records.
_ADR_TITLE = lazy_regex(
    r"(?i)[\[(*_`]*(?:adr(?:[-_ #]{0,2}\d{1,5}[a-z]?)?[\])*_`]*[ \t]*(?:[:)|—–]|\.(?!\.)|-[ \t]|$)"
    r"|architectur(?:e|al) decision|decision record)"
)
_AROUND_TITLE = lazy_regex(r"^[\W\d_]+|[\W_]+$")
_PEOPLE_FIELD = lazy_regex(r"(?im)^[-*]?[ \t]*(?:\*\*)?(?:decision-makers|deciders)\b")
_STATUS_FIELD = lazy_regex(
    r"(?im)^[-*]?[ \t]*(?:\*\*)?status(?:\*\*)?:(?:\*\*)?[ \t]*[\"'*]{0,3}"
    r"(?:accepted|proposed|rejected|deprecated|superseded)"
)
_REQUIREMENT = lazy_regex(r"(?im)^#{2,4}[ \t]+requirement:|^#[ \t]+\[?spec-\d")


class RecordFolder(NamedTuple):
    """A directory that holds records: its kind (`adrs` or `specs`), path ("" is the root), and how
    many it has.

    A collection takes a directory with all below it; of a `flat` one, which has other documents,
    only the files directly in it that are named like records.
    """

    kind: str
    path: str
    records: int
    flat: bool


class Recognition(NamedTuple):
    """The directories that hold records, by kind and path, and how many more were left out because
    there were too many."""

    folders: tuple[RecordFolder, ...]
    left_out: int

    def paths(self, kind: str) -> tuple[str, ...]:
        """Return the paths of the directories of a kind, in order."""
        return tuple(folder.path for folder in self.folders if folder.kind == kind)


class _Found:
    """The candidates of one directory: certain ones, those that are called a record, and those
    whose content decides. `flat` as in `RecordFolder`."""

    __slots__ = ("called", "certain", "doubtful", "flat")

    def __init__(self) -> None:
        self.certain = 0
        self.called: list[str] = []
        self.doubtful: list[str] = []
        self.flat = False


def recognise_records(paths: Iterable[str], read: Reader) -> Recognition:
    """Find the directories of records among `paths`, which are relative to one root, with `/`.

    Directories of vendored code, archives, examples, templates and tests do not count. `read` is
    called with few paths: only of files whose names do not decide. Never raises.
    """
    adrs: dict[str, _Found] = {}
    specs: dict[str, _Found] = {}
    designs: set[str] = set()
    copies: dict[str, bool] = {}
    documents: Counter[str] = Counter()
    for path in paths:
        directory, _, name = path.rpartition("/")
        lowered = name.lower()
        if not lowered.endswith(DOCUMENT_SUFFIXES):
            continue
        if directory not in copies:
            copies[directory] = _is_copy(directory)
        if copies[directory]:
            continue
        documents[directory] += 1
        if lowered == "design.md":
            designs.add(directory)
        elif lowered == "spec.md":
            specs.setdefault(directory, _Found()).doubtful.append(path)
        else:
            _add_record(adrs, directory, name, path)
    for directory, found in specs.items():
        if directory in designs or _spec_home(directory):
            found.certain, found.doubtful = 1, []
    for directory, found in adrs.items():
        _weigh_called(found, directory, documents[directory])
    kept, left_out = _read_doubtful(adrs, specs, read)
    folders: list[RecordFolder] = []
    for group in (_adr_folders(adrs, kept), _spec_folders(specs, kept)):
        found_folders = sorted(group)
        folders += found_folders[:MAX_FOLDERS]
        left_out += len(found_folders[MAX_FOLDERS:])
    return Recognition(tuple(folders), left_out)


def looks_like_record(directory: str, name: str) -> bool:
    """Whether a file name in this directory looks like a decision record.

    Documents about architecture may be numbered too (`01-overview.md`), so fewer than three digits
    count only in a directory that is named after decisions.
    """
    if _TEMPLATE.fullmatch(name):
        return False
    if _CALLED_ADR.fullmatch(name) or _NUMBERED.fullmatch(name):
        return True
    return _plain(directory) in _ADR_NAMES and _SHORT.fullmatch(name) is not None


def reads_like_record(data: bytes, *, numbered: bool) -> bool:
    """Whether a document with this content is a decision record.

    The sections or fields of a record show it. With `numbered`, its name has a number, and one
    section about a decision is enough.
    """
    from sdd_hooks.text.decoding import decode
    from sdd_hooks.text.markdown import parse_sections

    if len(data) > MAX_HEAD_BYTES:
        # Half a character would make the text one of another encoding.
        data = data[:MAX_HEAD_BYTES].rpartition(b"\n")[0]
    text = decode(data).replace("\r\n", "\n")
    head = text[:3000]
    titles = [section.title for section in parse_sections(text) if section.level]
    if titles and _ADR_TITLE.match(titles[0]):
        return True
    plain = [_AROUND_TITLE.sub("", title) for title in titles]
    decides = any(_DECISION_TITLE.fullmatch(title) for title in plain)
    others = sum(_OTHER_TITLE.fullmatch(title) is not None for title in plain)
    others += _STATUS_FIELD.search(head) is not None
    if _PEOPLE_FIELD.search(head) and (decides or others):
        return True
    if numbered:
        return decides or others >= 2
    return decides and others >= 1


def _add_record(adrs: dict[str, _Found], directory: str, name: str, path: str) -> None:
    """Add the file to the candidates if its name may be that of a record."""
    stem = name.rpartition(".")[0].lower()
    if stem in _FOLDER_PAGES:
        # A record may be a folder whose index page is its text.
        directory, _, folder = directory.rpartition("/")
        if looks_like_record(directory, f"{folder}.md"):
            _add_record(adrs, directory, f"{folder}.md", path)
        return
    if _TEMPLATE.fullmatch(name):
        return
    place = directory
    named = _plain(directory) in _ADR_NAMES
    above = directory.rpartition("/")[0]
    if not named and _plain(above) in _ADR_NAMES:
        place, named = above, looks_like_record(directory, name)
        if not named:
            return
    if named and looks_like_record(place, name):
        adrs.setdefault(place, _Found()).certain += 1
    elif _CALLED_ADR.fullmatch(name) and not _DATED.fullmatch(name):
        adrs.setdefault(place, _Found()).called.append(path)
    elif named or _CALLED_ADR.fullmatch(name) or _NUMBERED.fullmatch(name):
        adrs.setdefault(place, _Found()).doubtful.append(path)


def _weigh_called(found: _Found, directory: str, documents: int) -> None:
    """Decide whether files that are called a record are certain, or among other documents."""
    general = directory.lower() in _GENERAL
    found.flat = general
    if found.called and not general and 2 * len(found.called) < documents and not found.certain:
        found.flat = True
        found.doubtful += found.called
    else:
        found.certain += len(found.called)


def _read_doubtful(
    adrs: dict[str, _Found], specs: dict[str, _Found], read: Reader
) -> tuple[set[str], int]:
    """Return the files that read like a record or specification, and the directories left out."""
    checks: dict[str, Callable[[bytes], bool]] = {}
    left_out = 0
    for group, check in ((adrs, None), (specs, _reads_like_spec)):
        undecided = sorted(d for d, found in group.items() if found.doubtful and not found.certain)
        left_out += len(undecided[MAX_READ_DIRECTORIES:])
        for directory in undecided[:MAX_READ_DIRECTORIES]:
            for path in _sample(group[directory].doubtful):
                checks[path] = check or partial(reads_like_record, numbered=_is_numbered(path))
    paths = list(checks)
    contents = zip(paths, read(paths) if paths else (), strict=False)
    return {path for path, data in contents if data is not None and checks[path](data)}, left_out


def _reads_like_spec(data: bytes) -> bool:
    return _REQUIREMENT.search(data[:MAX_HEAD_BYTES].decode("utf-8", "replace")) is not None


def _sample(paths: Sequence[str]) -> Iterator[str]:
    """Yield a few of the paths, from the first to the last."""
    ordered = sorted(paths)
    step = max(1, (len(ordered) - 1) // (_SAMPLED_FILES - 1))
    yield from ordered[::step][:_SAMPLED_FILES]


def _adr_folders(adrs: dict[str, _Found], kept: set[str]) -> Iterator[RecordFolder]:
    places = {
        directory: found.certain + len(found.doubtful)
        for directory, found in adrs.items()
        if found.certain or not kept.isdisjoint(found.doubtful)
    }
    whole = outermost([directory for directory in places if not adrs[directory].flat])
    totals = _totals(whole, places)
    for directory, count in places.items():
        if adrs[directory].flat and totals.keys().isdisjoint(parents(directory)):
            yield RecordFolder("adrs", directory, count, flat=True)
    for top, count in totals.items():
        yield RecordFolder("adrs", top, count, flat=False)


def _spec_folders(specs: dict[str, _Found], kept: set[str]) -> Iterator[RecordFolder]:
    folders = [
        directory
        for directory, found in specs.items()
        if directory
        and (found.certain or not kept.isdisjoint(found.doubtful))
        and _SPEC_COPIES.isdisjoint(directory.lower().split("/"))
    ]
    tops = outermost([_specs_above(one) for one in folders])
    for top, count in _totals(tops, dict.fromkeys(folders, 1)).items():
        yield RecordFolder("specs", top, count, flat=False)


def _spec_home(directory: str) -> str:
    """Return the nearest directory above that is named after specifications, "" without one."""
    return next((one for one in parents(directory) if _plain(one) in _SPEC_NAMES), "")


def _specs_above(directory: str) -> str:
    """Return the directory whose folders are specifications, among them this one."""
    above = directory.rpartition("/")[0]
    return _spec_home(directory) or (directory if above.lower() in _GENERAL else above)


def _totals(tops: Sequence[str], counts: Mapping[str, int]) -> dict[str, int]:
    """Add up the counts of the directories in or below each of `tops`."""
    totals = dict.fromkeys(tops, 0)
    for directory, count in counts.items():
        top = next((one for one in (directory, *parents(directory)) if one in totals), None)
        if top is not None:
            totals[top] += count
    return totals


def outermost(directories: Iterable[str]) -> tuple[str, ...]:
    """Drop directories inside another one: a collection takes a directory with all below it."""
    unique = dict.fromkeys(directories)
    return tuple(d for d in unique if unique.keys().isdisjoint(parents(d)))


def parents(directory: str) -> Iterator[str]:
    """Yield the directories above one, from the nearest to the top ("")."""
    while directory:
        directory = directory.rpartition("/")[0]
        yield directory


def _is_numbered(path: str) -> bool:
    """Whether the name of the file has a number, or of the folder whose index page it is."""
    directory, _, name = path.rpartition("/")
    if name.rpartition(".")[0].lower() in _FOLDER_PAGES:
        name = directory.rpartition("/")[2] + ".md"
    return bool(_NUMBERED.fullmatch(name) or _CALLED_ADR.fullmatch(name))


def _is_copy(directory: str) -> bool:
    """Whether the directory has other code, records that are not decisions about this one, or
    another kind of documents."""
    name = _plain(directory)
    if name in _OTHER_DOCUMENTS:
        return True
    for segment in directory.lower().split("/"):
        if segment == _AGENTS and name in _OF_AGENTS:
            continue
        words = _PUNCTUATION.split(segment)
        if segment in _COPIES or "".join(words) in _COPIES:
            return True
        if len(words) > 1 and words[-1] in _COPY_WORDS:
            return True
    return False


def _plain(directory: str) -> str:
    """Return the last name of a path, in lower case and without punctuation."""
    return _PUNCTUATION.sub("", directory.rpartition("/")[2].lower())

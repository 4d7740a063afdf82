"""Recognise the directories of decision records and specifications by what they hold.

The input is a list of paths and a reader of their contents, so that a work tree and a tree of git
give the same answer. A name that belongs to a record decides alone where most documents of the
directory have such a name; a name that other documents have too (`0001-x.md`), one among many
other documents, and one without a number decide together with the content of the file.
"""

# Governing: ADR-0027 (records are found by what directories hold), SPEC-0001 REQ "Artifact
# directories"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_contents import find_traits, is_index, is_unfilled
from sdd_hooks.project.record_names import (
    FOLDER_PAGES,
    Place,
    decisions_above,
    find_issue_projects,
    find_place,
    folder_pages,
    form_of,
    has_number,
    is_called_record,
    is_copy,
    is_dated,
    is_of_series,
    is_page_name,
    is_template_name,
    issue_key,
    issue_project,
    looks_like_record,
    names_design,
    names_proposals,
    names_specs,
    parents,
    record_stem,
    words,
)
from sdd_hooks.text.lazy_regex import lazy_regex

__all__ = ["looks_like_record", "parents", "recognise_records"]

Reader = Callable[[Sequence[str]], Iterable["bytes | None"]]
"""Returns the content of each path, in order; None for one that cannot be read. The first
MAX_HEAD_BYTES are enough."""

MAX_HEAD_BYTES = 32_000
"""Bytes of a file that decide whether it reads like a record."""

MAX_TITLE_BYTES = 4_000
"""Bytes of the page at the top in which its title is looked for."""

MAX_READ_DIRECTORIES = 200
"""Directories whose files are read, because their names do not decide."""

MAX_NAMELESS = 40
"""Directories of which no name says anything, and whose files are read."""

MAX_FOLDERS = 500
"""Directories of one kind that are found. A repository has a few."""

MAX_UNREAD = 8
"""Directories that are named although no file in them reads like a record."""

_PLACES: tuple[Place, ...] = ("decisions", "proposals", "series", "numbered", "anywhere")
_SERIES = 5
"""Numbered files of a directory that are a series, if it has few others."""
_SAMPLED_NAMES = 4
_FORMED = 2
"""Names of one form, at least, among a few of a directory with a series."""
_SAMPLED_FILES = 5
_SAMPLED_DECISIONS = 9
"""Files that are read of a directory named after decisions, which may be guides for the most."""

# A directory for every kind of document. What lies in it is no record because a record does.
_GENERAL = frozenset({"", "doc", "docs", "documentation"})
# OpenSpec proposes changes to specifications in folders that look like specifications.
_SPEC_COPIES = frozenset({"changes"})
SPEC_PAGES = frozenset({"spec.md", "requirements.md"})
"""The file with the requirements of a specification; the second one is Kiro's."""
_BESIDE_SPEC = frozenset({"design.md", "plan.md", "tasks.md"})
_OF_SPECS = SPEC_PAGES | _BESIDE_SPEC
_DIGIT = lazy_regex(r"\d")
_DIGITS = lazy_regex(r"\d\d\d")
# What every name of a record has that needs no content, and few others have.
_NAMED = lazy_regex(r"(?i)\d\d\d|^(?:m?adr|rfc|proposal)[-_ .]|adr.*\d|[-_ .](?:adr|rfc)\.")
# Three names of one form with other numbers, one after the other.
_SERIES_NAMES = lazy_regex(
    r"(?m)^([a-z]{1,16})[-_ ]?(\d{1,5})[-_ .][^\n]*"
    r"\n\1[-_ ]?(?!\2[-_ .])(\d{1,5})[-_ .][^\n]*\n\1[-_ ]?(?!\3[-_ .])\d{1,5}[-_ .]"
)
_ON_DESIGNS = lazy_regex(r"(?i)^(?:analysis|design) doc(?:ument)?s\b|\bdesigns$")
_REQUIREMENT = lazy_regex(
    r"(?im)^#{2,4}[ \t]+requirement:|^#[ \t]+\[?spec-\d|^- \*\*fr-\d|\bTHE SYSTEM SHALL\b"
)


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
    there were too many.

    `unread` are directories named after decisions in which no file reads like one, and how many
    files they have.
    """

    folders: tuple[RecordFolder, ...]
    left_out: int
    unread: tuple[tuple[str, int], ...] = ()

    def paths(self, kind: str) -> tuple[str, ...]:
        """Return the paths of the directories of a kind, in order."""
        return tuple(folder.path for folder in self.folders if folder.kind == kind)


class _Found:
    """The candidates of one directory: certain ones, those that are called a record, and those
    whose content decides, in such a `place`, which may be a series with one of a few `forms` of
    names; the folders in it that may be records. `flat` as in `RecordFolder`."""

    __slots__ = ("called", "certain", "doubtful", "flat", "forms", "pages", "place")

    def __init__(self, place: Place = "numbered") -> None:
        self.certain = 0
        self.pages: list[str] = []
        self.called: list[str] = []
        self.doubtful: list[str] = []
        self.flat = False
        self.forms: frozenset[str] = frozenset()
        self.place = place


class _Directory(NamedTuple):
    """What the path of a directory says: a copy, the directory of decisions around it, if there is
    one, what it is named after, whether that is nothing, and the names of the page that makes a
    record of it."""

    is_copy: bool
    decisions: str | None
    place: Place
    is_nameless: bool
    pages: frozenset[str]


def recognise_records(paths: Iterable[str], read: Reader) -> Recognition:
    """Find the directories of records among `paths`, which are relative to one root, with `/`.

    Directories of vendored code, archives, examples, templates and tests do not count. `read` is
    called with few paths: only of files whose names do not decide. Never raises.
    """
    adrs: dict[str, _Found] = {}
    specs: dict[str, _Found] = {}
    others: dict[str, list[str]] = {}
    beside: set[str] = set()
    documents: dict[str, list[str]] = {}
    for path in paths:
        directory, _, name = path.rpartition("/")
        documents.setdefault(directory, []).append(name)
    has_proposals = _tells_of_proposals(documents.get("", ()), read)
    for directory, names in documents.items():
        names[:] = [name for name in names if name.lower().endswith(DOCUMENT_SUFFIXES)]
        about = _describe(directory, has_proposals=has_proposals) if names else None
        if about is None or about.is_copy:
            continue
        if _are_plain(about, names):
            others[directory] = names
            continue
        for name in names:
            path, lowered = f"{directory}/{name}" if directory else name, name.lower()
            if lowered in _BESIDE_SPEC:
                beside.add(directory)
            elif lowered in SPEC_PAGES:
                specs.setdefault(directory, _Found()).doubtful.append(path)
            elif not _add_record(adrs, about, directory, path):
                others.setdefault(directory, []).append(name)
    for directory, found in specs.items():
        if directory in beside or _spec_home(directory):
            found.certain, found.doubtful = 1, []
    _drop_issues(adrs, others)
    # A repository of proposals may have nothing else.
    top = 2 * len(documents.get("", ())) if has_proposals else 0
    general = _GENERAL - {""} if top > sum(map(len, documents.values())) else _GENERAL
    for directory, found in adrs.items():
        is_general = directory.lower() in general
        _weigh_called(found, len(documents.get(directory, ())), is_general=is_general)
    homes = {_spec_home(f"{directory}/") for directory in specs} - {""}
    _add_others(adrs, others, homes, general)
    kept, left_out = _read_doubtful(adrs, specs, read)
    folders: list[RecordFolder] = []
    for group in (_adr_folders(adrs, kept), _spec_folders(specs, kept)):
        found_folders = sorted(group)
        folders += found_folders[:MAX_FOLDERS]
        left_out += len(found_folders[MAX_FOLDERS:])
    found_paths = {folder.path for folder in folders}
    unread = [
        (directory, len(found.doubtful))
        for directory, found in adrs.items()
        if found.place == "decisions" and found_paths.isdisjoint((directory, *parents(directory)))
    ]
    return Recognition(tuple(folders), left_out, tuple(sorted(unread)[:MAX_UNREAD]))


def reads_like_record(path: str, data: bytes, place: Place) -> bool:
    """Whether a document with this content, in such a place, is a decision record.

    The sections or fields of a record show it. An unfilled template and an index are none.
    """
    from sdd_hooks.text.documents import document_text
    from sdd_hooks.text.markdown import parse_sections

    if len(data) > MAX_HEAD_BYTES:
        # Half a character would make the text one of another encoding.
        data = data[:MAX_HEAD_BYTES].rpartition(b"\n")[0]
    text = document_text(path, data).replace("\r\n", "\n")
    traits = find_traits(text, (one.title for one in parse_sections(text) if one.level))
    return traits.suffice(place) and not (is_unfilled(text) or is_index(text))


def _are_plain(about: _Directory, names: Sequence[str]) -> bool:
    """Whether none of the files in a directory is named like a record or a specification.

    One look at all their names takes a part of the time of a look at each.
    """
    joined = "\n".join(names).lower()
    if not about.is_nameless or any(one in joined for one in ("adr", "rfc", "proposal")):
        return False
    if _DIGITS.search(joined):
        return False
    each = joined.split("\n")
    return _OF_SPECS.isdisjoint(each) and about.pages.isdisjoint(
        one.partition(".")[0] for one in (each if about.pages else ())
    )


def _tells_of_proposals(names: Sequence[str], read: Reader) -> bool:
    """Whether the page at the top says that all is about proposals: `# Whiley RFCs`."""
    from sdd_hooks.text.documents import document_text
    from sdd_hooks.text.markdown import parse_sections

    pages = (one for one in names if one.lower().startswith("readme."))
    page = next((one for one in pages if one.lower().endswith(DOCUMENT_SUFFIXES)), "")
    data = next(iter(read([page])), None) if page else None
    text = document_text(page, data[:MAX_TITLE_BYTES]) if data else ""
    title = next((one.title for one in parse_sections(text) if one.level), "")
    return any(map(names_proposals, (*words(title), title))) or bool(_ON_DESIGNS.search(title))


def _describe(directory: str, *, has_proposals: bool) -> _Directory:
    decisions, place = decisions_above(directory), find_place(directory)
    if has_proposals and place == "anywhere":
        place = "proposals"
    is_nameless = decisions is None and place == "anywhere"
    folder = directory.rpartition("/")[2]
    pages = frozenset() if is_nameless and not _DIGIT.search(folder) else folder_pages(folder)
    # Old proposals are proposals.
    kept = [one for one in directory.split("/") if not one.startswith("archive")]
    is_other = is_copy("/".join(kept) if has_proposals else directory)
    return _Directory(is_other, decisions, place, is_nameless, pages)


def _add_record(adrs: dict[str, _Found], about: _Directory, directory: str, path: str) -> bool:
    """Add the file to the candidates if its name or its place may be that of a record.

    Returns False for a file of which neither says anything.
    """
    name = path.rpartition("/")[2]
    page = name.lower().partition(".")[0]
    is_page = page in about.pages
    if about.is_nameless and not is_page and _NAMED.search(name) is None:
        return False
    stem = record_stem(path)
    if not stem or is_template_name(stem) or is_page_name(stem):
        return True
    folder = directory
    if is_page:
        # A record may be a folder whose page is its text.
        directory, name = directory.rpartition("/")[0], f"{stem}.md"
    place = directory if about.decisions is None else about.decisions
    found = adrs.get(place) or _Found(about.place)
    # A number of a folder may be short, as that of `08-x/x.md`. A chapter has a README.
    is_record = looks_like_record(place, name) or (is_page and page not in FOLDER_PAGES)
    if about.decisions is not None or about.place == "proposals":
        if is_record:
            found.certain += 1
        else:
            found.doubtful.append(path)
    elif is_called_record(name):
        found.called.append(path)
    elif is_record or (is_dated(name) and not names_specs(directory)):
        found.place = "numbered"
        found.doubtful.append(path)
    else:
        return False
    adrs[place] = found
    if is_page:
        found.pages.append(folder)
    return True


def _add_others(
    adrs: dict[str, _Found], others: Mapping[str, list[str]], homes: Set[str], general: Set[str]
) -> None:
    """Add directories whose files have no names of records: a few, and only contents decide.

    Where names have shown records elsewhere, those are named after architecture, or a status, or
    their files have names of one form. What lies below one of `homes` belongs to a specification.
    """
    is_open = not any(found.certain for found in adrs.values())
    # A look at a few names is enough for most directories.
    series = {
        one
        for one, names in others.items()
        if sum(map(bool, map(form_of, names[:: 1 + len(names) // _SAMPLED_NAMES]))) >= _FORMED
    }
    ranked = sorted(
        (not names_design(one), not is_dated(names[0]), -len(names), one)
        for one, names in others.items()
        if one not in adrs
        and (one in series or (one and (is_open or names_design(one))))
        and not (names_specs(one) or _spec_home(one) in homes)
    )
    named = [one for *_, one in ranked if one in series][:MAX_NAMELESS]
    for directory in [*named, *[one for *_, one in ranked if one not in series][:MAX_NAMELESS]]:
        names = others[directory]
        joined = "\n".join(names).lower() if directory in series else ""
        forms = frozenset(one[1] for one in _SERIES_NAMES.finditer(joined))
        stems = {path: record_stem(path) for path in (f"{directory}/{one}" for one in names)}
        kept = [
            one.lstrip("/") for one, stem in stems.items() if stem and is_of_series(stem, forms)
        ]
        if kept and (forms or directory):
            adrs[directory] = found = _Found("numbered" if forms else "anywhere")
            found.doubtful, found.forms = kept, forms
            is_few = 2 * len(kept) < len(names)
            found.flat = bool(forms) and (is_few or directory.lower() in general)


def _drop_issues(adrs: Mapping[str, _Found], others: dict[str, list[str]]) -> None:
    """Drop files named by the issue that they are about, which several others are about, too."""
    doubtful = [found for found in adrs.values() if found.place == "numbered"]
    about = find_issue_projects(path for found in doubtful for path in found.doubtful)
    for found in doubtful if about else ():
        keys = [issue_key(path) for path in found.doubtful]
        if not about.isdisjoint(map(issue_project, keys)):
            found.doubtful = [one for one, key in zip(found.doubtful, keys, strict=True) if not key]
    for directory in [*others] if about else ():
        names = [one for one in others.pop(directory) if issue_project(issue_key(one)) not in about]
        others.update({directory: names} if names else {})


def _weigh_called(found: _Found, documents: int, *, is_general: bool) -> None:
    """Decide whether files that are called a record are certain, or among other documents."""
    names = [one.rpartition("/")[2] for one in found.doubtful]
    found.flat = is_general
    numbered = len(found.doubtful)
    if found.place == "numbered":
        found.flat = is_general or 2 * numbered < documents
        # Logs and posts have dates, too, and chapters a word before their number.
        numbered = sum(map(has_number, names))
        if numbered >= _SERIES and 2 * numbered >= documents:
            found.place = "series"
    if sum(one.lower().startswith("proposal") for one in names) >= _SERIES:
        found.certain = len(names)
    if found.called and not is_general and 2 * len(found.called) < documents and not found.certain:
        found.flat = True
        found.doubtful += found.called
    else:
        found.certain += len(found.called)


def _read_doubtful(
    adrs: Mapping[str, _Found], specs: Mapping[str, _Found], read: Reader
) -> tuple[set[str], int]:
    """Return the files that read like a record or specification, and the directories left out."""
    places: dict[str, Place | None] = {}
    left_out = 0
    for group in (adrs, specs):
        undecided = [one for one, found in group.items() if found.doubtful and not found.certain]
        # Names that say more go first: there may be thousands of numbered chapters.
        undecided.sort(key=lambda one: (_PLACES.index(group[one].place), one))
        rest = undecided[MAX_READ_DIRECTORIES:]
        left_out += sum(group[one].place != "anywhere" for one in rest)
        for directory in undecided[:MAX_READ_DIRECTORIES]:
            found = group[directory]
            for path in _sample(found):
                places[path] = _place_of(found, path) if group is adrs else None
    contents = zip(places.items(), read(list(places)) if places else (), strict=False)
    return {one for (one, place), data in contents if data and _reads(one, data, place)}, left_out


def _reads(path: str, data: bytes, place: Place | None) -> bool:
    if place is not None:
        return reads_like_record(path, data, place)
    return _REQUIREMENT.search(data[:MAX_HEAD_BYTES].decode("utf-8", "replace")) is not None


def _place_of(found: _Found, path: str) -> Place:
    if found.place in ("decisions", "proposals", "series"):
        return found.place
    stem = record_stem(path)
    if not (
        has_number(f"{stem}.md")
        or (found.forms and is_of_series(stem, found.forms))
        or is_dated(stem)
    ):
        return "anywhere"
    return "decisions" if "adr" in words(stem) else "numbered"


def _sample(found: _Found) -> list[str]:
    """A few of the doubtful files, from the first to the last."""
    wanted = _SAMPLED_DECISIONS if found.place == "decisions" else _SAMPLED_FILES
    ordered = sorted(found.doubtful)
    step = max(1, (len(ordered) - 1) // (wanted - 1))
    return ordered[::step][:wanted]


def _holds_records(found: _Found, kept: set[str]) -> bool:
    """Whether a file that was read is a record, two of a series; most where names say little."""
    records = len(kept.intersection(found.doubtful))
    if found.certain or found.called or found.place in ("decisions", "proposals"):
        return bool(found.certain or records)
    return records > 1 if found.place == "series" else 2 * records > len(_sample(found))


def _adr_folders(adrs: Mapping[str, _Found], kept: set[str]) -> Iterator[RecordFolder]:
    places = {
        directory: found.certain + len(found.doubtful)
        for directory, found in adrs.items()
        if _holds_records(found, kept)
    }
    whole = outermost([directory for directory in places if not adrs[directory].flat])
    totals = _totals(whole, places)
    for directory, count in places.items():
        if adrs[directory].flat and totals.keys().isdisjoint(parents(directory)):
            yield RecordFolder("adrs", directory, count, flat=True)
            # Of the folders in it, those with a page that is a record.
            pages = dict.fromkeys(adrs[directory].pages)
            yield from (RecordFolder("adrs", one, 1, flat=False) for one in pages)
    for top, count in totals.items():
        yield RecordFolder("adrs", top, count, flat=False)


def _spec_folders(specs: Mapping[str, _Found], kept: set[str]) -> Iterator[RecordFolder]:
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
    return next(filter(names_specs, parents(directory)), "")


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

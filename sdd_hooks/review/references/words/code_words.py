"""How common a word is in the code of a repository, estimated from a sample of its files.

The words of each file are cached by the id of its blob, so that another commit reads only the
files that differ.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, find_language
from sdd_hooks.code.paths import is_generated, is_sample
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.words.splitting import STOP_WORDS, split_words
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_FILES = 200
"""Files of the sample. The estimate of a share of 10 % is off by 2 points on average."""
MAX_CHARACTERS = 6_000
"""Characters of a file that are read."""
COMMON_SHARE = 0.1
"""The share of the files from which a word is common."""
MIN_COMMON = 4
"""The number of files from which a word can be common, which decides in a small repository."""

_CACHE = "code-words"
_SEPARATORS = lazy_regex(r"[^a-z0-9]+")
# A small repository has too few files to show that these are common in any code, and no code shows
# that the last ones are common in any record.
_GENERIC_WORDS = """
    abort action active after api app append args argument array assert base before begin bin body
    bool boolean buffer build bytes byte call callback catch char check child client clear close
    code command common component config configuration connect console content context copy core
    count create current data database date debug default delete description dest dict dir
    directory disable doc done double element empty enable end entry enum env err error errors
    event events exception execute exists exit expect expected fail failed failure false field
    fields file filename files filter find first flag float fmt folder format found from func get
    global group handle handler hash head header helper hook html http https id ids impl
    implementation index info init input insert instance integer internal invalid item items iter
    job json key keys kind last layer len length level lib library limit line lines link list load
    local lock log logger logic long loop main manager map match max message messages meta
    metadata method min missing mock mode model module msg name names namespace network next nil
    node none null num number object offset open option optional options order out output package
    packages page param parameter params parent parse patch path paths pattern pending point port
    post prefix print process project property provider push put query queue range raw read ready
    receive ref reference register release remote rename render replace report request require
    required reset resolve resource response rest result results return root row rows rule run
    runtime save scan schema scope script search section select self send server service services
    set setting settings setup shared show simple size skip slice sort source split src stack
    start state static status step stop stream string strings struct style suffix support switch
    sync system tab table tag target task temp template test testing tests text thread time
    timeout title tmp tool top total trace true tuple type types uint unit unknown url usage use
    user users util utils val valid validate validation value values vec version view void wait
    warn warning web word work worker wrap write writer yaml
    amd64 arm64 ascii block blocks caller callers darwin detail git github gitlab linux macos member
    members sha sha256 ubuntu utf variable variables windows

    adr adrs decision decisions record records spec specs requirement requirements able about
    above accepted according across actually again against allow allowed allows almost along
    already although always among amount another anything apply appropriate around available avoid
    away based basic because become becomes being below best better between bring case cases cause
    certain change clear come complete consider contain contains correct currently depend details
    different directly document down during each easily easy either enough ensure entire even ever
    every exactly example except exist existing explicit far few final follow following full fully
    further future general given goes good happen having here high however important include
    included including instead itself just keep kept kind know large later latest least leave less
    like likely longer look lot many mean means meet mention might move much must name near
    necessary need needed needs never next normal note nothing now number often old once ones only
    onto original otherwise outside over own part particular pass people perform place possible
    prefer present previous previously probably problem proposed prevent provide provided purpose
    rather reach real really reason reduce related relevant remain remains requires respect right
    same second see seen separate several short should similar simply since single small solution
    solve something soon special specific starting still such sure take taken takes than that
    thing things third though three through today together too toward turn
    two under unless until upon useful using usually various via want wants way well were whether
    whole why within without worth yet
"""
GENERIC_WORDS = frozenset(_GENERIC_WORDS.split())


class CodeWords(NamedTuple):
    """The number of files of a sample, and how many of them have each word in text or path."""

    files: int
    frequency: Mapping[str, int]

    def is_common(self, word: str, share: float = COMMON_SHARE) -> bool:
        """Whether at least this share of the files has a word in lower case, or any code has it.

        A name of several words, such as `not_found`, is as common as its rarest word.
        """
        limit = max(MIN_COMMON, share * self.files)
        parts = [part for part in _SEPARATORS.split(word) if len(part) > 1]
        return all(
            part in GENERIC_WORDS or part in STOP_WORDS or self.frequency.get(part, 0) >= limit
            for part in parts
        )


def read_code_words(repository: Repository, tree: Tree) -> CodeWords:
    """Read a sample of the source files of `tree`. The sample is the same for each call."""
    sources = sorted(
        (blob for blob in tree.blobs() if _is_source(blob.path)),
        key=lambda blob: (crc32(blob.path.encode("utf-8", "surrogatepass")), blob.path),
    )[:MAX_FILES]
    cached = dict(_from_rows(load_cached(repository, _CACHE).get("blobs")))
    words = {blob.id: cached[blob.id] for blob in sources if blob.id in cached}
    unread = [blob for blob in sources if blob.id not in words]
    if unread:
        words.update(_read(tree, unread))
        store_cached(repository, _CACHE, {"blobs": words})
    frequency: Counter[str] = Counter()
    for blob in sources:
        frequency.update({*words[blob.id], *split_words(blob.path)})
    return CodeWords(len(sources), frequency)


def _read(tree: Tree, blobs: Sequence[Blob]) -> Iterator[tuple[str, Sequence[str]]]:
    texts = tree.texts(blobs)
    for blob in blobs:
        yield blob.id, sorted({*split_words(texts.get(blob.path, "")[:MAX_CHARACTERS])})


def _is_source(path: str) -> bool:
    code = find_language(path) is not None and not path.lower().endswith(DOCUMENT_SUFFIXES)
    return code and not (is_generated(path) or is_sample(path))


def _from_rows(rows: Any) -> Iterator[tuple[str, Sequence[str]]]:
    """The cached words of each blob, without rows in another form than the stored one."""
    if isinstance(rows, dict):
        for id, words in rows.items():
            if isinstance(words, list) and all(isinstance(word, str) for word in words):
                yield id, words

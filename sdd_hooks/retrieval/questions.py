"""The query of each kind of collection: its words, its wording for meaning, and its intent.

The wordings of ADRs, specs and code, and the intents, are those of the search skill. Words that
only make a sentence a question are not searched for in documents: a short record has few words.
"""

# Governing: SPEC-0005 REQ "Search"

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import COLLECTION_KINDS
from sdd_hooks.text.forms import fold_forms
from sdd_hooks.text.lazy_regex import lazy_regex

DEFAULT_KINDS = ("adrs", "specs", "code")
"""The kinds that a search covers unless others are requested."""

_MEANINGS = {
    "adrs": "Architecture decisions about {}",
    "specs": "Specifications and requirements for {}",
    "code": "Source code implementing {}",
    "issues": "Issues about {}",
    "knowledge": "Patterns and lessons about {}",
}
_NOUNS = {"adrs": "ADRs", "knowledge": "patterns and lessons"}
_INTENT = "/sdd:search — find {} relevant to: {}"

# Words without a subject, of each language; English also has those of a search (`query_terms`).
_FUNCTION_WORDS = """
a about am an and any are as at be been being by can could did do does each either for from get
gets had happen happens has have having he her his how i if in into is it its just kept like long
many may me might much must my no not of often on or our ours shall she should so some such take
than that the their them then there these they thing this those to too us use used uses using very
was way we went were what when where whether which who whom whose why will with would yes you your
something;
aber als am an auch auf aus bei beim bin bis da dann darf das dass dem den denn der des die dies
diese dieser dieses doch du dürfen ein eine einem einen einer eines er es für gibt habe haben hat
hier ich ihr im in ist ja kann kein keine können man mein mit muss müssen nach nicht noch nur ob
oder ohne sein seine sich sie sind so soll sollen sollte sollten über um und uns unser unsere
unter verwenden vom von vor wozu brauchen braucht nutzen
nutzt passiert geschieht war wann warum was welche welchem welchen welcher welches wenn wer
werden wie wieso wir wird wo wofür woher wohin womit wurde zu zum zur zwischen;
a afin ai au aux avec avons avoir c ce ces cet cette ceux comment d dans de des doit dont du elle
elles en entre es est et être eux fait faire faut il ils j je l la le les leur leurs lequel
laquelle ma mais mes moi mon n ne nos notre nous on ont ou où par pas plus peut pour pourquoi qu
quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t te tu un
une utilise vers vous y passe;
a al algo ante aquí como cómo con cual cuál cuáles cuándo cuando cuánto cuántos de debe del dentro
desde donde dónde el ella ellos en entre es esa ese eso esta está están estas este esto estos fue
ha hace hacen hacer hacia han hasta hay la las le les lo los más me mi muy no nos o para pero por
porque puede qué que quién quien se sea según ser si sí sin sobre son su sus también tiene tienen
un una uno unos usa usamos usar y ya pasa sucede ocurre;
a ao aos as com como da das de deve do dos e é ela ele em entre essa esse está estão eu foi há
isso isto já mais mas me não na nas no nos nós num o onde os ou para pela pelo por porque pode
qual quais quando que quem são se sem ser seu seus sobre sua suas também tem têm um uma usa usamos
usar você acontece fica ficam;
a ai al alla che chi ci col come con cosa cui da dal dalla dei del della delle deve di dove e è ed
fa gli ha hanno i il in io la le lo loro ma mi nei nel nella no noi non o per perché più può qual
quale quali quando quanto quello questa questo sarà se si sia siamo sono su sul sulla tra un una
uno usa usiamo usare viene succede accade;
aan als bij dan dat de deze die dit door een en er hebben heeft het hoe ik in is kan maar met moet
naar niet nog of om onze ook op over te tot uit van voor waar waarom wanneer wat we welk welke wie
wij worden wordt ze zich zijn;
а без будет бы быть в вам вас во все где для до его ее если есть же за и из или как какая какие
какой какую когда кто ли мы на над нам нас не но о об он они от по под почему при с со так та то
того тоже у уже что чтобы чем эта эти это происходит делать;
bir bu da daha de değil gibi hangi için ile kadar ki kim mi mı mu mü nasıl ne neden nerede nereye
niye o olan olarak olur mudur nedir ve veya var yok;
aby być co czy dla do gdzie i ich jak jaka jaki jakie jako jakich jest jeśli kiedy kto która które
który ma mamy na nad nie o od po pod przez przy są się skąd tak to w z za ze że
"""
_WORD = lazy_regex(r"[^\W_]+")
# Chinese; of Japanese, the endings and words in Hiragana are left out.
_UNSPACED_FUNCTION_WORDS = lazy_regex(
    r"为什么|為什麼|什么|什麼|怎么|怎麼|如何|为何|哪里|哪裡|哪个|哪些|是否|可以|应该|需要|我们|我們"
    r"|使用|多少|[哪谁誰几的了吗呢是有和与或把被会要能这那个個在用何]|[\u3041-\u3096]+"
)
_UNSPACED = lazy_regex(r"[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\u30a1-\u30fe\uac00-\ud7af]{3,}")
_RUN = lazy_regex(r"[\u30a1-\u30fe]+|[\u3400-\u4dbf\u4e00-\u9fff]+|[\uac00-\ud7af]+")


class KindQuery(NamedTuple):
    """The sub-queries for one kind of collection, by words first, and the intent."""

    searches: tuple[SubQuery, ...]
    intent: str


def kind_query(kind: str, text: str) -> KindQuery:
    """Return the query that searches collections of a kind for `text`."""
    meaning = _MEANINGS.get(kind, "{}").format(text)
    intent = _INTENT.format(_NOUNS.get(kind, kind), text)
    words = text if kind == "code" else subject_words(text)
    return KindQuery((SubQuery("lex", words), SubQuery("vec", meaning)), intent)


def subject_words(text: str) -> str:
    """Return a question without the words that have no subject in its language.

    The language is that of which it has most such words. Text without spaces becomes words of two
    characters. A phrase in quotation marks, and a text of these words alone, stay as they are.
    """
    if '"' in text:
        return text
    if not text.isascii():
        text = _UNSPACED.sub(_pairs, fold_forms(text))
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < 3:
        return text
    languages = [frozenset(one.split()) for one in _FUNCTION_WORDS.split(";")]
    common = max(languages, key=lambda one: sum(word in one for word in words))
    kept = [
        one for one in text.split() if not common.issuperset(map(str.lower, _WORD.findall(one)))
    ]
    if sum(word in common for word in words) < 2 or not kept:
        return text
    return " ".join(kept if common is languages[0] else map(_beginning, kept))


def _beginning(word: str) -> str:
    """A word of several letters without its ending, for its other forms begin like it."""
    bare = word.strip("?!.,;:'\"«»„“”’()")
    if not bare.isalpha() or len(bare) <= 5 or not bare[1:].islower():
        return word
    return bare[: max(5, len(bare) * 3 // 4)]


def _pairs(run: re.Match[str]) -> str:
    """The words of a text without spaces: each two characters, and what is written in Katakana."""
    found: list[str] = []
    for one in _RUN.findall(_UNSPACED_FUNCTION_WORDS.sub(" ", run[0])):
        is_whole = len(one) < 3 or "\u30a0" <= one[0] <= "\u30ff"
        found += [one] if is_whole else map("".join, pairwise(one))
    return f" {' '.join(found)} " if found else run[0]


def order_kinds(kinds: Iterable[str]) -> list[str]:
    """Return the kinds, each once: ADRs, specs, code, issues, then the others as they come."""
    given = dict.fromkeys(kinds)
    known = [kind for kind in COLLECTION_KINDS if kind in given]
    return [*known, *(kind for kind in given if kind not in known)]

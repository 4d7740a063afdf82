"""The short forms in which code writes words: `cfg` for `configuration`, `req` for `request`.

A question has the word, an identifier its short form. Those that are left out occur in most files,
or say nothing in names: keywords (`def`, `str`), suffixes of files (`txt`) and folders (`src`).
"""

# Governing: ADR-0045 (evidence of names and paths)

from __future__ import annotations

from functools import lru_cache

_SHORT_FORMS = """
address addr; administrator admin; allocate alloc; allocation alloc; allocator alloc;
application app; argument arg; array arr; attribute attr; authentication auth; authorization auth;
average avg; buffer buf; calculate calc; column col; command cmd; configuration config cfg conf;
connection conn; context ctx; control ctrl; controller ctrl; coordinate coord; current cur curr;
database db; declaration decl; dependency dep; description desc; descriptor desc;
destination dest dst; development dev; dictionary dict; difference diff; directory dir;
element elem el; environment env; error err; evaluate eval; event evt; exception exc; execute exec;
execution exec; expression expr; extension ext; generate gen; generator gen; identifier id ident;
increment inc; index idx; information info; initial init; initialization init; initialize init;
internationalization i18n; iteration iter; iterator iter; kubernetes k8s; language lang; length len;
localization l10n; management mgmt; manager mgr; maximum max; memory mem; message msg;
metadata meta; middleware mw; minimum min; miscellaneous misc; navigation nav; number num;
operation op; operator op; option opt; package pkg; parameter param; password pwd passwd;
permission perm; pointer ptr; position pos; previous prev; process proc; production prod;
property prop; query qry; random rand; receive recv; reference ref; repository repo; request req;
resource res rsrc; response resp res; result res; selection sel; separator sep; sequence seq;
serialize ser; server srv; service svc; session sess; specification spec; standard std;
statement stmt; statistics stats; subscription sub; synchronization sync; synchronize sync;
synchronous sync; system sys; table tbl; template tmpl tpl; temporary temp tmp; terminal term;
timestamp ts; transaction tx txn; translate trans; utility util; vector vec; version ver;
volume vol; window win
"""


def short_forms(word: str) -> tuple[str, ...]:
    """Return the short forms of a word in lower case; of a plural, with their plurals."""
    table = _table()
    if word in table:
        return table[word]
    if not word.endswith("s"):
        return ()
    singular = f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    short = table.get(singular, ())
    return (*short, *(f"{one}s" for one in short))


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    entries = (entry.split() for entry in _SHORT_FORMS.split(";"))
    return {word: tuple(short) for word, *short in entries}

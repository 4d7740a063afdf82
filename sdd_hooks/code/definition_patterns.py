"""The patterns by which definitions are found: a row for each family of languages.

The patterns search text whose strings and comments are blanked (`definitions.py`). Every pattern is
linear on hostile input: its repeated parts are bounded, or separated by text that they cannot
match, and a token that is not closed extends to the end of its line or of the text.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sdd_hooks.code.languages import LANGUAGES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

FILLER = "\x01"
"""The character that replaces those of a blanked string, except the first."""


class LanguagePatterns(NamedTuple):
    """The compiled patterns of a language.

    `tokens` matches strings and comments; a token that begins with one of `comments` is a comment.
    `definitions` matches the first line of a definition, with the line break before it. Its last
    group is the name; a group whose name begins with `container` says that the definition may have
    members, which `inside` matches. `owner` is put before the name, `trait` after it. `lead`
    matches a line above that belongs to the definition, `closing` a line at the indentation of the
    definition that belongs to it. `braces` is whether braces are counted, `to_next` whether a
    definition ends where the next begins.
    """

    tokens: re.Pattern[str]
    comments: tuple[str, ...]
    definitions: re.Pattern[str]
    inside: re.Pattern[str]
    lead: re.Pattern[str]
    closing: re.Pattern[str]
    braces: bool
    to_next: bool


_CLOSING = r"[)\]}{>]|where\b"
_WORD_CLOSES = (
    r"[)\]}]|(?:end|else|elsif|rescue|ensure|after|catch"
    r"|private|protected|public|module_function)\b"
)


class _Row(NamedTuple):
    """The source of a row. Each pattern is a tuple of alternatives; `members` only match inside."""

    tokens: tuple[str, ...]
    comments: tuple[str, ...]
    definitions: tuple[str, ...]
    members: tuple[str, ...] = ()
    lead: str = "@"
    closing: str = _CLOSING
    braces: bool = True
    to_next: bool = False
    flags: int = 0


@cache
def _compile(row: _Row) -> LanguagePatterns:
    # Compiled when first needed: all of them would cost every hook some 70 ms. Each token begins
    # with a literal character, each line with its line break, for which the search is fast.
    every = (*row.definitions, *row.members)
    return LanguagePatterns(
        re.compile("|".join(row.tokens), re.MULTILINE),
        row.comments,
        re.compile(rf"\n(?:{'|'.join(row.definitions)})", re.MULTILINE | row.flags),
        re.compile(rf"\n(?:{'|'.join(every)})", re.MULTILINE | row.flags),
        re.compile(row.lead, re.MULTILINE),
        re.compile(row.closing),
        row.braces,
        row.to_next,
    )


_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_CHARACTER = r"'(?:\\[^\n']{1,10}|\\'|[^'\\\n])'"
_TRIPLE = r'"""[^"]*(?:"(?!"")[^"]*)*(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''[^']*(?:'(?!'')[^']*)*(?:'''|\Z)"
_MANY_LINES = r'"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|\Z)'
_TEMPLATE = r"`[^`\\]*(?:\\[\s\S]?[^`\\]*)*(?:`|\Z)"
_RAW_TICKS = r"`[^`]*(?:`|\Z)"
_HERE = (
    r"<<[-~]?{gap}(['\"]?)({first}\w*)\1[^\n]*"
    r"(?:\n(?:(?![ \t]*\2\r?$)[^\n]*\n)*(?:[ \t]*\2\r?$|[^\n]*\Z))?"
)
# A regular expression, in a position where a division is not possible.
_REGEX = (
    r"/(?:(?<=[=(,:!&|?\[]/)|(?<=[=(,:!&|?\[] /))[^/\\\n\[]*"
    r"(?:(?:\\.|\[[^\]\\\n]*(?:\\.[^\]\\\n]*)*\]?)[^/\\\n\[]*)*/?"
)
_HASH = r"#[^\n]*"
_HASH_AFTER_SPACE = r"#(?<![^\s;]#)[^\n]*"
_C_TOKENS = (r"//[^\n]*", r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)")
_C_COMMENTS = ("//", "/*")

_I = r"[ \t]*(?![ \t])"  # a whole indentation, without backtracking into it
_W = r"[ \t]+"
_ANNOTATED = rf"{_I}(?:@[\w.]+(?:\([^()\n]*\))?{_W})*"
_NOT_A_NAME = (
    r"(?!(?:if|for|foreach|while|switch|catch|return|new|throw|else|do|try|synchronized|case|yield"
    r"|assert|lock|using|function|await|delete|typeof|sizeof|goto|default|typedef)\b)"
)
# The head of a method, not a call or a declaration: its line ends open, or with a whole body.
_HEAD = r"\((?=[^;\n]*$|[^\n]*(?:\}|=>[^\n]*)[ \t\r]*$)"
_TYPED_MEMBER = (
    rf"{_ANNOTATED}{_NOT_A_NAME}(?:(?:(?:[\w<>\[\],.?&:*]+|\([^()\n]*\)\??){_W}){{1,8}}?"
    rf"(?!(?:public|private|protected|internal|static|async)\b)(?P<method>~?\w+)"
    rf"(?:<[^>\n]*>)?[ \t]*{_HEAD}|(?P<constructor>\w+)[ \t]*\((?=[^;\n]*\{{[ \t\r]*$))"
)

_PYTHON = _Row(
    tokens=(_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    comments=("#",),
    definitions=(
        rf"{_I}(?:def{_W}(?P<function>\w+)|class{_W}(?P<container>\w+)|async{_W}def{_W}(?P<async>\w+))",
    ),
    closing=r"[)\]}]",
    braces=False,
)

_N = r"[A-Za-z_$][\w$]*"
_ARROW = (
    rf"(?:async\b[ \t]*)?(?:function\b|class\b|{_N}[ \t]*=>"
    r"|(?:<[^>\n]*>)?\((?=[^\n]*=>|(?:[^\n]*[(,{])?[ \t\r]*$))"
)
_JAVASCRIPT = _Row(
    tokens=(*_C_TOKENS, _DOUBLE, _SINGLE, _TEMPLATE, _REGEX),
    comments=_C_COMMENTS,
    definitions=(
        rf"export{_W}(?:const(?!{_W}enum)|let|var){_W}(?P<exported>{_N})",
        rf"(?:const|let|var){_W}(?P<bound>{_N})[ \t]*(?::(?:[^=\n]|=>){{0,200}})?=[ \t]*{_ARROW}",
        rf"{_I}(?:(?:export|default|declare|abstract|async){_W})*"
        rf"(?:function\b[ \t]*\*?[ \t]*(?P<function>{_N})|class{_W}(?P<container>{_N})"
        rf"|(?:const{_W})?enum{_W}(?P<enum>{_N})|interface{_W}(?P<interface>{_N})"
        rf"|type{_W}(?P<type>{_N})[ \t]*[=<]"
        rf"|(?:namespace|module){_W}(?P<container_space>[\w.]+)[ \t]*\{{)",
        rf"(?P<path>{_N}(?:\.{_N})+)[ \t]*=[ \t]*{_ARROW}",
        rf"export{_W}(?P<default>default)\b",
    ),
    members=(
        rf"{_I}(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set)"
        rf"{_W})*\*?[ \t]*{_NOT_A_NAME}(?P<method>#?{_N})"
        rf"(?:[ \t]*(?:<[^>\n]*>)?\((?=(?:[^\n]*[{{(,)}}])?[ \t\r]*$)"
        rf"|[ \t]*(?::[^=\n]*)?=[ \t]*{_ARROW})",
    ),
)

_GO = _Row(
    tokens=(*_C_TOKENS, _DOUBLE, _CHARACTER, _RAW_TICKS),
    comments=_C_COMMENTS,
    definitions=(
        rf"func{_W}(?:\((?:\w+{_W})?\*?[ \t]*(?P<owner>\w+)(?:\[[^\]\n]*\])?\)[ \t]*)?"
        r"(?P<function>\w+)",
        rf"type{_W}(?P<type>\w+)",
    ),
)

_RUST = _Row(
    tokens=(*_C_TOKENS, r'r(#+)"[\s\S]*?(?:"\1|\Z)', _MANY_LINES, _CHARACTER),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_I}(?:pub(?:\([^)\n]*\))?{_W})?"
        rf'(?:(?:default|async|const|unsafe|extern(?:{_W}"{FILLER}*)?){_W})*'
        rf"(?:fn{_W}(?P<function>\w+)|(?:struct|enum|union|type){_W}(?P<type>\w+)"
        rf"|trait{_W}(?P<container_trait>\w+)|mod{_W}(?P<container_module>\w+)[ \t]*\{{"
        rf"|macro_rules![ \t]*(?P<macro>\w+)"
        r"|impl\b(?:<(?:[^<>\n]|<[^<>\n]*>)*>)?[ \t]*"
        rf"(?:!?(?:\w+::)*(?P<trait>\w+)(?:<[^{{\n;]*>)?{_W}for{_W})?"
        r"(?:[&(\[]|dyn[ \t]+|mut[ \t]+)*(?:\w+::)*(?P<container_impl>\w+))",
    ),
    lead=r"#!?\[",
)

_JVM_WORDS = (
    r"(?:(?:public|protected|private|internal|static|final|abstract|sealed|non-sealed|strictfp"
    rf"|partial|readonly|unsafe|file|ref|new){_W})*"
)
_JAVA = _Row(
    tokens=(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_ANNOTATED}{_JVM_WORDS}(?:class|interface|enum|record|@interface){_W}(?P<container>\w+)",
    ),
    members=(_TYPED_MEMBER,),
)
_CSHARP = _Row(
    tokens=(*_C_TOKENS, r'@\$?"[^"]*(?:""[^"]*)*(?:"|\Z)', _TRIPLE, _DOUBLE, _CHARACTER),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_I}{_JVM_WORDS}"
        rf"(?:(?:class|interface|struct|enum|record(?:{_W}(?:struct|class))?){_W}(?P<container>\w+)"
        rf"|delegate{_W}[^\n(]*?(?P<delegate>\w+)(?:<[^>\n]*>)?[ \t]*\()",
    ),
    members=(_TYPED_MEMBER,),
    lead=r"\[",
)
_KOTLIN = _Row(
    tokens=(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_ANNOTATED}(?:(?:public|private|protected|internal|open|abstract|final|sealed|data|enum"
        rf"|inner|value|annotation|override|suspend|inline|operator|infix|tailrec|external|expect"
        rf"|actual|const|fun(?={_W}interface)){_W})*"
        rf"(?:fun{_W}(?:<[^>\n]*>[ \t]*)?(?:[\w<>?,.]+\.)?(?P<function>\w+|`[^`\n]+`)"
        rf"|(?:class|interface|object){_W}(?P<container>\w+)|typealias{_W}(?P<type>\w+))",
    ),
)
_SWIFT = _Row(
    tokens=(*_C_TOKENS, _TRIPLE, _DOUBLE),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_ANNOTATED}(?:(?:public|private|fileprivate|internal|open|package|static|class|final"
        rf"|override|mutating|nonmutating|required|convenience|indirect|nonisolated|async){_W})*"
        rf"(?:func{_W}(?P<function>\w+)|(?P<initialiser>init|deinit|subscript)\b[?!]?[ \t]*[<({{]"
        rf"|(?:class|struct|enum|protocol|extension|actor){_W}(?P<container>[\w.]+)"
        rf"|typealias{_W}(?P<type>\w+))",
    ),
)
_SCALA = _Row(
    tokens=(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    comments=_C_COMMENTS,
    definitions=(
        rf"{_ANNOTATED}(?:(?:private|protected|override|final|sealed|abstract|implicit|lazy|case"
        rf"|inline|transparent|opaque|package)(?:\[\w+\])?{_W})*"
        rf"(?:def{_W}(?P<function>[\w$]+)|(?:class|object|trait|enum){_W}(?P<container>[\w$]+)"
        rf"|(?:type|given){_W}(?P<type>\w+))",
    ),
)
_PHP = _Row(
    tokens=(
        *_C_TOKENS,
        r"#(?!\[)[^\n]*",
        _HERE.format(gap=r"<[ \t]*", first="[A-Za-z_]"),
        _DOUBLE,
        _SINGLE,
    ),
    comments=(*_C_COMMENTS, "#"),
    definitions=(
        rf"{_I}(?:(?:public|private|protected|static|final|abstract|readonly){_W})*"
        rf"(?:function{_W}&?[ \t]*(?P<function>\w+)"
        rf"|(?:class|interface|trait|enum){_W}(?P<container>\w+))",
    ),
    lead=r"#\[",
)

_C_TOKENS_AND_STRINGS = (
    *_C_TOKENS,
    r'R"(\w{0,16})\([\s\S]*?(?:\)\1"|\Z)',
    _DOUBLE,
    _CHARACTER,
)
_C_DEFINITIONS = (
    rf"{_I}(?:typedef{_W})?(?:class|struct|union|enum(?:{_W}(?:class|struct))?){_W}"
    rf"(?:\w+{_W}){{0,3}}?(?P<container>\w+)[ \t]*(?:final[ \t]*)?(?:<[^>\n]*>[ \t]*)?"
    r"(?::[^:;\n][^;\n]*)?(?:\{[^\n]*)?$",
    rf"typedef{_W}(?:struct|enum|union)\b[^;{{}}\n]*\s{{0,9}}\{{[^{{}}]{{0,2000}}\}}"
    r"[ \t]*(?P<typedef>\w+)",
    rf"{_I}{_NOT_A_NAME}(?:[\w:<>,*&~\[\]]+{_W}){{0,8}}?[*&]*"
    r"(?P<function>(?:\w+::)*(?:~?\w+|operator[^\s\w(]{1,3}))[ \t]*\((?=[^;{}]{0,400}\{)",
)
_C_LEAD = r"template\b|__attribute__|\[\[|[A-Za-z_][\w \t*&:<>,]*\r?$"
_C = _Row(
    tokens=_C_TOKENS_AND_STRINGS,
    comments=_C_COMMENTS,
    definitions=_C_DEFINITIONS,
    lead=_C_LEAD,
)
_OBJECTIVE_C = _Row(
    tokens=_C_TOKENS_AND_STRINGS,
    comments=_C_COMMENTS,
    definitions=(
        r"[-+][ \t]*\([^)\n]*\)[ \t]*(?P<method>\w+)",
        rf"@(?:interface|implementation|protocol){_W}(?P<class>\w+)(?![^\n]*;)",
        *_C_DEFINITIONS,
    ),
    lead=_C_LEAD,
)

_RUBY = _Row(
    tokens=(
        _HASH,
        r"=(?<![^\n]=)begin\b[^\n]*(?:\n(?!=end)[^\n]*)*(?:\n=end)?",
        _HERE.format(gap="", first="[A-Z_]"),
        _DOUBLE,
        _SINGLE,
    ),
    comments=("#", "="),
    definitions=(
        rf"{_I}(?:(?:private|protected|public|private_class_method|module_function){_W})?"
        rf"def{_W}(?:\w+\.)?(?P<function>\w+[?!=]?|[^\s\w(]{{1,3}})",
        rf"{_I}(?:class|module){_W}(?P<container>\w[\w:]*)",
    ),
    lead=r"sig\b",
    closing=_WORD_CLOSES,
    braces=False,
)
_ELIXIR = _Row(
    tokens=(_HASH, _TRIPLE, _DOUBLE),
    comments=("#",),
    definitions=(
        rf"{_I}(?:def(?:p|macrop?|guardp?|delegate)?{_W}(?P<function>[a-z_]\w*[?!]?)"
        rf"|def(?:module|protocol|impl){_W}(?P<container>[\w.]+))",
    ),
    closing=_WORD_CLOSES,
    braces=False,
)
_LUA = _Row(
    tokens=(
        r"--\[\[[\s\S]*?(?:\]\]|\Z)",
        r"--[^\n]*",
        r"\[\[[\s\S]*?(?:\]\]|\Z)",
        _DOUBLE,
        _SINGLE,
    ),
    comments=("--",),
    definitions=(
        rf"{_I}(?:local{_W})?function{_W}(?P<function>[\w.:]+)",
        rf"(?:local{_W})?(?P<bound>[\w.]+)[ \t]*=[ \t]*function\b",
    ),
    closing=_WORD_CLOSES,
    braces=False,
)
_PERL = _Row(
    tokens=(
        _HASH_AFTER_SPACE,
        r"=(?<![^\n]=)[a-z]\w*[^\n]*(?:\n(?!=cut)[^\n]*)*(?:\n=cut)?",
        _DOUBLE,
        _SINGLE,
    ),
    comments=("#", "="),
    definitions=(rf"{_I}sub{_W}(?P<function>\w[\w:]*)",),
)
_SHELL = _Row(
    tokens=(
        _HASH_AFTER_SPACE,
        r"\\.",
        _HERE.format(gap=r"[ \t]*", first="[A-Za-z_]"),
        _DOUBLE,
        _SINGLE,
    ),
    comments=("#",),
    definitions=(
        rf"{_I}(?:function{_W}(?P<function>[\w:.-]+)|(?P<name>[\w:.-]+)[ \t]*\([ \t]*\))",
    ),
)
_SQL = _Row(
    tokens=(
        r"--[^\n]*",
        _C_TOKENS[1],
        r"'[^']*(?:''[^']*)*(?:'|\Z)",
        r"\$(\w*)\$[\s\S]*?(?:\$\1\$|\Z)",
    ),
    comments=("--", "/*"),
    definitions=(
        rf"{_I}create{_W}(?:or{_W}(?:replace|alter){_W})?(?:(?:global|local|temp|temporary|unique"
        rf"|materialized|unlogged|external|recursive|virtual|fulltext|clustered){_W})*"
        rf"(?:table|view|function|procedure|trigger|index|type|sequence|schema|domain|policy"
        rf"|package(?:{_W}body)?){_W}(?:concurrently{_W})?(?:if{_W}not{_W}exists{_W})?"
        r"(?P<name>[\w.\"`\[\]$]+)",
    ),
    braces=False,
    to_next=True,
    flags=re.IGNORECASE,
)
_SCHEMA = _Row(
    tokens=(*_C_TOKENS, _HASH, _TRIPLE, _DOUBLE),
    comments=(*_C_COMMENTS, "#"),
    definitions=(
        rf"(?:extend{_W})?(?:message|service|enum|type|input|interface|union|scalar|struct"
        rf"|contract|library){_W}(?P<name>\w+)",
    ),
)
_DART = _Row(
    tokens=(*_C_TOKENS, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    comments=_C_COMMENTS,
    definitions=(
        rf"(?:(?:abstract|base|final|sealed|interface|mixin){_W})*(?:class|mixin|enum|extension)"
        rf"{_W}(?P<container>\w+)",
        rf"{_NOT_A_NAME}(?:[\w<>,?.]+{_W}){{0,6}}?(?P<function>\w+)[ \t]*\((?=[^;]{{0,400}}\{{)",
    ),
    members=(_TYPED_MEMBER,),
)

_ROWS: Mapping[str, _Row] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "csharp": _CSHARP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "scala": _SCALA,
    "php": _PHP,
    "c": _C,
    "objective_c": _OBJECTIVE_C,
    "ruby": _RUBY,
    "elixir": _ELIXIR,
    "lua": _LUA,
    "perl": _PERL,
    "shell": _SHELL,
    "sql": _SQL,
    "schema": _SCHEMA,
    "dart": _DART,
}
"""The rows by the names that `languages.LANGUAGES` has for them."""

_BY_SUFFIX = {
    suffix: _ROWS[one.definitions]
    for one in LANGUAGES
    if one.definitions
    for suffix in (*one.suffixes.split(), *one.also.split())
}
_BY_PROGRAM = {
    program: _ROWS[one.definitions]
    for one in LANGUAGES
    if one.definitions
    for program in one.programs.split()
}
_SHEBANG = lazy_regex(r"#![^\n]*?([a-z]+)[\d.]*[ \t]*(?:-[^\s]*)?[ \t]*\r?$", re.MULTILINE)


def find_patterns(path: str, text: str) -> LanguagePatterns | None:
    """The patterns for a file by its suffix, else by the program in its first line, else None."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        row = _BY_SUFFIX.get(f".{suffix.lower()}")
    else:
        shebang = _SHEBANG.match(text[:200]) if text.startswith("#!") else None
        row = _BY_PROGRAM.get(shebang[1]) if shebang else None
    return _compile(row) if row else None

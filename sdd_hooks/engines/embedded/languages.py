"""What a definition looks like in the languages that are told apart: one row of patterns each.

The patterns see text whose strings and comments are blanked out (`definitions.py`). Every pattern
is linear on hostile input: repeated parts are separated by what they cannot contain, or bounded.

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

INSIDE = "\x01"
"""What stands for the characters of a string, but its first, once strings are blanked out."""


@dataclass(frozen=True)
class Language:
    """One row.

    `tokens` finds strings and comments; what begins with one of `comments` is a comment.
    `definitions` finds the first line of a definition, with the line break before it; its last
    group is the name, and a group whose name starts with `box` says that definitions are to be
    found inside; `owner` goes before the name. `members` finds what is a
    definition only inside a box. `lead` finds what, on the lines above, belongs to a definition;
    `closing` finds words that end one at its own indentation. `braces` says that they count.
    `to_next`: a definition lasts until the next.
    """

    tokens: re.Pattern[str]
    comments: tuple[str, ...]
    definitions: re.Pattern[str]
    members: re.Pattern[str] | None = None
    lead: re.Pattern[str] = re.compile(r"@")
    closing: re.Pattern[str] = re.compile(r"[)\]}{]")
    braces: bool = True
    to_next: bool = False


def _tokens(*alternatives: str) -> re.Pattern[str]:
    # Each begins with a literal character: then the search for any of them is one fast loop.
    return re.compile("|".join(alternatives), re.MULTILINE)


def _definitions(*alternatives: str, flags: int = 0) -> re.Pattern[str]:
    # A line is found by the line break before it, many times faster than by `^`.
    return re.compile(rf"\n(?:{'|'.join(alternatives)})", re.MULTILINE | flags)


# A string that is not closed ends with its line, or with the text: never a second look.
_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_CHARACTER = r"'(?:\\[^\n']{1,10}|\'|[^'\\\n])'"
_TRIPLE = r'"""[^"]*(?:"(?!"")[^"]*)*(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''[^']*(?:'(?!'')[^']*)*(?:'''|\Z)"
_TEMPLATE = r"`[^`\\]*(?:\\[\s\S][^`\\]*)*(?:`|\Z)"
_RAW_TICKS = r"`[^`]*(?:`|\Z)"
_HERE = (
    r"<<[-~]?[ \t]*(['\"]?)([A-Za-z_]\w*)\1[^\n]*\n"
    r"(?:(?![ \t]*\2\r?$)[^\n]*\n)*(?:[ \t]*\2\r?$|[^\n]*\Z)"
)

_LINE = r"//[^\n]*"
_BLOCK = r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)"
_HASH = r"#[^\n]*"
_HASH_AFTER_SPACE = r"#(?<![^\s;]#)[^\n]*"
_C_TOKENS = (_LINE, _BLOCK)
_C_COMMENTS = ("//", "/*")

_W = r"[ \t]+"
_ANNOTATED = r"[ \t]*(?:@[\w.]+(?:\([^()\n]*\))?[ \t]+)*"
_NOT_A_NAME = (
    r"(?!(?:if|for|foreach|while|switch|catch|return|new|throw|else|do|try|synchronized|case|yield"
    r"|assert|lock|using|function|await|delete|typeof|sizeof|goto|default|typedef)\b)"
)
# A head of a method, not a call or a declaration: nothing ends on its line, or a whole body does.
_HEAD = r"\((?=[^;\n]*$|[^\n]*(?:\}|=>[^\n]*)[ \t\r]*$)"
_TYPED_MEMBER = (
    rf"{_ANNOTATED}{_NOT_A_NAME}(?:(?:[\w<>\[\],.?&:*]+[ \t]+){{1,8}}?(?P<method>~?\w+)"
    rf"(?:<[^>\n]*>)?[ \t]*{_HEAD}|(?P<constructor>\w+)[ \t]*\((?=[^;\n]*\{{[ \t\r]*$))"
)

_NAME = r"[A-Za-z_$][\w$]*"
_ARROW = (
    rf"(?:async\b[ \t]*)?(?:function\b|class\b|{_NAME}[ \t]*=>"
    r"|(?:<[^>\n]*>)?\((?=[^\n]*=>|[^\n]*[(,{][ \t\r]*$))"
)
_JAVASCRIPT = Language(
    _tokens(
        *_C_TOKENS,
        _DOUBLE,
        _SINGLE,
        _TEMPLATE,
        # A regular expression, where a division cannot stand.
        r"/(?:(?<=[=(,:!&|?\[]/)|(?<=[=(,:!&|?\[] /))"
        r"[^/\\\n\[]*(?:(?:\\.|\[[^\]\\\n]*(?:\\.[^\]\\\n]*)*\]?)[^/\\\n\[]*)*/?",
    ),
    _C_COMMENTS,
    _definitions(
        rf"[ \t]*(?:export{_W})?(?:default{_W})?(?:declare{_W})?(?:abstract{_W})?"
        rf"(?:(?:async{_W})?function\b[ \t]*\*?[ \t]*(?P<function>{_NAME})|class{_W}(?P<box>{_NAME})"
        rf"|(?:const{_W})?enum{_W}(?P<enum>{_NAME})|interface{_W}(?P<interface>{_NAME})"
        rf"|type{_W}(?P<type>{_NAME})[ \t]*[=<]"
        rf"|(?:namespace|module){_W}(?P<box_space>[\w.]+)[ \t]*\{{)",
        rf"export{_W}(?:const|let|var){_W}(?P<exported>{_NAME})",
        rf"(?:const|let|var){_W}(?P<bound>{_NAME})[ \t]*(?::(?:[^=\n]|=>){{0,200}})?=[ \t]*{_ARROW}",
        rf"(?P<path>{_NAME}(?:\.{_NAME})+)[ \t]*=[ \t]*{_ARROW}",
        rf"export{_W}(?P<default>default)\b",
    ),
    _definitions(
        r"[ \t]+(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set)"
        rf"[ \t]+)*\*?[ \t]*{_NOT_A_NAME}(?P<method>#?{_NAME})"
        rf"(?:[ \t]*(?:<[^>\n]*>)?\((?=[^\n]*(?:[{{(,)]|\}})[ \t\r]*$)"
        rf"|[ \t]*(?::[^=\n]*)?=[ \t]*{_ARROW})"
    ),
)

_PYTHON = Language(
    _tokens(_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    ("#",),
    _definitions(
        rf"[ \t]*(?:def{_W}(?P<function>\w+)|class{_W}(?P<box>\w+)|async{_W}def{_W}(?P<async>\w+))"
    ),
    closing=re.compile(r"[)\]}]"),
    braces=False,
)

_GO = Language(
    _tokens(*_C_TOKENS, _DOUBLE, _CHARACTER, _RAW_TICKS),
    _C_COMMENTS,
    _definitions(
        rf"func{_W}(?:\((?:\w+[ \t]+)?\*?[ \t]*(?P<owner>\w+)(?:\[[^\]\n]*\])?\)[ \t]*)?"
        r"(?P<function>\w+)",
        rf"type{_W}(?P<type>\w+)",
    ),
)

_RUST = Language(
    _tokens(
        *_C_TOKENS,
        r'r(#+)"[\s\S]*?(?:"\1|\Z)',
        r'"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\Z)',
        _CHARACTER,
    ),
    _C_COMMENTS,
    _definitions(
        rf"[ \t]*(?:pub(?:\([^)\n]*\))?{_W})?"
        rf'(?:(?:default|async|const|unsafe|extern(?:{_W}"{INSIDE}*)?){_W})*'
        rf"(?:fn{_W}(?P<function>\w+)|(?:struct|enum|union|type){_W}(?P<type>\w+)"
        rf"|trait{_W}(?P<box_trait>\w+)|mod{_W}(?P<box_module>\w+)[ \t]*\{{"
        rf"|macro_rules![ \t]*(?P<macro>\w+)"
        r"|impl\b(?:<(?:[^<>\n]|<[^<>\n]*>)*>)?[ \t]*(?:[^{\n;]*[ \t]for[ \t]+)?"
        r"(?:[&(\[]|dyn[ \t]+|mut[ \t]+)*(?:\w+::)*(?P<box_impl>\w+))"
    ),
    lead=re.compile(r"#!?\["),
)

_JVM_WORDS = (
    r"public|protected|private|internal|static|final|abstract|sealed|non-sealed|strictfp|partial"
    r"|readonly|unsafe|file|ref|new"
)
_JAVA = Language(
    _tokens(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    _C_COMMENTS,
    _definitions(
        rf"{_ANNOTATED}(?:(?:{_JVM_WORDS}){_W})*(?:class|interface|enum|record|@interface)"
        rf"{_W}(?P<box>\w+)"
    ),
    _definitions(_TYPED_MEMBER),
)
_CSHARP = Language(
    _tokens(*_C_TOKENS, r'@\$?"[^"]*(?:""[^"]*)*(?:"|\Z)', _TRIPLE, _DOUBLE, _CHARACTER),
    _C_COMMENTS,
    _definitions(
        rf"[ \t]*(?:(?:{_JVM_WORDS}){_W})*"
        rf"(?:(?:class|interface|struct|enum|record(?:{_W}(?:struct|class))?){_W}(?P<box>\w+)"
        rf"|delegate{_W}[^\n(]*?(?P<delegate>\w+)(?:<[^>\n]*>)?[ \t]*\()"
    ),
    _definitions(_TYPED_MEMBER),
    lead=re.compile(r"\["),
)
_KOTLIN = Language(
    _tokens(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    _C_COMMENTS,
    _definitions(
        rf"{_ANNOTATED}(?:(?:public|private|protected|internal|open|abstract|final|sealed|data|enum"
        rf"|inner|value|annotation|override|suspend|inline|operator|infix|tailrec|external|expect"
        rf"|actual|const|fun(?=[ \t]+interface)){_W})*"
        rf"(?:fun{_W}(?:<[^>\n]*>[ \t]*)?(?:[\w<>?,.]+\.)?(?P<function>\w+|`[^`\n]+`)"
        rf"|(?:class|interface|object){_W}(?P<box>\w+)|typealias{_W}(?P<type>\w+))"
    ),
)
_SWIFT = Language(
    _tokens(*_C_TOKENS, _TRIPLE, _DOUBLE),
    _C_COMMENTS,
    _definitions(
        rf"{_ANNOTATED}(?:(?:public|private|fileprivate|internal|open|package|static|class|final"
        rf"|override|mutating|nonmutating|required|convenience|indirect|nonisolated|async){_W})*"
        rf"(?:func{_W}(?P<function>\w+)|(?P<initialiser>init|deinit|subscript)\b[?!]?[ \t]*[<({{]"
        rf"|(?:class|struct|enum|protocol|extension|actor){_W}(?P<box>[\w.]+)"
        rf"|typealias{_W}(?P<type>\w+))"
    ),
)
_SCALA = Language(
    _tokens(*_C_TOKENS, _TRIPLE, _DOUBLE, _CHARACTER),
    _C_COMMENTS,
    _definitions(
        rf"{_ANNOTATED}(?:(?:private|protected|override|final|sealed|abstract|implicit|lazy|case"
        rf"|inline|transparent|opaque|package)(?:\[\w+\])?{_W})*"
        rf"(?:def{_W}(?P<function>[\w$]+)|(?:class|object|trait|enum){_W}(?P<box>[\w$]+)"
        rf"|(?:type|given){_W}(?P<type>\w+))"
    ),
)
_PHP = Language(
    _tokens(
        *_C_TOKENS,
        r"#(?!\[)[^\n]*",
        r"<<<[ \t]*(['\"]?)(\w+)\1\r?\n(?:(?![ \t]*\2\b)[^\n]*\n)*(?:[ \t]*\2\b|[^\n]*\Z)",
        _DOUBLE,
        _SINGLE,
    ),
    (*_C_COMMENTS, "#"),
    _definitions(
        rf"[ \t]*(?:(?:public|private|protected|static|final|abstract|readonly){_W})*"
        rf"(?:function{_W}&?[ \t]*(?P<function>\w+)"
        rf"|(?:class|interface|trait|enum){_W}(?P<box>\w+))"
    ),
    lead=re.compile(r"#\["),
)

_C_AND_STRINGS = _tokens(*_C_TOKENS, r'R"(\w{0,16})\([\s\S]*?(?:\)\1"|\Z)', _DOUBLE, _CHARACTER)
_C_FUNCTION = (
    rf"[ \t]*{_NOT_A_NAME}(?:[\w:<>,*&~\[\]]+[ \t]+){{0,8}}?[*&]*"
    r"(?P<function>(?:\w+::)*(?:~?\w+|operator[^\s\w(]{1,3}))[ \t]*\((?=[^;{}]{0,400}\{)"
)
_C_TYPE = (
    rf"[ \t]*(?:typedef{_W})?(?:class|struct|union|enum(?:{_W}(?:class|struct))?){_W}"
    r"(?:\w+[ \t]+){0,3}?(?P<box>\w+)[ \t]*(?:final[ \t]*)?(?:<[^>\n]*>[ \t]*)?"
    r"(?::[^:;\n][^;\n]*)?(?:\{[^\n]*)?$"
)
_C_TYPEDEF = rf"typedef{_W}(?:struct|enum|union)\b[^;{{}}\n]*\s*\{{[^{{}}]{{0,2000}}\}}[ \t]*(?P<typedef>\w+)"
_C_LEAD = re.compile(r"template\b|__attribute__|\[\[|[A-Za-z_][\w \t*&:<>,]*\r?$", re.MULTILINE)
_C = Language(
    _C_AND_STRINGS,
    _C_COMMENTS,
    _definitions(_C_TYPE, _C_TYPEDEF, _C_FUNCTION),
    lead=_C_LEAD,
)
_OBJECTIVE_C = Language(
    _C_AND_STRINGS,
    _C_COMMENTS,
    _definitions(
        r"[-+][ \t]*\([^)\n]*\)[ \t]*(?P<method>\w+)",
        rf"@(?:interface|implementation|protocol){_W}(?P<class>\w+)(?![^\n]*;)",
        _C_TYPE,
        _C_TYPEDEF,
        _C_FUNCTION,
    ),
    lead=_C_LEAD,
)

_WORD_CLOSES = re.compile(r"[)\]}]|(?:end|else|elsif|rescue|ensure|after|catch)\b")
_RUBY = Language(
    _tokens(
        _HASH,
        r"=(?<![^\n]=)begin\b[^\n]*\n(?:(?!=end)[^\n]*\n)*(?:=end|[^\n]*\Z)",
        _HERE.replace(r"[ \t]*(['\"]?)([A-Za-z_]", r"(['\"]?)([A-Z_]"),
        _DOUBLE,
        _SINGLE,
    ),
    ("#", "="),
    _definitions(
        rf"[ \t]*(?:(?:private|protected|public|private_class_method|module_function){_W})?"
        rf"def{_W}(?:\w+\.)?(?P<function>\w+[?!=]?|[^\s\w(]{{1,3}})",
        rf"[ \t]*(?:class|module){_W}(?P<box>\w[\w:]*)",
    ),
    lead=re.compile(r"sig\b"),
    closing=_WORD_CLOSES,
    braces=False,
)
_ELIXIR = Language(
    _tokens(_HASH, _TRIPLE, _DOUBLE),
    ("#",),
    _definitions(
        rf"[ \t]*(?:def(?:p|macrop?|guardp?|delegate)?{_W}(?P<function>[a-z_]\w*[?!]?)"
        rf"|def(?:module|protocol|impl){_W}(?P<box>[\w.]+))"
    ),
    closing=_WORD_CLOSES,
    braces=False,
)
_LUA = Language(
    _tokens(
        r"--\[\[[\s\S]*?(?:\]\]|\Z)", r"--[^\n]*", r"\[\[[\s\S]*?(?:\]\]|\Z)", _DOUBLE, _SINGLE
    ),
    ("--",),
    _definitions(
        rf"[ \t]*(?:local{_W})?function{_W}(?P<function>[\w.:]+)",
        rf"(?:local{_W})?(?P<bound>[\w.]+)[ \t]*=[ \t]*function\b",
    ),
    closing=_WORD_CLOSES,
    braces=False,
)
_PERL = Language(
    _tokens(
        _HASH_AFTER_SPACE,
        r"=(?<![^\n]=)[a-z]\w*[^\n]*\n(?:(?!=cut)[^\n]*\n)*(?:=cut|[^\n]*\Z)",
        _DOUBLE,
        _SINGLE,
    ),
    ("#", "="),
    _definitions(rf"[ \t]*sub{_W}(?P<function>\w[\w:]*)"),
)
_SHELL = Language(
    _tokens(_HASH_AFTER_SPACE, r"\\.", _HERE, _DOUBLE, _SINGLE),
    ("#",),
    _definitions(
        rf"[ \t]*(?:function{_W}(?P<function>[\w:.-]+)|(?P<name>[\w:.-]+)[ \t]*\([ \t]*\))"
    ),
)
_SQL = Language(
    _tokens(
        r"--[^\n]*",
        _BLOCK,
        r"'[^']*(?:''[^']*)*(?:'|\Z)",
        r"\$(\w*)\$[\s\S]*?(?:\$\1\$|\Z)",
    ),
    ("--", "/*"),
    _definitions(
        rf"[ \t]*create{_W}(?:or{_W}(?:replace|alter){_W})?(?:(?:global|local|temp|temporary|unique"
        rf"|materialized|unlogged|external|recursive|virtual|fulltext|clustered){_W})*"
        rf"(?:table|view|function|procedure|trigger|index|type|sequence|schema|domain|policy"
        rf"|package(?:{_W}body)?){_W}(?:concurrently{_W})?(?:if{_W}not{_W}exists{_W})?"
        r"(?P<name>[\w.\"`\[\]$]+)",
        flags=re.IGNORECASE,
    ),
    braces=False,
    to_next=True,
)
_SCHEMA = Language(
    _tokens(*_C_TOKENS, _HASH, _TRIPLE, _DOUBLE),
    (*_C_COMMENTS, "#"),
    _definitions(
        rf"(?:extend{_W})?(?:message|service|enum|type|input|interface|union|scalar|struct|contract"
        rf"|library){_W}(?P<name>\w+)"
    ),
)
_DART = Language(
    _tokens(*_C_TOKENS, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    _C_COMMENTS,
    _definitions(
        rf"(?:(?:abstract|base|final|sealed|interface|mixin){_W})*(?:class|mixin|enum|extension)"
        rf"{_W}(?P<box>\w+)",
        rf"{_NOT_A_NAME}(?:[\w<>,?.]+[ \t]+){{0,6}}?(?P<function>\w+)[ \t]*\((?=[^;]{{0,400}}\{{)",
    ),
    _definitions(_TYPED_MEMBER),
)

_ROWS = (
    (_PYTHON, "py pyi pyx pyw bzl star", "python"),
    (_JAVASCRIPT, "js mjs cjs jsx ts mts cts tsx vue svelte astro", "node deno bun"),
    (_GO, "go", ""),
    (_RUST, "rs", ""),
    (_JAVA, "java", ""),
    (_CSHARP, "cs", ""),
    (_KOTLIN, "kt kts", ""),
    (_SWIFT, "swift", ""),
    (_SCALA, "scala sc groovy gradle", ""),
    (_PHP, "php phtml", "php"),
    (_C, "c h cc cpp cxx hpp hh hxx cu cuh ino", ""),
    (_OBJECTIVE_C, "m mm", ""),
    (_RUBY, "rb rake gemspec ru", "ruby"),
    (_ELIXIR, "ex exs", "elixir"),
    (_LUA, "lua", "lua"),
    (_PERL, "pl pm t", "perl"),
    (_SHELL, "sh bash zsh ksh bats", "sh bash zsh ksh dash"),
    (_SQL, "sql ddl pgsql", ""),
    (_SCHEMA, "proto graphql gql thrift sol", ""),
    (_DART, "dart", "dart"),
)
_BY_SUFFIX = {suffix: row for row, suffixes, _ in _ROWS for suffix in suffixes.split()}
_BY_PROGRAM = {program: row for row, _, programs in _ROWS for program in programs.split()}
_SHEBANG = re.compile(r"#!.*?([a-z]+)[\d.]*[ \t]*(?:-\S*)?[ \t]*\r?$", re.MULTILINE)


def language_of(path: str, text: str) -> Language | None:
    """The row for a file by its ending, else by the program its first line names, else None."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        return _BY_SUFFIX.get(suffix.lower())
    shebang = _SHEBANG.match(text[:200]) if text.startswith("#!") else None
    return _BY_PROGRAM.get(shebang[1]) if shebang else None

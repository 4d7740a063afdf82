"""The languages of source code, an entry for each, and the names of generated and vendored files.

`tests/code/samples.py` has a sample of what is read of each language.
"""

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.named_tuple import NamedTuple

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx")
"""Suffixes of Markdown files."""

DOCUMENT_SUFFIXES = (*MARKDOWN_SUFFIXES, ".rst", ".adoc", ".asciidoc")
"""Suffixes of documents that are cut into sections, and that may be records. Their order is part of
the definition of a collection."""


class Language(NamedTuple):
    """A language: the suffixes of its files in lower case, and how what is in them is read.

    A suffix that begins with `/` is a whole file name. `definitions` names patterns of
    `definition_patterns`, `comments` one of `source_files`, `imports` a reader of `import_readers`,
    and `packages` the ecosystem of the packages that it imports; "" is for what is not read.
    `programs` are the interpreters in a first line `#!`. Files with a suffix in `also` are no
    source code of their own, and have definitions and imports. No decision governs a file of
    `is_data` alone.
    """

    name: str
    suffixes: str
    definitions: str = ""
    comments: str = "markup"
    imports: str = ""
    packages: str = ""
    programs: str = ""
    also: str = ""
    is_data: bool = False


# fmt: off
LANGUAGES = (
    Language("ada", ".adb .ads"),
    Language("astro", ".astro", definitions="javascript", imports="script", packages="npm"),
    Language("awk", ".awk"),
    Language("batch", ".bat"),
    Language("bicep", ".bicep"),
    Language("c", ".c .h", definitions="c", comments="c", also=".ino"),
    Language("clojure", ".clj .cljc .cljs .edn"),
    Language("cmake", ".cmake /cmakelists.txt"),
    Language("coffeescript", ".coffee"),
    Language("cpp", ".cc .cpp .cxx .hh .hpp .hxx .inl", definitions="c", comments="c"),
    Language("crystal", ".cr"),
    Language("csharp", ".cs", definitions="csharp", comments="c", imports="csharp",
             packages="nuget", programs="dotnet csharp", also=".csx .cake"),
    Language("css", ".css", is_data=True),
    Language("cuda", ".cu .cuh", definitions="c"),
    Language("d", ".d"),
    Language("dart", ".dart", definitions="dart", comments="c", programs="dart"),
    Language("dhall", ".dhall"),
    Language("dockerfile", "/dockerfile"),
    Language("elixir", ".ex .exs", definitions="elixir", comments="hash", programs="elixir"),
    Language("elm", ".elm"),
    Language("erb", ".erb"),
    Language("erlang", ".erl .hrl"),
    Language("fortran", ".f90 .f95"),
    Language("fsharp", ".fs .fsi .fsx", imports="fsharp", packages="nuget", programs="fsharpi"),
    Language("gdscript", ".gd"),
    Language("gleam", ".gleam"),
    Language("glsl", ".glsl"),
    Language("go", ".go", definitions="go", comments="go", imports="go", packages="go",
             programs="go gorun yaegi"),
    Language("graphql", ".gql .graphql", definitions="schema"),
    Language("groovy", ".gradle .groovy /jenkinsfile", definitions="scala", imports="groovy",
             packages="jvm", programs="groovy", also=".gvy .gy .gsh"),
    Language("haml", ".haml"),
    Language("handlebars", ".hbs"),
    Language("haskell", ".hs"),
    Language("haxe", ".hx"),
    Language("hcl", ".hcl .tf .tfvars"),
    Language("html", ".html", is_data=True),
    Language("java", ".java", definitions="java", comments="c", imports="java", packages="jvm",
             programs="java jbang jshell", also=".jsh"),
    Language("javascript", ".cjs .js .jsx .mjs", definitions="javascript", comments="script",
             imports="script", packages="npm", programs="node nodejs deno bun zx npx",
             also=".jsm .es6 .es .ssjs .sjs .jake .javascript .jsb .jscad .jsfl .jslib .jspre"
             " .jss .njs .pac .xsjs .xsjslib /jakefile"),
    Language("jsonnet", ".jsonnet"),
    Language("julia", ".jl"),
    Language("kotlin", ".kt .kts", definitions="kotlin", comments="c", imports="java",
             packages="jvm", programs="kotlin kotlinc kscript"),
    Language("less", ".less", is_data=True),
    Language("lisp", ".el .lisp .rkt .scm"),
    Language("lua", ".lua", definitions="lua", programs="lua"),
    Language("make", ".mk /justfile /makefile"),
    Language("move", ".move"),
    Language("nim", ".nim"),
    Language("nix", ".nix"),
    Language("objective-c", ".m .mm", definitions="objective_c"),
    Language("ocaml", ".ml .mli"),
    Language("odin", ".odin"),
    Language("pascal", ".pas"),
    Language("perl", ".pl .pm", definitions="perl", programs="perl", also=".t"),
    Language("php", ".php", definitions="php", comments="php", imports="php",
             packages="php", programs="php", also=".phtml"),
    Language("powershell", ".ps1 .psm1"),
    Language("prisma", ".prisma"),
    Language("protobuf", ".proto", definitions="schema"),
    Language("pug", ".pug"),
    Language("purescript", ".purs"),
    Language("python", ".py .pyi .pyw .pyx", definitions="python", comments="python",
             imports="python", packages="python",
             programs="python pypy ipython uv uvx pipx xonsh sage",
             also=".wsgi .ipy .rpy .pyde .pxd .pxi .xsh .gyp .gypi .sage .py3 .pyt .pyp .smk .tac"
             " .xpy /sconstruct /sconscript /wscript"),
    Language("r", ".r"),
    Language("razor", ".cshtml .razor", imports="razor"),
    Language("rego", ".rego"),
    Language("rescript", ".res"),
    Language("ruby", ".rake .rb /gemfile /rakefile", definitions="ruby", comments="hash",
             imports="ruby", packages="ruby", programs="ruby jruby truffleruby rbx",
             also=".gemspec .ru .podspec .jbuilder .thor .builder .rabl .rbw .rbi .arb .axlsx"
             " .ruby .eye .god .mspec .pluginspec .prawn .rbuild .rbx .watchr .irbrc .pryrc"
             " .simplecov /buildfile /deliverfile /jarfile /mavenfile /snapfile /steepfile"
             " /appraisals /berksfile /brewfile /capfile /dangerfile /fastfile /guardfile"
             " /podfile /puppetfile /thorfile /vagrantfile"),
    Language("rust", ".rs", definitions="rust", comments="c", imports="rust", packages="rust",
             programs="cargo rust-script"),
    Language("sass", ".sass", is_data=True),
    Language("scala", ".scala", definitions="scala", comments="c", imports="java", packages="jvm",
             programs="scala amm", also=".sc .sbt .mill"),
    Language("scss", ".scss", is_data=True),
    Language("shell", ".bash .sh .zsh", definitions="shell", comments="hash",
             programs="sh bash zsh ksh dash", also=".ksh .bats"),
    Language("solidity", ".sol", definitions="schema"),
    Language("sql", ".sql", definitions="sql", also=".ddl .pgsql"),
    Language("starlark", ".bzl", definitions="python", also=".star"),
    Language("svelte", ".svelte", definitions="javascript", imports="script", packages="npm"),
    Language("swift", ".swift", definitions="swift", comments="c"),
    Language("tcl", ".tcl"),
    Language("templ", ".templ"),
    Language("template", ".tmpl"),
    Language("thrift", ".thrift", definitions="schema"),
    Language("typescript", ".cts .mts .ts .tsx", definitions="javascript", comments="script",
             imports="script", packages="npm", programs="tsx ts-node"),
    Language("vb", ".vb", imports="vb"),
    Language("verilog", ".sv .v"),
    Language("vhdl", ".vhd"),
    Language("vue", ".vue", definitions="javascript", imports="script", packages="npm"),
    Language("wgsl", ".wgsl"),
    Language("yaml", ".yaml .yml", is_data=True),
    Language("zig", ".zig"),
)
# fmt: on

SUFFIXES: Mapping[str, str] = dict(
    sorted((suffix, one.name) for one in LANGUAGES for suffix in one.suffixes.split())
)
"""The name of the language by suffix. Their order is part of the definition of a collection."""

_BY_NAME = {one.name: one for one in LANGUAGES}
_ALSO = {suffix: one for one in LANGUAGES for suffix in one.also.split()}

# fmt: off
# Suffixes of generated source files.
GENERATED = (
    ".bundle.js", ".designer.cs", ".freezed.dart", ".g.cs", ".g.dart", ".gen.go", ".generated.cs",
    ".generated.ts", ".min.css", ".min.js", ".min.mjs", ".pb.cc", ".pb.go", ".pb.gw.go", ".pb.h",
    "_generated.go", "_grpc.pb.go", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_templ.go",
    "/gradlew.bat", "/pnpm-lock.yaml", "/pubspec.lock.yaml",
)

# Directories with vendored or built content, at any depth.
VENDORED = (
    ".venv", "__pycache__", "bower_components", "godeps", "jspm_packages", "node_modules", "pods",
    "site-packages", "third-party", "third_party", "thirdparty", "vendor", "vendored", "venv",
)
# fmt: on


def find_language(path: str) -> str | None:
    """The language of a file, by its name; None if it is not source code."""
    name, suffix = _names(path)
    return SUFFIXES.get(name) or SUFFIXES.get(suffix)


def describe_language(path: str) -> Language | None:
    """The entry of the language of a file, by its name; None if it is not source code."""
    return _BY_NAME.get(find_language(path) or "")


def describe_any(path: str) -> Language | None:
    """Like `describe_language`, also for a file that is no source code of its own."""
    name, suffix = _names(path)
    return describe_language(path) or _ALSO.get(name) or _ALSO.get(suffix)


def _names(path: str) -> tuple[str, str]:
    """The name of a file in lower case behind a slash, and its suffix or ""."""
    name = "/" + path.lower().rsplit("/", 1)[-1]
    return name, "." + name.rsplit(".", 1)[-1] if "." in name else ""

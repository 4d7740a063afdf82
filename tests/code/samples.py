"""A sample of each language: a comment, an import and a definition, as far as they are read."""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A text, and what is read of it: the name of a definition, a comment, an imported name."""

    text: str
    definition: str = ""
    comment: str = ""
    imported: str = ""


_SCRIPT = Sample("// why\nimport a from 'b'\nfunction load() {\n}\n", "load", "// why", "b")
_C = Sample("// why\nint load(int a) {\n}\n", "load", "// why")
_COMPONENT = _SCRIPT._replace(comment="")
_HASH = "# why\n"

SAMPLES = {
    "astro": _COMPONENT,
    "c": _C,
    "cpp": _C,
    "csharp": Sample("// why\nusing A.B;\nclass Store {\n}\n", "Store", "// why", "A.B"),
    "cuda": _C._replace(comment=""),
    "dart": Sample("// why\nclass Store {\n}\n", "Store", "// why"),
    "elixir": Sample(f"{_HASH}defmodule Store do\nend\n", "Store", "# why"),
    "fsharp": Sample("open A.B\n", imported="A.B"),
    "go": Sample('// why\nimport "fmt"\n\nfunc Load() {\n}\n', "Load", "// why", "fmt"),
    "graphql": Sample("type Store {\n  id: ID\n}\n", "Store"),
    "groovy": Sample("import a.B\nclass Store {\n}\n", "Store", imported="a.B"),
    "java": Sample("// why\nimport a.B;\nclass Store {\n}\n", "Store", "// why", "a.B"),
    "javascript": _SCRIPT,
    "kotlin": Sample("// why\nimport a.B\nfun load() {\n}\n", "load", "// why", "a.B"),
    "lua": Sample("function load()\nend\n", "load"),
    "objective-c": Sample("- (void)load {\n}\n", "load"),
    "perl": Sample("sub load {\n}\n", "load"),
    "php": Sample("<?php\n// why\nuse a\\B;\nfunction load() {\n}\n", "load", "// why", "a\\B"),
    "protobuf": Sample("message Store {\n}\n", "Store"),
    "python": Sample(f"{_HASH}import os\n\ndef load():\n    pass\n", "load", "# why", "os"),
    "razor": Sample("@using A.B\n", imported="A.B"),
    "ruby": Sample(f"{_HASH}require 'json'\ndef load\nend\n", "load", "# why", "json"),
    "rust": Sample("// why\nuse a::b;\nfn load() {\n}\n", "load", "// why", "a::b"),
    "scala": Sample("// why\nimport a.B\nclass Store {\n}\n", "Store", "// why", "a.B"),
    "shell": Sample(f"{_HASH}load() {{\n  true\n}}\n", "load", "# why"),
    "solidity": Sample("contract Store {\n}\n", "Store"),
    "sql": Sample("create table store (id int);\n", "store"),
    "starlark": Sample("def load():\n    pass\n", "load"),
    "svelte": _COMPONENT,
    "swift": Sample("// why\nfunc load() {\n}\n", "load", "// why"),
    "thrift": Sample("struct Store {\n}\n", "Store"),
    "typescript": _SCRIPT,
    "vb": Sample("Imports A.B\n", imported="A.B"),
    "vue": _COMPONENT,
}

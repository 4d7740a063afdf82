"""The imports of source files, in each language."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.imports import MAX_IMPORTS, find_imports, supports_imports
from tests.support.cpu_time import assert_linear


def names(path: str, text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return list(dict.fromkeys(one.name for one in find_imports(path, data).found))


_IMPORTLIB = ["importlib", "importlib.import_module"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "import os", ["os"]),
        ("a.py", "if x:\n    import a.b as c, d  # why", ["a.b", "d"]),
        ("a.py", "from a.b import c, d as e", ["a.b", "a.b.c", "a.b.d"]),
        ("a.py", "from a.b import (\n  c,\n d)", ["a.b", "a.b.c", "a.b.d"]),
        ("a.py", "from a import *", ["a"]),
        ("src/app/web/x.py", "from ..db import models", ["app.db", "app.db.models"]),
        ("app/x.py", "from . import db", ["app", "app.db"]),
        ("a.py", "x = importlib.import_module('a.b')", ["a.b"]),
        ("a.py", "x = __import__(name='a')", ["a"]),
        ("a.py", "lazy import a, b\nlazy from c import d", ["a", "b", "c", "c.d"]),
        ("a.py", "from importlib import import_module as m\nm(f'x')", [*_IMPORTLIB, "x"]),
        ("a.py", "m = importlib.import_module\nm('x')\nn('y')", ["x"]),
        ("a.py", "getattr(importlib, 'import_module')('x')", ["x"]),
        ("a.py", "runpy.run_module('x'); pytest.importorskip(modname='y')", ["x", "y"]),
        ("a.py", "exec(compile('if 1:\\n import x', 'a', 'exec'))", ["x"]),
        ("a.py", "eval('__import__(\"x\")'); exec('a = 1'); exec(code)", ["x"]),
        ("a.py", "'''\nimport os\n'''\n# import os\n", []),
        ("a.py", "important = 1", []),
        ("a.py", "if 1: import x", ["x"]),
        ("a.py", "a = 1; import x", ["x"]),
        ("a.py", "import \\\n x", ["x"]),
        ("a.py", "from \\\n x import \\\n y", ["x", "x.y"]),
        ("a.py", "a = 1\rimport x\r", ["x"]),
        ("a.py", "\x0cimport x", ["x"]),
        ("a.py", "import \uff58", ["x"]),
        ("a.pyw", "import x", ["x"]),
        ("a.pyi", "import x", ["x"]),
        ("bin/tool", "#!/usr/bin/env python3\nimport x\n", ["x"]),
        ("bin/tool", "#!/bin/sh\nimport x\n", []),
        ("bin/tool", "#!/usr/bin/node\nrequire('x')\n", ["x"]),
        ("bin/tool", "#!/usr/bin/env -S uv run --script\nimport x\n", ["x"]),
        ("bin/tool", "#!/usr/bin/env ipython\nimport x\n", ["x"]),
        ("bin/tool", "#!/usr/bin/env -S npx tsx\nimport 'x'\n", ["x"]),
        ("bin/tool", "#!/opt/uvicorn\nimport x\n", []),
        ("tool.cgi", "#!/usr/bin/ruby\nrequire 'x'\n", ["x"]),
        *((f"a.{name}", "import x", ["x"]) for name in ("wsgi", "ipy", "sc", "sbt", "jsh")),
        *((name, "require 'x'", ["x"]) for name in ("config.ru", "a.gemspec", "a.thor", "Podfile")),
        *((f"a.{name}", "import 'x'", ["x"]) for name in ("jsm", "es6")),
        ("a.csx", "using A.B;", ["A.B"]),
        ("a.razor", "@using A.B\n@inject C.D Store\n<p>using E now</p>", ["A.B", "C.D"]),
        ("a.cshtml", "@{ using F.G; using (Html.Form()) {} }", ["F.G"]),
        ("A.java", 'Class.forName("a.B"); x.loadClass(name);', ["a.B"]),
        ("A.cs", 'var a = Assembly.Load("A.B, Version=1"); Load("C");', ["A.B"]),
        ("a.js", "import 'node:fs'", ["node:fs", "fs"]),
        ("a.js", "import 'npm:axios@1/x?y'", ["npm:axios@1/x?y", "axios/x"]),
        ("a.js", "import '@a/b@2?raw'", ["@a/b@2?raw", "@a/b"]),
        ("a.js", "import '!!raw!style!x'", ["!!raw!style!x", "x"]),
        ("a.js", "import 'https://esm.sh/v1/@a/b@1'", ["https://esm.sh/v1/@a/b@1", "@a/b"]),
        ("src/a.js", "import './b?raw'", ["src/b"]),
        ("a.js", "createRequire(import.meta.url)('x')", ["x"]),
        ("a.js", "const $r = module.createRequire(u);\n$r('x'); a.$r('y')", ["x"]),
        ("a.js", "module['require']('x')", ["x"]),
        ("a.js", "let r = require;\nr('x')", ["x"]),
        ("a.js", "define('me', ['x']); define(['y']); elements.define('no', A)", ["x", "y"]),
        ("a.js", "jest.requireActual('x'); vi.importActual('y'); vi.doMock('z')", ["x", "y", "z"]),
        ("a.ts", 'import { a, b } from "@x/y";', ["@x/y"]),
        ("a.ts", "import 'side-effect';", ["side-effect"]),
        ("a.ts", "import{a}from'x'", ["x"]),
        ("a.ts", "import {\n a,\n} from\n 'lodash/fp'", ["lodash/fp"]),
        ("a.cts", "import a = require('x')", ["x"]),
        ("a.js", "const a = require('moment'), b = await import(\"dayjs\")", ["moment", "dayjs"]),
        ("a.js", "a(); b(/* c */ require /* d */ (\n // e\n 'x'))", ["x"]),
        ("a.js", "(0, require)('x'); require?.('y'); require([`z`, 'w'])", ["x", "y", "z", "w"]),
        ("a.js", r"require('\x72\u0065q\165e\u{73}ts'); r\u0065quire('y')", ["requests", "y"]),
        ("a.js", "require(`a${b}`)", []),
        ("a.js", "x = `\n// ${require('x')}\n`", ["x"]),
        ("a.js", "x = `\n// `; require('x')\n", ["x"]),
        ("a.js", "x = `\n/**\n * ${require('x')}\n */`", ["x"]),
        ("a.js", "/* a\n// */ require('x')", ["x"]),
        ("a.js", "a = 2\n* require('x')", ["x"]),
        ("a.js", "a = '/*'; require('x'); b = '*/'", ["x"]),
        ("a.js", "a = /`/; require('x')", ["x"]),
        ("a.js", "// a\u2028require('x')", ["x"]),
        ("a.js", "// import a from 'a'\n/**\n * @example\n * import { a } from 'a'\n */", []),
        ("a.jsx", "<a>\n// {require('x')}\n</a>", ["x"]),
        ("src/web/app.ts", "import { q } from '../db/client'", ["src/db/client"]),
        ("src/web/app.ts", "export * from './x'", ["src/web/x"]),
        ("a.vue", "import A from '@/A.vue'", ["@/A.vue"]),
        ("a.go", 'import "fmt"', ["fmt"]),
        (
            "a.go",
            'import (\n\t"fmt"\n\t_ "github.com/lib/pq" // driver\n)',
            ["fmt", "github.com/lib/pq"],
        ),
        ("a.go", 'package a; import x "y"; import . `z`', ["y", "z"]),
        ("a.go", 'import ("a"; b "c")', ["a", "c"]),
        ("a.go", 'import /* a */ "\\x66mt"', ["fmt"]),
        ("a.go", '// import "fmt"\nx := []string{\n\t"name",\n}', []),
        ("a.rs", "use std::io;", ["std::io"]),
        (
            "a.rs",
            "pub(crate) use a::{b::{c, d}, self, e as f};",
            ["a::b::c", "a::b::d", "a", "a::e"],
        ),
        ("a.rs", "use a::{\n    b,\n    // c\n    d::*,\n};", ["a::b", "a::d"]),
        ("a.rs", "use a::b::*;\npub use c::*;\nuse d;", ["a::b", "c", "d"]),
        ("a.rs", "fn a() { use r#b::c; }", ["b::c"]),
        ("a.rs", "use ::a;", ["a"]),
        ("a.rs", "#[macro_use] extern crate serde;", ["serde"]),
        ("a.rs", "/// use a::b;\n//! use {c};", []),
        ("A.java", "import static a.b.C.d;", ["a.b.C.d"]),
        ("A.java", "package x; import a.b.*;", ["a.b"]),
        ("A.java", "import a\n . b /* c */ . D;", ["a.b.D"]),
        ("A.java", "\\u0069mport a.\\u0062;", ["a.b"]),
        ("A.java", "// x\\u000aimport a.b;", ["a.b"]),
        ("A.java", "import module java.sql;", ["java.sql"]),
        ("A.java", "/**\n * import a.b;\n */\n// import c;", []),
        ("A.kt", "import a.b.C as D", ["a.b.C"]),
        ("A.kt", "import `a`.b", ["a.b"]),
        ("A.scala", "import a.{b, c => d}, e.f", ["a", "a.b", "a.c", "e.f"]),
        ("A.cs", "using System.Data;", ["System.Data"]),
        ("A.cs", "global using static A.B;", ["A.B"]),
        ("A.cs", "namespace N { using X = global::A.B; }", ["A.B"]),
        ("A.cs", "using @System\n.Data;", ["System.Data"]),
        ("A.cs", "using var x = Open();", []),
        ("A.cs", "using (var x = Open())", []),
        ("A.fs", "open System.Data\nopen Other", ["System.Data", "Other"]),
        ("A.fsx", "module A = begin open type global.System.Math end", ["System.Math"]),
        ("A.fs", "open ``My Module``.B // open C", ["My Module.B", "C"]),
        ("A.fs", "// open A\nmodule M = A.B\nmodule N\nlet x = f.open ()", ["A.B"]),
        ("A.fs", "(*\n// *) open A", ["A"]),
        ("A.vb", "Imports System.Data", ["System.Data"]),
        ("A.vb", "IMPORTS System.Data, X = Global.[A] _\n . B", ["System.Data", "A.B"]),
        ("A.vb", "' Imports A\nx.Imports(y) : imports _\r\n A.B", ["A.B"]),
        ("a.rb", "require 'net/http'", ["net/http"]),
        ("a.rb", "x = 1; require('a') if y", ["a"]),
        ("a.rb", "require %q(a)\nKernel.require \\\n 'b'", ["a", "b"]),
        ("a.rb", "send(:require, 'x'); Kernel.public_send :load, 'y'; send :z", ["x", "y"]),
        ("a.rb", "# require 'a'\ngem 'x', require: 'y'", []),
        ("a.rb", "x = '\n#'; require 'a'", ["a"]),
        ("lib/a/b.rb", 'require_relative "../c"', ["lib/c"]),
        ("a.rb", "autoload :X, 'a/x'", ["a/x"]),
        ("a.js", b"requ\0ire('x')", ["x"]),
        ("A.cs", "using A;".encode("utf-16"), ["A"]),
        ("A.cs", "using A;".encode("utf-16-le"), ["A"]),
        ("A.java", "\\u0069mport a.B;".encode("utf-16-le"), ["a.B"]),
        ("a.py", b"\xef\xbb\xbfimport x\n", ["x"]),
        ("a.py", b"# coding: latin-1\nimport x # \xe9\n", ["x"]),
        ("a.txt", "import os", []),
        ("a.html", "import os", []),
    ],
)
def test_a_file_imports(path: str, text: str | bytes, expected: list[str]) -> None:
    assert names(path, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "print 'Python 2'\nif 1: import x",
        "print 'a'; import x",
        "print 'a'\nimport \\\n x",
        "print 'a'\rimport x",
        "print 'a'\n\x0cimport x",
        "print 'a'\nfrom x import (a,\n # b\n c)",
        "print 'a'\nimport a . b, x as y",
        "print 'a'\nfrom x import*",
        "print 'a'\n__import__ ( 'x' )",
        "print '#'; import x",
        "print '''\n# '''; import x",
        "(" * 300 + "\nimport x\n" + ")" * 300,
        "a" + ".b" * 20_000 + "\nimport x\n",
        "-" * 200_000 + "1\nimport x\n",
        "# " + "a" * 300_000 + "\nif 1: import x\n",
    ],
)
def test_python_that_is_not_parsed_is_scanned(text: str) -> None:
    assert "x" in names("a.py", text)


@pytest.mark.parametrize("encoding", ["utf-7", "rot13", "unicode_escape", "punycode", "none"])
def test_an_encoding_that_transforms_code_is_not_read(encoding: str) -> None:
    imports = find_imports("a.py", f"# coding: {encoding}\n".encode())
    assert imports.found == ()
    assert imports.unread.startswith("it declares the encoding ")


def test_the_lines_of_a_statement() -> None:
    (module, name, call) = find_imports(
        "a.py", b"from x import (\n  a\n)\n\nimport_module(\n'y'\n)\n"
    ).found
    assert (module.name, module.first, module.last) == ("x", 1, 2)
    assert (name.name, name.first, name.last) == ("x.a", 2, 2)
    assert (call.name, call.first, call.last) == ("y", 5, 7)


def test_lines_are_numbered_as_git_does() -> None:
    assert [one.line for one in find_imports("a.py", b"a\rimport b\n\rimport c\n").found] == [1, 2]
    assert [one.line for one in find_imports("a.js", b"\r\nrequire('b')\r").found] == [2]


def notebook(*cells: dict[str, Any], **metadata: Any) -> str:
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1)


def code(*source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": [*source]}


PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (notebook(code("import a\n", "if 1: import b"), **PYTHON), ["a", "b"]),
        (notebook(code("%matplotlib inline\n", "%time import a\n", "!pip install x\n")), ["a"]),
        (notebook(code("%%time\n", "x = 'import b'\n", "import a")), ["a"]),
        (notebook({"cell_type": "markdown", "source": ["import a"]}), []),
        (notebook({"cell_type": "raw", "source": "import a"}, code("import b")), ["b"]),
        (notebook({"cell_type": "code", "source": "import a\nfrom b import c"}), ["a", "b", "b.c"]),
        (notebook(code("require('x')"), kernelspec={"language": "javascript"}), ["x"]),
        (notebook(code("open A.B"), language_info={"name": "F#"}), ["A.B"]),
        (notebook(code("import a"), kernelspec={"language": "R"}), ["a"]),
        ('{"cells": [{"source": "import a", "cell_type": "code"}]}', ["a"]),
        ('{"cells": [{"source": "import a", "cell_type": "code", "cell_type": "raw"}]}', ["a"]),
        ('{"cells": [{"source": ["\\u0069mport a"], "source": []}]}', ["a"]),
        ('{"worksheets": [{"cells": [{"cell_type": "code", "input": ["import a"]}]}]}', ["a"]),
        ('\ufeff{"cells":[{"cell_type":"code","source":"import a"}]}', ["a"]),
        ("[]", []),
        ('"import a"', []),
        ("3", []),
    ],
)
def test_a_notebook_imports(text: str, expected: list[str]) -> None:
    assert names("notes/a.ipynb", text) == expected


def test_the_lines_of_a_notebook() -> None:
    text = notebook(code("x = 1\n", "import a\n", "from b import (\n", "  c\n", ")"), **PYTHON)
    lines = text.splitlines()
    for one in find_imports("a.ipynb", text.encode()).found:
        shown = one.name.rpartition(".")[2] if one.name != "b" else "from b"
        assert shown in lines[one.line - 1]
    compact = json.dumps(json.loads(text))
    assert {one.line for one in find_imports("a.ipynb", compact.encode()).found} == {1}


@pytest.mark.parametrize("text", ["", "{", "import a", '{"cells": [}', "[" * 100_000])
def test_a_notebook_that_is_no_json_is_unread(text: str) -> None:
    assert find_imports("a.ipynb", text.encode()).unread.startswith("it is a notebook, but")


_JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from(["code", "markdown", "import a\n", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["cells", "source", "cell_type", "a"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(_JSON, st.sampled_from([None, 1]))
def test_any_json_is_read(content: object, indent: int | None) -> None:
    text = json.dumps(content, indent=indent)
    imports = find_imports("a.ipynb", text.encode())
    assert not imports.unread
    for one in imports.found:
        assert one.name == "a"
        assert "import a" in text.split("\n")[one.line - 1]


def test_visual_basic_ignores_case() -> None:
    assert [one.ignores_case for one in find_imports("a.vb", b"Imports A").found] == [True]
    assert [one.ignores_case for one in find_imports("a.cs", b"using A;").found] == [False]


def test_supported_languages() -> None:
    assert supports_imports("src/a.PY")
    assert supports_imports("src/a.IPYNB")
    assert supports_imports("bin/tool")
    assert not supports_imports("docs/a.md")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "use " + "a::{" * 500),
        ("a.rs", f"use {'a' * 2_000}::b;"),
        ("A.scala", f"import {'a.' * 2_000}b"),
        ("a.py", "import " + ", ".join(f"a{n}" for n in range(MAX_IMPORTS + 1))),
        ("a.rb", "require 'a'\n" * (MAX_IMPORTS + 1)),
    ],
)
def test_what_is_too_complex_is_reported(path: str, text: str) -> None:
    assert find_imports(path, text.encode()).unread


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.js", "import/*"),
        ("a.js", "a=require;a("),
        ("a.js", "createRequire(("),
        ("a.js", "import '!!@a/"),
        ("a.js", "import/**/"),
        ("a.js", "require('"),
        ("a.js", "require(`"),
        ("a.js", "import //\n"),
        ("a.js", "`/*\\u0072*"),
        ("a.go", 'import ("a"'),
        ("a.go", "import (`"),
        ("a.rs", "use a::{"),
        ("a.rs", "use a,"),
        ("A.java", "import a."),
        ("A.scala", "import a.{b"),
        ("A.scala", "import a.{"),
        ("A.cs", "using a="),
        ("A.fs", "open ``"),
        ("A.fs", "module a.a ="),
        ("A.vb", "Imports a."),
        ("A.vb", "Imports _\n"),
        ("A.vb", "Imports [a]=[a],"),
        ("a.rb", "require %q("),
        ("a.rb", "autoload :a"),
        ("a.py", "print 1; import "),
        ("a.py", "from a import (\n"),
        ("a.py", "from . "),
        ("a.py", "import a.a.a.a.a.a\n"),
        ("a.py", ":import a,"),
        ("a.py", "\\\n"),
        ("a.py", "f'{"),
    ],
)
def test_the_time_is_linear(path: str, unit: str) -> None:
    assert_linear(lambda data: find_imports(path, data), lambda size: unit.encode() * size, 16_000)


def test_the_time_for_a_notebook_is_linear() -> None:
    def cells(size: int) -> bytes:
        return notebook(*[code("import a\n", "#")] * (size // 200), code("import b")).encode()

    assert_linear(lambda data: find_imports("a.ipynb", data), cells, 8_000)


@given(
    st.sampled_from(["py", "ts", "go", "rs", "java", "cs", "rb", "scala", "fs", "vb", "ipynb"]),
    st.text("imports open from use{}()*,:;'\"`./ab \t\n\r\\u0061#$%q", max_size=80),
)
def test_any_text_is_read(suffix: str, text: str) -> None:
    for one in find_imports(f"src/a.{suffix}", text.encode()).found:
        assert one.name
        assert 1 <= one.first <= one.line <= text.count("\n") + 1
        assert "\n" not in one.name

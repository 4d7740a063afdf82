"""The imports of a line, in each language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.imports import MAX_NAMES, parse_imports, supports_imports


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("a.py", "import os", ["os"]),
        ("a.py", "    import a.b as c, d  # why", ["a.b", "d"]),
        ("a.py", "from a.b import c, d as e", ["a.b", "a.b.c", "a.b.d"]),
        ("a.py", "from a.b import (", ["a.b"]),
        ("a.py", "from a import *", ["a"]),
        ("src/app/web/x.py", "from ..db import models", ["app.db", "app.db.models"]),
        ("app/x.py", "from . import db", ["app", "app.db"]),
        ("a.py", "x = importlib.import_module('a.b')", ["a.b"]),
        ("a.py", "the import of requests, and from a import", []),
        ("a.py", "important = 1", []),
        ("a.ts", 'import { a, b } from "@x/y";', ["@x/y"]),
        ("a.ts", "import 'side-effect';", ["side-effect"]),
        ("a.ts", "} from 'lodash/fp'", ["lodash/fp"]),
        ("a.js", "const a = require('moment'), b = await import(\"dayjs\")", ["moment", "dayjs"]),
        ("src/web/app.ts", "import { q } from '../db/client'", ["src/db/client"]),
        ("src/web/app.ts", "export * from './x'", ["src/web/x"]),
        ("a.vue", "import A from '@/A.vue'", ["@/A.vue"]),
        ("a.js", "// import a from 'a'", []),
        ("a.js", "copied from 'x'", ["x"]),
        ("a.go", 'import "fmt"', ["fmt"]),
        ("a.go", '\t_ "github.com/lib/pq" // driver', ["github.com/lib/pq"]),
        ("a.go", '\t"name",', []),
        ("a.go", 'x := "fmt"', []),
        ("a.rs", "use std::io;", ["std::io"]),
        (
            "a.rs",
            "pub(crate) use a::{b::{c, d}, self, e as f};",
            ["a::b::c", "a::b::d", "a", "a::e"],
        ),
        ("a.rs", "use a::*;", ["a"]),
        ("a.rs", "use crate::db::{", ["crate::db"]),
        ("a.rs", "extern crate serde;", ["serde"]),
        ("A.java", "import static a.b.C.d;", ["a.b.C.d"]),
        ("A.java", "import a.b.*;", ["a.b"]),
        ("A.kt", "import a.b.C as D", ["a.b.C"]),
        ("A.cs", "using System.Data;", ["System.Data"]),
        ("A.cs", "global using static A.B;", ["A.B"]),
        ("A.cs", "using X = A.B;", ["A.B"]),
        ("A.cs", "using var x = Open();", []),
        ("A.cs", "using (var x = Open())", []),
        ("a.rb", "require 'net/http'", ["net/http"]),
        ("lib/a/b.rb", 'require_relative "../c"', ["lib/c"]),
        ("a.rb", "autoload :X, 'a/x'", ["a/x"]),
        ("a.txt", "import os", []),
        ("a.html", "import os", []),
    ],
)
def test_a_line_imports(path: str, line: str, expected: list[str]) -> None:
    assert list(parse_imports(path, line)) == expected


def test_supported_languages() -> None:
    assert supports_imports("src/a.PY")
    assert not supports_imports("docs/a.md")


def test_the_names_of_a_line_are_limited() -> None:
    assert len(parse_imports("a.rs", "use " + "a::{" * 500)) <= 1
    assert (
        len(parse_imports("a.py", "import " + ", ".join(f"a{n}" for n in range(500)))) == MAX_NAMES
    )


@given(
    st.sampled_from(["py", "ts", "go", "rs", "java", "cs", "rb"]),
    st.text("import from use{}()*,:;'\"`./ab \t", max_size=80),
)
def test_any_line_is_parsed(suffix: str, line: str) -> None:
    for name in parse_imports(f"src/a.{suffix}", line):
        assert name
        assert "\n" not in name

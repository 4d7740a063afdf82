"""Code is cut by definition, without losing text, in time proportional to its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.chunking.chunk import MAX_LENGTH, Chunk
from sdd_hooks.chunking.code_chunks import chunk_code, code_chunker_version
from tests.support.cpu_time import assert_cpu_seconds, assert_linear

SUFFIXES: tuple[str, ...] = (
    "py",
    "js",
    "ts",
    "go",
    "rs",
    "java",
    "cs",
    "kt",
    "swift",
    "scala",
    "php",
    "c",
    "cpp",
)
SUFFIXES += ("m", "rb", "ex", "lua", "pl", "sh", "sql", "proto", "dart", "txt")


def outline(path: str, text: str) -> list[tuple[str, int, int]]:
    return [(c.anchor, c.first_line, c.last_line) for c in chunk_code(path, dedent(text))]


def names(path: str, text: str) -> list[str]:
    return [anchor for anchor, _, _ in outline(path, text)]


def long_body(indent: str, lines: int = 90) -> str:
    return "".join(f"{indent}value_{n} = compute({n}, again)\n" for n in range(lines))


def check(chunks: Sequence[Chunk], text: str) -> None:
    """Check that the chunks are the text, in order, with the right lines and unique anchors."""
    if not text.strip():
        assert "".join(chunk.text for chunk in chunks) in {"", text}
        return
    assert "".join(chunk.text for chunk in chunks) == text
    assert len({chunk.anchor for chunk in chunks}) == len(chunks)
    line = 1
    for chunk in chunks:
        assert chunk.first_line == line
        breaks = chunk.text.count("\n")
        assert chunk.last_line == line + breaks - chunk.text.endswith("\n")
        assert len(chunk.text) <= MAX_LENGTH
        line += breaks


def test_definitions_of_python_with_their_comments_and_decorators() -> None:
    text = '''\
        """What this is."""
        # Governing: ADR-0001 (why)

        import os

        LIMIT = 3


        # Reads it.
        @cache
        @retry(
            times=3,
        )
        def read(
            path: str,
        ) -> str:
            """
        def not_this():
            """
            return path


        async def write(): ...
        class Store:
            """Keeps."""

            def get(self):
                return 1


        if __name__ == "__main__":
            read()
    '''
    assert outline("a.py", text) == [
        ("file", 1, 8),
        ("read", 9, 22),
        ("write", 23, 23),
        ("Store", 24, 30),
        ("file~2", 31, 32),
    ]


def test_a_long_class_is_cut_into_its_methods() -> None:
    text = (
        'class Store:\n    """Keeps."""\n\n    limit = 3\n\n'
        f"    # Reads.\n    @property\n    def get(self):\n{long_body('        ', 40)}\n"
        "    other = 4\n\n"
        f"    class Inner:\n        def put(self):\n{long_body('            ', 80)}"
    )
    chunks = chunk_code("a.py", text)
    check(chunks, text)
    assert [c.anchor for c in chunks] == [
        "Store",
        "Store.get",
        "Store~2",
        "Store.Inner",
        "Store.Inner.put",
        "Store.Inner.put~2",
    ]
    assert chunks[1].text.startswith("    # Reads.\n    @property\n")
    assert chunks[1].title == "Store.get"


def test_a_short_class_is_one_chunk() -> None:
    assert names("a.py", "class A:\n    def b(self): ...\n    def c(self): ...\n") == ["A"]


def test_a_long_function_is_cut_into_parts() -> None:
    text = f"def f():\n{long_body('    ', 80)}\n{long_body('    ', 80)}"
    chunks = chunk_code("a.py", text)
    check(chunks, text)
    assert [c.anchor for c in chunks] == ["f", "f~2", "f~3"]
    assert {c.title for c in chunks} == {"f"}


def test_equal_names_are_numbered_and_file_is_reserved() -> None:
    text = "x = 1\n\ndef file(): ...\ndef a(): ...\ndef a(): ...\ndef a(): ...\n"
    assert names("a.py", text) == ["file", "file-1", "a", "a-1", "a-2"]


def test_an_anchor_stays_when_text_is_added_elsewhere() -> None:
    before = names("a.py", "def a(): ...\n\ndef c(): ...\n")
    after = names("a.py", "import os\n\ndef a(): ...\n\ndef b(): ...\n\ndef c(): ...\n")
    assert set(before) < set(after)


def test_the_comment_of_the_file_is_not_part_of_the_first_definition() -> None:
    text = "#!/bin/sh\n# Governing: ADR-0005 (why)\n# Says hello.\nhello() {\n  echo\n}\n"
    assert outline("run.sh", text) == [("file", 1, 2), ("hello", 3, 6)]
    assert outline("run", text) == [("file", 1, 2), ("hello", 3, 6)]
    block = "/*\n * Governing: ADR-0005 (why)\n */\n// Says.\nexport function f() {}\n"
    assert outline("a.ts", block) == [("file", 1, 3), ("f", 4, 5)]


def test_comments_between_definitions_belong_to_the_second() -> None:
    text = (
        "def a():\n    pass\n    # in a\n\n\n# --- b ---\n\n# Does b.\ndef b():\n    pass\n# end\n"
    )
    assert outline("a.py", text) == [("a", 1, 5), ("b", 6, 11)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.go",
            """\
            package a

            import "fmt"

            // T is.
            type T struct {
            \tname string
            }

            func (t *T) Name() string {
            \tfmt.Println(`
            func inside() {
            `)
            \treturn t.name
            }

            func (s Stack[E]) Push(e E) {}
            func main() {}
            var x = 1
            """,
            ["file", "T", "T.Name", "Stack.Push", "main", "file~2"],
        ),
        (
            "a.ts",
            """\
            import x from "x";

            /** Doc. */
            export default async function load<T>(a: T) { return "}" }
            export class K<
              T,
            > extends L {
              m() {}
            }
            const arrow = (
              a: number,
            ): number => {
              return a;
            };
            const one = 1;
            export const routes = [
              1,
            ];
            interface I { a: number }
            type U<T> = T | null;
            export enum E { A }
            exports.handler = async (event) => {
            };
            Foo.prototype.bar = function () {
            };
            """,
            [
                *("file", "load", "K", "arrow", "file~2", "routes", "I", "U", "E"),
                *("exports.handler", "Foo.prototype.bar"),
            ],
        ),
        (
            "a.rs",
            """\
            use std::fmt;
            mod other;

            /// Doc.
            #[derive(Debug)]
            pub(crate) struct S<'a> { c: &'a str }

            impl<'a> S<'a> {
                pub fn new() -> Self { S { c: "{" } }
            }
            impl<'a> fmt::Display for S<'a> {
            }
            pub async unsafe fn go<T>(t: T)
            where
                T: Send,
            {
                let c = '{';
            }
            macro_rules! m { () => {} }
            pub trait Tr { }
            """,
            ["file", "S", "S-1", "S.Display", "go", "m", "Tr"],
        ),
        (
            "a.c",
            """\
            #include <stdio.h>
            #define MAX(a, b) ((a) > (b))

            static int limit;
            int declared(int a);

            struct point {
            \tint x;
            };

            typedef struct {
            \tint y;
            } pair_t;

            /* Doc. */
            static inline int
            add(int a, int b)
            {
            #ifdef X
            \tif (a) {
            #else
            \tif (b) {
            #endif
            \t}
            out:
            \treturn a + b;
            }

            int main(int argc, char **argv) {
            \treturn add(1, '{');
            }
            """,
            ["file", "point", "pair_t", "add", "main"],
        ),
        (
            "a.cpp",
            """\
            namespace a {
            template <typename T>
            class Box final : public Base<T> {
            public:
              Box();
            };
            Box::Box()
                : x(1), y{2} {
            }
            bool Box::operator==(const Box& other) const { return true; }
            }  // namespace a
            """,
            ["file", "Box", "Box.Box", "Box.operator=="],
        ),
        (
            "A.java",
            """\
            package a;

            import java.util.*;

            /** Doc. */
            @Entity(name = "x")
            public final class A {
                int x;
            }
            interface B {}
            record C(int x) {}
            """,
            ["file", "A", "B", "C"],
        ),
        (
            "a.rb",
            """\
            require "x"

            module A
              class B
              private

                def c!
                  <<~SQL
            def inside
                  SQL
                rescue
                  1
                end
              end
            end

            def d; end
            """,
            ["file", "A", "d"],
        ),
        (
            "a.php",
            """\
            <?php
            namespace A;

            #[Attribute]
            final class B {
                public function c() {}
            }

            function d(): void
            {
            }
            """,
            ["file", "B", "d"],
        ),
        (
            "a.kt",
            """\
            package a
            data class A(val x: Int)
            suspend fun <T> List<T>.each(f: (T) -> Unit) {
            }
            object B
            """,
            ["file", "A", "each", "B"],
        ),
        (
            "a.swift",
            "import A\n@main\nstruct B {\n  init(x: Int) {}\n}\nextension B.C {}\nfunc d() {}\n",
            ["file", "B", "B.C", "d"],
        ),
        (
            "a.scala",
            "package a\ncase class A(x: Int)\nobject A {\n  def b = 1\n}\ndef c = 2\n",
            ["file", "A", "A-1", "c"],
        ),
        (
            "a.sql",
            """\
            SET x = 1;
            -- Users.
            CREATE TABLE IF NOT EXISTS app."users" (
              id int
            );
            ALTER TABLE users ADD y int;
            create or replace function f() returns int as $$
            CREATE TABLE inside (x int);
            $$ language sql;
            """,
            ["file", "app.users", "f"],
        ),
        (
            "a.sh",
            "set -e\nusage() {\n  cat <<'EOF'\nno() {\ndon't\nEOF\n}\nfunction b {\n :\n}\nb\n",
            ["file", "usage", "b", "file~2"],
        ),
        (
            "a.ex",
            "defmodule A.B do\n  def c(x), do: x\n  defp d do\n    1\n  end\nend\n",
            ["A.B"],
        ),
        (
            "a.lua",
            "local M = {}\nfunction M.a()\nend\nM.b = function(x)\nend\nreturn M\n",
            ["file", "M.a", "M.b", "file~2"],
        ),
        (
            "a.pl",
            "use strict;\n=pod\n\nsub no {}\n\n=cut\nsub a {\n}\n1;\n",
            ["file", "a", "file~2"],
        ),
        (
            "a.proto",
            'syntax = "proto3";\nmessage A {\n  int32 b = 1;\n}\nservice C {}\n',
            ["file", "A", "C"],
        ),
        (
            "a.dart",
            "import 'x';\nclass A {\n}\nFuture<int> b(int c) async {\n}\n",
            ["file", "A", "b"],
        ),
        ("a.json", '{"def f():": 1}\n', ["file"]),
        ("Makefile", "all:\n\tcc\n", ["file"]),
    ],
)
def test_definitions_of(path: str, text: str, expected: list[str]) -> None:
    chunks = chunk_code(path, dedent(text))
    check(chunks, dedent(text))
    assert [chunk.anchor for chunk in chunks] == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.cs",
            "namespace A;\n\npublic sealed class B\n{{\n    private int x;\n\n"
            "    [Fact]\n    public B(int y)\n    {{\n    }}\n\n"
            "    public static (int a, string b) C<T>(\n        int d)\n    {{\n{body}    }}\n}}\n",
            ["file", "B", "B.B", "B.C"],
        ),
        (
            "a.java",
            "class A {{\n    enum E {{ X(1), Y(2) }}\n    abstract int none(int a);\n"
            "    @Override public Map<String, List<Integer>> get(int a) throws IOException {{\n"
            "        if (a > 1) {{\n        }}\n{body}    }}\n    A() {{\n    }}\n}}\n",
            ["A", "A.E", "A~2", "A.get", "A.A"],
        ),
        (
            "a.js",
            "class A extends B {{\n  #x = 1;\n  constructor(a) {{\n{body}  }}\n"
            "  static async *each({{ a, b }}) {{\n    while (a) {{\n    }}\n  }}\n"
            "  handle = async (e) => {{\n  }};\n}}\n",
            ["A", "A.constructor", "A.each", "A.handle"],
        ),
        (
            "a.rb",
            "class A\n  def b\n{body}  end\nprivate\n  def self.c?\n  end\nend\n",
            ["A", "A.b", "A~2", "A.c?"],
        ),
        (
            "a.rs",
            "impl A {{\n    fn b() {{\n{body}    }}\n    #[inline]\n    pub fn c() {{}}\n}}\n",
            ["A", "A.b", "A.c"],
        ),
    ],
)
def test_methods_of(path: str, text: str, expected: list[str]) -> None:
    source = text.format(body=long_body("        ", 70))
    chunks = chunk_code(path, source)
    check(chunks, source)
    assert [c.anchor for c in chunks if "~" not in c.anchor or c.anchor in expected] == expected


def test_unindented_braces_are_counted() -> None:
    text = "function a() {\nif (x) {\ny();\n}\n}\nrun();\nfunction b() {\n}\n"
    assert outline("a.js", text) == [("a", 1, 5), ("file", 6, 6), ("b", 7, 8)]


def test_a_string_that_is_not_closed_hides_nothing_below() -> None:
    assert names("a.py", 'x = """\n\ndef a(): ...\n') == ["file", "a"]
    assert names("a.js", "const x = `\n\nfunction a() {}\n") == ["file", "a"]
    assert names("a.c", "/* open\nint a(void) {\n}\n") == ["file", "a"]


def test_blank_text_has_no_chunk() -> None:
    assert chunk_code("a.py", "") == []
    assert chunk_code("a.py", " \n\t\r\n") == []


def test_line_ends_of_windows_and_no_last_line_end() -> None:
    text = "import os\r\n\r\ndef a():\r\n    pass\r\n\r\ndef b(): pass"
    chunks = chunk_code("a.py", text)
    check(chunks, text)
    assert [(c.anchor, c.first_line, c.last_line) for c in chunks] == [
        ("file", 1, 2),
        ("a", 3, 5),
        ("b", 6, 6),
    ]


def test_the_version_names_the_chunker() -> None:
    assert code_chunker_version().startswith("definitions ")


def test_a_language_that_only_cgg_knows() -> None:
    pytest.importorskip("cgg", reason="needs the extra callgraph")
    text = (
        "-- Governing: ADR-0001 (why)\nmodule Main where\n\nimport Data.List\n\n"
        "-- | Adds one.\naddOne :: Int -> Int\naddOne x = x + 1\n\ndata T = A | B\n\n"
        "main :: IO ()\nmain = do\n  print (addOne 2)\n"
    )
    chunks = chunk_code("src/Main.hs", text)
    check(chunks, text)
    assert [(c.anchor, c.first_line) for c in chunks] == [
        ("file", 1),
        ("addOne", 6),
        ("file~2", 9),
        ("main", 12),
    ]
    assert chunk_code("a.hs", "{-" * 20_000)[0].anchor == "file"


LINES = st.sampled_from(
    [
        "",
        "  ",
        "# comment",
        "// comment",
        "/* a",
        "*/",
        '"""',
        "'''",
        "`",
        "'",
        '"',
        "def a():",
        "    def a(self):",
        "class B:",
        "class B {",
        "  class C extends D {",
        "export const f = (a) => {",
        "func (t *T) M() {",
        "impl X for Y {",
        "int main(void)",
        "public static void m(int a) {",
        "function g() {",
        "create table t (",
        "sub s {",
        "<<EOF",
        "EOF",
        "{",
        "}",
        "    }",
        "end",
        "@decorator",
        "#[attr]",
        "    return x",
        "\tx = 1;\r",
        "Governing: ADR-0001",
        "\x01\x0c\u2028x",
        "z" * 3000,
    ]
)


@given(st.sampled_from(SUFFIXES), st.lists(LINES, max_size=40), st.booleans())
def test_the_chunks_of_any_code_are_complete_and_in_order(
    suffix: str, lines: list[str], ended: bool
) -> None:
    text = "\n".join(lines) + "\n" * ended
    check(chunk_code(f"a.{suffix}", text), text)


@given(st.sampled_from(SUFFIXES), st.text())
def test_the_chunks_of_any_text_are_complete_and_in_order(suffix: str, text: str) -> None:
    check(chunk_code(f"dir.py/a.{suffix}", text), text)


HOSTILE: dict[str, Callable[[int], str]] = {
    "one line": lambda size: "x" * size,
    "braces": lambda size: "{" * size,
    "parentheses": lambda size: "a( " * (size // 3),
    "heads": lambda size: "function f(){\n" * (size // 14),
    "classes": lambda size: "class A {\n" * (size // 10),
    "unfinished heads": lambda size: "class A {\n" + "  int foo(a,\n" * (size // 13),
    "quotes": lambda size: '"\\' * (size // 2),
    "ticks": lambda size: "`\\" * (size // 2),
    "triple quotes": lambda size: '"""\n' * (size // 4),
    "comments": lambda size: "/*" * (size // 2),
    "here": lambda size: "<<A" * (size // 3),
    "raw": lambda size: 'r#"' * (size // 3),
    "words": lambda size: "a " * (size // 2),
    "types": lambda size: "a<" * (size // 2),
    "paths": lambda size: "a::" * (size // 3),
    "closing": lambda size: "def f():\n" + "}\n" * (size // 2),
    "decorators": lambda size: "@a\n" * (size // 3) + "def f(): pass",
    "nested": lambda size: "".join(" " * n + "class A:\n" for n in range(int((1.8 * size) ** 0.5))),
    "tabs": lambda size: "\t" * size + "x",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_takes_linear_time(kind: str) -> None:
    def chunk(text: str) -> None:
        for suffix in SUFFIXES:
            chunk_code(f"a.{suffix}", text)

    assert_linear(chunk, HOSTILE[kind], 200_000)


def test_ten_thousand_files_take_seconds() -> None:
    body = "    value = compute(first, second)  # with 'care'\n    return [value, \"text\"]\n\n\n"
    text = '"""A module."""\n\nimport os\n\n\n' + "".join(
        f'def function_{n}(first, second):\n    """Does {n}."""\n\n{body}' for n in range(30)
    )
    assert 3500 < len(text) < 4500
    # Ten thousand take 2.5 s on a laptop; the limit allows six times as much.
    assert_cpu_seconds(lambda: [chunk_code("a.py", text) for _ in range(500)], 15 / 20)

"""Symbols of source files: names with owners, signatures on one line, and lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.symbols import MAX_SIGNATURE, find_symbols, without_comments
from tests.support.cpu_time import assert_linear

GO = """\
package store

// Store keeps sessions.
type Store struct {
\tdb *sql.DB
}

// Load reads one.
func (s *Store) Load(
\tctx context.Context,
\tid int64,
) (*User, error) {
\treturn nil, nil
}
"""


def test_a_symbol_has_its_owner_its_signature_and_its_lines() -> None:
    store, load = find_symbols("store.go", GO)
    assert (store.name, store.place) == ("Store", "store.go:3-6")
    assert (load.name, load.simple_name, load.place) == ("Store.Load", "Load", "store.go:8-14")
    assert load.signature == "func (s *Store) Load(ctx context.Context, id int64) (*User, error)"
    assert load.text.startswith("func (s *Store) Load(")
    assert load.text.endswith("}")


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        (
            "a.py",
            "class A(B):\n    @property\n    def x(self, y: dict[str, int] = {}) -> int:\n"
            "        return 1\n\n"
            "async def f(\n    a: int,\n    b: str = ':',\n) -> None:\n    pass\n",
            [
                ("A", "class A(B)"),
                ("A.x", "def x(self, y: dict[str, int] = {}) -> int"),
                ("f", "async def f(a: int, b: str = ':') -> None"),
            ],
        ),
        ("a.py", "def f(): return 1\n", [("f", "def f()")]),
        (
            "a.ts",
            "export const parse = async (x: string): Promise<{a: 1}> => {\n  return x\n}\n"
            "export function g<T>(x: {a: T}): T { return x.a }\n"
            "export function h(a: string): { x: number } {\n  return a\n}\n",
            [
                ("parse", "export const parse = async (x: string): Promise<{a: 1}>"),
                ("g", "export function g<T>(x: {a: T}): T"),
                ("h", "export function h(a: string): { x: number }"),
            ],
        ),
        (
            "a.rs",
            "impl Store {\n    pub fn load(&self, id: u64) -> Result<User> {\n    }\n}\n",
            [
                ("Store", "impl Store"),
                ("Store.load", "pub fn load(&self, id: u64) -> Result<User>"),
            ],
        ),
        (
            "A.java",
            "class A {\n  public List<String> f(final Map<String, Integer> m) throws X {\n"
            "    return null;\n  }\n}\n",
            [
                ("A", "class A"),
                ("A.f", "public List<String> f(final Map<String, Integer> m) throws X"),
            ],
        ),
        (
            "x.rb",
            "module X\n  def parse_user(id)\n    id.to_i\n  end\nend\n",
            [("X", "module X"), ("X.parse_user", "def parse_user(id)")],
        ),
        (
            "x.kt",
            "fun f(id: Long): User = db.find(id)\n",
            [("f", "fun f(id: Long): User = db.find(id)")],
        ),
        ("x.md", "# Title\n", []),
    ],
)
def test_signatures(path: str, text: str, symbols: list[tuple[str, str]]) -> None:
    assert [(one.name, one.signature) for one in find_symbols(path, text)] == symbols


def test_a_long_signature_is_cut() -> None:
    (symbol,) = find_symbols("a.py", f"def f({'argument, ' * 100}):\n    pass\n")
    assert len(symbol.signature) == MAX_SIGNATURE
    assert symbol.signature.endswith("…")


def test_comments_are_left_out_and_strings_are_kept() -> None:
    assert without_comments("a.go", 'x := "// no" // yes\n/* a\nb */y') == 'x := "// no" \ny'
    assert without_comments("notes.txt", "# all of it") == "# all of it"


@given(
    st.sampled_from(["a.py", "a.go", "a.ts", "a.rs", "a.java", "a.rb", "a.sql"]),
    st.lists(
        st.sampled_from(
            ["def f(", "class A:", "func g() {", "}", ")", "  ", "\n", '"', "/*", "é", "{"]
        )
    ).map("".join),
)
def test_any_text_has_symbols_within_it(path: str, text: str) -> None:
    for symbol in find_symbols(path, text):
        assert 1 <= symbol.first_line <= symbol.last_line <= text.count("\n") + 1
        assert symbol.text in text
        assert "\n" not in symbol.signature


def test_many_definitions_take_linear_time() -> None:
    assert_linear(
        lambda text: list(find_symbols("a.py", text)),
        lambda size: "".join(f"def f{at}(a, b):\n    return a + b\n\n" for at in range(size)),
        4_000,
    )

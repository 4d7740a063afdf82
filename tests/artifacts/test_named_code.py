import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.named_code import CodePaths, NamedCode, find_unresolved, read_named_code
from tests.support.cpu_time import assert_linear

FILES = (
    "Dockerfile",
    "docs/adr/0009-y.md",
    "docs/adr/img/flow.png",
    "docs/guide/parts-api.rst",
    "lib/orders/OrderCart.css",
    "lib/orders/OrderCart.ts",
    "lib/orders/OrderRelay.spec.ts",
    "lib/orders/OrderRelay.ts",
    "packages/common/src/types.d.ts",
    "packages/common/src/types.js",
    "packages/web/src/index.js",
    "packages/api/src/index.js",
    "parts/parts-kit/Cargo.toml",
    "parts/parts-kit/src/lib.rs",
    "parts/ui/package.json",
    "shop/cart.py",
    "shop/views/[slug].tsx",
    "src/shop/prices/euro.py",
    "tools/build.sh",
    "tools/deep/er/run.sh",
)


def named(text: str, files: tuple[str, ...] = FILES) -> tuple[NamedCode, ...]:
    record = read_adr("docs/adr/0007-x.md", text)
    assert record is not None
    return read_named_code(record, text, CodePaths(files))


def deciding(sentence: str, section: str = "Decision") -> str:
    return f"# ADR-0007: Types\n\n## {section}\n\n{sentence}\n"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("`packages/common/src/types.js`", "packages/common/src/types.js"),
        ("`./packages/common/src/types.js:12`", "packages/common/src/types.js"),
        ("`/tools/build.sh#L3`", "tools/build.sh"),
        ("packages/common/src/types.js", "packages/common/src/types.js"),
        ("packages/common/src/types.js.", "packages/common/src/types.js"),
        ("[types](../../packages/common/src/types.js)", "packages/common/src/types.js"),
        ("[types](/tools/build.sh)", "tools/build.sh"),
        ("[the folder](../../tools/)", "tools/"),
        ("`types.d.ts`", "packages/common/src/types.d.ts"),
        ("`src/types.js`", "packages/common/src/types.js"),
        ("`packages/common`", "packages/common/"),
        ("`tools/`", "tools/"),
        ("tools/deep/", "tools/deep/"),
        ("`tools/**/*.sh`", "tools/**/*.sh"),
        ("`shop.cart`", "shop/cart.py"),
        ("`shop.prices`", "src/shop/prices/"),
        ("`shop/views/[slug].tsx`", "shop/views/[slug].tsx"),
        ("`Dockerfile`", "Dockerfile"),
        # A symbol in a file of its name, a package of a manifest; one that two files have.
        ("`OrderRelay`", "lib/orders/OrderRelay.ts"),
        ("`@shop/ui`", "parts/ui/"),
        ("`parts-kit`", "parts/parts-kit/"),
        ("`OrderCart`", ""),
        ("`ui`", ""),
        ("OrderRelay", ""),
        # Another record, a drawing of this one, a page with the name of the product.
        ("`0009-y.md`", ""),
        ("the [record](0009-y.md)", ""),
        ("![flow](./img/flow.png)", ""),
        ("`parts-api`", ""),
        # Several files, none, prose, other repositories, other trees.
        ("`index.js`", ""),
        ("`src/lost.js`", ""),
        ("tools/deep", ""),
        ("and/or", ""),
        ("`../outside.js`", ""),
        ("https://example.org/tools/build.sh", ""),
        ("[x](https://example.org/tools/build.sh)", ""),
        ("`**`", ""),
        ("`{`", ""),
    ],
)
def test_a_name_is_resolved_to_what_is_there(written: str, path: str) -> None:
    found = named(deciding(f"Types live in {written} and nowhere else"))
    assert [one.path for one in found] == ([path] if path else [])


def test_half_of_the_repository_is_no_name() -> None:
    files = tuple(f"src/part{number}.py" for number in range(12))
    assert named(deciding("All of `src/` must, and `src/*.py`."), files) == ()
    others = tuple(f"lib/part{number}.py" for number in range(13))
    assert [one.path for one in named(deciding("In `src/`."), files + others)] == ["src/"]
    assert named(deciding("In the `src` database."), files + others) == ()
    paths = CodePaths(files + others)
    assert [paths.is_large(one) for one in ("src/", "src/*.py", "src/*1.py")] == [True, True, False]


@pytest.mark.parametrize(
    ("section", "sentence", "governs", "is_rule"),
    [
        ("Decision", "Types must live in `tools/build.sh`.", True, True),
        ("Decision Outcome", "We build with `tools/build.sh`.", True, False),
        ("Consequences", "`tools/build.sh` has to stay.", True, True),
        ("Entscheidung", "`tools/build.sh` muss bleiben.", True, True),
        ("决定", "类型必须放在 `tools/build.sh`。", True, True),
        ("Decision", "It must end (see `x` in tools/build.sh) with a code.", False, False),
        ("Decision", "Types (`tools/build.sh`) must stay.", True, True),
        ("Context", "`tools/build.sh` must be slow.", False, False),
        ("Considered Options", "`tools/build.sh` must go.", False, False),
        ("Links", "`tools/build.sh` must be read.", False, False),
        ("Decision", "These must stay as they are:\n\n- `tools/build.sh`", True, True),
        ("Decision", "Each must be fast. These are:\n\n- `tools/build.sh`", True, False),
    ],
)
def test_where_a_name_stands_decides(
    section: str, sentence: str, governs: bool, is_rule: bool
) -> None:
    """Scenario "A named option" of SPEC-0002."""
    """Scenario "A named option" of SPEC-0002."""
    (found,) = named(deciding(sentence, section))
    assert (found.governs, found.is_rule) == (governs, is_rule)


def test_the_rule_is_quoted_before_other_sentences() -> None:
    text = (
        "---\nstatus: accepted\nimage: tools/build.sh\n---\n# Build with `tools/`\n\n"
        "## Decision\n\nWe have `shop/cart.py`.\nThen `tools/build.sh` is good. It must use"
        " `tools/build.sh` alone.\n"
    )
    assert [(one.path, one.line, one.sentence) for one in named(text)] == [
        ("tools/build.sh", 10, "It must use `tools/build.sh` alone."),
        ("tools/", 5, "Build with `tools/`"),
        ("shop/cart.py", 9, "We have `shop/cart.py`."),
    ]


def test_what_is_gone() -> None:
    text = deciding("`src/old.js` and src/types.js, `lost.js`, `src/*.ts`, `tools/lost.sh`.")
    record = read_adr("docs/adr/0007-x.md", text)
    assert record is not None
    found = find_unresolved(record, text, CodePaths(FILES))
    assert [one.path for one in found] == ["src/old.js", "tools/lost.sh"]


TEXTS = st.lists(
    st.sampled_from(["`", "tools/", "*", "{", "](", ")", "..", "# ", "\n", "build.sh", "\r", " "])
).map("".join)


@given(TEXTS)
def test_any_text_names_only_what_is_there(text: str) -> None:
    body = deciding(text)
    for one in named(body):
        assert one.path in FILES or one.path.endswith("/") or "*" in one.path or "{" in one.path
        assert 1 <= one.line <= body.count("\n") + 1


@pytest.mark.parametrize("unit", ["`tools/x` ", "a/", "tools/build.sh ", "](", "{a,b}", "must "])
def test_reading_takes_linear_time(unit: str) -> None:
    assert_linear(named, lambda count: deciding(unit * count), 300)

from __future__ import annotations

import pytest

from sdd_hooks.code import paths


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "src/a_test.go", "web/a.test.ts", "web/a.spec.tsx", "spec/models/a.rb",
     "src/test/java/A.java", "src/ATests.cs", "x/__tests__/a.js", "conftest.py", "Foo.Tests/A.cs",
     "pkg/core-tests/a.rs", "cms/test_utils/a.py", "pkg/testutil/a.go"],
)  # fmt: skip
def test_tests(path: str) -> None:
    assert paths.is_test(path)


@pytest.mark.parametrize(
    "path",
    ["src/contest.py", "src/latest/a.go", "src/a.py", "docs/openspec/specs/search/spec.md",
     "tests/README.md", "src/attestation.rs", "src/testimonials/a.js"],
)  # fmt: skip
def test_no_tests(path: str) -> None:
    assert not paths.is_test(path)


@pytest.mark.parametrize(
    "path",
    ["tests/fixtures/a.py", "internal/testdata/a.go", "web/__snapshots__/a.snap", "a.json",
     "docs/adrs/template.md", "docs/adr/0000-adr-template.md", "Cargo.lock", "templates/a.html",
     "rust/fuzz/pinned/a.md", "rust/fuzz/probe.py"],
)  # fmt: skip
def test_samples(path: str) -> None:
    assert paths.is_sample(path)


def test_no_samples() -> None:
    assert not any(
        map(paths.is_sample, ("src/a.py", "docs/adrs/ADR-0001-a.md", "a.jsonnet", "src/temp.py"))
    )


def test_generated_files() -> None:
    generated = ("go.sum", "web/package-lock.json", "a.snap", "docs/a.svg", "a.pb.go", "a.min.js")

    assert all(map(paths.is_generated, generated))
    assert not any(map(paths.is_generated, ("src/a.go", "build/a.py", "my-go.sum", "a.json")))


def test_external_files() -> None:
    foreign = ("vendor/a/b.go", "web/node_modules/a.js", "a.pb.go", "web/a.min.js", "dist/a.js")
    foreign += ("storage/framework/views/0a1b.php", "web/templates_c/0a1b.cart.tpl.php")
    foreign += ("staticfiles/js/app.js", "target/shop-1.0-SNAPSHOT/WEB-INF/views/a.jsp")
    foreign += ("public/codemirror-5.17.0/mode/a.html", "js/jquery.ui-v1.2.3/a.js")

    assert all(map(paths.is_external, foreign))
    assert not any(
        map(paths.is_external, ("src/a.go", "distribution/a.py", "src/builder.py", "adr-0001/a.py"))
    )
    assert not any(map(paths.is_external, ("go.sum", "yarn.lock", "docs/a.svg", "a.snap")))


def test_changelogs() -> None:
    history = ("CHANGELOG.md", "changes.rst", "docs/release-notes/1.md", "web/.changeset/a.md")

    assert all(map(paths.is_changelog, history))
    assert not any(map(paths.is_changelog, ("src/history.go/a.go", "docs/a.md", "exchange.md")))


def test_indexes() -> None:
    lists = ("README.md", "docs/adrs/index.md", "docs/SUMMARY.md", "mkdocs.yml", "llms.txt")

    assert all(map(paths.is_index, lists))
    assert not any(map(paths.is_index, ("docs/adrs/ADR-0001-index.md", "src/a.py")))


def test_documents_and_markdown() -> None:
    assert paths.is_document("a.RST")
    assert paths.is_markdown("a.MD")
    assert not paths.is_markdown("a.rst")
    assert not paths.is_document("a.py")

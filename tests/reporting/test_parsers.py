"""Escaping holds with the parsers of forges: GitHub's is cmark-gfm, GitLab's is comrak."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.escape import BREAK, code_span, escape_text
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from tests.reporting.forges import acted_on, shown
from tests.reporting.reviews import HEAD, reviews
from tests.reporting.test_escape import HOSTILE, PLACES, read

Render = Callable[[str], str]

BLOB = "https://forge.example/owner/repo/blob"
# The extensions of GitLab, and others that could be enabled.
EXTENSIONS = (
    "alerts autolink description_lists footnotes inline_footnotes highlight insert math_code"
    " math_dollars multiline_block_quotes shortcodes spoiler strikethrough superscript table"
    " tasklist underline wikilinks_title_before_pipe"
)


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        pytest.skip(f"needs {name}")


def _github() -> Render:
    parser = _module("cmarkgfm")
    options = _module("cmarkgfm.cmark").Options
    flags = options.CMARK_OPT_UNSAFE | options.CMARK_OPT_FOOTNOTES
    names = ["table", "autolink", "tagfilter", "strikethrough", "tasklist"]
    return lambda text: str(parser.markdown_to_html_with_extensions(text, flags, names))


def _gitlab() -> Render:
    parser = _module("comrak")
    extensions, rendering = parser.ExtensionOptions(), parser.RenderOptions()
    for name in EXTENSIONS.split():
        setattr(extensions, name, True)
    rendering.unsafe_ = True
    return lambda text: str(
        parser.render_markdown(text, extension_options=extensions, render_options=rendering)
    )


@pytest.fixture(scope="module", params=[_github, _gitlab], ids=["github", "gitlab"])
def render(request: pytest.FixtureRequest) -> Render:
    made: Render = request.param()
    return made


@pytest.mark.parametrize("text", ["**x**", "~~x~~", "https://example.org", "[^1]\n\n[^1]: x"])
def test_the_parser_renders_markup(render: Render, text: str) -> None:
    assert render(text).strip() != f"<p>{text}</p>"
    assert render(escape_text(text)).count("<") == 2


@given(HOSTILE, st.sampled_from(PLACES))
def test_escaped_text_is_plain_text(render: Render, text: str, place: str) -> None:
    frame = shown(place.format("PLACE"), render)
    page = shown(place.format(escape_text(text) or "PLACE"), render)
    assert [tag for tag in page.tags if tag not in {"span", "code"}] == frame.tags
    assert page.links == frame.links
    assert acted_on(page.texts) == []
    expected = frame.text.replace("PLACE", read(text) or "PLACE")
    assert page.text.replace(BREAK, "").split() == expected.split()


@given(HOSTILE, HOSTILE)
def test_code_is_one_code_span(render: Render, first: str, second: str) -> None:
    page = shown(f"- a {code_span(first)}: {escape_text(second)} ({code_span(first)}) b", render)
    assert set(page.tags) <= {"ul", "li", "span", "code"}
    assert acted_on(page.texts) == []


@given(reviews())
def test_a_comment_has_no_markup_but_its_own(render: Render, review: ReviewOutcome) -> None:
    page = shown(render_comment(review, links=Links(BLOB, HEAD)), render)
    allowed = "h2 h3 p ul ol li blockquote strong a code span details summary sub br"
    assert set(page.tags) <= set(allowed.split())
    assert all(link.startswith(f"{BLOB}/{HEAD}/") for link in page.links)
    assert page.comments == [" sdd-review "]
    assert acted_on(page.texts) == []

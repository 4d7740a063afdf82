"""Which lines of a template that extends another one are rendered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, TemplateError

from sdd_hooks.code.template_blocks import (
    Extension,
    find_block_names,
    find_extension,
    is_rendered,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>{{ title }}</p>", None),
        ("{% extends 'base.html' %}", Extension(("base.html",), True)),
        ('<!-- a -->\n{%- extends "a/base.html" -%}', Extension(("a/base.html",), True)),
        ("{% extends base %}", Extension((), False)),
        ("{% extends 'a.html' if wide else 'b.html' %}", Extension((), False)),
        ("{% extends '@Shop/base.html.twig' %}", Extension(("@Shop/base.html.twig",), True)),
        ("{# {% extends 'base.html' %} #}", None),
        ("{% comment %}{% extends 'base.html' %}{% endcomment %}", None),
    ],
)
def test_what_a_template_extends(text: str, expected: Extension | None) -> None:
    assert find_extension(text) == expected


def test_the_names_of_blocks() -> None:
    text = "{% block head %}{% block title %}a{% endblock %}{% endblock %}\n{% block body scoped %}"
    assert find_block_names(text) == {"head", "title", "body"}
    assert find_block_names("{# {% block old %}{% endblock %} #}") == frozenset()


def rendered(text: str, *inherited: str) -> list[int]:
    count = text.count("\n") + 1
    return [line for line in range(1, count + 1) if is_rendered(text, line, inherited)]


def test_lines_of_blocks_that_a_parent_has_are_rendered() -> None:
    text = "a\n{% block head %}\nb\n{% endblock %}\nc\n{% block foot %}\nd\n{% endblock foot %}"
    assert rendered(text, "head") == [2, 3, 4]
    assert rendered(text, "foot") == [6, 7, 8]
    assert rendered(text) == []


def test_a_block_in_a_block_belongs_to_the_outer_one() -> None:
    text = "{% block a %}\n{% block b %}\nc\n{% endblock %}\n{% endblock %}"
    assert rendered(text, "a") == [1, 2, 3, 4, 5]
    assert rendered(text, "b") == []


def test_a_block_with_a_value_has_no_end() -> None:
    text = "{% block title 'Cart' %}\nb\n{% block body %}\nc\n{% endblock %}"
    assert rendered(text, "body") == [3, 4, 5]


@pytest.mark.parametrize(
    "text",
    [
        "{% macro field() %}\na\n{% endmacro %}",
        "{% set body %}\na\n{% endset %}",
        "{% block old %}\na{{ self.old() }}\n{% endblock %}",
        "{% block old %}\na{{ block('old') }}\n{% endblock %}",
    ],
)
def test_what_a_template_calls_by_a_name_may_be_rendered(text: str) -> None:
    assert rendered(text) == [1, 2, 3]


def test_a_variable_with_a_value_has_no_end() -> None:
    assert rendered("{% set a = 1 %}\nb\n{% block c %}\n{% endblock %}", "c") == [3, 4]


names = st.sampled_from(["a", "b", "c"])
pieces = st.one_of(
    st.just("TEXT"),
    names.map(lambda name: f"{{% block {name} %}}"),
    st.just("{% endblock %}"),
    st.just("{# {% block a %} #}"),
)


@given(st.lists(pieces, max_size=12), st.sets(names))
def test_jinja_renders_these_lines(parts: list[str], inherited: set[str]) -> None:
    lines = ["{% extends 'base' %}", *parts]
    marked = [f"<{n}>" if one == "TEXT" else one for n, one in enumerate(lines, 1)]
    base = "".join(f"{{% block {name} %}}{{% endblock %}}" for name in sorted(inherited))
    try:
        pages = Environment(loader=DictLoader({"base": base, "page": "\n".join(marked)}))
        output = pages.get_template("page").render()
    except TemplateError:
        return
    texts = [n for n, one in enumerate(lines, 1) if one == "TEXT"]
    shown = [n for n in texts if f"<{n}>" in output]
    assert set(shown) <= {n for n in texts if is_rendered("\n".join(marked), n, inherited)}


@given(st.text(alphabet="{%}# blockextendsetmacro'\n", max_size=200), st.integers(1, 9))
def test_any_text_is_read(text: str, line: int) -> None:
    find_extension(text)
    find_block_names(text)
    is_rendered(text, line, {"a"})

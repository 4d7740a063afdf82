"""Pages that repeat shared elements, or load files that are for development only."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.review.rules.template.elements import find_elements
from sdd_hooks.review.rules.template.rule import RULE
from sdd_hooks.review.subject import Subject
from tests.review.repositories import Files, subject_of
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

SCRIPT = (
    "<script>\n  document.addEventListener('click', () => {{ close(document.body, {}) }})\n"
    "</script>\n"
)
FORM = '<form action="/login" method="post">\n<input name="user">\n<input name="{}">\n</form>\n'
NAV = "<nav>\n" + "".join(f'<a href="/{n}">{n}</a>\n' for n in range(6)) + "</nav>\n"


def findings_of(tmp_path: Path, before: Files, after: Files) -> list[str]:
    written = {path: text for path, text in before.items() if text is not None}
    subject = subject_of(tmp_path, written, after)
    return [
        f"{finding.path}:{finding.line} {finding.severity} {finding.rule.removeprefix('template/')}"
        for finding in sorted(RULE.check(subject))
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SCRIPT.format(1), "warning duplicate-script"),
        (FORM.format("password"), "info duplicate-form"),
        (NAV, "warning duplicate-navigation"),
        (f'<ul role="navigation">{NAV[5:-7]}</ul>\n', "warning duplicate-navigation"),
    ],
)
def test_a_copy_names_the_place_of_the_original(tmp_path: Path, text: str, says: str) -> None:
    before = {"web/a.html": f"<p>\n{text}"}
    copy = {"web/b.html": f"<h1>\n\n{text.replace('  ', ' ')}"}
    assert findings_of(tmp_path / "1", before, copy) == [f"web/b.html:3 {says}"]
    both = {"web/a.html": text, "web/b.html": text}
    assert findings_of(tmp_path / "2", {}, both) == [f"web/b.html:1 {says}"]
    assert findings_of(tmp_path / "3", {**before, **copy}, {"web/c.html": "<p>\n"}) == []
    finding = next(iter(RULE.check(subject_of(tmp_path / "4", before, copy))))
    assert "web/a.html:2" in finding.message


@pytest.mark.parametrize(
    "text",
    ["<script>go()</script>\n", '<script src="/a.js"></script>\n', "<form></form>\n", "<nav>\n"],
)
def test_short_elements_are_not_compared(tmp_path: Path, text: str) -> None:
    assert findings_of(tmp_path, {"a.html": text}, {"b.html": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT.format(1).replace("<script", '<script type="application/ld+json"'),
        NAV.replace("<nav", '<nav aria-label="Breadcrumb"'),
        NAV.replace("<nav>", "<nav><ul class='box pagination'>"),
        f"<!-- {SCRIPT.format(1)} -->",
        f"<%-- {SCRIPT.format(1)} --%>",
        f"{{{{-- {SCRIPT.format(1)} --}}}}",
        f"{{% comment %}} {SCRIPT.format(1)} {{% endcomment %}}",
    ],
)
def test_other_elements_are_not_compared(tmp_path: Path, text: str) -> None:
    assert findings_of(tmp_path, {"a.html": text}, {"b.html": text}) == []


def test_different_elements_are_no_copies(tmp_path: Path) -> None:
    before = {"a.html": SCRIPT.format(1) + FORM.format("x") + NAV}
    other = NAV.replace('"/1"', '"/x"').replace('"/2"', '"/y"')
    assert (
        findings_of(tmp_path, before, {"b.html": SCRIPT.format(2) + FORM.format("y") + other}) == []
    )


FIELDS = '<input name="a">\n<textarea name="b"></textarea>\n'
CALLS = "App.init(); Forms.init(document.body);"
BUTTONS = '<input type="hidden" name="a"><input type="hidden" name="b">\n<button>{}</button>\n'


@pytest.mark.parametrize(
    ("some", "other"),
    [
        (
            f"<form action=\"{{{{ url('x') }}}}\">{FIELDS}</form>\n",
            f"<form action=\"{{{{ url('y') }}}}\">{FIELDS}</form>\n",
        ),
        (
            f'<form asp-action="Add">{FIELDS}</form>\n',
            f'<form asp-action="Edit">{FIELDS}</form>\n',
        ),
        (f"<form>{FIELDS}</form>\n", f"<form>{FIELDS.replace('textarea', 'select')}</form>\n"),
        (
            f"<form>{FIELDS}Create an audience</form>\n",
            f"<form>{FIELDS}Save this module of a course, with its name and text</form>\n",
        ),
        (f"<script>{'window.a' * 20}.b(document.body);</script>\n",) * 2,
        (f"<script>jQuery(document).ready(function() {{ {CALLS} }});</script>\n",) * 2,
        (f"<script>document.addEventListener('load', () => {{ {CALLS} }})</script>\n",) * 2,
        ("<script>window.onload = function () { start('the form of the page'); };</script>",) * 2,
        (f"<script>{'start(1); ' * 9}</script>\n",) * 2,
        ("<script>open('description', { extra: 'placeholder', text: 'Begin' })</script>\n",) * 2,
        (f"<form>{BUTTONS}</form>\n", f"<form>{BUTTONS}</form>\n"),
        (
            NAV.replace('href="/', 'href="#'),
            NAV.replace('href="/', 'href="#'),
        ),
        (NAV.replace("/", "{{ url('a') }}/a"), NAV.replace("/", "{{ url('b') }}/a")),
        (
            "<script>\n/*\n" + "a licence\n" * 9 + "*/\n</script>\n",
            "<script>\n/*\n" + "a licence\n" * 9 + "*/\n</script>\n",
        ),
    ],
)
def test_elements_that_only_look_alike_are_no_copies(tmp_path: Path, some: str, other: str) -> None:
    assert findings_of(tmp_path, {"a.html": some}, {"b.html": other}) == []


def test_of_elements_in_each_other_the_inner_one_is_compared(tmp_path: Path) -> None:
    nested = f"<nav>\n{NAV}</nav>\n"
    found = findings_of(tmp_path, {"a.html": nested}, {"b.html": nested})
    assert found == ["b.html:2 warning duplicate-navigation"]


def test_quotes_without_an_end_cost_linear_time() -> None:
    def search(text: str) -> None:
        assert not find_elements(text)

    assert_linear(search, lambda count: '<form action="' + "{{}}" * 200 * count, 20)


def test_in_a_whole_tree_no_framework_comes_later(repo: Repo) -> None:
    repo.write("web/a.html", '<div x-data="a">\n')
    repo.write("web/b.html", '<div v-if="a">\n')
    assert list(RULE.check(whole_tree_subject(repo.project(), Scope()))) == []
    repo.write("app.py", "render('a.html'), render('b.html')\n")
    subject = whole_tree_subject(repo.project(), Scope())
    assert [one.message.split(":")[0] for one in RULE.check(subject)] == [
        "Vue is used beside Alpine.js (web/a.html"
    ]


def test_a_navigation_with_one_more_link_is_a_copy(tmp_path: Path) -> None:
    more = NAV.replace("</nav>", '<a href="/new">new</a></nav>')
    assert findings_of(tmp_path, {"a.html": NAV}, {"b.html": more}) == [
        "b.html:1 warning duplicate-navigation"
    ]


def test_a_copy_within_a_page(tmp_path: Path) -> None:
    text = SCRIPT.format(1)
    assert findings_of(tmp_path, {}, {"a.html": text + text}) == [
        "a.html:4 warning duplicate-script"
    ]


@pytest.mark.parametrize(
    "url",
    [
        "https://cdn.tailwindcss.com",
        "//cdn.jsdelivr.net/npm/@tailwindcss/browser@4",
        "https://unpkg.com/@babel/standalone/babel.min.js",
        "https://unpkg.com/react@18/umd/react.development.js",
        "https://cdn.jsdelivr.net/npm/vue@3/dist/vue.global.js",
        "https://cdn.example.com/dev/app.js",
    ],
)
def test_a_cdn_for_development(tmp_path: Path, url: str) -> None:
    text = f'<script src="{url}"></script>\n'
    assert findings_of(tmp_path, {}, {"a.html": text, "b.tsx": text, "c.md": text}) == [
        "a.html:1 warning development-cdn",
        "b.tsx:1 warning development-cdn",
    ]


def test_what_is_commented_out_is_not_loaded(tmp_path: Path) -> None:
    before = {"a.html": '<p hx-get="/x">\n'}
    page = '<!--\n<p x-data="{}">\n<script src="//cdn.tailwindcss.com"></script>\n-->\n'
    assert findings_of(tmp_path / "a", before, {"b.html": page}) == []
    page = page.replace("-->", "").replace("<!--", "")
    assert findings_of(tmp_path / "b", before, {"b.html": page}) == [
        "b.html:2 info frameworks",
        "b.html:3 warning development-cdn",
    ]


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("a.hbs", "{{#if a}}"),
        ("a.svelte", "{#if a}"),
        ("a.js", "// `<!--`"),
        ("a.html", "{# a #}"),
    ],
)
def test_a_block_is_no_comment(tmp_path: Path, path: str, before: str) -> None:
    page = f'{before}\n<script src="//cdn.tailwindcss.com"></script>\n'
    assert findings_of(tmp_path, {}, {path: page}) == [f"{path}:2 warning development-cdn"]


def test_a_cdn_for_production(tmp_path: Path) -> None:
    text = "".join(
        f'<script src="{url}"></script>\n'
        for url in ("https://unpkg.com/vue@3/dist/vue.global.prod.js", "/dev/app.js", "/vue.js")
    )
    assert findings_of(tmp_path, {}, {"a.html": text}) == []


def test_a_second_framework_is_reported_when_it_is_introduced(tmp_path: Path) -> None:
    before = {"a.html": '<p hx-get="/x">\n'}
    alpine = {"b.html": '<p>\n<p x-data="{}">\n'}
    assert findings_of(tmp_path / "1", before, alpine) == ["b.html:2 info frameworks"]
    assert findings_of(tmp_path / "2", {**before, **alpine}, {"c.html": '<p x-data="{}">\n'}) == []
    assert findings_of(tmp_path / "3", before, {"b.html": '<p hx-post="/x">\n'}) == []
    assert findings_of(tmp_path / "4", {}, {"b.html": '<p hx-get="/"><p x-data="">\n'}) == [
        "b.html:1 info frameworks"
    ]


def test_packages_of_one_repository_may_use_different_frameworks(tmp_path: Path) -> None:
    before = {"admin/package.json": "{}\n", "shop/package.json": "{}\n"}
    before["admin/views/a.html"] = '<div x-data="a">\n'
    page = '<div v-if="a">\n'
    assert findings_of(tmp_path / "1", before, {"shop/views/a.html": page}) == []
    assert findings_of(tmp_path / "2", before, {"admin/b.html": page}) == [
        "admin/b.html:1 info frameworks"
    ]


def whole_tree_paths(repo: Repo) -> list[str]:
    return [one.path for one in RULE.check(whole_tree_subject(repo.project(), Scope()))]


def test_in_a_whole_tree_copies_are_in_one_package_and_theme(repo: Repo) -> None:
    for package in ("a", "b"):
        repo.write(f"{package}/routes.py", "render('x.html')\nrender('z.html')\n")
        repo.write(f"{package}/package.json", "{}")
        repo.write(f"{package}/x.html", SCRIPT.format(1))
        repo.write(f"a/themes/{package}/x.html", SCRIPT.format(1))
        repo.write(f"a/my_plugins/{package}/x.html", SCRIPT.format(1))
        repo.write(f"a/templates/{package}/templates/x.html", SCRIPT.format(1))
    assert whole_tree_paths(repo) == []
    repo.write("b/z.html", SCRIPT.format(1))
    assert whole_tree_paths(repo) == ["b/z.html"]


NAMED = {
    "by its file": "return render_template('shop/cart.html')\n",
    "by a link": '<a href="/cart.html?x=1">\n',
    "by a relative link": '<a href="../cart.html">\n',
    "without its extension": 'res.render("cart", {})\n',
    "in its directory": 'return "pages/shop/cart";\n',
    "with dots": "return view('pages.shop.cart');\n",
    "as a parameter": '<a href="index.php?page=cart&x=1">\n',
    "by a fragment": '<div th:replace="cart :: form">\n',
}
NOT_NAMED = {
    "as an address": 'redirect("/cart"); <a href="cart">\n',
    "as another name": 'font = "cart"\n',
    "in another directory": "view('layouts.cart'); render('old/cart.html')\n",
    "as a variable": "const cart = []\ncart.push(1)\n",
    "as a part of a name": "render('shopping-cart.html', 'cartoon', 'my-cart')\n",
    "by itself": "",
}


@pytest.mark.parametrize(
    ("text", "count"),
    [*((one, 1) for one in NAMED.values()), *((one, 0) for one in NOT_NAMED.values())],
    ids=[*NAMED, *NOT_NAMED],
)
def test_in_a_whole_tree_a_page_is_used_that_another_file_names(
    repo: Repo, text: str, count: int
) -> None:
    repo.write("views/shop/cart.html", f"{SCRIPT.format(1)}<a href='cart.html'>\n")
    repo.write("views/shop/index.html", SCRIPT.format(1))
    repo.write("demo/src/code.js", text)
    repo.write("demo/src/other.js", "render('shop/index')\n")
    repo.write("tests/test_code.js", NAMED["by its file"])
    repo.write("README.md", NAMED["by its file"])
    assert len(whole_tree_paths(repo)) == count


@pytest.mark.parametrize(
    "path", ["a/index.php", "app/views/cart/edit.html.erb", "Views/Cart/Edit.cshtml", "cart.gohtml"]
)
def test_in_a_whole_tree_pages_are_used_by_convention(repo: Repo, path: str) -> None:
    template = '{{ define "cart" }}\n' if path.endswith(".gohtml") else ""
    repo.write(f"x/{path}", template + SCRIPT.format(1))
    repo.write(f"y/{path}", template + SCRIPT.format(1))
    assert whole_tree_paths(repo) == [f"y/{path}"]


def test_a_name_of_one_letter_is_looked_for_with_its_extension(repo: Repo) -> None:
    repo.write("views/i.html", SCRIPT.format(1))
    repo.write("views/index.html", SCRIPT.format(1))
    repo.write("a.js", "show('index'); if (x === 'i') f()\n")
    assert whole_tree_paths(repo) == []
    repo.write("a.js", "show('index'); show('i.html')\n")
    assert whole_tree_paths(repo) == ["views/index.html"]


@pytest.mark.parametrize(("path", "count"), [("public/index.html", 1), ("views/index.html", 0)])
def test_in_a_whole_tree_no_server_finds_the_index_of_templates(
    repo: Repo, path: str, count: int
) -> None:
    repo.write(path, SCRIPT.format(1))
    repo.write("views/cart.html", SCRIPT.format(1))
    repo.write("a.js", "show('cart')\n")
    assert len(whole_tree_paths(repo)) == count


def test_in_a_whole_tree_old_pages_that_name_each_other_are_not_used(repo: Repo) -> None:
    repo.write("shop/cart.php", f"{SCRIPT.format(1)}<a href='order.php'>\n")
    repo.write("shop/order.php", f"{SCRIPT.format(1)}<a href='cart.php'>\n")
    assert whole_tree_paths(repo) == []
    repo.write("index.php", "<a href='shop/cart.php'>\n")
    assert whole_tree_paths(repo) == ["shop/order.php"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("<a href='cart.php'>\n", ["shop/index.php"]),
        ("<a href='img/cart.php'>\n", ["shop/img/cart.php", "shop/index.php"]),
    ],
)
def test_in_a_whole_tree_a_bare_name_is_that_of_the_page_above(
    repo: Repo, text: str, names: list[str]
) -> None:
    for path in ("shop/cart.php", "shop/img/cart.php", "shop/index.php"):
        repo.write(path, SCRIPT.format(1))
    repo.write("shop/parts/menu.php", f"<a href='cart.php'>\n{text}")
    assert whole_tree_paths(repo) == names


def test_in_a_whole_tree_long_libraries_do_not_hide_that_pages_are_used(repo: Repo) -> None:
    pages = [f"shop/page{number}.php" for number in range(100)]
    for number in range(6):
        repo.write(f"lib/{number}.js", "f(1);\n" * 160_000)
    for path in pages:
        repo.write(path, SCRIPT.format(1))
    repo.write("shop/parts/menu.php", "".join(f"<a href='/{path}'>\n" for path in pages))
    assert len(whole_tree_paths(repo)) == len(pages) - 1


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("templates/shop/cart.html", "", 1),
        ("theme/cart.html", "", 0),
        ("static/cart.html", "", 1),
        ("static/cart.html", "{{ cart }}", 0),
        ("cart.blade.php", "", 0),
        ("shop/cart.php", "", 1),
        ("other/theme/cart.html", "", 1),
    ],
)
def test_in_a_whole_tree_a_program_finds_its_pages_in_its_templates(
    repo: Repo, path: str, text: str, count: int
) -> None:
    repo.write("other/package.json", "{}")
    repo.write("templates/home.html", SCRIPT.format(2))
    repo.write(path, SCRIPT.format(1) * 2 + text)
    repo.write("code.js", f"show('{path.rpartition('/')[2]}'); show('cart')\n")
    assert len(whole_tree_paths(repo)) == count


@pytest.mark.parametrize("text", [NAV, FORM.format("password")])
def test_in_a_whole_tree_static_pages_have_no_partials(repo: Repo, text: str) -> None:
    for path in ("a/index.html", "b/index.html"):
        repo.write(path, text)
    assert whole_tree_paths(repo) == []
    for path in ("a/index.html", "b/index.html"):
        repo.write(path, f"{{% load static %}}\n{text}")
    assert whole_tree_paths(repo) == ["b/index.html"]
    repo.write("a/index.php", text)
    repo.write("b/index.php", text)
    assert whole_tree_paths(repo) == ["a/index.php", "b/index.html", "b/index.php"]


def test_in_a_whole_tree_pages_beside_the_product_are_left_out(repo: Repo) -> None:
    beside = ("sketches/a.html", "sketches/b.html", "codemirror/a.html", "codemirror/b.html")
    for path in (*beside, "pages/z.html", "pages/a_backup.html"):
        repo.write(path, SCRIPT.format(1))
    repo.write("code.js", "open('a.html'); open('b.html'); open('z.html'); open('a_backup.html')\n")
    assert whole_tree_paths(repo) == []


def test_a_page_of_a_site_generator_is_no_copy(tmp_path: Path) -> None:
    head = '<meta name="generator" content="{}">\n'
    for directory, generator, count in (
        ("a", "mkdocs-1.6.1, mkdocs-material-9.7.1", 0),
        ("b", "", 1),
    ):
        page = head.format(generator) + SCRIPT.format(1)
        found = findings_of(tmp_path / directory, {"site/a.html": page}, {"site/b.html": page})
        assert len(found) == count


def test_a_hint_to_connect_loads_nothing(tmp_path: Path) -> None:
    page = '<link rel="dns-prefetch" href="https://cdn.tailwindcss.com">\n'
    page += '<script src="https://cdn.tailwindcss.com"></script>\n'
    assert findings_of(tmp_path, {}, {"a.html": page}) == ["a.html:2 warning development-cdn"]


@pytest.mark.parametrize("field", ["{{!! box('{0}') !!}}", "<%= f.check_box :{0} %>"])
def test_a_field_that_a_helper_writes_is_one(tmp_path: Path, field: str) -> None:
    form = FORM.format("password")
    one, other = (
        form.replace("</form>", f"{field.format(name)}</form>") for name in ("one", "other")
    )
    assert findings_of(tmp_path / "a", {"a.html": one}, {"b.html": other}) == []
    assert findings_of(tmp_path / "b", {"a.html": one}, {"b.html": one}) != []


def test_signing_up_is_another_form_than_signing_in(tmp_path: Path) -> None:
    form = FORM.format("password")
    assert findings_of(tmp_path / "a", {"login.html": form}, {"register.html": form}) == []
    assert findings_of(tmp_path / "b", {"login.html": form}, {"admin.html": form}) != []


def test_the_filter_of_a_list_is_about_that_list(tmp_path: Path) -> None:
    form = FORM.format("a").replace("<form", '<form id="form-filter"')
    assert findings_of(tmp_path, {"a.html": form}, {"b.html": form}) == []


def test_a_framework_that_a_record_names_is_decided(tmp_path: Path) -> None:
    pages = {"a.html": '<p hx-get="/x">\n', "b.html": '<p x-data="{}">\n'}
    record = "---\nstatus: {}\n---\n# ADR-0001: Pages\n\nAlpine.js for modal windows.\n"
    for status, count in (("accepted", 0), ("rejected", 1)):
        records = {"docs/adrs/ADR-0001-pages.md": record.format(status)}
        assert len(findings_of(tmp_path / status, records, pages)) == count


def test_a_comment_that_names_a_record_gives_the_reason(tmp_path: Path) -> None:
    script = '<script src="https://cdn.tailwindcss.com"></script>\n'
    comment = "{{/* Governing: SPEC-0008 REQ-4: no build step */}}\n"
    files = {"a.html": comment + script, "b.html": f"{script}\n{comment}"}
    assert findings_of(tmp_path, {}, files) == ["b.html:1 warning development-cdn"]


PIECES = st.sampled_from(
    ["<script>", "</script>", "<form>", '<input name="a">', "<nav>", '<a href="/x">', "</nav>", "İ"]
)


@given(st.lists(PIECES | st.text('a \n<>"=', max_size=9), max_size=30).map("".join))
def test_elements_are_within_the_lines_of_the_page(text: str) -> None:
    lines = text.count("\n") + 1
    for element in find_elements(text):
        assert 1 <= element.first <= element.last <= lines
        assert element.signature


def test_hostile_pages_are_searched_in_linear_time(tmp_path: Path) -> None:
    pieces = ["<script>", "<form ", "<nav>" * 3, "<!--", 'href="', "<input ", "<nav " + "a" * 900]

    def make(count: int) -> Subject:
        text = "\n".join(pieces * count)
        return subject_of(tmp_path / str(count), {}, {"a.html": text, "b.html": text})

    assert_linear(find_elements, lambda count: "\n".join(pieces * count), 3_000)
    assert_linear(lambda subject: list(RULE.check(subject)), make, 3_000)


@pytest.mark.parametrize(("count", "found"), [(8, 7), (9, 0)])
def test_in_a_whole_tree_a_tool_writes_many_static_pages(
    repo: Repo, count: int, found: int
) -> None:
    for number in range(count):
        repo.write(f"web/posts/{number}.html", SCRIPT.format(1))
        repo.write(f"templates/{number}.html", "{{ title }}" + SCRIPT.format(2))
    names = (f"'{top}/{number}.html'" for number in range(count) for top in ("posts", "templates"))
    repo.write("web/server.js", f"pages = [{', '.join(names)}]\n")
    paths = whole_tree_paths(repo)
    assert len([one for one in paths if one.startswith("web/posts/")]) == found
    assert len([one for one in paths if one.startswith("templates/")]) == count - 1

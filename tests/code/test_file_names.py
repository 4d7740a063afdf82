"""Which files a text names."""

from __future__ import annotations

import pytest

from sdd_hooks.code.file_names import FileNames
from tests.support.cpu_time import assert_linear


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("shop/my cart.php", "<a href='my cart.php'>"),
        ("shop/корзина.php", "render('корзина')"),
        ("shop/cart-2.php", "$x->view('cart-2')"),
        ("shop/cart(1).php", "'/shop/cart(1).php'"),
        ("cart.php", "'./cart.php'"),
    ],
)
def test_a_name_may_have_any_characters(page: str, text: str) -> None:
    names = FileNames([page, "shop/other.php"])
    assert names.find("menu.php", text) == {page}


@pytest.mark.parametrize(
    "text",
    [
        "<i id='cart'>",
        '<i class=\\"cart\\">',
        "<form name = 'cart'>",
        "type='cart'",
        "'cart.push(1)'",
    ],
)
def test_the_name_of_an_element_is_no_page(text: str) -> None:
    assert FileNames(["shop/cart.php"]).find("menu.php", text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "<a onclick=\"show('shop/cart')\">",
        "<a onclick = 'load(`shop/cart`)'>",
        "<a href='shop/cart'>",
        "<a href=\"{{ route('shop.cart') }}\">",
        "view('/shop/cart')",
    ],
)
def test_an_address_without_an_extension_is_no_page(text: str) -> None:
    assert FileNames(["shop/cart.php"]).find("menu.php", text) == set()


def test_behind_an_attribute_with_a_script_a_name_is_one_of_a_page() -> None:
    text = "<body onload=\"start()\"><?php view('shop/cart') ?>"
    assert FileNames(["shop/cart.php"]).find("menu.php", text) == {"shop/cart.php"}


def test_a_link_leads_to_no_page_that_is_only_rendered() -> None:
    pages = ("app/templates/cart.html", "app/cart.html")
    names = FileNames(pages, rendered={pages[0]})
    link = "<a href='cart.html'>"
    assert names.find("app/templates/menu.html", link) == {pages[1]}
    assert names.find("app/templates/menu.html", "{% include 'cart.html' %}") == {pages[0]}
    assert FileNames(pages).find("app/templates/menu.html", link) == {pages[0]}


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("<link rel='stylesheet' href='bar.js'>", False),
        ("<link rel='modulepreload' href='bar.js'>", True),
        ("<link href='a.css'><script src='bar.js'></script>", True),
    ],
)
def test_a_link_loads_no_script(text: str, is_named: bool) -> None:
    assert FileNames(["bar.js"]).find("a.html", text) == ({"bar.js"} if is_named else set())


def test_a_link_in_a_part_of_a_page_begins_above_it() -> None:
    names = FileNames(["faq.php", "includes/faq.php"])
    assert names.find("includes/menu.php", "<a href='faq.php'>") == {"faq.php"}
    assert names.find("includes/menu.php", "include 'faq.php'") == {"includes/faq.php"}


PAGES = [
    *("cart.php", "admin/cart.php", "admin/img/cart.php", "user/cart.php"),
    *("shop/templates/shop/cart.html", "theme/templates/shop/cart.html", "views/cart.html"),
    *("old/cart.html", "user/old/shop/cart.html"),
]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("admin/parts/menu.php", "'cart.php'", ["admin/cart.php"]),
        ("admin/parts/menu.php", "'../img/cart.php'", ["admin/img/cart.php"]),
        ("admin/img/menu.php", "'../cart.php'", ["admin/cart.php"]),
        ("other/menu.php", "'cart.php'", ["cart.php"]),
        ("other/menu.php", "'/x/user/cart.php'", ["user/cart.php"]),
        ("shop/views.py", "'shop/cart.html'", [PAGES[4]]),
        ("views.py", "'shop/cart.html'", [PAGES[4], PAGES[5]]),
        ("shop/views.py", "'cart.html'", ["views/cart.html"]),
        ("shop/views.py", "'old/shop/cart.html'", ["user/old/shop/cart.html"]),
        ("shop/views.py", "'no/cart.html'", []),
    ],
)
def test_a_name_is_that_of_the_page_which_is_found(
    path: str, text: str, expected: list[str]
) -> None:
    assert FileNames(PAGES).find(path, text) == set(expected)


def test_a_name_of_several_pages_is_none_of_them() -> None:
    assert FileNames(["a/x/cart.php", "b/x/cart.php"]).find("c.php", "'x/cart.php'") == set()
    assert FileNames(["a/cart.php", "b/cart.php"]).find("c.php", "'cart.php'") == set()


@pytest.mark.parametrize("part", ["cart", "cart ", "'cart", "../", "cart.", "a/cart.php x"])
def test_hostile_texts_are_searched_in_linear_time(part: str) -> None:
    def search(text: str) -> set[str]:
        return FileNames(["b/cart.php"]).find("x.php", text)

    assert search("'../b/cart.php'") == {"b/cart.php"}
    assert_linear(search, lambda size: part * size, 5_000)

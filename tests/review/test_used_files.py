"""Which pages and scripts of the browser a program uses."""

from __future__ import annotations

import pytest

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.review.used_files import is_used
from tests.support.repos import Repo


def used(repo: Repo, *paths: str) -> list[str]:
    subject = whole_tree_subject(repo.project(), Scope())
    return [path for path in paths if is_used(subject, path, 1)]


@pytest.mark.parametrize(
    ("file", "text", "is_named"),
    [
        ("app.py", "url_for('static', filename='js/cart.js')", True),
        ("app.py", "cart = load('cart')", False),
        ("app.py", "'js/other/cart.js'", False),
        ("static/index.html", "<script src='/static/js/cart.js'>", True),
        ("static/old.html", "<script src='/static/js/cart.js'>", False),
        ("README.md", "`static/js/cart.js`", False),
    ],
)
def test_a_script_of_the_browser_is_named_by_its_file(
    repo: Repo, file: str, text: str, is_named: bool
) -> None:
    repo.write("static/js/cart.js", "f()\n")
    repo.write(file, f"{text}\n")
    assert used(repo, "static/js/cart.js") == ["static/js/cart.js"] * is_named


def used_lines(repo: Repo, path: str, *lines: int) -> list[int]:
    subject = whole_tree_subject(repo.project(), Scope())
    return [line for line in lines if is_used(subject, path, line)]


def test_blocks_that_no_parent_has_are_not_rendered(repo: Repo) -> None:
    repo.write("app.py", "render('cart.html')\nrender('shop/wide.html')\n")
    repo.write("templates/base.html", "<html>{% block body %}{% endblock %}</html>\n")
    repo.write(
        "templates/shop/wide.html", "{% extends 'base.html' %}{% block body %}{% endblock %}\n"
    )
    page = "{% block body %}\n{% endblock %}\n{% block scripts %}\n{% endblock %}\n<script>\n"
    for parent, lines in (
        ("base.html", [2]),
        ("shop/wide.html", [2]),
        ("other.html", [2, 4, 6]),
        ("{{ base }}", [2, 4, 6]),
    ):
        repo.write("templates/cart.html", f"{{% extends '{parent}' %}}\n{page}")
        assert used_lines(repo, "templates/cart.html", 2, 4, 6) == lines, parent
    repo.write(
        "templates/shop/wide.html", "{% extends 'base.html' %}{% block scripts %}{% endblock %}\n"
    )
    repo.write("templates/cart.html", f"{{% extends 'shop/wide.html' %}}\n{page}")
    assert used_lines(repo, "templates/cart.html", 2, 4, 6) == [2, 4]
    assert used_lines(repo, "templates/base.html", 1) == [1]


@pytest.mark.parametrize(
    ("file", "is_named"),
    [("load.py", True), ("load.bat", False), ("load.sh", False), (".idea/workspace.xml", False)],
)
def test_a_shell_and_an_editor_name_no_page(repo: Repo, file: str, is_named: bool) -> None:
    repo.write("screens/cart.html", "<p>\n")
    repo.write(file, "load screens/cart.html\n")
    assert used(repo, "screens/cart.html") == ["screens/cart.html"] * is_named


def test_a_link_leads_to_no_template(repo: Repo) -> None:
    repo.write("app.py", "render('menu.html')\n")
    repo.write("templates/menu.html", "<a href='cart.html'><a href='about.html'>\n")
    repo.write("templates/cart.html", "{{ title }}\n")
    repo.write("templates/about.html", "<h1>About</h1>\n")
    assert used(repo, "templates/cart.html", "templates/about.html") == ["templates/about.html"]


def test_a_script_that_is_used_names_others_by_their_path(repo: Repo) -> None:
    repo.write("app.js", "page.script('main.js')\n")
    repo.write("public/main.js", "import { f } from './parts/cart'\nimport 'menu'\n")
    repo.write("public/parts/cart.js", "import './price.js'\n")
    repo.write("public/parts/price.js", "f()\n")
    repo.write("public/menu.js", "f()\n")
    repo.write("public/alone.js", "import './twin.js'\n")
    repo.write("public/twin.js", "import './alone.js'\n")
    names = ("main", "parts/cart", "parts/price", "menu", "alone", "twin")
    assert used(repo, *(f"public/{name}.js" for name in names)) == [
        "public/main.js",
        "public/parts/cart.js",
        "public/parts/price.js",
    ]


def test_a_script_of_the_browser_names_no_page_by_its_name_alone(repo: Repo) -> None:
    repo.write("views/template.tpl", "<p>\n")
    repo.write("views/home.tpl", "<script src='/static/a.js'>\n")
    repo.write("static/a.js", "f({ kind: 'template' })\n")
    repo.write("main.go", 'render("home.tpl")\n')
    assert used(repo, "views/template.tpl", "views/home.tpl") == ["views/home.tpl"]
    repo.write("main.go", 'render("home.tpl")\nrender("template")\n')
    assert used(repo, "views/template.tpl") == []
    repo.write("main.php", "<?php render('template');\n")
    assert used(repo, "views/template.tpl") == ["views/template.tpl"]


def test_a_program_of_one_long_file_names_pages(repo: Repo) -> None:
    repo.write("templates/cart.html", "<p>\n")
    repo.write("app.py", "f(1)\n" * 250_000 + "render('cart.html')\n")
    assert used(repo, "templates/cart.html") == ["templates/cart.html"]


def test_of_several_pages_that_a_name_fits_the_nearest_is_used(repo: Repo) -> None:
    pages = ("shop/templates/main/cart.html", "old/templates/main/cart.html")
    for path in pages:
        repo.write(path, "<p>\n")
    repo.write("shop/views.py", "render('main/cart.html')\n")
    assert used(repo, *pages) == [pages[0]]


@pytest.mark.parametrize(("count", "is_copy"), [(9, False), (10, True)])
def test_of_a_directory_and_its_copy_nothing_is_shown(
    repo: Repo, count: int, is_copy: bool
) -> None:
    pages = [f"{top}/shop/page{n}.php" for top in ("web", "web/old") for n in range(count)]
    for path in pages:
        repo.write(path, "<p>\n")
    repo.write("main.js", "".join(f"show('{path}')\n" for path in pages))
    assert used(repo, *pages) == ([] if is_copy else pages)


def test_a_demonstration_in_the_served_directory_is_not_found(repo: Repo) -> None:
    pages = ("public/index.html", "public/box/index.html", "public/box/index.php")
    for path in pages:
        repo.write(path, "<p>\n")
    assert used(repo, *pages) == [pages[0], pages[2]]


def test_a_partial_of_rails_is_rendered_by_name(repo: Repo) -> None:
    repo.write("app/views/shop/_cart.html.erb", "<p>\n")
    repo.write("app/views/shop/_old.html.erb", "<p>\n")
    repo.write("app/views/shop/show.html.erb", "<%= render 'shop/cart' %>\n")
    assert used(repo, "app/views/shop/_cart.html.erb", "app/views/shop/_old.html.erb") == [
        "app/views/shop/_cart.html.erb"
    ]


@pytest.mark.parametrize("path", ["src/views/cart.js", "lib/cart.js", "web/Cart.vue", "cart.py"])
def test_nothing_is_known_about_other_files(repo: Repo, path: str) -> None:
    repo.write(path, "f()\n")
    assert used(repo, path) == [path]


def test_scripts_that_maven_packs_are_handed_out(repo: Repo) -> None:
    paths = ("src/main/webapp/js/cart.js", "src/main/resources/static/menu.js")
    for path in paths:
        repo.write(path, "f()\n")
    assert used(repo, *paths) == []
    repo.write("src/main/webapp/index.jsp", "<script src='js/cart.js'></script>\n")
    assert used(repo, *paths) == [paths[0]]

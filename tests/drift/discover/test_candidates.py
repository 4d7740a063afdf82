"""Candidates: which technologies are one decision, what it is called, and what comes first."""

from __future__ import annotations

import pytest

from sdd_hooks.drift.discover.decided import is_in_title
from tests.drift.discover.trees import candidates_of, titles_of
from tests.support.repos import Repo

PYTHON_SHOP = {
    "requirements.txt": "sqlalchemy\npsycopg2-binary\nalembic\nredis\nfastapi\nrequests\n",
    "requirements-dev.txt": "pytest\nhypothesis\n",
    "shop/db.py": 'import sqlalchemy\nURL = "postgresql://localhost"\n',
    "shop/orders.py": "from sqlalchemy import select\n",
    "shop/cache.py": "import redis\n",
    "shop/api.py": "from fastapi import FastAPI\nimport requests\n",
    "tests/test_orders.py": "import pytest\n",
}


def test_related_technologies_are_one_decision(repo: Repo) -> None:
    assert titles_of(repo, PYTHON_SHOP) == [
        "Use PostgreSQL through SQLAlchemy with Alembic for persistence",
        "Serve HTTP with FastAPI",
        "Use Redis as the in-memory store",
        "Write tests with pytest",
    ]


def test_a_candidate_says_how_much_depends_on_it(repo: Repo) -> None:
    first = candidates_of(repo, PYTHON_SHOP)[0]
    assert (first.id, first.category) == ("persistence", "persistence")
    assert (first.files, first.all_files, first.folders) == (2, 4, ("shop",))
    assert first.technologies == ("SQLAlchemy", "PostgreSQL", "Alembic")
    assert [(one.path, one.line, one.role) for one in first.evidence] == [
        ("requirements.txt", 1, "declared"),
        ("requirements.txt", 2, "declared"),
        ("shop/db.py", 2, "marked"),
        ("requirements.txt", 3, "declared"),
        ("shop/db.py", 1, "used"),
        ("shop/orders.py", 1, "used"),
    ]


def test_each_ecosystem_has_its_own_decision(repo: Repo) -> None:
    files = {
        "api/requirements.txt": "django\n",
        "api/a.py": "import django\n",
        "web/package.json": '{"dependencies": {"express": "4"}}',
        "web/a.js": 'const e = require("express");\n',
    }
    found = {one.id: one.title for one in candidates_of(repo, files)}
    assert found == {
        "web-server-npm": "Serve HTTP with Express",
        "web-server-python": "Serve HTTP with Django",
    }


def test_an_addition_alone_is_no_decision(repo: Repo) -> None:
    go = {
        "go.mod": "module x\nrequire github.com/spf13/viper v1.0.0\n",
        "a.go": 'package a\nimport "github.com/spf13/viper"\n',
    }
    assert titles_of(repo, go) == []
    go["b.go"] = 'package a\nimport "github.com/spf13/cobra"\n'
    assert titles_of(repo, go) == ["Parse the command line with Cobra and Viper"]


def test_a_technology_that_hardly_any_file_uses_is_not_named(repo: Repo) -> None:
    files = {"requirements.txt": "flask\nfastapi\n", "old.py": "import flask\n"}
    files |= {f"api/a{number}.py": "import fastapi\n" for number in range(20)}
    assert titles_of(repo, files) == ["Serve HTTP with FastAPI"]


def test_what_more_code_depends_on_comes_first(repo: Repo) -> None:
    files = {
        "requirements.txt": "redis\npymongo\n",
        "a.py": "import redis\n",
        "m.py": "import pymongo\n",
    }
    mongo, redis = "Keep documents in MongoDB", "Use Redis as the in-memory store"
    assert titles_of(repo, files) == [mongo, redis]
    files |= {f"b{number}.py": "import redis\n" for number in range(10)}
    assert titles_of(repo, files) == [redis, mongo]


@pytest.mark.parametrize(
    ("files", "least"),
    [
        ({"requirements.txt": "pandas\n", "a.py": "import pandas\n"}, 3),
        (
            {
                "package.json": '{"dependencies": {"zod": "4"}}',
                "a.ts": 'import { z } from "zod";\n',
            },
            3,
        ),
    ],
)
def test_some_technologies_need_more_than_one_file(
    repo: Repo, files: dict[str, str], least: int
) -> None:
    (source,) = (path for path in files if path.startswith("a."))
    for number in range(least - 1):
        assert titles_of(repo, files) == []
        files[f"b{number}{source[1:]}"] = files[source]
    assert len(titles_of(repo, files)) == 1


def test_a_package_for_development_is_no_decision_of_the_program(repo: Repo) -> None:
    files = {"package.json": '{"devDependencies": {"better-sqlite3": "9"}}', "a.ts": "export {};\n"}
    assert titles_of(repo, files) == []


def test_nothing_is_found_in_an_empty_tree(repo: Repo) -> None:
    assert titles_of(repo, {"README.md": "We use PostgreSQL.\n"}) == []


def test_a_line_that_shows_two_technologies_is_quoted_once(repo: Repo) -> None:
    files = {
        "package.json": '{"dependencies": {"drizzle-orm": "1", "tailwindcss": "4"}}\n',
        "src/db.ts": 'import { drizzle } from "drizzle-orm/d1";\n',
        "wrangler.toml": "[[d1_databases]]\n",
    }
    (persistence,) = (one for one in candidates_of(repo, files) if one.category == "persistence")
    assert persistence.technologies == ("Drizzle", "Cloudflare D1")
    places = [f"{one.path}:{one.line}" for one in persistence.evidence]
    assert sorted(places) == ["package.json:1", "src/db.ts:1", "wrangler.toml:1"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Use drizzle orm", True),
        ("Adopt drizzle-orm for queries", True),
        ("Use Drizzle", True),
        ("Let it drizzle", False),
    ],
)
def test_several_words_together_are_no_ordinary_word(
    repo: Repo, title: str, expected: bool
) -> None:
    files = {
        "package.json": '{"dependencies": {"drizzle-orm": "1"}}\n',
        "src/db.ts": 'import { drizzle } from "drizzle-orm/node";\n',
    }
    (persistence,) = (one for one in candidates_of(repo, files) if one.category == "persistence")
    assert is_in_title(persistence, title) is expected

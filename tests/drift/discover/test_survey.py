"""The evidence in a work tree: declarations, uses and marks, with their lines."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdd_hooks.drift.discover.catalogue import load_catalogue
from sdd_hooks.drift.discover.survey import EvidenceLine
from sdd_hooks.drift.discover.usage import ImportNames
from tests.drift.discover.trees import survey_of, titles_of, tree_of
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

CHI = {
    "go.mod": "module example.com/x\n\nrequire (\n\tgithub.com/go-chi/chi/v5 v5.2.5\n)\n",
    "internal/router.go": 'package internal\n\nimport (\n\t"github.com/go-chi/chi/v5"\n)\n',
}


def evidence_of(repo: Repo, files: dict[str, str], name: str) -> list[tuple[str, int, str, str]]:
    for technology, evidence in survey_of(repo, files).evidence:
        if technology.name == name:
            return [(one.path, one.line, one.text, one.role) for one in evidence]
    return []


def test_a_declaration_and_a_use_are_quoted_with_their_lines(repo: Repo) -> None:
    assert evidence_of(repo, CHI, "chi") == [
        ("go.mod", 4, "github.com/go-chi/chi/v5 v5.2.5", "declared"),
        ("internal/router.go", 4, '"github.com/go-chi/chi/v5"', "used"),
    ]


@pytest.mark.parametrize(
    ("manifest", "declared", "source", "used", "name"),
    [
        (
            "requirements.txt",
            "SQLAlchemy>=2\n",
            "a.py",
            "from sqlalchemy.orm import Session\n",
            "SQLAlchemy",
        ),
        (
            "package.json",
            '{"dependencies": {"express": "4"}}',
            "a.ts",
            'import e from "express";\n',
            "Express",
        ),
        (
            "package.json",
            '{"dependencies": {"vue": "3"}}',
            "A.vue",
            "<script setup>\nimport { ref } from 'vue'\n</script>\n",
            "Vue",
        ),
        (
            "pom.xml",
            "<dependency><groupId>org.jooq</groupId><artifactId>jooq</artifactId></dependency>",
            "A.java",
            "import org.jooq.DSLContext;\n",
            "jOOQ",
        ),
        (
            "build.gradle.kts",
            'implementation("io.ktor:ktor-server-core:2")',
            "A.kt",
            "import io.ktor.server.application.*\n",
            "Ktor",
        ),
        (
            "Cargo.toml",
            '[dependencies]\ndiesel = "2"\n',
            "src/a.rs",
            "use diesel::prelude::*;\n",
            "Diesel",
        ),
        (
            "Gemfile",
            "gem 'sidekiq'\n",
            "app/a.rb",
            "class A\n  include Sidekiq::Job\nend\n",
            "Sidekiq",
        ),
        (
            "A.csproj",
            '<PackageReference Include="Dapper" Version="2" />',
            "A.cs",
            "using Dapper;\n",
            "Dapper",
        ),
        (
            "composer.json",
            '{"require": {"doctrine/orm": "3"}}',
            "src/A.php",
            "<?php\nuse Doctrine\\ORM\\EntityManager;\n",
            "Doctrine",
        ),
    ],
)
def test_every_ecosystem_is_read(
    repo: Repo, manifest: str, declared: str, source: str, used: str, name: str
) -> None:
    roles = [role for *_, role in evidence_of(repo, {manifest: declared, source: used}, name)]
    assert roles == ["declared", "used"]


def test_a_name_without_a_declaration_may_be_a_module_of_the_repository(repo: Repo) -> None:
    assert evidence_of(repo, {"a.py": "import celery\n", "celery.py": "x = 1\n"}, "Celery") == []


def test_an_indirect_requirement_shows_nothing(repo: Repo) -> None:
    files = {"go.mod": "module x\nrequire go.etcd.io/bbolt v1.3.0 // indirect\n"}
    assert evidence_of(repo, files, "bbolt") == []


def test_a_use_in_a_test_is_one_of_tests(repo: Repo) -> None:
    files = {
        "requirements.txt": "redis\n",
        "tests/test_a.py": "import redis\n",
    }
    assert [role for *_, role in evidence_of(repo, files, "Redis")] == ["declared", "tested"]
    assert titles_of(repo, files) == []


@pytest.mark.parametrize(
    "folder",
    [
        "examples/web",
        "fixtures/app",
        "node_modules/x",
        "docs/site",
        "templates/new",
        "experiments/a",
    ],
)
def test_manifests_of_examples_and_vendored_code_do_not_count(repo: Repo, folder: str) -> None:
    files = {
        f"{folder}/package.json": '{"dependencies": {"express": "4"}}',
        "src/a.ts": 'import e from "express";\n',
    }
    assert titles_of(repo, files) == []


def test_a_documentation_site_is_a_program_of_its_own(repo: Repo) -> None:
    site = '{"dependencies": {"@docusaurus/core": "3", "react": "19"}}'
    files = {
        **CHI,
        "website/package.json": site,
        "website/src/a.tsx": 'import React from "react";\n',
    }
    assert titles_of(repo, files) == [
        "Serve HTTP with chi",
        "Publish the documentation with Docusaurus",
    ]


def test_a_driver_has_to_be_named_by_the_code(repo: Repo) -> None:
    files = {"requirements.txt": "psycopg2-binary\n"}
    assert titles_of(repo, files) == []
    files["settings.py"] = 'URL = "postgresql+psycopg2://localhost/shop"\n'
    assert titles_of(repo, files) == ["Use PostgreSQL for persistence"]


def test_services_of_containers_and_files_mark_technologies(repo: Repo) -> None:
    files = {
        "compose.yml": "services:\n  a:\n    image: docker.io/library/rabbitmq:3-management\n",
        "deploy/app.yaml": "apiVersion: apps/v1\nkind: Deployment\n",
        "Dockerfile": "# syntax\nFROM python:3.12\n",
    }
    assert evidence_of(repo, files, "RabbitMQ") == [
        ("compose.yml", 3, "image: docker.io/library/rabbitmq", "marked")
    ]
    assert evidence_of(repo, files, "Kubernetes") == [
        ("deploy/app.yaml", 2, "kind: Deployment", "marked")
    ]
    assert evidence_of(repo, files, "Docker") == [("Dockerfile", 2, "FROM python:3.12", "marked")]


def test_a_manifest_above_the_scope_counts(repo: Repo) -> None:
    files = {
        "package.json": '{"dependencies": {"fastify": "5"}}',
        "services/a/src/a.ts": 'import f from "fastify";\n',
        "services/b/src/b.ts": "export const b = 1;\n",
        "services/b/package.json": '{"dependencies": {"express": "4"}}',
    }
    assert titles_of(repo, files, "services/a/") == ["Serve HTTP with Fastify"]
    assert titles_of(repo, files, "services/b/") == []


def test_hostile_files_are_notes(repo: Repo) -> None:
    files = {
        "package.json": '{"dependencies": {' + '"a": "1",' * 150_000 + "}}",
        "pom.xml": "<dependency>" * 50_000,
        "go.mod": "require (\n" * 20_000,
        "Cargo.toml": "[dependencies]\n" + "x" * 5_000 + " = 1\n",
        "b/pyproject.toml": "[[" * 100_000,
        **CHI,
    }
    files.pop("go.mod")
    found = survey_of(repo, files)
    invalid = "it is a manifest that cannot be parsed: repair it"
    assert found.notes == (
        *[f"{path}: {invalid}" for path in ("b/pyproject.toml", "pom.xml")],
        "package.json: larger than 1 MB, not read",
    )
    assert any(one.name == "chi" for one, _ in found.evidence)


@given(
    st.text("'\"/\\{}[]=:\n usefromimportSidekiq::", max_size=300),
    st.sampled_from(["a.rb", "a.php", "A.vue", "a.py", "a.ts"]),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_source_is_read(text: str, path: str) -> None:
    lines = text.count("\n") + 1
    for use in ImportNames(load_catalogue()[:50]).find(path, text.encode()):
        assert 1 <= use.line <= lines


@pytest.mark.parametrize("path", ["a.rb", "a.php", "A.vue"])
@pytest.mark.parametrize(
    "piece", ["Sidekiq::", "use A\\B", 'import "', "import x from ", "A::B::C\n"]
)
def test_hostile_sources_take_linear_time(path: str, piece: str) -> None:
    names = ImportNames(load_catalogue())
    assert_linear(
        lambda text: list(names.find(path, text.encode())),
        lambda size: piece * (size // len(piece)),
        60_000,
    )


def test_a_quoted_line_is_short(repo: Repo) -> None:
    files = {"requirements.txt": "celery # " + "x" * 900 + "\n", "a.py": "import celery\n"}
    (text, *_) = (
        text for _, _, text, role in evidence_of(repo, files, "Celery") if role == "declared"
    )
    assert len(text) == 160
    assert text.endswith("…")


def test_the_state_of_sdd_and_ignored_files_do_not_count(repo: Repo) -> None:
    files = {".gitignore": "out/\n", "out/Dockerfile": "FROM x\n", ".sdd/Dockerfile": "FROM x\n"}
    assert tree_of(repo, files).files != ()
    assert evidence_of(repo, files, "Docker") == []


def test_evidence_is_plain_data() -> None:
    assert EvidenceLine("a", 1, "b", "used").ecosystem is None

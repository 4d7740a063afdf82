"""The packages that manifests declare, with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.dependencies import (
    is_manifest,
    may_declare,
    parse_declarations,
    parse_dependencies,
    read_manifest,
)
from tests.support.cpu_time import assert_linear

PACKAGE = """{
  "name": "web",
  "scripts": {"moment": "x"},
  "dependencies": {
    "lodash": "^4", "@a/b": "1",
    "left-pad": {"version": "1", "dependencies": {"no": "1"}}
  },
  "jest": {"dependencies": {"no": 1}},
  "devDependencies": { "vitest": "1" }
}
"""

PYPROJECT = """[build-system]
requires = ["hatchling>=1"]

[project]
name = "x"
dependencies = [
    "httpx[http2]>=0.27",  # "no"
    'PyYAML',
]
keywords = ["no"]

[project.optional-dependencies]
llm = ["llm>=0.19"]

[dependency-groups]
dev = [
    "mypy",
    {include-group = "x"},
]

[tool.poetry.dependencies]
python = "^3.10"
django = "^5"
[tool.poetry.group.dev.dependencies]
pytest = { version = "8" }
[tool.ruff]
select = ["no"]
"""

CARGO = """[package]
name = "no"
[dependencies]
serde = { version = "1", features = ["derive"] }
json = { package = "serde_json", version = "1" }
tokio.workspace = true
[dependencies.rand]
version = "1"
[target.'cfg(unix)'.dependencies]
nix = "1"
[workspace.dependencies]
anyhow = "1"
"""

GO = """module example.com/no

require github.com/a/b v1.2.3

require (
\tgolang.org/x/mod v0.1.0 // indirect
)

replace example.com/no => ../no v1.0.0
"""

POM = """<project>
  <groupId>no</groupId><artifactId>no</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.hibernate</groupId>
      <artifactId>hibernate-core</artifactId>
      <exclusions><exclusion><groupId>no</groupId><artifactId>no</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><artifactId>lonely</artifactId></dependency>
  </dependencies>
</project>
"""

GRADLE = """plugins { id 'java' }
dependencies {
    implementation 'org.a:b:1'
    testImplementation("org.c:d:2")
    api platform("org.e:f:3")
    runtimeOnly group: 'org.g', name: 'h', version: '1'
    implementation project(':x')
}
"""


SETUP_CFG = """[metadata]
name = no
[options]
install_requires = click>=8
    PyYAML; python_version > "3"
    # no
packages = no
[options.extras_require]
web =
    flask
test =
    pytest
[tool:pytest]
addopts = no
"""

SETUP_PY = """setup(
    name="no",
    install_requires=["click>=8",
        'attrs',  # "no"
    ],
    extras_require={
        "web": ["flask"],
        "test": ["pytest"],
    },
    packages=["no"],
)
"""

CATALOGUE = """[versions]
no = "1"
[libraries]
b = { module = "org.a:b", version.ref = "no" }
d = { group = "org.c", name = "d" }
f = "org.e:f:1.0"
[plugins]
no = { id = "org.no", version = "1" }
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "web/package.json",
            PACKAGE,
            [(5, "lodash"), (5, "@a/b"), (6, "left-pad"), (9, "vitest")],
        ),
        (
            "pyproject.toml",
            PYPROJECT,
            [
                *[(2, "hatchling"), (7, "httpx"), (8, "PyYAML"), (13, "llm"), (17, "mypy")],
                *[(23, "django"), (25, "pytest")],
            ],
        ),
        (
            "Cargo.toml",
            CARGO,
            [
                (4, "serde"),
                (5, "serde_json"),
                (6, "tokio"),
                (7, "rand"),
                (10, "nix"),
                (12, "anyhow"),
            ],
        ),
        ("go.mod", GO, [(3, "github.com/a/b"), (6, "golang.org/x/mod")]),
        (
            "pom.xml",
            POM,
            [(6, "org.hibernate:hibernate-core"), (6, "hibernate-core"), (9, "lonely")],
        ),
        (
            "app/build.gradle.kts",
            GRADLE,
            [
                *[(3, "org.a:b"), (3, "b"), (4, "org.c:d"), (4, "d"), (5, "org.e:f"), (5, "f")],
                *[(6, "org.g:h"), (6, "h")],
            ],
        ),
        (
            "requirements-dev.txt",
            "# no\n-r no.txt\nDjango==5\nx[y]>=1 ; python_version > '3'\n\n",
            [(3, "Django"), (4, "x")],
        ),
        ("requirements/base.txt", "a\n", [(1, "a")]),
        (
            "Gemfile",
            "source 'no'\ngem 'rails', '~> 7'\n  gem \"pg\"\n# gem no\n",
            [(2, "rails"), (3, "pg")],
        ),
        (
            "src/App.csproj",
            '<ItemGroup>\n <PackageReference Include="Moq" Version="4" />\n</ItemGroup>',
            [(2, "Moq")],
        ),
        ("Directory.Packages.props", '<PackageVersion Include="A.B" Version="1" />', [(1, "A.B")]),
        (
            "composer.json",
            '{"require": {"php": ">=8", "ext-json": "*", "a/b": "1"},\n'
            ' "require-dev": {"c/d": "1"}, "scripts": {"e/f": "no"}}',
            [(1, "a/b"), (2, "c/d")],
        ),
        (
            "Pipfile",
            "[packages]\ndjango = '*'\n[dev-packages]\nblack = '*'\n",
            [(2, "django"), (4, "black")],
        ),
        ("setup.cfg", SETUP_CFG, [(4, "click"), (5, "PyYAML"), (10, "flask"), (12, "pytest")]),
        ("setup.py", SETUP_PY, [(3, "click"), (4, "attrs"), (7, "flask"), (8, "pytest")]),
        (
            "gradle/libs.versions.toml",
            CATALOGUE,
            [
                *[(4, "org.a:b"), (4, "b"), (5, "org.c:d"), (5, "d"), (6, "org.e:f"), (6, "f")],
            ],
        ),
        (
            "x.gemspec",
            "s.add_dependency 'a', '1'\ns.add_runtime_dependency(\"b\")\n"
            "s.add_development_dependency 'c'\n# gem 'no'\n",
            [(1, "a"), (2, "b"), (3, "c")],
        ),
        (
            "src/packages.config",
            '<packages>\n<package id="NUnit" version="3" /></packages>',
            [(2, "NUnit")],
        ),
        ("notes.txt", "Django==5\n", []),
        ("package-lock.json", PACKAGE, []),
    ],
)
def test_a_manifest_declares(path: str, text: str, expected: list[tuple[int, str]]) -> None:
    assert [tuple(one) for one in parse_dependencies(path, text)] == expected
    assert is_manifest(path) is bool(expected)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("package.json", PACKAGE, {"lodash": "runtime", "vitest": "development"}),
        ("composer.json", '{"require-dev": {"c/d": "1"}}', {"c/d": "development"}),
        (
            "pyproject.toml",
            PYPROJECT,
            {
                "hatchling": "development",
                "httpx": "runtime",
                "llm": "runtime",
                "mypy": "development",
                "django": "runtime",
                "pytest": "development",
            },
        ),
        (
            "pyproject.toml",
            "[project.optional-dependencies]\ntests = ['a']\n",
            {"a": "development"},
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = '1'\n[dev-dependencies]\nb = '1'\n[dev-dependencies.c]\nd = 1\n",
            {"a": "runtime", "b": "development", "c": "development"},
        ),
        ("setup.cfg", SETUP_CFG, {"click": "runtime", "flask": "runtime", "pytest": "development"}),
        ("requirements.txt", "a\n", {"a": "runtime"}),
        ("requirements-dev.txt", "a\n", {"a": "development"}),
        ("requirements/test.txt", "a\n", {"a": "development"}),
        ("go.mod", GO, {"github.com/a/b": "runtime", "golang.org/x/mod": "indirect"}),
        (
            "Gemfile",
            "gem 'a'\ngroup :development, :test do\n  gem 'b'\nend\n"
            "gem 'c'\ngem 'd', group: :test\n",
            {"a": "runtime", "b": "development", "c": "runtime", "d": "development"},
        ),
        ("x.gemspec", "s.add_development_dependency 'c'\n", {"c": "development"}),
        ("Cargo.toml", "[workspace.dependencies]\na = '1'\n", {"a": "listed"}),
        (
            "Directory.Packages.props",
            '<a><PackageVersion Include="A" Version="1" /><PackageReference Include="B" /></a>',
            {"A": "listed", "B": "runtime"},
        ),
        (
            "pom.xml",
            "<a><dependency><groupId>g</groupId><artifactId>a</artifactId>\n<scope>test</scope>"
            "</dependency><dependency><artifactId>b</artifactId></dependency></a>",
            {"a": "development", "b": "runtime"},
        ),
        ("build.gradle", GRADLE, {"b": "runtime", "d": "development", "h": "runtime"}),
    ],
)
def test_a_manifest_says_what_a_package_is_for(
    path: str, text: str, expected: dict[str, str]
) -> None:
    scopes = {one.name: one.scope for one in parse_declarations(path, text)}
    assert {name: scopes.get(name) for name in expected} == expected


SETUP = """deps = ["a"]
more = deps + ["b"]
more.append("c")
more += ["d"]
kw = {"extras_require": {"x": ["e"]}}
kw["tests_require"] = ["f"]
setup(install_requires=more, **kw)
"""
SPELLINGS = [
    ("package.json", '{"dependencies":{"m":"npm:moment@2","a":"^1"}}', "m moment a"),
    ("package.json", '{"dependencies":{"@a/m":"npm:@b/c@1"}}', "@a/m @b/c"),
    ("package.json", '{"dependencies":{"m":"https://r/x/-/x-2.0.tgz"}}', "m x"),
    ("package.json", '{"dependencies":{"\\u0078":"1"}}', "x"),
    ("pnpm-workspace.yaml", "catalog:\n  m: npm:x@1\ncatalogs:\n  t: {y: ^1}\n", "y m x"),
    ("deno.jsonc", '{ // a\n"imports":{"m":"npm:x@2/y","l":"./l.ts",},}', "x"),
    ("requirements.txt", "git+https://h/u/x.git#egg=y\n-e git+https://h/u/z.git@v1\n", "y z"),
    ("requirements.txt", "./w/a_b-1.0-py3-none-any.whl\nhttps://h/c-2.0.tar.gz # d\n", "a_b c"),
    ("requirements.txt", "lef\\\nt==1\nm @ file:///x.zip\n-e .\n--no-index\n", "left m"),
    ("go.mod", 'require "a.b/c" v1\nreplace (\n\td => e.f/g v1\n\th => ../h\n)\n', "a.b/c e.f/g"),
    ("pyproject.toml", '[project]\n"d\\u0065pendencies" = ["\\u0078", """\ny"""]\n', "x y"),
    ("pyproject.toml", '[tool.pdm.dev-dependencies]\nt = ["-e file:///z#egg=x"]\n', "x"),
    ("setup.py", SETUP, "f e a b d c"),
    ("a.csproj", "<a><PackageReference\nInclude='&#77;oq;B'/></a>", "Moq B"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), SPELLINGS)
def test_a_package_in_another_spelling_is_found(path: str, text: str, expected: str) -> None:
    manifest = read_manifest(path, text)
    assert ([one.name for one in manifest.declared], manifest.unread) == (expected.split(), "")
    assert may_declare(path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"dependencies": {"x": "1",}}'),
        ("deno.json", "{"),
        ("pyproject.toml", "[project"),
        ("Cargo.toml", "[dependencies]\nx = 1\nx = 2\n"),
        ("environment.yml", "dependencies: [x"),
        ("setup.cfg", "x"),
        ("setup.py", "print 1"),
        ("tool.py", "# /// script\n# dependencies = [\n# ///\n"),
        ("pom.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"),
        ("a.csproj", "<a>"),
        ("requirements.txt", "-r extra.txt\n"),
        ("requirements.txt", "--requirement=https://x.example/requirements.txt\n"),
        ("a/requirements.txt", "-c ../base.list\n"),
    ],
)
def test_what_cannot_be_read_is_said(path: str, text: str) -> None:
    assert read_manifest(path, text).unread


def test_included_requirements_that_are_manifests_are_read_there() -> None:
    assert not read_manifest("requirements/dev.txt", "-r base.txt\n-c ../constraints.txt\n").unread


PATHS = st.sampled_from(
    [
        *["package.json", "pyproject.toml", "go.mod", "pom.xml", "build.gradle", "Gemfile"],
        *["a/requirements.txt", "composer.json", "Pipfile", "setup.cfg", "setup.py", "a.gemspec"],
        *["libs.versions.toml", "packages.config"],
    ]
)


@given(PATHS, st.text("{}[]\",:= \n\\'<>dependency#_requires", max_size=200))
def test_any_text_is_parsed(path: str, text: str) -> None:
    lines = text.count("\n") + 1
    for number, name in parse_dependencies(path, text):
        assert 1 <= number <= lines
        assert isinstance(name, str)


@pytest.mark.parametrize(
    "path",
    [
        *["package.json", "pyproject.toml", "pom.xml", "build.gradle", "composer.json"],
        *["setup.cfg", "setup.py", "libs.versions.toml", "Gemfile", "a.gemspec"],
        *["deno.json", "environment.yml", "requirements.txt", "go.mod"],
    ],
)
@pytest.mark.parametrize("piece", ['"\\"', "[", '{"a":', "<dependency>", "api (", "a = ['"])
def test_a_hostile_manifest_takes_linear_time(path: str, piece: str) -> None:
    assert_linear(lambda text: parse_dependencies(path, text), lambda size: piece * size, 50_000)


@pytest.mark.parametrize("padding", [" ", "gem ", "gem(", "<PackageReference ", "implementation("])
@pytest.mark.parametrize(
    "path",
    [
        *["Gemfile", "pom.xml", "build.gradle", "a.csproj", "packages.config", "a.gemspec"],
        *["libs.versions.toml", "setup.py"],
    ],
)
def test_the_cost_grows_with_the_length_of_a_line(path: str, padding: str) -> None:
    def lines(length: int) -> str:
        return f"{padding * (length // len(padding))}x\n" * 40

    assert_linear(lambda text: parse_dependencies(path, text), lines, 2_000)

"""The packages that manifests declare, with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.dependencies import MAX_LINE, is_manifest, parse_dependencies
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
        ("notes.txt", "Django==5\n", []),
        ("package-lock.json", PACKAGE, []),
    ],
)
def test_a_manifest_declares(path: str, text: str, expected: list[tuple[int, str]]) -> None:
    assert [tuple(one) for one in parse_dependencies(path, text)] == expected
    assert is_manifest(path) is bool(expected)


PATHS = st.sampled_from(
    ["package.json", "pyproject.toml", "go.mod", "pom.xml", "build.gradle", "a/requirements.txt"]
)


@given(PATHS, st.text("{}[]\",:= \n\\'<>dependency", max_size=200))
def test_any_text_is_parsed(path: str, text: str) -> None:
    lines = text.count("\n") + 1
    for number, name in parse_dependencies(path, text):
        assert 1 <= number <= lines
        assert isinstance(name, str)


@pytest.mark.parametrize("path", ["package.json", "pyproject.toml", "pom.xml", "build.gradle"])
@pytest.mark.parametrize("piece", ['"\\"', "[", '{"a":', "<dependency>", "api (", "a = ['"])
def test_a_hostile_manifest_takes_linear_time(path: str, piece: str) -> None:
    assert_linear(lambda text: parse_dependencies(path, text), lambda size: piece * size, 200_000)


@pytest.mark.parametrize("padding", [" ", "gem ", "gem(", "<PackageReference ", "implementation("])
@pytest.mark.parametrize("path", ["Gemfile", "pom.xml", "build.gradle", "a.csproj"])
def test_the_cost_grows_with_the_length_of_a_line(path: str, padding: str) -> None:
    def lines(length: int) -> str:
        return f"{padding * (length // len(padding))}x\n" * 40

    assert_linear(lambda text: parse_dependencies(path, text), lines, MAX_LINE)

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import MemoryFile, MemoryLine, parse_memory_sections
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.workspace import (
    MAX_MODULES,
    Module,
    find_modules,
    module_names,
    parse_gitmodules,
    parse_module_table,
)
from sdd_hooks.system.git import GitError
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo, git_at

TABLE = """\
## Architecture Context

### Workspace Modules

| Module | Root | Description |
|--------|------|-------------|
| api | services/api | REST API service |
| `web` | [services/web](services/web/) | Web \\| frontend |

text
"""

GITMODULES = """\
[submodule "service-api"]
\tpath = services/api
\turl = https://github.com/example/service-api.git
[submodule "libs/web"]
\turl = ../web.git
\tpath = "services/web" ; comment
"""


def memory(root: Path, text: str) -> MemoryFile:
    return MemoryFile(root / "CLAUDE.md", tuple(parse_memory_sections(text)))


def rows(text: str) -> list[tuple[str, str, str, int]]:
    lines = [MemoryLine(n, line) for n, line in enumerate(text.split("\n"), 1)]
    return [(d.name, d.root, d.description, d.line) for d in parse_module_table(lines)]


def test_no_workspace(repo: Repo):
    assert find_modules(repo.handle, None) == ((), [])
    assert find_modules(repo.handle, memory(repo.root, "## Architecture Context")) == ((), [])


def test_modules_of_the_table(repo: Repo):
    modules, warnings = find_modules(repo.handle, memory(repo.root, TABLE))
    assert modules == (
        Module("api", "services/api", "REST API service", False),
        Module("web", "services/web", "Web | frontend", False),
    )
    assert warnings == []


def test_modules_of_gitmodules(repo: Repo):
    repo.write(".gitmodules", GITMODULES)
    modules, warnings = find_modules(repo.handle, None)
    assert modules == (
        Module("service-api", "services/api", "", True),
        Module("libs/web", "services/web", "", True),
    )
    assert warnings == []


def test_gitmodules_and_table_agree(repo: Repo):
    repo.write(".gitmodules", GITMODULES)
    modules, warnings = find_modules(repo.handle, memory(repo.root, TABLE))
    assert [(m.name, m.description) for m in modules] == [
        ("service-api", "REST API service"),
        ("libs/web", "Web | frontend"),
    ]
    assert warnings == []


def test_gitmodules_and_table_disagree(repo: Repo):
    repo.write(".gitmodules", GITMODULES)
    other = TABLE.replace("services/api", "services/old")
    modules, [warning] = find_modules(repo.handle, memory(repo.root, other))
    assert [m.root for m in modules] == ["services/api", "services/web"]
    assert str(warning) == (
        f"{repo.root}/CLAUDE.md:7: this table and .gitmodules differ:"
        " .gitmodules applies: correct the table"
    )


def test_without_submodules_the_table_applies(repo: Repo):
    repo.write(".gitmodules", '# nothing\n[submodule "x"]\n\turl = y\n')
    modules, _ = find_modules(repo.handle, memory(repo.root, TABLE))
    assert [m.name for m in modules] == ["api", "web"]


def test_a_link_instead_of_gitmodules_is_not_read(repo: Repo):
    # git ignores it, too.
    repo.write("elsewhere", GITMODULES)
    repo.link(".gitmodules", "elsewhere")
    assert find_modules(repo.handle, None) == ((), [])


def test_an_invalid_gitmodules(repo: Repo):
    repo.write(".gitmodules", GITMODULES + "]bad\n")
    with pytest.raises(ConfigurationError) as caught:
        find_modules(repo.handle, None)
    assert str(caught.value) == f"{repo.root}/.gitmodules:7: git cannot read this line"


def test_a_large_gitmodules(repo: Repo):
    repo.write(".gitmodules", b"#" * (1 << 21))
    with pytest.raises(ConfigurationError, match="larger than"):
        find_modules(repo.handle, None)


@pytest.mark.parametrize("root", ["../x", "/etc", "out", ".", "a/..", ".git/modules"])
def test_an_invalid_root(repo: Repo, root: str):
    repo.link("out", "/")
    repo.write(".gitmodules", f'[submodule "x"]\n\turl = y\n\tpath = {root}\n')
    with pytest.raises(ConfigurationError) as caught:
        find_modules(repo.handle, None)
    assert str(caught.value).startswith(f"{repo.root}/.gitmodules:3: module 'x' ")
    repo.remove(".gitmodules")
    table = f"### Workspace Modules\n| Module | Root |\n|-|-|\n| x | {root} |\n"
    with pytest.raises(ConfigurationError) as caught:
        find_modules(repo.handle, memory(repo.root, table))
    assert str(caught.value).startswith(f"{repo.root}/CLAUDE.md:4: module 'x' ")


@pytest.mark.parametrize("rows", ["| a | x |\n| a | y |", "| a | x |\n| b | ./x/ |"])
def test_a_duplicate_module(repo: Repo, rows: str):
    table = f"### Workspace Modules\n| Module | Root |\n|-|-|\n{rows}\n"
    with pytest.raises(ConfigurationError, match=r"CLAUDE\.md:5: module '.' is declared twice"):
        find_modules(repo.handle, memory(repo.root, table))


@pytest.mark.parametrize(
    ("heading", "columns", "found"),
    [
        ("### Workspace Modules", "Module | Root", True),
        ("### Workspace Modules", "**Module** | Path", True),
        ("## workspace modules:", "Purpose | Root | Module", True),
        ("### Modules", "Module | Root", True),
        ("### Modules", "Module | Path", False),
        ("### Other", "Module | Root", False),
        ("### Workspace Modules", "Name | Root", False),
    ],
)
def test_heading_and_columns_of_the_table(repo: Repo, heading: str, columns: str, found: bool):
    width = columns.count("|") + 1
    table = f"{heading}\n| {columns} |\n{'|---' * width}|\n{'| x ' * width}|\n"
    modules, _ = find_modules(repo.handle, memory(repo.root, table))
    assert bool(modules) is found


@pytest.mark.parametrize(
    "text",
    [
        "| Module | Root |\n|---|---|\n| a | b |",
        "Module | Root\n:--|--:\na | b",
        "|Module|Root|\n|-|-|\n|`a`|b|",
        "| Root | Module | Description |\n|---|---|---|\n| b | a |",
        "text\n\n| Module | Root |\n| :---: | --- |\n| a | b | c | d |\n\n| x | y |",
    ],
)
def test_shapes_of_a_table(text: str):
    assert [row[:2] for row in rows(text)] == [("a", "b")]


def test_rows_without_a_name_or_root_are_skipped():
    assert rows("| Module | Root |\n|---|---|\n| a | |\n| | b |\n| c | d |") == [("c", "d", "", 5)]


cells = st.text(alphabet="abc/-. |\\`", max_size=8)


@given(st.lists(st.tuples(cells, cells, cells), max_size=5))
def test_any_table(data: list[tuple[str, str, str]]):
    body = "\n".join("| " + " | ".join(row) + " |" for row in data)
    found = rows(f"| Module | Root | Description |\n|---|---|---|\n{body}")
    assert all(name and root and 3 <= line < 3 + len(data) for name, root, _, line in found)


plain = st.text(alphabet="abc/-.", min_size=1, max_size=8)


@given(st.lists(st.tuples(plain, plain, plain), max_size=5))
def test_a_written_table_is_read_back(data: list[tuple[str, str, str]]):
    body = "\n".join("| " + " | ".join(row) + " |" for row in data)
    found = rows(f"| Module | Root | Description |\n|---|---|---|\n{body}")
    assert [row[:3] for row in found] == data


def test_gitmodules_is_parsed_by_git(tmp_path: Path):
    text = (
        b'\xef\xbb\xbf[submodule "a.b \\"c\\""] path = "sp ace" # why\r\n'
        b'[SubModule "two"]\n  PATH = one\\\n/two\n  path = last\n'
        b'[submodule "url"]\n url = x\n[submodule "empty"]\n path\n[core]\n path = no\n'
        b'[submodule "caf\xe9"]\n path = caf\xe9\n'
    )
    assert [(d.name, d.root) for d in parse_gitmodules(text, git_at(tmp_path))] == [
        ('a.b "c"', "sp ace"),
        ("two", "last"),
        (os.fsdecode(b"caf\xe9"), os.fsdecode(b"caf\xe9")),
    ]


@pytest.mark.parametrize("file", ["CLAUDE.md", ".gitmodules"])
def test_many_modules_take_linear_time(tmp_path: Path, file: str):
    row = {"CLAUDE.md": "| m{0} | m/{0} |", ".gitmodules": '[submodule "m{0}"]\n\tpath = m/{0}'}
    title = {"CLAUDE.md": "## Architecture Context\n### Modules\n| Module | Root |\n|---|---|\n"}

    def make(count: int) -> Repo:
        other = Repo.init(tmp_path / str(count))
        rows = "\n".join(row[file].format(n) for n in range(count))
        other.write(file, title.get(file, "") + rows)
        return other

    assert_linear(lambda repo: repo.project(), make, 16 * MAX_MODULES)


def test_more_modules_than_are_used(repo: Repo):
    row = "| m{0} | m/{0} |\n"
    text = "### Modules\n| Module | Root |\n|---|---|\n"
    text += "".join(row.format(number) for number in range(20_000))
    modules, (warning,) = find_modules(repo.handle, memory(repo.root, text))
    assert [module.name for module in modules] == [f"m{number}" for number in range(MAX_MODULES)]
    assert str(warning) == (
        f"{repo.root}/CLAUDE.md:{4 + MAX_MODULES}: 20,000 modules are declared, and only the first"
        f" {MAX_MODULES} are used: keep those that have decisions or specifications of their own"
    )


names = st.text(alphabet="abc./ -", min_size=1, max_size=8)
values = st.text(alphabet='abc./ "\\;#\t', min_size=1, max_size=10).filter(
    lambda v: bool(v.strip())
)


@settings(max_examples=25)
@given(st.dictionaries(names, values, max_size=4))
def test_gitmodules_written_by_git(tmp_path_factory: pytest.TempPathFactory, paths: dict[str, str]):
    file = tmp_path_factory.mktemp("modules") / ".gitmodules"
    file.touch()
    repo = Repo(file.parent)
    for name, path in paths.items():
        repo.git("config", "--file", str(file), f"submodule.{name}.path", path)
    found = {d.name: d.root for d in parse_gitmodules(file.read_bytes(), git_at(file.parent))}
    assert found == paths


def test_a_file_belongs_to_the_innermost_module_around_it():
    name_of = module_names(
        (Module("api", "services/api", "", False), Module("v2", "services/api/v2", "", True))
    )
    paths = ("services/api/a.py", "services/api/v2/a.py", "services/api2/a.py", "a.py")
    assert [name_of(path) for path in paths] == ["api", "v2", "", ""]


@settings(max_examples=50)
@given(st.binary(max_size=60) | st.text(alphabet='[]"=\\\n sub#', max_size=60).map(str.encode))
def test_any_gitmodules_is_read_or_refused(data: bytes):
    try:
        parse_gitmodules(data, git_at(Path("/")))
    except GitError as error:
        assert "\n" not in str(error)

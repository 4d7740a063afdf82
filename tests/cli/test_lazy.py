"""The imports of a command, and the table of commands."""

import inspect
import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from sdd_hooks.cli.group import sdd
from sdd_hooks.cli.shared.lazy import LazyGroup
from sdd_hooks.named_tuple import NamedTuple
from tests.agents.support import edit, prepared
from tests.cli.commands import FILES, OFFLINE, run
from tests.support.github import FakeGitHub, serving_github
from tests.support.programs import run_python

HEAVY = {"git", "httpx", "llm", "mcp", "onnxruntime", "numpy", "yaml", "frontmatter", "tokenizers"}

LIST_MODULES = """
import json, sys
sys.argv[0] = "sdd"
from sdd_hooks.cli.entry import main
code = main()
sys.stdout.flush()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def modules_of(where, *args, env=None, stdin=""):
    """Every module that is loaded when `sdd args` has run."""
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES, *args],
        cwd=where,
        input=stdin.encode(),
        capture_output=True,
        check=True,
        env={**os.environ, **OFFLINE, **(env or {})},
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def change_record(repo):
    path = next(path for path in FILES if path.startswith("docs/adrs/"))
    repo.commit("Change a record", {path: f"{FILES[path]}\nOne more sentence.\n"})


def commands(group, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name), group, command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


SILENT = {
    ("hook",),
    ("adr",),
    ("graph",),
    ("hooks",),
    ("issues",),
    ("knowledge",),
    ("org",),
    ("agent",),
    ("agent", "hook"),
    ("ci",),
    ("completion",),
    ("mcp",),
    ("index", "share"),
}
"""The commands that print no JSON."""


def test_every_command_has_an_example_and_the_common_options():
    """Scenario "Help of a command" of SPEC-0001."""
    for path, group, command in commands(sdd):
        assert "\b\nExample:\n  sdd " in inspect.cleandoc(command.help), path
        if isinstance(group, LazyGroup):
            assert group.table[path[-1]].summary == command.get_short_help_str(200), path
        options = [option for parameter in command.params for option in parameter.opts]
        assert ("--json" in options) is (path not in SILENT), path
        assert options.count("--verbose") == 1, path


DECLARED = """# Shop

## SDD Configuration

#### Tracker

- **Type**: github
- **URL**: {url}
- **Owner**: acme
- **Repo**: shop
"""


def test_a_sync_imports_no_library_that_it_does_not_use(repo):
    github = FakeGitHub(1_777_640_000.0)
    github.add("Pay later")
    with serving_github(github) as server:
        repo.commit("Start", {"CLAUDE.md": DECLARED.format(url=server.url), ".gitignore": ".sdd/"})
        repo.git("remote", "add", "origin", f"{server.url}/acme/shop")
        tokens = {"GITHUB_TOKEN": "loopback", "GITHUB_SERVER_URL": server.url}
        loaded = modules_of(repo.root, "issues", "sync", env=tokens)
    assert (repo.root / ".sdd/issues/1.md").exists()
    assert "httpcore" in loaded
    # The tests need trio, and the command line of httpx rich.
    assert find_spec("trio")
    assert find_spec("rich")
    assert not loaded & {"git", "trio", "rich", "pygments", "click", "concurrent.futures"}


def test_libraries_that_a_client_does_not_use_can_be_imported_later():
    program = (
        "import sdd_hooks.remote.client, trio, rich, httpx, httpx._main;"
        " print(httpx.main is httpx._main.main)"
    )
    done = run_python(program)
    assert done.stdout == "False\n"


def test_an_unknown_command_is_not_found():
    assert sdd.get_command(click.Context(sdd), "nothing") is None


# Only in a checkout.
VERSION = {
    "sdd_hooks.system",
    "sdd_hooks.system.descriptors",
    "sdd_hooks.system.git",
    "sdd_hooks.system.processes",
    "sdd_hooks.text",
    "sdd_hooks.text.compiled_patterns",
    "sdd_hooks.text.lazy_regex",
}


def test_help_and_version_import_no_command(tmp_path):
    """Scenario "Help of `sdd`" of SPEC-0001."""
    for args in (("--help",), ("--version",), ()):
        loaded = modules_of(tmp_path, *args)
        own_modules = {name for name in loaded if name.startswith("sdd_hooks.")}
        assert own_modules <= {
            "sdd_hooks.cli",
            "sdd_hooks.cli.entry",
            "sdd_hooks.cli.group",
            "sdd_hooks.cli.shared",
            "sdd_hooks.cli.shared.lazy",
            "sdd_hooks.errors",
            "sdd_hooks.named_tuple",
            "sdd_hooks.tracing",
        } | (VERSION if args == ("--version",) else set())
        assert not HEAVY & loaded


def test_a_search_imports_nothing_heavy(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    # The first command after a change lists the files of the repository.
    modules_of(repo.root, "search", "database")
    loaded = modules_of(repo.root, "search", "database")
    assert not HEAVY & loaded
    assert not {
        name for name in loaded if name.startswith(("sdd_hooks.setup", "sdd_hooks.githooks"))
    }
    # The index is fresh: the modules that refresh it are not loaded.
    assert {name for name in loaded if name.startswith("sdd_hooks.freshness.")} == {
        "sdd_hooks.freshness.read_gate",
        "sdd_hooks.freshness.tiers",
    }
    # Each of these takes a tenth of a search and more.
    assert not {"click", "dataclasses", "inspect", "hashlib", "sdd_hooks.external.records"} & loaded
    # Nothing is embedded.
    assert not {"sdd_hooks.models.embedding_model", "sdd_hooks.engines.embedded.vectors"} & loaded
    # A Markdown report has a call graph, which is a program's.
    assert "subprocess" not in modules_of(repo.root, "search", "database", "--json")


def test_showing_and_listing_records_imports_nothing_of_other_repositories(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    shown = modules_of(repo.root, "show", "docs/adrs/ADR-0001-sqlite.md")
    assert "sdd_hooks.usecases.reading.show" in shown
    assert not (HEAVY | {"click", "dataclasses", "inspect", "hashlib"}) & shown
    assert "sdd_hooks.changes.tree" not in shown
    for loaded in (shown, modules_of(repo.root, "list")):
        assert not {"sdd_hooks.external.snapshots", "hashlib"} & loaded


@pytest.mark.parametrize("args", [("search", "database", "--json"), ("hook", "post-commit")])
def test_modules_of_a_search_and_a_hook_define_named_tuples_cheaply(repo, args):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    change_record(repo)
    own_modules = [one for one in modules_of(repo.root, *args) if one.startswith("sdd_hooks.")]
    sources = {name: Path(import_module(name).__file__).read_text() for name in own_modules}
    defining = [name for name, source in sources.items() if "(NamedTuple)" in source]
    assert len(defining) > 20
    assert {import_module(name).NamedTuple for name in defining} == {NamedTuple}


def test_a_hook_imports_little(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    change_record(repo)
    loaded = modules_of(repo.root, "hook", "post-commit")
    # A module of data classes compiles their methods at each start.
    assert not (HEAVY | {"click", "dataclasses", "inspect"}) & loaded
    assert "sdd_hooks.embedding.backfill" in loaded


def test_a_check_of_staged_artifacts_imports_no_report(repo):
    repo.commit("Start", FILES)
    repo.write("docs/adrs/ADR-0009-x.md", "# ADR-0009: X\n")
    repo.git("add", "-A")
    loaded = modules_of(repo.root, "hook", "pre-commit")
    assert "sdd_hooks.artifacts.validation" in loaded
    # Frontmatter is parsed by libraries.
    assert not ((HEAVY - {"yaml", "frontmatter"}) | {"click"}) & loaded
    assert not {name for name in loaded if name.startswith("sdd_hooks.reporting")}


def test_a_hook_of_an_agent_imports_little(repo):
    prepared(repo)
    silent = json.dumps(edit(repo, "src/other.py"))
    loaded = modules_of(repo.root, "agent", "hook", "claude", "before", stdin=silent)
    assert "sdd_hooks.review.references.prepared" in loaded
    # Each of these takes a tenth of the time of a hook and more.
    slow = HEAVY | {"click", "dataclasses", "inspect", "hashlib", "apsw", "concurrent.futures"}
    assert not slow & loaded
    packages = ("artifacts.adr", "review.rules", "review.review", "reporting", "engines", "cli.")
    assert not {
        name for name in loaded for one in packages if name.startswith(f"sdd_hooks.{one}")
    } - {"sdd_hooks.cli.entry"}
    own_modules = {name for name in loaded if name.startswith("sdd_hooks.")}
    assert len(own_modules) <= 70
    governed = json.dumps(edit(repo, "src/outbox/store.py", session="other"))
    more = modules_of(repo.root, "agent", "hook", "claude", "before", stdin=governed)
    assert "sdd_hooks.usecases.agents.deciding_sentences" in more
    # Frontmatter is parsed by libraries.
    assert not ((HEAVY - {"yaml", "frontmatter"}) | {"click", "apsw"}) & more
    after = modules_of(repo.root, "agent", "hook", "claude", "after", stdin=silent)
    assert not slow & after

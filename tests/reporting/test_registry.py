"""The report formats: those of this package, and those of another distribution."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.reporting.annotations import render_annotations
from sdd_hooks.reporting.codequality import render_codequality
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.registry import (
    FORMATS,
    REPORTERS,
    ReportContext,
    UnknownFormat,
    format_names,
    load_reporter,
)
from sdd_hooks.reporting.sarif import render_sarif
from sdd_hooks.reporting.summary import render_summary
from sdd_hooks.reporting.terminal import render_terminal
from tests.cli.commands import one_line, run
from tests.reporting.reviews import EVERYTHING
from tests.reporting.test_markdown import LINKS
from tests.reporting.test_sarif import RULES
from tests.support.plugins import SOURCES, install_distribution
from tests.support.repos import Repo

POINTS = """[sdd_hooks.reporters]
poem = sdd_poem:REPORTER
terminal = sdd_poem:REPORTER
lost = sdd_poem:LOST
"""


@pytest.fixture
def poem(tmp_path: Path) -> dict[str, str]:
    """A distribution with a report format. Returns the variables with which Python finds it."""
    source = (SOURCES / "sdd_poem.py").read_text()
    return install_distribution(tmp_path / "lib", "sdd-poem", POINTS, {"sdd_poem": source})


@pytest.mark.parametrize("name", FORMATS)
def test_every_own_format_is_a_reporter_with_its_name(name: str) -> None:
    assert load_reporter(name).name == name
    assert name in format_names()


def test_every_module_with_a_reporter_is_listed() -> None:
    folder = Path(__file__).parents[2] / "sdd_hooks/reporting"
    defining = [path.stem for path in folder.glob("*.py") if "\nREPORTER = " in path.read_text()]
    assert sorted(defining) == sorted(FORMATS) == sorted(REPORTERS.own)


def test_a_format_gets_what_it_uses_from_the_context() -> None:
    context = ReportContext(
        width=40, colour=True, links=LINKS, warnings=("odd",), rules=lambda: RULES
    )
    assert {name: load_reporter(name).render(EVERYTHING, context) for name in FORMATS} == {
        "terminal": render_terminal(EVERYTHING, width=40, colour=True),
        "markdown": render_markdown(EVERYTHING, links=LINKS),
        "json": render_json(EVERYTHING, ("odd",)),
        "sarif": render_sarif(EVERYTHING, RULES),
        "codequality": render_codequality(EVERYTHING),
        "annotations": "".join(f"{line}\n" for line in render_annotations(EVERYTHING)),
        "summary": render_summary(EVERYTHING, links=LINKS),
        "comment": render_comment(EVERYTHING, links=LINKS),
    }


def test_an_unknown_format_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownFormat) as raised:
        load_reporter("poem\n")
    assert str(raised.value) == (
        "no report format is called 'poem\\n': choose one of terminal, markdown, json, sarif,"
        " codequality, annotations, summary, comment"
    )


def test_naming_the_formats_imports_none_and_searches_no_distributions() -> None:
    source = (
        "import sys; import sdd_hooks.cli.review.command;"
        f"loaded = {{f'sdd_hooks.reporting.{{name}}' for name in {FORMATS}}} & set(sys.modules);"
        "assert not loaded, loaded;"
        "assert 'importlib.metadata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


def test_a_format_of_another_distribution_is_known_to_the_command(
    repo: Repo, poem: dict[str, str]
) -> None:
    repo.write("a.txt", "one\n")
    repo.commit("One")
    repo.write("a.txt", "two\n")
    repo.commit("Two")
    command = ("review", "--base", "HEAD^")

    done = run(repo.root, *command, "--format", "poem", env=poem)
    assert (done.code, done.out) == (
        0,
        "1 file, 0 warnings, accepted-decision conflict-marker, 0\n",
    )
    # It cannot replace a format of this package.
    assert run(repo.root, *command, env=poem).out == run(repo.root, *command).out

    unknown = run(repo.root, *command, "--format", "prose", env=poem)
    assert unknown.code == 2
    assert "'comment', 'lost', 'poem': see" in unknown.err
    assert one_line(run(repo.root, *command, "--format", "lost", env=poem), 1) == (
        "the reporter 'lost' of the distribution 'sdd-poem 1.0' cannot be loaded"
        " (AttributeError: module 'sdd_poem' has no attribute 'LOST'): update or remove it"
    )

import pytest

from sdd_hooks.artifacts.work_tree import read_work_tree
from tests.support.repos import Repo

ADR = "# ADR-0001: One\n"


def read(repo):
    project = repo.project()
    return read_work_tree(project.repository.git, project.collections)


def paths(repo):
    return [artifact.path for artifact in read(repo)[0].artifacts]


def test_committed_changed_and_new_files_are_read(repo):
    repo.commit("Start", {"docs/adrs/ADR-0001-one.md": ADR, "docs/adrs/ADR-0002-two.md": ADR})
    repo.write("docs/adrs/ADR-0003-three.md", "# ADR-0003: Three\n")
    repo.write("docs/adrs/ADR-0001-one.md", "# ADR-0001: Changed\n")
    repo.remove("docs/adrs/ADR-0002-two.md")
    corpus, left_out = read(repo)
    assert [(one.path, one.title) for one in corpus.artifacts] == [
        ("docs/adrs/ADR-0001-one.md", "Changed"),
        ("docs/adrs/ADR-0003-three.md", "Three"),
    ]
    assert left_out == []


def test_ignored_files_are_skipped(repo):
    repo.commit("Start", {".gitignore": "build/\n", "docs/adrs/ADR-0001-one.md": ADR})
    repo.write("docs/adrs/build/ADR-0002-two.md", ADR)
    assert paths(repo) == ["docs/adrs/ADR-0001-one.md"]


def test_a_file_in_conflict_is_read_once(repo):
    repo.commit("Start", {"docs/adrs/ADR-0001-one.md": ADR})
    repo.git("checkout", "--quiet", "-b", "other")
    repo.commit("Other", {"docs/adrs/ADR-0001-one.md": "# ADR-0001: Other\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("Main", {"docs/adrs/ADR-0001-one.md": "# ADR-0001: Main\n"})
    assert repo.run("merge", "other").returncode == 1
    assert paths(repo) == ["docs/adrs/ADR-0001-one.md"]


def test_artifacts_of_a_submodule(repo, tmp_path):
    other = Repo.init(tmp_path / "api")
    other.commit("Start", {"docs/adrs/ADR-0001-one.md": ADR})
    repo.submodule(other, "libs/api", "--name", "api")
    repo.commit("Add it", {"docs/adrs/ADR-0007-seven.md": "# ADR-0007: Seven\n"})
    corpus, _ = read(repo)
    assert [(str(one.id), one.path) for one in corpus.artifacts] == [
        ("ADR-0007", "docs/adrs/ADR-0007-seven.md"),
        ("[api]/ADR-0001", "libs/api/docs/adrs/ADR-0001-one.md"),
    ]


def test_an_unreadable_file_is_noted(repo, tmp_path):
    (tmp_path / "secret").write_text("# ADR-0001: Secret\n")
    repo.link("docs/adrs/ADR-0001-x.md", tmp_path / "secret")
    corpus, left_out = read(repo)
    assert corpus.artifacts == ()
    assert left_out == ["left out docs/adrs/ADR-0001-x.md: a symlink"]


NYGARD = "# {}\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\nWe use it.\n"
TABLE = "# {}\n\n| | |\n|-|-|\n| Date | 2023-01-01 |\n| Status | Approved |\n\n## What\n\n## Why\n"
PROPOSAL = (
    "# {}\n\n## Summary\n\n## Motivation\n\n## Drawbacks\n\n## Alternatives\n\n## Prior art\n"
)
GERMAN = "# {}\n\nStatus: akzeptiert\n\n## Kontext\n\nx\n\n## Entscheidung\n\nx\n"
PAGE = "# {}\n\n## Overview\n\nText.\n\n## Usage\n\nMore.\n"
INDEX = "# {}\n\n" + "".join(f"- [{n}](000{n}-a.md)\n" for n in range(1, 5))
TEMPLATE = (
    "# Decision record\n\n- Status: [proposed | accepted | rejected]\n- Date: [YYYY-MM-DD]\n\n"
    "## Context\n\n[Describe the context]\n\n## Decision\n\n[What was decided]\n"
)
OTHERS = (
    *("e2e", "src/itest", "packages/core/integration-tests/p", "samples/x", "a/__fixtures__"),
    *("testdata", "spec/fixtures", "spec/dummy", "src/test/resources", "src/it/p", "Foo.Tests/x"),
    *("TestFiles", "acceptance-test", "tests-e2e", "demo-project", ".worktrees/x", "_site"),
    *("website/versioned_docs/version-1", ".claude/worktrees/x", "playground"),
)
LAYOUTS = {
    "a folder for each": {
        "docs/decision-records/2022-02-14-a/README.md": NYGARD,
        "docs/decision-records/README.md -": INDEX,
        "decisions/0001-b/adr.md": NYGARD,
        "decisions/0001-b/benchmark.md -": NYGARD,
        "decisions/kafka/README.md": TABLE,
        "decisions/kafka/images/a.md -": NYGARD,
    },
    "teams": {
        "decisions/web/0001-a.md": NYGARD,
        "decisions/api/db/use-x.md": NYGARD,
        "decisions/web/README.md -": PAGE,
    },
    "prefixes and tables": {
        "records/op/ODH-ADR-Operator-0001-x.md": TABLE,
        "records/op/ODH-ADR-0000-template.md -": TABLE,
        "arch/PAY-0001-x.md": NYGARD,
        "arch/overview.md -": PAGE,
    },
    "names without numbers": {
        "docs/adr/20200924-use-x.md": NYGARD,
        "docs/adr/use-y.md": NYGARD,
        "docs/Entscheidungen/nutzung.md": GERMAN,
    },
    "nothing but contents": {"notes/a.md": NYGARD, "notes/b.md": NYGARD, "guides/c.md -": PAGE},
    "proposals": {
        "rfcs/0001-a.md": PAGE,
        "rfcs/use-b.md": PROPOSAL,
        "rfcs/meeting.md -": PAGE,
    },
    "a series": {
        **{f"{n:03}-x.md": PROPOSAL for n in range(1, 6)},
        "000-template.md -": PROPOSAL,
        "README.md -": PAGE,
    },
    "no records": {
        "docs/adr/0001-a.md": NYGARD,
        "docs/adr/archive/0002-b.md": NYGARD,
        "docs/adr/0012-template-engine.md": NYGARD,
        **{f"docs/adr/{name}.md -": TEMPLATE for name in ("example", "new-one", "templates/x")},
        **{f"docs/adr/{name}.md -": INDEX for name in ("adr-index", "0000-index", "list")},
        **{f"{place}/docs/adr/0001-a.md -": NYGARD for place in OTHERS},
    },
    "names that have the word test": {
        f"{place}/docs/adr/0001-a.md": NYGARD for place in ("test-platform", "load-test", "contest")
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_record_of_a_layout_is_read_and_nothing_else(repo: Repo, name: str) -> None:
    files = LAYOUTS[name]
    for path, text in files.items():
        title = path.removesuffix(" -").rpartition("/")[2].partition(".")[0]
        repo.write(path.removesuffix(" -"), text.replace("{}", f"Use {title}"))
    corpus, _ = read(repo)
    assert [one.path for one in corpus.artifacts] == sorted(
        path for path in files if not path.endswith(" -")
    )


def test_what_is_called_like_the_records_beside_it_is_named(repo: Repo) -> None:
    for name in ("use-a", "use-b"):
        repo.write(f"docs/adr/{name}.md", NYGARD.replace("{}", name))
    repo.write("docs/adr/bare.md", "Prose.\n")
    repo.write("docs/adr/index.md", INDEX)
    repo.write("docs/decisions/why.md", "Prose.\n")
    project = repo.project()
    _, notes = read_work_tree(project.repository.git, project.collections)
    assert notes == [
        "3 files in docs/adr/ look like decisions; 1 have neither a section nor a field of one:"
        " bare.md"
    ]
    assert project.warnings == (
        "1 file in docs/decisions/, which is named after decisions: none has a section or a field"
        " of a decision, such as `## Decision` or `Status: accepted`",
    )


def test_specifications_of_other_tools_need_no_design(repo: Repo) -> None:
    text = "# Auth\n\n### Requirement: A\n\nIt MUST.\n"
    for path in (
        "openspec/specs/auth/spec.md",
        "specs/001-pay/spec.md",
        ".kiro/specs/x/requirements.md",
    ):
        repo.write(path, text)
    repo.write(".kiro/specs/x/design.md", "# Design\n")
    repo.write("specs/001-pay/checklists/requirements.md", text)
    corpus, _ = read(repo)
    assert [(one.path, one.design, one.findings) for one in corpus.artifacts] == [
        (".kiro/specs/x/requirements.md", ".kiro/specs/x/design.md", ()),
        ("openspec/specs/auth/spec.md", "", ()),
        ("specs/001-pay/spec.md", "", ()),
    ]

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

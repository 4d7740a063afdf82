from pathlib import Path

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.evidence.commits import (
    MAX_PATHSPECS,
    PastCommit,
    find_citing_commits,
    find_touching_commits,
)
from sdd_hooks.review.references.evidence.mentions import RecordNames
from tests.support.repos import Repo

CITED = ArtifactId("ADR", 7)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    for number, message in enumerate(
        ["Begin", "Sweep (ADR-0007)", "More", "Lease\n\nAs adr 7 says, and ADRs 0008/0009"]
    ):
        repo.write("src/a.py", f"{number}\n")
        repo.write(f"src/{number}.py", "\n")
        repo.commit(message)
    return repo


def repository(repo: Repo) -> Repository:
    (repo.root / ".sdd").mkdir(exist_ok=True)
    return repo.repository


def subjects(repo: Repo, base: str) -> list[str]:
    commits = find_citing_commits(repository(repo), base)
    return [commit.message.partition("\n")[0] for commit in commits]


def cache(repo: Repo) -> Path:
    return repo.root / ".sdd/review/history.json"


def test_citing_commits_are_listed_newest_first(repo: Repo) -> None:
    first, second = find_citing_commits(repository(repo), repo.head())
    assert first.ids == {CITED, ArtifactId("ADR", 8), ArtifactId("ADR", 9)}
    assert second.ids == {CITED}
    assert second.message.startswith("Sweep (ADR-0007)")


def test_a_message_names_a_record_by_its_path(repo: Repo) -> None:
    repo.write("src/z.py", "\n")
    repo.commit("Queue it, as in docs/adrs/0012-use-queues.md")
    names = RecordNames([read_adr("docs/adrs/0012-use-queues.md", "# Use queues\n")])
    newest = find_citing_commits(repository(repo), repo.head(), names.find)[0]
    assert newest.ids == {ArtifactId("ADR", 12)}


def test_commits_after_the_base_are_ignored(repo: Repo) -> None:
    assert subjects(repo, repo.git("rev-parse", "HEAD~2")) == ["Sweep (ADR-0007)"]


def test_a_later_base_adds_to_the_cache(repo: Repo) -> None:
    assert subjects(repo, repo.git("rev-parse", "HEAD~2")) == ["Sweep (ADR-0007)"]
    assert cache(repo).is_file()
    assert subjects(repo, repo.head()) == ["Lease", "Sweep (ADR-0007)"]


def test_commits_of_another_branch_are_removed_from_the_cache(repo: Repo) -> None:
    main = repo.head()
    assert len(subjects(repo, main)) == 2
    repo.git("checkout", "-q", "-b", "other", "HEAD~3")
    repo.write("b.py", "\n")
    repo.commit("Other (ADR-0001)")
    other = repo.head()
    assert subjects(repo, other) == ["Other (ADR-0001)"]
    assert subjects(repo, main) == ["Lease", "Sweep (ADR-0007)"]
    assert subjects(repo, other) == ["Other (ADR-0001)"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"version":1,"tip":"--all","commits":[]}',
        '{"version":1,"tip":5}',
        '{"version":1,"tip":"' + "0" * 40 + '","commits":[]}',
        '{"version":1,"tip":"HEAD_","commits":[["x"]]}',
        '{"version":1,"tip":"HEAD_","commits":7}',
        '{"version":99,"tip":"HEAD_","commits":[]}',
    ],
)
def test_an_invalid_cache_is_built_again(repo: Repo, content: str) -> None:
    expected = subjects(repo, repo.head())
    cache(repo).write_text(content.replace("HEAD_", repo.head()))
    assert subjects(repo, repo.head()) == expected


def test_a_cache_folder_that_is_a_link_is_not_written(repo: Repo, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repo.root / ".sdd").mkdir()
    (repo.root / ".sdd/review").symlink_to(elsewhere)
    assert len(subjects(repo, repo.head())) == 2
    assert not list(elsewhere.iterdir())


def test_nothing_is_cached_without_the_sdd_folder(repo: Repo) -> None:
    assert len(find_citing_commits(repo.repository, repo.head())) == 2
    assert not (repo.root / ".sdd").exists()


def test_a_message_cannot_forge_another_commit(repo: Repo) -> None:
    forged = f"Fine\n\x01{'a' * 40}\nADR-0099"
    repo.write("c.py", "\n")
    repo.commit(forged)
    assert all(
        len(commit.id) == 40 for commit in find_citing_commits(repository(repo), repo.head())
    )
    assert "a" * 40 not in [
        commit.id for commit in find_citing_commits(repository(repo), repo.head())
    ]


MANY = [f"other/{number}.py" for number in range(MAX_PATHSPECS)]
"""Paths that do not exist: with them, git filters no longer."""


@pytest.fixture
def swept(tmp_path: Path) -> Repo:
    swept = Repo.init(tmp_path / "swept")
    write(swept, "a", "Begin", "src/0.py")
    write(swept, "b", "Sweep (ADR-0007)", "src/1.py")
    write(swept, "c", "More", "src/2.py")
    return swept


def write(swept: Repo, text: str, message: str, *others: str, path: str = "src/a.py") -> None:
    """Commit a file of ten lines, of which the last is `text`, and other files."""
    swept.write(path, "".join(f"line {number} of a file\n" for number in range(9)) + f"{text}\n")
    for other in others:
        swept.write(other, "\n")
    swept.commit(message)


def move(swept: Repo, before: str, after: str) -> None:
    (swept.root / after).parent.mkdir(parents=True, exist_ok=True)
    swept.git("mv", before, after)


def find(swept: Repo, *paths: str) -> list[tuple[str, tuple[str, ...]]]:
    """The subjects and the files of the commits, which are the same beside many paths."""
    commits = find_touching_commits(swept.repository, swept.head(), paths)
    assert find_touching_commits(swept.repository, swept.head(), [*paths, *MANY]) == commits
    return [(subject(commit), commit.files) for commit in commits]


def subject(commit: PastCommit) -> str:
    return commit.message.partition("\n")[0]


def test_touching_commits_have_the_files_that_they_touched(swept: Repo) -> None:
    assert find(swept, "src/a.py", "src/1.py") == [
        ("More", ("src/a.py",)),
        ("Sweep (ADR-0007)", ("src/1.py", "src/a.py")),
        ("Begin", ("src/a.py",)),
    ]


def test_a_file_is_followed_through_renames(swept: Repo) -> None:
    move(swept, "src/a.py", "lib/b.py")
    write(swept, "d", "Move and change", path="lib/b.py")
    move(swept, "lib/b.py", "lib/deep/c.py")
    swept.commit("Move again")
    write(swept, "e", "Change", path="lib/deep/c.py")
    subjects = ["Change", "Move again", "Move and change", "More", "Sweep (ADR-0007)", "Begin"]
    assert find(swept, "lib/deep/c.py") == [(one, ("lib/deep/c.py",)) for one in subjects]


def test_the_earlier_name_may_have_another_file_now(swept: Repo) -> None:
    move(swept, "src/a.py", "src/b.py")
    swept.commit("Move")
    swept.write("src/a.py", "another\n")
    swept.commit("Another (ADR-0008)")
    assert [subject for subject, _ in find(swept, "src/b.py")][:2] == ["Move", "More"]
    both = find(swept, "src/a.py", "src/b.py")
    assert both[0] == ("Another (ADR-0008)", ("src/a.py",))
    assert ("Sweep (ADR-0007)", ("src/b.py",)) in both


def test_a_new_file_has_no_past(swept: Repo) -> None:
    swept.git("rm", "-q", "src/a.py")
    swept.write("src/new.py", "".join(f"something else {number}\n" for number in range(9)))
    swept.write("src/empty.py", "")
    swept.git("rm", "-q", "src/0.py")
    swept.commit("Replace")
    assert find(swept, "src/new.py", "src/empty.py") == [
        ("Replace", ("src/empty.py", "src/new.py"))
    ]


def test_without_a_path_there_is_no_commit(swept: Repo) -> None:
    assert find_touching_commits(swept.repository, swept.head(), []) == []

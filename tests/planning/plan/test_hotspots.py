from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.hotspots import MergedChange, find_hotspots, read_merges
from sdd_hooks.planning.plan.story import Hotspot
from tests.planning.plan.specs import NOW
from tests.support.repos import Repo, git_at

DAY = 86_400.0


def merges(count: int, *paths: str, days: float = 100.0) -> list[MergedChange]:
    return [MergedChange(NOW - days * DAY, paths)] * count


@pytest.mark.parametrize(("changing", "is_hot"), [(25, False), (26, True)])
def test_a_hotspot_is_in_more_than_the_threshold(changing: int, is_hot: bool) -> None:
    history = [*merges(changing, "src/a.py", "x.py"), *merges(50 - changing, "src/b.py")]
    found = find_hotspots([*history, *merges(500, "src/old.py")], NOW, 0.5)
    hot = (Hotspot("src/a.py", 26, 50), Hotspot("x.py", 26, 50)) if is_hot else ()
    assert found == hot


def test_all_merges_of_the_last_days_count() -> None:
    history = [*merges(60, "src/a.py", days=3), *merges(30, "src/b.py", days=29)]
    found = find_hotspots([*history, *merges(100, "src/c.py", days=31)], NOW, 0.5)
    assert found == (Hotspot("src/a.py", 60, 90),)


def test_documents_and_lock_files_are_no_hotspots() -> None:
    assert find_hotspots(merges(50, "CHANGELOG.md", "uv.lock", "docs/a.md"), NOW, 0.5) == ()


def test_a_short_history_says_nothing() -> None:
    assert find_hotspots(merges(4, "src/a.py"), NOW, 0.5) == ()
    assert find_hotspots(merges(5, "src/a.py"), NOW, 0.5) == (Hotspot("src/a.py", 5, 5),)


def test_merge_commits_are_read_with_what_they_merged(repo: Repo) -> None:
    repo.commit("Start", {"a.py": "0"})
    for number in range(5):
        repo.git("checkout", "-q", "-b", f"work-{number}")
        repo.commit("One", {"a.py": f"new {number}", f"é {number}.py": "x"})
        repo.commit("Two", {"b.py": f"{number}"})
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-ff", "-m", "Merge", f"work-{number}")
    repo.commit("Direct", {"c.py": "0"})
    found = read_merges(git_at(repo.root))
    assert [set(one.paths) for one in found] == [
        {"a.py", "b.py", f"é {number}.py"} for number in reversed(range(5))
    ]
    assert {one.time for one in found} == {1_767_323_045.0}


def test_without_merge_commits_each_commit_is_a_merge(repo: Repo) -> None:
    assert read_merges(git_at(repo.root)) == ()
    repo.commit("One", {"a.py": "0"})
    repo.commit("Two", {"b.py": "0"})
    assert [one.paths for one in read_merges(git_at(repo.root))] == [("b.py",), ("a.py",)]

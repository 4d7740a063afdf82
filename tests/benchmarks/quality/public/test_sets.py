"""Public sets are converted from a copy, and measured with their definitions of the scores."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.public import lissa, semble
from benchmarks.quality.public.__main__ import main
from benchmarks.quality.public.questions import (
    PublicProject,
    Question,
    read_projects,
    write_project,
)
from benchmarks.quality.public.scoring import Links, best_links, count_links, ndcg

_DOC2CODE = "LiSSA-RATLR-V2/lissa/datasets/doc2code/mediastore"
_REQ2CODE = "LiSSA-RATLR-V2/lissa/datasets/req2code/eTour_en"


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    write(
        root,
        {
            f"{_DOC2CODE}/text_2016/mediastore.txt": "A facade.\n\nA store of files.\n",
            f"{_DOC2CODE}/model_2016/code/src/Facade.java": "class Facade {\n  int a;\n}\n",
            f"{_DOC2CODE}/model_2016/code/src/FileStore.java": "class FileStore {\n  int b;\n}\n",
            f"{_DOC2CODE}/model_2016/code/notes.xml": "<a/>\n",
            f"{_DOC2CODE}/goldstandards/goldstandard-mediastore.csv": (
                "SentenceId,CodeElementId\n1,src/Facade.java\n2,src/FileStore.java\n"
            ),
            f"{_REQ2CODE}/UC/UC1.txt": "Delete a cultural object.\n",
            f"{_REQ2CODE}/CC/DBCulturalHeritage.java": "class DBCulturalHeritage {\n}\n",
            f"{_REQ2CODE}/answer.csv": "UC1,DBCulturalHeritage\n",
        },
    )
    return root


def test_a_package_is_converted_into_repositories_with_questions(
    package: Path, tmp_path: Path
) -> None:
    sets = tmp_path / "sets"
    assert lissa.convert(package, sets, os.environ) == ["mediastore", "etour"]
    etour, mediastore = read_projects(sets)
    assert mediastore.questions == (
        Question("A facade.", ("src/Facade.java",)),
        # Blank lines have no number.
        Question("A store of files.", ("src/FileStore.java",)),
    )
    assert etour.questions == (Question("Delete a cultural object.", ("DBCulturalHeritage.java",)),)
    code = sets / "mediastore/code"
    assert (code / "src/Facade.java").is_file()
    assert not (code / "notes.xml").exists()


def test_a_link_of_an_unknown_text_is_an_error(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(package, {f"{_REQ2CODE}/answer.csv": "UC9,DBCulturalHeritage\n"})
    assert main(["lissa", str(package), str(tmp_path / "sets")]) == 1
    assert "etour: links of unknown texts: UC9" in capsys.readouterr().err


def test_a_project_is_measured(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = str(tmp_path / "sets")
    assert main(["lissa", str(package), sets]) == 0
    assert main(["measure", sets, "mediastore"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "words" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:3] == ["mediastore", "words", "0.0"]
    assert cells[4] == "1.000"
    assert cells[-1] == "0.096"


def test_semble_is_converted_at_the_revision_it_names(tmp_path: Path) -> None:
    clone = tmp_path / "clones/tool"
    write(clone, {"lib/relay.py": "def relay():\n    return 1\n", "README.md": "# Tool\n"})
    for command in ("init -q", "add -A", "commit -q -m Start"):
        subprocess.run(["git", "-C", clone, *command.split()], check=True)
    shown = subprocess.check_output(["git", "-C", clone, "rev-parse", "HEAD"], text=True)
    repositories = [
        {
            "name": name,
            "language": "python",
            "revision": shown.strip(),
            "benchmark_root": "lib",
        }
        for name in ("tool", "absent")
    ]
    annotation = {
        "query": "where is the relay",
        "relevant": ["lib/relay.py"],
        "secondary": [{"path": "relay.py", "start_line": 1, "end_line": 2}],
        "category": "semantic",
    }
    write(
        tmp_path / "semble/benchmarks",
        {
            "repos.json": json.dumps(repositories),
            "annotations/tool.json": json.dumps([annotation]),
        },
    )
    sets = tmp_path / "sets"
    converted = semble.convert(tmp_path / "semble", tmp_path / "clones", sets, os.environ)
    assert converted == (["tool"], ["absent"])
    (project,) = read_projects(sets)
    assert project.questions == (
        Question("where is the relay", ("lib/relay.py", "relay.py"), "semantic"),
    )
    assert (sets / "tool/code/lib/relay.py").is_file()
    assert not (sets / "tool/code/README.md").exists()


@pytest.mark.parametrize("path", ["../out.py", "/out.py", "a/../../out.py", ".git/hooks/x"])
def test_no_file_is_written_outside_a_project(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not below the project"):
        write_project(tmp_path, PublicProject("one", "", ()), [(path, b"")], os.environ)


def test_links_are_counted_over_all_questions() -> None:
    links = count_links([["a", "b"], []], [["a"], ["c", "d"]])
    assert links == Links(found=2, right=1, expected=3)
    assert (links.precision, links.recall) == (0.5, pytest.approx(1 / 3))
    assert links.f(1) == pytest.approx(2 / 5)
    assert links.f(2) == pytest.approx(5 / 14)
    assert Links(0, 0, 0).f(1) == 0


def test_the_best_links_have_as_many_files_for_each_question() -> None:
    assert best_links([["a"], [], ["b", "c", "d"]], 2) == Links(found=6, right=3, expected=4)


@given(st.lists(st.sampled_from("abcde"), unique=True), st.sets(st.sampled_from("abc"), min_size=1))
def test_ndcg_is_highest_in_the_best_order(found: list[str], expected: set[str]) -> None:
    best = sorted(found, key=lambda file: file not in expected)
    wanted = sorted(expected)
    assert 0 <= ndcg(found, wanted) <= ndcg(best, wanted) <= 1
    assert ndcg(wanted, wanted) == pytest.approx(1)


def test_a_path_matches_the_end_of_another() -> None:
    assert ndcg(["src/lib/relay.py"], ["lib/relay.py"]) == 1
    assert ndcg(["src/my_relay.py"], ["relay.py"]) == 0

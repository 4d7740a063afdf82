"""The artifacts that replace others."""

from __future__ import annotations

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.replacements import find_replacements


def replacements(files: dict[str, str], module: str = "") -> dict[str, list[str]]:
    corpus = load_corpus(
        ArtifactFile(f"{name}.md", text.encode(), "ADR", module) for name, text in files.items()
    )
    found = find_replacements(corpus)
    return {path: [str(one) for one in ids] for path, ids in found.items()}


def test_either_side_names_the_other() -> None:
    assert replacements(
        {
            "0001-a": "---\nstatus: superseded by ADR-0003\n---\n# A\n",
            "0002-b": "---\nstatus: superseded\n---\n# B\n",
            "0003-c": "---\nstatus: accepted\n---\n# C\n",
            "0004-d": "---\nsupersedes: [ADR-0002]\n---\n# D\n",
        }
    ) == {"0001-a.md": ["ADR-0003"], "0002-b.md": ["ADR-0004"]}


def test_one_that_both_sides_name_is_listed_once_and_several_in_order() -> None:
    assert replacements(
        {
            "0001-a": "---\nstatus: superseded by ADR-0003\n---\n# A\n",
            "0003-c": "---\nsupersedes: [ADR-0001]\n---\n# C\n",
            "0002-b": "---\nsupersedes: [ADR-0001]\n---\n# B\n",
        }
    ) == {"0001-a.md": ["ADR-0002", "ADR-0003"]}


def test_a_module_is_part_of_the_id() -> None:
    files = {"0001-a": "# A\n", "0002-b": "---\nsupersedes: [ADR-0001]\n---\n# B\n"}
    assert replacements(files, "api") == {"0001-a.md": ["[api]/ADR-0002"]}


def test_one_without_a_number_replaces_nothing_by_name() -> None:
    files = {
        "0001-a": "# A\n",
        "adr-b": "---\nstatus: accepted\nsupersedes: [ADR-0001, ADR-0009]\n---\n# B\n",
    }
    assert replacements(files) == {}

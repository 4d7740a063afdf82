"""Tables of records: one a line, with what is to be read in it and the text below its title."""

from __future__ import annotations

from pathlib import Path


def rows(name: str) -> list[list[str]]:
    """The cells of each line of a table in `data/`."""
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def record(block: str) -> str:
    """The record with a block of a table: "¶" ends a line, "§" is the heading Status."""
    text = block.replace("§", "## Status\n\n").replace("¶", "\n")
    if text.startswith("---"):
        return text if "# T" in text else f"{text}\n# T\n"
    return f"# 7. Use kites\n\n{text}\n\n## Decision\n\nWe do.\n"

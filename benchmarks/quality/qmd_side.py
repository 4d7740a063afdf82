"""qmd scores itself: the real `qmd bench` on a separate index."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.process import ProcessFailed, finished
from benchmarks.quality import fixtures
from benchmarks.quality.corpora import PATTERN
from benchmarks.quality.scoring import score

BACKENDS = {"words": "bm25", "meaning": "vector", "hybrid": "hybrid"}
"""qmd's names for what sdd calls words, meaning and hybrid."""

_NOWHERE = "/nonexistent/model.gguf"
"""For missing models: qmd would wait minutes for its hub, but gives up this address at once."""


@dataclass(frozen=True)
class Qmd:
    """qmd as installed in `installation`, with the index of `corpus` and all else in `home`.

    `model` is a GGUF file, or "" for words only.
    """

    installation: Path
    corpus: Path
    home: Path
    model: str

    def index(self, name: str) -> None:
        """Index the corpus as one collection, and embed it where there is a model."""
        self.home.mkdir(parents=True, exist_ok=True)
        quoted = json.dumps
        (self.home / "index.yml").write_text(
            f"collections:\n  {name}:\n    path: {quoted(str(self.corpus))}\n"
            f"    pattern: {quoted(PATTERN)}\n"
            f"models:\n  embed: {quoted(self.model or _NOWHERE)}\n"
            f"  generate: {quoted(_NOWHERE)}\n  rerank: {quoted(_NOWHERE)}\n",
            encoding="utf-8",
        )
        self.run("update")
        if self.model:
            self.run("embed")

    def bench(self, fixture: fixtures.Fixture, file: Path) -> dict[str, dict[str, list[str]]]:
        """The files that each backend finds for each question, after `qmd bench`.

        Raises:
            ProcessFailed: it did not run to its end, or its own scores are not those
                we compute from the files it found.
        """
        file.write_text(fixtures.write(fixture), encoding="utf-8")
        report = json.loads(self.run("bench", str(file), "--json", "--collection", fixture.name))
        backends = BACKENDS if self.model else {"words": BACKENDS["words"]}
        return {
            backend: {
                result["id"]: checked(result["backends"][name], question)
                for question, result in zip(fixture.questions, report["results"], strict=True)
            }
            for backend, name in backends.items()
        }

    def version(self) -> str:
        """The version that is installed. Raises ProcessFailed when it does not run."""
        return self.run("--version").strip()

    def run(self, *arguments: str) -> str:
        """What qmd prints on stdout. Raises ProcessFailed when it does not run."""
        directory = self.installation / "bin"
        # No variable is inherited: CI and QMD_* change the behaviour of qmd.
        environ = {
            "PATH": f"{directory}{os.pathsep}{os.defpath}",
            "HOME": str(self.home),
            "QMD_CONFIG_DIR": str(self.home),
            "INDEX_PATH": str(self.home / "index.sqlite"),
            "QMD_EMBED_CONTEXT_SIZE": "500",
            "NO_COLOR": "1",
        }
        return finished((str(directory / "qmd"), *arguments), self.corpus, environ)


def checked(result: Mapping[str, Any], question: fixtures.Question) -> list[str]:
    """The files of one answer of `qmd bench`.

    Raises:
        ProcessFailed: its precision, recall or MRR are not what `score` gives for these files.
    """
    files = [str(file) for file in result["top_files"]]
    scores = score(files, question.expected, question.k)
    reported = tuple(result[name] for name in ("precision_at_k", "recall", "mrr"))
    if (scores.precision, scores.recall, scores.mrr) != reported:
        raise ProcessFailed(f"qmd bench scores {question.id} {reported}, which is {scores} here")
    return files

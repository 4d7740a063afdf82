"""The real qmd with a separate home directory, as `scripts/install-qmd` installs it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import Run, run

_COLLECTION = "records"
TOKENS = 500
"""The largest batch of a BERT model in qmd: with a slightly larger one the process crashes."""


@dataclass(frozen=True)
class Qmd:
    """qmd as installed in `installation`, indexing `root`, with everything it writes in `home`.

    `model` is the GGUF file it embeds with, if it is to embed.
    """

    installation: Path
    root: Path
    home: Path
    model: Path | None = None

    @property
    def database(self) -> Path:
        """Its index, where it has a model."""
        return self.home / "index.sqlite"

    def _run(self, *arguments: str) -> Run:
        directory = self.installation / "bin"
        # No other variable is inherited: CI and QMD_* change the behaviour of qmd.
        environ = {"PATH": f"{directory}{os.pathsep}{os.defpath}", "HOME": str(self.home)}
        if self.model:
            environ["QMD_CONFIG_DIR"] = str(self.home)
            environ["INDEX_PATH"] = str(self.database)
            environ["QMD_EMBED_CONTEXT_SIZE"] = str(TOKENS)
        return run((str(directory / "qmd"), *arguments), self.root, environ)

    def first_index(self) -> Run:
        """Index the records without an existing index."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        if self.model:
            models = f"models:\n  embed: {json.dumps(str(self.model))}\n"
            (self.home / "index.yml").write_text(models, encoding="utf-8")
        records = str(self.root / "docs")
        return self._run("collection", "add", records, "--name", _COLLECTION, "--mask", "**/*.md")

    def update(self) -> Run:
        """Bring the index up to date."""
        return self._run("update")

    def search(self, words: str) -> Run:
        """Search by words, with the result as JSON."""
        return self._run("search", words, "--json")

    def hybrid_search(self, words: str) -> Run:
        """Search by words and by meaning, without reranking, with the result as JSON."""
        query = f"lex: {words}\nvec: Architecture decisions about {words}"
        return self._run("query", query, "--json", "--no-rerank", "-n", "8")

    def embed(self) -> Run:
        """Give every chunk a vector, without existing vectors."""
        return self._run("embed", "--force")

    def version(self) -> str:
        """The version that is installed. Raises ProcessFailed when it does not run."""
        self.home.mkdir(parents=True, exist_ok=True)
        return self._run("--version").output.strip()

"""Make the table from which the hooks of coding agents answer, now or in a background process."""

# Governing: ADR-0056 (agents are handed the deciding sentence)

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, load_corpus
from sdd_hooks.artifacts.named_code import CodePaths, read_named_code
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.errors import SddError
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.review.references.asking.question import Eligibility
from sdd_hooks.review.references.prepare import prepare_evidence
from sdd_hooks.review.rules.decision.blocks import read_rules
from sdd_hooks.system.files import write_atomically
from sdd_hooks.system.git import nul_split
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.text.documents import document_text
from sdd_hooks.text.sorted_rows import write_rows
from sdd_hooks.usecases.agents.table import (
    STAMPS,
    STATED,
    TABLE,
    StatedArtifact,
    StatedRule,
    agent_folder,
    stamp_files,
)

LOCK = "table.lock"
"""The lock of a process that makes the table."""


def prepare_table(project: Project) -> int:
    """Make the table of a work tree. Returns the number of artifacts.

    Does nothing while another process makes it. Raises GitError, and StorageError when the git
    directory cannot be written.
    """
    repository = project.repository
    folder = agent_folder(repository)
    folder.mkdir(parents=True, exist_ok=True)
    with hold_lock(folder / LOCK, 0.0) as held:
        if not held:
            return 0
        sources, _ = read_artifact_files(repository.git, project.collections)
        paths = [source.path for source in sources]
        # A file that changes while the table is made has another stamp afterwards.
        stamps = stamp_files(repository.root, repository.git_dir, repository.common_dir, paths)
        corpus = load_corpus(sources)
        texts = {source.path: document_text(source.path, source.data) for source in sources}
        commit = repository.git.try_output("rev-parse", "--verify", "-q", "HEAD") or b""
        rows: dict[str, Any] = prepare_evidence(project, corpus, texts, commit.decode().strip())
        rows[STAMPS] = stamps
        files = CodePaths(nul_split(repository.git.output("ls-files", "-z")))
        rows[STATED] = [_stated(one, corpus, texts[one.path], files) for one in corpus.artifacts]
        rows.update(_ids(corpus))
        write_atomically(folder / TABLE, write_rows(rows))
        return len(corpus.artifacts)


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Argument: the top of the work tree."""
    with suppress(SddError, OSError):
        prepare_table(load_project(Path(arguments[0]), os.environ))


def _stated(artifact: Artifact, corpus: Corpus, text: str, files: CodePaths) -> StatedArtifact:
    applies = read_applies_to(artifact, text)
    in_force = artifact.status.authoritative
    successors: Sequence[str] = ()
    rules: list[StatedRule] = []
    if artifact.kind == "ADR":
        if not in_force:
            successors = Eligibility(corpus, set(), set()).find_eligible(artifact)
        else:
            rules = [
                StatedRule(
                    f"{rule.verb} {rule.what} {', '.join(rule.names)}",
                    rule.within,
                    rule.outside,
                    rule.line,
                )
                for rule in read_rules(text)[0]
                # A rule for all files says nothing of one.
                if rule.within
            ]
    return StatedArtifact(
        artifact.path,
        artifact.name,
        artifact.kind,
        in_force,
        successors,
        [(one.text, one.line) for one in applies.entries if one.kind == "glob"],
        [(one.text, one.line) for one in applies.symbols],
        rules,
        [
            (one.path, one.line, one.sentence)
            for one in read_named_code(artifact, text, files)
            # A folder has many files that a sentence without a rule says nothing about.
            if one.governs and (one.path in files or (one.is_rule and not files.is_large(one.path)))
        ],
    )


def _ids(corpus: Corpus) -> dict[str, list[int]]:
    """A row for each id in a governing comment: the artifacts that it leads to, by index."""
    index_of = {artifact.path: index for index, artifact in enumerate(corpus.artifacts)}
    ids = {artifact.id for artifact in corpus.artifacts}
    return {
        f"g:{id}": [
            index_of[one.path]
            for one in corpus.resolve(id) or corpus.by_id_of_any_module.get(id, ())
        ]
        for id in ids | {id._replace(module="") for id in ids}
    }

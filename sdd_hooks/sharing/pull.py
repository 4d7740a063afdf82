"""Pull the vectors that other machines pushed to a remote."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Pull"

from __future__ import annotations

from sdd_hooks.engines.protocol import Engine, Progress, report_progress
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.options import DEFAULT_OPTIONS, SharingOptions
from sdd_hooks.sharing.outcome import PullOutcome
from sdd_hooks.sharing.segments import SegmentReader, most_common_dimensions, vector_exchange
from sdd_hooks.sharing.vector_ref import open_vector_ref, vector_ref_name


def pull(
    project: Project,
    engine: Engine,
    options: SharingOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
) -> PullOutcome:
    """Store every vector of the configured model that the remote has and this machine lacks.

    A vector that this machine has stays unchanged. A segment that cannot be used is refused with a
    note; each of the others is stored whole or not at all.

    Raises:
        EngineUnavailable: other machines cannot use the engine's vectors, or the model cannot run.
        RepositoryError: there is no such remote.
        AccessRefused: the remote does not accept the credentials.
        RemoteError: the remote cannot be reached.
        StorageError: another push or pull runs, or nothing can be written.
    """
    exchange = vector_exchange(project, engine)
    name = vector_ref_name(exchange.model, exchange.storage)
    pulled = vectors = 0
    with open_vector_ref(project.repository, name, options) as ref:
        commit = ref.fetch()
        entries, refused = ref.read_entries(commit) if commit else ([], [])
        dimensions = exchange.dimensions or most_common_dimensions(ref.objects, entries)
        stored = set(exchange.held())
        reader = SegmentReader(ref.objects, exchange, dimensions, refused)
        for _, segment in reader.read(entries, progress):
            vectors += segment.header.count
            missing = [pair for pair in segment.pairs if pair[0] not in stored]
            if missing:
                pulled += exchange.adopt(dimensions, missing)
                stored.update(key for key, _ in missing)
        if entries:
            report_progress(progress, "Reading vectors", len(entries), len(entries))
        ref.delete_unused_objects(entries)
    pending = engine.coverage().pending
    notes = (*engine.notes, *refused)
    return PullOutcome(
        options.remote, name, exchange.model, pulled, vectors, commit, pending, notes
    )

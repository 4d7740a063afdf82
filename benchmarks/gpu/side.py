"""`python -m benchmarks.gpu.side MODEL`: the rate of the model on a repository, on one device.

Run in an indexed repository without vectors. Prints as JSON how fast sdd embeds it once the model
is loaded, how fast the model embeds the same texts alone, and what the model's floor is here.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.gpu.floor import Shape, matrix_rate, operations

AT_ONCE = (32, 256)
"""The batch size of the model alone."""


def main(model: str) -> None:
    """Measure, and print."""
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.project.project import load_project

    moments = [time.perf_counter()]

    def note_progress(_what: str, _done: int, _total: int) -> bool:
        moments.append(time.perf_counter())
        return True

    with closing(open_engine(load_project(Path.cwd(), os.environ))) as engine:
        report = engine.embed(progress=note_progress)
    found = {
        "chunks": report.embedded,
        "loading": moments[1] - moments[0],
        "embedding": moments[-1] - moments[1],
        **_alone(model),
    }
    print(json.dumps(found))


def _alone(model: str) -> dict[str, Any]:
    """The model without sdd."""
    import torch
    from sentence_transformers import SentenceTransformer

    transformer = SentenceTransformer(model)
    device = transformer.device.type
    texts = sorted(_texts(), key=len)
    seconds = {}
    for count in AT_ONCE:
        transformer.encode(texts[-count:], batch_size=count)  # so that everything is loaded
        started = time.perf_counter()
        transformer.encode(texts, batch_size=count)
        seconds[str(count)] = time.perf_counter() - started
    ids = transformer.tokenizer(texts, truncation=True, max_length=transformer.max_seq_length)[
        "input_ids"
    ]
    tokens = [len(id_) for id_ in ids]
    config = transformer[0].auto_model.config
    shape = Shape(config.num_hidden_layers, config.hidden_size, config.intermediate_size)
    precision = next(transformer.parameters()).dtype
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "texts": len(texts),
        "tokens": sum(tokens),
        "precision": str(precision).removeprefix("torch."),
        "alone": seconds,
        "operations": operations(tokens, shape),
        "rate": matrix_rate(device, precision),
        "torch": torch.__version__,
    }


def _texts() -> list[str]:
    """The model's input texts for the records, each once."""
    from sdd_hooks.chunking.document import chunk_document, text_to_embed

    paths = sorted(Path("docs/adrs").rglob("*.md"))
    documents = (chunk_document(path.as_posix(), path.read_bytes()) for path in paths)
    return list(
        dict.fromkeys(
            text_to_embed(document.title, chunk.title, chunk.text)
            for document in documents
            for chunk in document.chunks
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])

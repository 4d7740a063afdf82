"""`python -m benchmarks.gpu MODEL`: an embed on the GPU, on the processor, and the model's floor.

MODEL is a folder that sentence-transformers loads, or one with a GGUF of a BERT beside its
config.json. Nothing is fetched. Needs the extras gpu and llm, and llm-sentence-transformers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.corpus import create_repository
from benchmarks.embedding import embedded, prose
from benchmarks.gpu.model import model_folder
from benchmarks.gpu.side import AT_ONCE
from benchmarks.process import ProcessFailed, finished
from benchmarks.report import aligned, describe_machine, human_seconds, replace_section
from benchmarks.sdd import Sdd, environment

_ROOT = Path(__file__).parents[2]
_DOCUMENT = _ROOT / "docs/benchmarks.md"
_SECTION = "gpu"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
_CONFIGURATION = (
    "### SDD Configuration\n\n#### Search\n\n- **Embed Model**: llm:sentence-transformers/{model}\n"
)

Side = Mapping[str, Any]
"""What `benchmarks.gpu.side` prints, with the seconds of the whole command as `command`."""


def main(arguments: Sequence[str]) -> int:
    """Measure. Returns 0; 1 if figures are implausible, 2 if a side fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--documents", type=int, default=3_000, help="on the GPU")
    parser.add_argument("--fewer", type=int, default=100, help="on the processor")
    parser.add_argument("--write", action="store_true", help="write the table into the document")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="sdd-gpu-") as directory:
        try:
            sides = _measured(Path(directory), options.model.resolve(), options)
        except (FileNotFoundError, ImportError, ProcessFailed) as error:
            print(f"benchmarks: {error}", file=sys.stderr)
            return 2
    machine = f"{describe_machine()}, load average {load:.1f} at the start"
    section = f"{table(sides)}\n\n{date.today()}, PyTorch {sides[0]['torch']}; {machine}."
    if len(sides) == 1:
        section += " This machine has no GPU: only its processor was measured."
    print(section)
    if any(fastest(side) < floor(side) for side in sides):
        print("benchmarks: faster than its floor: the machine was busy", file=sys.stderr)
        return 1
    if options.write:
        _DOCUMENT.write_text(replace_section(_DOCUMENT.read_text(), section, _SECTION))
    return 0


def table(sides: Sequence[Side]) -> str:
    """Texts a second on each device."""
    head = ("texts a second", *(f"{side['device']}, {side['precision']}" for side in sides))
    rows = [
        ("`sdd index embed`, from its start", *(_rate(side, side["command"]) for side in sides)),
        ("sdd, once the model is loaded", *(_rate(side, side["embedding"]) for side in sides)),
        *(
            (
                f"the model alone, {count} at a time",
                *(_rate(side, side["alone"][str(count)]) for side in sides),
            )
            for count in AT_ONCE
        ),
        ("its floor", *(_rate(side, floor(side)) for side in sides)),
        ("texts", *(f"{side['texts']:,}" for side in sides)),
        (
            "tokens of a text, on average",
            *(f"{side['tokens'] / side['texts']:.0f}" for side in sides),
        ),
        ("matrices", *(f"{side['rate'] / 1e12:.2f} TFLOP/s" for side in sides)),
        ("loading the model", *(human_seconds(side["loading"]) for side in sides)),
    ]
    return aligned([head, *rows])


def floor(side: Side) -> float:
    """The seconds that the model takes at least."""
    return float(side["operations"] / side["rate"])


def fastest(side: Side) -> float:
    """The least seconds that were measured."""
    return float(min(side["command"], side["embedding"], *side["alone"].values()))


def _rate(side: Side, seconds: float) -> str:
    return f"{side['texts'] / seconds:,.0f}"


def _measured(directory: Path, given: Path, options: argparse.Namespace) -> list[Side]:
    import torch

    model = model_folder(given, directory)
    sides = []
    if torch.cuda.is_available():
        sides.append(_side(directory / "gpu", model, options.documents, {}))
    else:
        print("no GPU here: the processor only", file=sys.stderr)
    # An empty list of devices is what PyTorch takes for none.
    sides.append(_side(directory / "cpu", model, options.fewer, {"CUDA_VISIBLE_DEVICES": ""}))
    return sides


def _side(directory: Path, model: Path, documents: int, more: Mapping[str, str]) -> Side:
    """Embed that many documents twice: with the command, and with a loaded model."""
    sdd = _prepared(directory, model, documents, more)
    print(f"measuring {directory.name} …", file=sys.stderr, flush=True)
    done = sdd.embed()
    sdd.forget_vectors()
    command = (sys.executable, "-m", "benchmarks.gpu.side", str(model))
    lines = finished(command, sdd.root, {**sdd.environ, "PYTHONPATH": str(_ROOT)}).splitlines()
    found = {**json.loads(lines[-1]), "command": done.seconds}
    if embedded(done) != found["texts"] or found["chunks"] != found["texts"]:
        raise ProcessFailed(f"sdd did not embed {found['texts']:,} texts: {done.output[-300:]}")
    return found


def _prepared(directory: Path, model: Path, documents: int, more: Mapping[str, str]) -> Sdd:
    """A repository of records of prose, indexed, whose model is that folder."""
    home = directory / "home"
    (home / "llm").mkdir(parents=True)
    registered = json.dumps([{"name": str(model)}])
    (home / "llm/sentence-transformers.json").write_text(registered, encoding="utf-8")
    libraries = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    own = {"LLM_USER_PATH": str(home / "llm"), **libraries, **_OFFLINE, **more}
    sdd = Sdd(directory / "prose", environment(home))
    create_repository(sdd.root, documents, sdd.environ, prose())
    (sdd.root / "CLAUDE.md").write_text(_CONFIGURATION.format(model=model), encoding="utf-8")
    sdd = replace(sdd, environ={**sdd.environ, **own})
    sdd.first_index()
    return sdd


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

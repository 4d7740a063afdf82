"""Where qmd's models run on this machine: asked once, then remembered, then learnt from embeds."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Device"

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.output import parse_device
from sdd_hooks.engines.qmd.process import Place, run
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system.user_cache import read_cached, write_cached

FACTS = "qmd-device"

DEVICES = frozenset({"cpu", "cuda", "metal", "vulkan", "gpu"})

_PROBING = 30.0
"""Seconds that `qmd doctor` may take until it has looked at the device: 1.5 on a warm machine."""

# With them a person chooses the device for qmd.
_CHOICES = ("QMD_FORCE_CPU", "QMD_LLAMA_GPU")


class _Told(Exception):
    """`qmd doctor` has said it: the rest, which loads models, is not waited for."""


def device(qmd: Installation, environ: Mapping[str, str], place: Place) -> str:
    """Where qmd runs its models: `cpu`, `cuda`, `metal`, `vulkan`, or `gpu` for one not told.

    Remembered by the command, its version and what the environment chooses; else `qmd doctor` is
    asked. When that cannot tell, it is `cpu`, and the next time asks again.
    """
    known = read_cached(FACTS, environ)
    if known.get("of") == _of(qmd, environ) and known.get("device") in DEVICES:
        return str(known["device"])
    found = _probe(qmd, environ, place)
    if found is not None:
        _remember(qmd, environ, found)
    return found or "cpu"


def learn(qmd: Installation, environ: Mapping[str, str], device: str) -> None:
    """Remember where an embed really ran: `cpu`, or `gpu` for any other. Anything else is ignored.

    A driver that was installed, or broke, since the last time shows there first.
    """
    known = read_cached(FACTS, environ)
    before = str(known.get("device")) if known.get("of") == _of(qmd, environ) else ""
    same = (before == "cpu") == (device == "cpu")
    if device in DEVICES and not (before in DEVICES and same):
        _remember(qmd, environ, device)


def _of(qmd: Installation, environ: Mapping[str, str]) -> list[object]:
    return [qmd.command, list(qmd.version), *(environ.get(name, "") for name in _CHOICES)]


def _remember(qmd: Installation, environ: Mapping[str, str], found: str) -> None:
    write_cached(FACTS, {"of": _of(qmd, environ), "device": found}, environ)


def _probe(qmd: Installation, environ: Mapping[str, str], place: Place) -> str | None:
    from tempfile import TemporaryDirectory

    def listen(line: str) -> None:
        told = parse_device(line)
        if told is not None:
            raise _Told(told)

    # An index of its own: with one that has vectors, `doctor` loads the model.
    with TemporaryDirectory(prefix="sdd-") as empty:
        try:
            run(
                qmd,
                Place(place.root, Path(empty)),
                "doctor",
                deadline=_PROBING,
                environ=environ,
                on_line=listen,
            )
        except _Told as told:
            return str(told)
        except EngineUnavailable:
            return None
    return None

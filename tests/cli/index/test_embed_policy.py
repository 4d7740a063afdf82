"""`sdd index embed`: its output in each mode."""

from __future__ import annotations

import json
import re

import pytest

from sdd_hooks.embedding.rates import NAME, RateKey, record_rate
from tests.cli.commands import on_terminal, one_line
from tests.support.embedding import CHUNKS, GatedRepo

KEYS = {
    "schema_version",
    "mode",
    "device",
    "model",
    "pulled",
    "pending",
    "embedded",
    "failed",
    "remaining",
    "seconds",
    "estimate",
    "pid",
    "log",
    "notes",
    "warnings",
}


def test_on_a_cpu_the_embed_runs_in_the_background(gated: GatedRepo) -> None:
    done = gated.sdd("index", "embed")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "device: cpu (model llm:gated)",
        f"embedding {CHUNKS} chunks in the background, log: {gated.log}",
        "see how far it is with `sdd index status`, end it with `sdd index embed --stop`",
    ]


def test_the_estimate_is_shown_once_the_rate_was_measured(gated: GatedRepo) -> None:
    record_rate(RateKey("embedded", "llm:gated", "cpu"), 100, 100 * 60.0, gated.environ)
    done = gated.sdd("index", "embed")
    assert done.out.splitlines()[1] == (
        f"embedding {CHUNKS} chunks in the background, about {CHUNKS} minutes, log: {gated.log}"
    )
    assert gated.sdd("index", "embed", "--json").json["estimate"] is None
    assert gated.status()["embed"]["running"]["left"] == CHUNKS * 60
    status = gated.sdd("index", "status").out
    assert f"0 of {CHUNKS} chunks, about {CHUNKS} minutes left, for " in status


def test_every_mode_has_the_same_keys(gated: GatedRepo) -> None:
    skip = gated.sdd("index", "embed", "--skip", "--json").json
    background = gated.sdd("index", "embed", "--json").json
    running = gated.sdd("index", "embed", "--json").json
    stopped = gated.sdd("index", "embed", "--stop", "--json").json
    gated.gate.remove()
    foreground = gated.sdd("index", "embed", "--foreground", "--json").json
    nothing = gated.sdd("index", "embed", "--json").json
    every = (skip, background, running, stopped, foreground, nothing)
    assert [set(one) for one in every] == [KEYS] * 6
    modes = ["skip", "background", "running", "stop", "foreground", "none"]
    assert [one["mode"] for one in every] == modes
    assert background["pid"] == running["pid"] == stopped["pid"]
    assert (background["device"], background["pending"]) == ("cpu", CHUNKS)
    assert (foreground["embedded"], foreground["remaining"], foreground["failed"]) == (CHUNKS, 0, 0)
    assert (foreground["pid"], foreground["log"]) == (None, None)
    assert (nothing["device"], nothing["pending"]) == (None, 0)


def test_skip_embeds_nothing_with_a_message(gated: GatedRepo) -> None:
    """Scenario "An embed that is skipped" of SPEC-0003."""
    assert gated.sdd("index", "embed", "--skip") == (0, "Embed skipped per --skip flag\n", "")
    assert gated.running is None
    assert not (gated.repo.root / ".sdd/search/embed.json").exists()


@pytest.mark.parametrize(
    "options", [("--skip", "--stop"), ("--foreground", "--skip"), ("--stop", "--foreground")]
)
def test_modes_exclude_each_other(gated: GatedRepo, options: tuple[str, ...]) -> None:
    message = one_line(gated.sdd("index", "embed", *options), 2)
    assert message.startswith("choose one of --foreground, --skip and --stop: see ")


def test_without_pending_chunks_no_model_is_needed(gated: GatedRepo) -> None:
    gated.gate.remove()
    assert gated.sdd("index", "embed", "--foreground").code == 0
    before = gated.recorded()
    # Without its plug-in the model is unknown.
    done = gated.sdd("index", "embed", env={"PYTHONPATH": ""})
    assert done == (0, "nothing to embed (llm:gated)\n", "")
    assert gated.recorded() == before


def test_sdd_index_embeds_in_the_same_mode(gated: GatedRepo) -> None:
    done = gated.sdd("index")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[-3] == "device: cpu (model llm:gated)"
    assert lines[-2].startswith("embedding ")
    again = gated.sdd("index", "--json").json
    assert set(again["embed"]) == KEYS - {"schema_version", "notes", "warnings"}
    assert again["embed"]["mode"] == "running"


def test_in_ci_the_embed_runs_in_the_foreground(gated: GatedRepo) -> None:
    gated.gate.remove()
    done = gated.sdd("index", "--json", env={"CI": "true"}).json
    assert (done["embed"]["mode"], done["embed"]["remaining"]) == ("foreground", 0)


def test_sdd_index_succeeds_while_another_embed_runs(gated: GatedRepo) -> None:
    assert gated.sdd("index", "embed").code == 0
    running = gated.running
    assert running is not None
    done = gated.sdd("index", env={"CI": "true"})
    assert done.code == 0
    assert (
        f"note: not embedded: another embed of this repository is running (pid {running.pid}):"
        " run `sdd index embed` after it\n"
    ) in done.err


def test_a_finished_embed_records_its_rate(gated: GatedRepo) -> None:
    gated.gate.remove()
    texts = "".join(f"\n## Part {n}\n\nText {n}.\n" for n in range(20))
    gated.repo.commit("Long", {"docs/adrs/ADR-0009-x.md": f"# ADR-0009: Long\n{texts}"})
    assert gated.sdd("index", "update").code == 0
    assert gated.sdd("index", "embed", "--foreground").code == 0
    kept = gated.repo.root.parent / ".cache/sdd" / f"{NAME}.json"
    (rate,) = json.loads(kept.read_text()).values()
    assert 0 < rate < 10


def test_an_invalid_state_of_a_clone_is_ignored(gated: GatedRepo) -> None:
    for text in ("[]", '{"error": "\\u001b[31m"}', "\0" * 100):
        gated.repo.write(".sdd/search/embed.json", text)
        done = gated.sdd("index", "status")
        assert done.code == 0
        assert not re.search("^(embedd|pending)", done.out, re.MULTILINE)


def test_control_characters_of_a_state_are_escaped(gated: GatedRepo) -> None:
    assert gated.sdd("index", "embed").code == 0
    gated.gate.release_one()
    assert gated.sdd("index", "embed", "--stop").code == 0
    path = gated.repo.root / ".sdd/search/embed.json"
    path.write_text(json.dumps({**gated.recorded(), "error": "a\x1b[31m\nb"}))
    done = gated.sdd("index", "status")
    assert "\x1b" not in done.out
    assert "\\u001b[31m b" in done.out


@pytest.fixture
def hostile(gated: GatedRepo) -> GatedRepo:
    """The same repository, whose memory file names a model of a service."""
    memory = gated.repo.root / "CLAUDE.md"
    memory.write_text(memory.read_text().replace("gated", "llm:elsewhere"))
    gated.environ.update({"SDD_REMOTE_MODELS": "", "XDG_CONFIG_HOME": f"{gated.environ['HOME']}/c"})
    gated.gate.remove()
    return gated


def test_a_model_of_a_service_that_only_the_repository_names_gets_no_text(
    hostile: GatedRepo,
) -> None:
    message = one_line(hostile.sdd("index", "embed"), 6)
    assert message.startswith("llm:elsewhere sends texts to a service with your key, and only")
    searched = hostile.sdd("search", "number")
    assert searched.code == 0
    allowed = hostile.sdd("index", "embed", env={"SDD_REMOTE_MODELS": "elsewhere"})
    assert allowed.out.startswith("device: remote (model llm:elsewhere)\nembedded 3 chunks")
    searched = hostile.sdd("search", "number")
    assert "searched by words only: llm:elsewhere sends texts" in searched.err


def test_index_asks_for_a_model_of_a_service_too(hostile: GatedRepo) -> None:
    def index(answer: str) -> tuple[int, str]:
        return on_terminal(hostile.repo.root, answer, "index", env=hostile.environ)

    question = "Send texts of this repository to the service of llm:elsewhere, with your key?"
    code, text = index("n")
    assert (code, question in text, "not embedded: llm:elsewhere" in text) == (0, True, True)
    assert question not in hostile.sdd("index").err
    code, text = index("y")
    assert (code, question in text, "embedded 3 chunks" in text) == (0, True, True)
    assert question not in index("n")[1]


def test_a_model_of_a_service_is_confirmed_once_on_a_terminal(hostile: GatedRepo) -> None:
    def embed(answer: str) -> tuple[int, str]:
        return on_terminal(hostile.repo.root, answer, "index", "embed", env=hostile.environ)

    code, text = embed("n")
    assert code == 6
    assert "Send texts of this repository to the service of llm:elsewhere, with your key?" in text
    code, text = embed("y")
    assert code == 0
    assert "embedded 3 chunks" in text
    assert "Send texts" not in embed("n")[1]
    assert "words only" not in hostile.sdd("search", "number").err

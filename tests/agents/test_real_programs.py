"""The real programs run the hooks, and hand their text to the model.

The model is on loopback: no test needs a network or a key.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from sdd_hooks.agents.install import plan_install
from sdd_hooks.agents.programs import PROGRAMS
from sdd_hooks.system.file_edits import apply_edits
from tests.agents.support import FILES, SENTENCE, prepared
from tests.cli.commands import SCRIPTS
from tests.support.agent_model import AFTER, AgentModel, serve
from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT

ROOT = Path(__file__).resolve().parents[2]
STORE = "src/outbox/store.py"
PROMPT = "Change x in the outbox store"
DRIVER = ROOT / "tests/support/cursor_hooks.cjs"


def installed(name, place="node_modules/.bin"):
    """The program, as `scripts/install-agents` installs it; skips the test without it."""
    named = os.environ.get("SDD_AGENTS")
    directory = Path(named) if named else ROOT / ".cache/agents"
    program = directory / place / name
    if named == "" or not program.exists():
        pytest.skip(f"needs the real {name}: scripts/install-agents .cache/agents")
    return directory, str(program)


def codex(program, home, url, root):
    """The arguments and the variables with which codex uses the model."""
    (home / "config.toml").write_text(
        'model = "gpt-5.6-sol"\nmodel_provider = "loopback"\n[model_providers.loopback]\n'
        f'name = "loopback"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
        f'[projects."{root}"]\ntrust_level = "trusted"\n'
    )
    options = ["--dangerously-bypass-hook-trust", "--sandbox", "danger-full-access"]
    return [program, "exec", *options, PROMPT], {"CODEX_HOME": str(home), "KEY": "x"}


def claude(program, _home, url, _root):
    """Those of Claude Code."""
    variables = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return [program, "-p", PROMPT, "--permission-mode", "acceptEdits"], variables


def copilot(program, _home, url, _root):
    """Those of Copilot's program."""
    variables = {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "gpt-4",
        "COPILOT_OFFLINE": "true",
        "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true",
    }
    return [program, "-p", PROMPT, "--allow-all-tools"], variables


def opencode(program, home, url, _root):
    """Those of opencode."""
    model = {"name": "m", "tool_call": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "x"},
        "models": {"m": model},
    }
    settings = {"provider": {"loopback": provider}, "model": "loopback/m", "autoupdate": False}
    (home / "opencode.json").write_text(json.dumps(settings))
    variables = {
        "OPENCODE_CONFIG": str(home / "opencode.json"),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }
    return [program, "run", PROMPT], variables


RUNS = {"claude": claude, "codex": codex, "copilot": copilot, "opencode": opencode}


@pytest.mark.parametrize("name", RUNS)
def test_the_model_is_told_the_sentence_that_decides(name, repo, tmp_path):
    directory, program = installed(name)
    prepared(repo, FILES)
    apply_edits(repo.root, plan_install(repo.root, [PROGRAMS[name]], prime=False))
    home = tmp_path / "home"
    home.mkdir()
    model = AgentModel(str(repo.root / STORE), STORE)
    with serve(model):
        command, variables = RUNS[name](program, home, model.url, repo.root)
        path = os.pathsep.join([str(SCRIPTS), str(directory / "bin"), os.environ["PATH"]])
        done = subprocess.run(
            command,
            cwd=repo.root,
            # opencode works where PWD says.
            env={**os.environ, "HOME": str(home), "PATH": path, "PWD": str(repo.root), **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert SENTENCE in model.seen()
    assert "docs/adrs/ADR-0011-outbox.md:13" in model.seen()
    assert model.seen().count(SENTENCE) == 1
    log = repo.root / ".git/sdd/agents/hooks.log"
    assert not log.exists(), log.read_text()
    if name != "copilot":
        assert AFTER in (repo.root / STORE).read_text()


def test_cursor_runs_the_hooks_and_accepts_what_they_say(repo, tmp_path):
    """Cursor's agent has an account; the part of it that runs hooks is in its package."""
    directory, package = installed("@cursor/sdk", "node_modules")
    prepared(repo, FILES)
    apply_edits(repo.root, plan_install(repo.root, [PROGRAMS["cursor"]], prime=True))
    # Cursor runs hooks in a login shell.
    (tmp_path / ".profile").write_text(f'PATH="{SCRIPTS}:$PATH"\n')
    agent = {"conversation_id": "c-1", "generation_id": "g-1", "model": "m"}

    def tool(name, path, **arguments):
        call = {"tool_name": name, "tool_input": {"file_path": str(repo.root / path), **arguments}}
        done = {"tool_output": "{}", "duration": 12, "tool_use_id": "t", "cwd": str(repo.root)}
        return ["postToolUse", {**agent, **call, **done}]

    steps = [
        ["sessionStart", {**agent, "is_background_agent": False}],
        ["beforeSubmitPrompt", {**agent, "prompt": PROMPT, "attachments": []}],
        tool("Read", "src/other.py"),
        tool("Read", STORE),
        tool("Write", STORE, content="import requests\n"),
    ]
    repo.write(STORE, "# Governing: ADR-0011 (why)\nimport requests\n")
    done = run_program(
        directory / "bin/node",
        DRIVER,
        Path(package) / "dist/cjs",
        repo.root,
        env={**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"},
        timeout=TIMEOUT,
        input=json.dumps(steps),
    )
    start, prompt, other, read, written = map(json.loads, done.stdout.splitlines())
    assert "ADR-0011" in start["additional_context"]
    assert prompt == {"continue": True}
    # Cursor reports a hook without output as one that failed.
    assert other == {}
    assert SENTENCE in read["additional_context"]
    assert "ADR-0011 forbids the import of requests" in written["additional_context"]

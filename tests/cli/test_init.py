import os

import pytest

from sdd_hooks.artifacts.work_tree import WOULD_BE_ONE
from sdd_hooks.githooks.shims import EVENTS as HOOKS
from tests.cli.commands import FILES, SCRIPTS, on_terminal, run
from tests.cli.test_errors import tree

KNOWLEDGE = "created .sdd/knowledge/index.json"
FIRST = 'next: sdd adr "Title of the first decision"'
NONE_FOUND = (
    "no decisions or specifications found: sdd recognises the first when it is written:"
    f" {WOULD_BE_ONE}"
)
FOUND = "found 1 decision in docs/adrs/, 1 specification in docs/openspec/specs/"


def everything(root):
    """Every file below `root`, those of git included, with its content and mode.

    The cache of the recognised directories is left out.
    """
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.match(".git/sdd/folders")
    }


def test_a_fresh_repository(repo):
    done = run(repo.root, "init", "--yes", "--no-hooks")
    assert done.code == 0
    assert (
        done.out == f"created .gitignore\ncreated CLAUDE.md\n{KNOWLEDGE}\n{NONE_FOUND}\n{FIRST}\n"
    )
    text = (repo.root / "CLAUDE.md").read_text()
    assert "## Architecture Context" in text
    assert "docs/" not in text
    assert set(tree(repo.root)) == {".gitignore", "CLAUDE.md", ".sdd/knowledge/index.json"}
    assert not (repo.root / ".git/hooks/post-commit").exists()


def test_a_second_time_changes_nothing(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "init", "--yes").code == 0
    before = everything(repo.root)
    expected = f"nothing to change\n{FOUND}\nnext: sdd index\n"
    assert run(repo.root, "init", "--yes").out == expected
    assert run(repo.root, "init").out == expected
    assert everything(repo.root) == before


def test_hooks_are_installed_away_from_a_terminal(repo):
    done = run(repo.root, "init")
    assert done.code == 0
    for name in HOOKS:
        hook = repo.root / ".git/hooks" / name
        assert os.access(hook, os.X_OK)
        assert str(SCRIPTS / "sdd") in hook.read_text()


def test_json_lists_the_changes(repo):
    done = run(repo.root, "init", "--json").json
    assert done["changes"] == [
        {"path": ".gitignore", "action": "create"},
        {"path": "CLAUDE.md", "action": "create"},
        {"path": ".sdd/knowledge/index.json", "action": "create"},
    ]
    assert [hook["event"] for hook in done["hooks"]["hooks"] if hook["changed"]] == list(HOOKS)
    again = run(repo.root, "init", "--json").json
    assert again["changes"] == []
    assert not any(hook["changed"] for hook in again["hooks"]["hooks"])


def test_found_directories_are_declared_and_counted(repo):
    place = "docs/references/architecture"
    repo.commit(files={f"{place}/adr-1{n:02}-x.md": f"# ADR-1{n:02}: X\n" for n in range(94)})
    repo.write("docs/adr-001-x.md", "# ADR-001: Y\n")
    done = run(repo.root, "init", "--no-hooks", "--json").json
    assert done["found"] == [
        {"kind": "adrs", "directory": place, "count": 94},
        {"kind": "adrs", "directory": "docs", "count": 1},
    ]
    text = (repo.root / "CLAUDE.md").read_text()
    assert f"- Architecture Decision Records are in `{place}/`\n" in text
    assert "Specifications are in" not in text
    assert "`docs/`" not in text
    out = run(repo.root, "init", "--no-hooks").out
    assert f"found 94 decisions in {place}/, 1 decision in docs/\n" in out
    repo.write("openspec/specs/auth/spec.md", "# SPEC-0001: Auth\n")
    assert run(repo.root, "init", "--no-hooks").out.startswith("changed CLAUDE.md\n")
    assert "Specifications are in `openspec/specs/`" in (repo.root / "CLAUDE.md").read_text()


def test_a_subdirectory_sets_up_the_whole_repository(repo):
    repo.write("docs/x.md", "")
    assert run(repo.root / "docs", "init", "--no-hooks").code == 0
    assert (repo.root / "CLAUDE.md").exists()
    assert not (repo.root / "docs/CLAUDE.md").exists()


def test_a_shared_hooks_folder_is_a_warning(repo, tmp_path):
    (tmp_path / "hooks").mkdir()
    repo.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    done = run(repo.root, "init")
    assert done.code == 0
    assert f"warning: no hooks installed: core.hooksPath is {tmp_path}/hooks" in done.err
    assert list((tmp_path / "hooks").iterdir()) == []


def test_notes_and_warnings_are_printed(repo):
    repo.write(".claude-plugin-design.json", '{"tracker": "github"}')
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Colour**: red\n")
    done = run(repo.root, "init", "--no-hooks")
    assert done.code == 0
    assert "note: the settings in .claude-plugin-design.json belong in CLAUDE.md now" in done.err
    assert "warning: CLAUDE.md:5: unknown key" in done.err


def test_a_terminal_shows_every_change_and_prompts(repo):
    repo.write(".gitignore", "dist/\n")
    code, out = on_terminal(repo.root, "yn", "init")
    assert code == 0
    assert "change .gitignore\n    @@ -1 +1,2 @@\n     dist/\n    +.sdd/\n" in out
    assert "create CLAUDE.md\n" in out
    assert "Install the git hooks?" in out
    assert (repo.root / ".gitignore").read_text() == "dist/\n.sdd/\n"
    assert not (repo.root / ".git/hooks/post-commit").exists()
    code, out = on_terminal(repo.root, "y", "init")
    assert "Go ahead?" not in out
    assert (repo.root / ".git/hooks/post-commit").exists()
    code, out = on_terminal(repo.root, "", "init")
    assert (code, out.splitlines()[:3]) == (0, ["nothing to change", NONE_FOUND, FIRST])


def test_the_answer_no_changes_nothing(repo):
    before = everything(repo.root)
    code, out = on_terminal(repo.root, "n", "init")
    assert (code, out.splitlines()[-1]) == (0, "nothing changed")
    assert everything(repo.root) == before


@pytest.mark.parametrize("answers", ["\x03", "\x04"])
def test_an_aborted_prompt_changes_nothing(repo, answers):
    before = everything(repo.root)
    code, out = on_terminal(repo.root, answers, "init")
    assert (code, out.splitlines()[-1]) == (130, "sdd: interrupted")
    assert everything(repo.root) == before


def test_a_model_that_will_be_downloaded_is_announced(repo):
    pytest.importorskip("huggingface_hub", reason="needs the local extra")
    model = "the model Xenova/all-MiniLM-L6-v2"
    note = f"note: the first `sdd index embed` downloads {model}, once\n"
    assert run(repo.root, "init", "--no-hooks").err == note
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Embed Model**: ./model\n")
    assert run(repo.root, "init", "--no-hooks").err == ""

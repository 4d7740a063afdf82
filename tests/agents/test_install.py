"""The hooks are installed in a repository, and removed, with `sdd agent`."""

import json
import shutil
import subprocess

import pytest

from sdd_hooks.agents.install import plan_install, plan_uninstall
from sdd_hooks.agents.programs import PROGRAMS, detect_programs, hook_command, opencode_plugin
from sdd_hooks.system.file_edits import FileNotEditable, apply_edits
from sdd_hooks.system.files import PathRefused
from tests.agents.support import FILES
from tests.cli.commands import run
from tests.support.programs import run_program


def tree(root):
    """The files of a directory, without those of git."""
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts[:-1])
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in files
        if not path.relative_to(root).as_posix().startswith(".git/")
    }


USERS = {
    **FILES,
    "AGENTS.md": "# Rules\r\n\r\nBe kind.",
    ".claude/settings.json": '{"permissions": {"allow": ["Bash(ls)"]},\n\t"hooks": {"Stop": []}}',
    ".codex/hooks.json": '\ufeff{\n    "hooks": {\n        "PreToolUse": []\n    }\n}\n',
    ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {}\n}\n',
}


def test_install_and_uninstall_leave_everything_as_it_was(repo):
    repo.commit("Start", USERS)
    before = tree(repo.root)
    programs = list(PROGRAMS.values())
    apply_edits(repo.root, plan_install(repo.root, programs, prime=False))
    installed = tree(repo.root)
    assert set(installed) - set(before) == {".github/hooks/sdd.json", ".opencode/plugins/sdd.js"}
    assert plan_install(repo.root, programs, prime=False) == []
    for path in (".claude/settings.json", ".cursor/hooks.json"):
        assert "sdd agent hook" in installed[path].decode()
    apply_edits(repo.root, plan_uninstall(repo.root, programs))
    assert tree(repo.root) == before
    assert plan_uninstall(repo.root, programs) == []


def test_the_section_stays_while_another_program_needs_it(repo):
    """Scenario "Two programs" of SPEC-0002."""
    codex, opencode = PROGRAMS["codex"], PROGRAMS["opencode"]
    apply_edits(repo.root, plan_install(repo.root, [codex, opencode], prime=False))
    apply_edits(repo.root, plan_uninstall(repo.root, [codex]))
    assert set(tree(repo.root)) == {".opencode/plugins/sdd.js", "AGENTS.md"}
    apply_edits(repo.root, plan_uninstall(repo.root, [opencode]))
    assert tree(repo.root) == {}


def test_prime_is_an_option_of_the_start_of_a_session(repo):
    programs = [PROGRAMS[name] for name in ("claude", "opencode")]
    apply_edits(repo.root, plan_install(repo.root, programs, prime=True))
    settings = json.loads((repo.root / ".claude/settings.json").read_text())
    (start,) = settings["hooks"]["SessionStart"]
    assert start["hooks"][0]["command"].endswith("sdd agent hook claude session --prime")
    assert "const PRIME = true" in (repo.root / ".opencode/plugins/sdd.js").read_text()
    # Installed again without it, it is gone.
    apply_edits(repo.root, plan_install(repo.root, programs, prime=False))
    assert "--prime" not in (repo.root / ".claude/settings.json").read_text()


def test_a_memory_file_that_is_a_link_is_edited_where_it_leads(repo):
    repo.write("CLAUDE.md", "# A\n")
    (repo.root / "AGENTS.md").symlink_to("CLAUDE.md")
    programs = [PROGRAMS["claude"], PROGRAMS["codex"]]
    apply_edits(repo.root, plan_install(repo.root, programs, prime=False))
    text = (repo.root / "CLAUDE.md").read_text()
    assert text.count("## Decisions and specifications") == 1
    apply_edits(repo.root, plan_uninstall(repo.root, programs))
    assert (repo.root / "CLAUDE.md").read_text() == "# A\n"
    assert (repo.root / "AGENTS.md").is_symlink()


def test_a_link_out_of_the_repository_is_refused(repo, tmp_path):
    (repo.root / ".claude").symlink_to(tmp_path)
    with pytest.raises(PathRefused):
        apply_edits(repo.root, plan_install(repo.root, [PROGRAMS["claude"]], prime=False))
    assert not (tmp_path / "settings.json").exists()


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (".claude/settings.json", b"{", ".claude/settings.json: Expecting"),
        (".claude/settings.json", b'{"hooks": 1}', '.claude/settings.json: "hooks" is no object'),
        (".claude/settings.json", b"\xff", ".claude/settings.json: not UTF-8"),
        ("CLAUDE.md", b"\xff", "CLAUDE.md: not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_extended_is_refused(repo, path, text, reason):
    (repo.root / ".claude").mkdir()
    (repo.root / path).write_bytes(text)
    with pytest.raises(FileNotEditable, match=reason):
        plan_install(repo.root, [PROGRAMS["claude"]], prime=False)


def test_a_plug_in_of_another_author_is_refused(repo):
    repo.write(".opencode/plugins/sdd.js", "export const x = 1\n")
    with pytest.raises(FileNotEditable, match="another plug-in has this name"):
        plan_install(repo.root, [PROGRAMS["opencode"]], prime=False)
    assert plan_uninstall(repo.root, [PROGRAMS["opencode"]]) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_detected_by_its_files(repo, name):
    assert detect_programs(repo.root) == []
    (repo.root / PROGRAMS[name].signs[0]).parent.mkdir(parents=True, exist_ok=True)
    repo.write(f"{PROGRAMS[name].signs[0]}", "")
    assert [one.name for one in detect_programs(repo.root)] == [name]


def test_without_sdd_an_installed_hook_does_nothing(tmp_path):
    command = hook_command("claude", "before")
    done = subprocess.run(["/bin/sh", "-c", command], env={"PATH": str(tmp_path)}, check=True)
    assert done.returncode == 0


@pytest.mark.skipif(not shutil.which("node"), reason="no Node here")
def test_the_plug_in_of_opencode_is_a_module(tmp_path):
    (tmp_path / "sdd.mjs").write_text(opencode_plugin(prime=True))
    check = (
        "import('./sdd.mjs').then(async (m) => { const hooks = await m.SddPlugin({directory: '.'});"
        " console.log(Object.keys(hooks).sort().join(' ')) })"
    )
    done = run_program("node", "-e", check, cwd=tmp_path)
    assert done.stdout.split() == [
        "chat.message",
        "event",
        "experimental.chat.system.transform",
        "tool.execute.after",
        "tool.execute.before",
    ]


def test_the_command_shows_its_changes_and_makes_them(repo):
    repo.commit("Start", FILES)
    before = tree(repo.root)
    shown = run(repo.root, "agent", "install", "--dry-run", "claude")
    assert shown.code == 0
    assert "create .claude/settings.json" in shown.out
    assert "+## Decisions and specifications" in shown.out
    assert tree(repo.root) == before
    # CLAUDE.md is a sign of claude.
    done = run(repo.root, "agent", "install", "--json")
    assert json.loads(done.out)["programs"] == ["claude"]
    assert (repo.root / ".git/sdd/agents/table").is_file()
    assert run(repo.root, "agent", "install").out == "nothing to change\n"
    assert run(repo.root, "agent", "uninstall").out.splitlines() == [
        "deleted .claude/settings.json",
        "changed CLAUDE.md",
    ]
    assert tree(repo.root) == before
    assert not (repo.root / ".claude").exists()


def test_without_a_program_the_user_names_one(repo):
    repo.commit("Start", {"a.txt": "a\n"})
    done = run(repo.root, "agent", "install")
    assert done.code == 2
    assert done.err.startswith("sdd: no files of a coding agent here: name the program, one of")

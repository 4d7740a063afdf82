import pytest

from sdd_hooks.errors import ConfigurationError
from sdd_hooks.setup.file_edits import apply
from sdd_hooks.setup.plan import plan
from sdd_hooks.system.files import PathRefused


def set_up(repo):
    """What a set-up does to the repository; a second one must find nothing to do."""
    planned = plan(repo.project())
    apply(planned.changes)
    assert plan(repo.project()).changes == ()
    return {change.name: change.action for change in planned.changes}


def test_an_empty_repository_gets_two_files(repo):
    assert set_up(repo) == {".gitignore": "create", "CLAUDE.md": "create"}
    project = repo.project()
    assert project.configuration.memory_file == repo.root / "CLAUDE.md"
    assert project.warnings == ()
    assert project.configuration.warnings == ()


def test_what_is_written_declares_what_was_found(repo):
    repo.write("doc/adr/0001-x.md", "# 1. X\n")
    before = repo.project()
    assert before.select(("adrs",))[0].directories == ("doc/adr",)
    set_up(repo)
    assert "are in `doc/adr/`" in (repo.root / "CLAUDE.md").read_text()
    assert repo.project().collections == before.collections


def test_several_declared_directories_stay_as_they_are(repo):
    text = "## Architecture Context\n\n" + "".join(
        f"- Architecture Decision Records are in `{d}/`\n" for d in ("docs/adr", "app/decisions")
    )
    repo.write("CLAUDE.md", text)
    assert set_up(repo) == {".gitignore": "create", "CLAUDE.md": "change"}
    assert (repo.root / "CLAUDE.md").read_text().startswith(text)
    adrs = repo.project().select(("adrs",))[0]
    assert adrs.directories == ("docs/adr", "app/decisions")


def test_another_memory_file_is_used_when_it_is_the_one_there_is(repo):
    repo.write("AGENTS.md", "# Agents\n")
    assert set_up(repo) == {".gitignore": "create", "AGENTS.md": "change"}
    repo.write("CLAUDE.md", "# Claude\n")
    assert plan(repo.project()).changes == ()


def test_a_link_between_memory_files_stays_a_link(repo):
    repo.write("AGENTS.md", "# Agents\n")
    repo.link("CLAUDE.md", "AGENTS.md")
    assert set_up(repo) == {".gitignore": "create", "AGENTS.md": "change"}
    assert (repo.root / "CLAUDE.md").is_symlink()


def test_no_link_leads_out_of_the_repository(repo, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("# Mine\n")
    repo.link("CLAUDE.md", outside)
    with pytest.raises(PathRefused, match=r"CLAUDE\.md"):
        plan(repo.project())
    assert outside.read_text() == "# Mine\n"


def test_a_linked_gitignore_is_refused_as_git_does(repo):
    repo.write("ignore", "")
    repo.link(".gitignore", "ignore")
    with pytest.raises(ConfigurationError, match="a symlink, which git does not read"):
        plan(repo.project())


def test_the_old_json_is_migrated_and_named(repo):
    json = '{"tracker": "gitea", "branches": {"prefix": "task"}, "colour": "red"}'
    repo.write(".claude-plugin-design.json", json)
    planned = plan(repo.project())
    assert planned.notes == (
        "the settings in .claude-plugin-design.json belong in CLAUDE.md now: remove the file",
        "not migrated, as nothing reads it: colour",
    )
    set_up(repo)
    configuration = repo.project().configuration
    assert (configuration.tracker.type, configuration.branches.prefix) == ("gitea", "task")


def test_old_headings_that_remain_are_named(repo):
    set_up(repo)
    path = repo.root / "CLAUDE.md"
    path.write_text(path.read_text() + "\n### Design Plugin Configuration\n")
    (note,) = plan(repo.project()).notes
    assert note.startswith("CLAUDE.md has `Design Plugin Configuration` beside its new form")

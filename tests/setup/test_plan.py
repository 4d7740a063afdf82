import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import ConfigurationError
from sdd_hooks.setup.plan import add_ignore_entry, plan_setup
from sdd_hooks.system.file_edits import apply_edits
from sdd_hooks.system.files import PathRefused


def set_up(repo):
    """Set the repository up. Returns the actions by file; a second set-up must have none."""
    planned = plan_setup(repo.project())
    apply_edits(repo.root, planned.edits)
    assert plan_setup(repo.project()).edits == ()
    return {edit.path: edit.action for edit in planned.edits}


def test_an_empty_repository_gets_two_files(repo):
    assert set_up(repo) == {".gitignore": "create", "CLAUDE.md": "create"}
    project = repo.project()
    assert project.configuration.memory_file == repo.root / "CLAUDE.md"
    assert project.warnings == ()
    assert project.configuration.warnings == ()


def test_found_directories_are_declared(repo):
    repo.write("doc/adr/0001-x.md", "# 1. X\n")
    before = repo.project()
    assert before.select(("adrs",))[0].directories == ("doc/adr",)
    set_up(repo)
    assert "are in `doc/adr/`" in (repo.root / "CLAUDE.md").read_text()
    assert repo.project().collections == before.collections


def test_several_declared_directories_stay_unchanged(repo):
    text = "## Architecture Context\n\n" + "".join(
        f"- Architecture Decision Records are in `{d}/`\n" for d in ("docs/adr", "app/decisions")
    )
    repo.write("CLAUDE.md", text)
    assert set_up(repo) == {".gitignore": "create", "CLAUDE.md": "change"}
    assert (repo.root / "CLAUDE.md").read_text().startswith(text)
    adrs = repo.project().select(("adrs",))[0]
    assert adrs.directories == ("docs/adr", "app/decisions")


def test_an_existing_memory_file_of_another_name_is_used(repo):
    repo.write("AGENTS.md", "# Agents\n")
    assert set_up(repo) == {".gitignore": "create", "AGENTS.md": "change"}
    repo.write("CLAUDE.md", "# Claude\n")
    assert plan_setup(repo.project()).edits == ()


def test_a_link_between_memory_files_stays_a_link(repo):
    repo.write("AGENTS.md", "# Agents\n")
    repo.link("CLAUDE.md", "AGENTS.md")
    assert set_up(repo) == {".gitignore": "create", "AGENTS.md": "change"}
    assert (repo.root / "CLAUDE.md").is_symlink()


def test_a_link_out_of_the_repository_is_refused(repo, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("# Mine\n")
    repo.link("CLAUDE.md", outside)
    with pytest.raises(PathRefused, match=r"CLAUDE\.md"):
        plan_setup(repo.project())
    assert outside.read_text() == "# Mine\n"


def test_a_symlinked_gitignore_is_refused(repo):
    repo.write("ignore", "")
    repo.link(".gitignore", "ignore")
    with pytest.raises(ConfigurationError, match="a symlink, which git does not read"):
        plan_setup(repo.project())


def test_legacy_settings_are_migrated_and_reported(repo):
    json = '{"tracker": "gitea", "branches": {"prefix": "task"}, "colour": "red"}'
    repo.write(".claude-plugin-design.json", json)
    planned = plan_setup(repo.project())
    assert planned.notes == (
        "the settings in .claude-plugin-design.json belong in CLAUDE.md now: remove the file",
        "not migrated, as nothing reads it: colour",
    )
    set_up(repo)
    configuration = repo.project().configuration
    assert (configuration.tracker.type, configuration.branches.prefix) == ("gitea", "task")


def test_remaining_old_headings_are_reported(repo):
    set_up(repo)
    path = repo.root / "CLAUDE.md"
    path.write_text(path.read_text() + "\n### Design Plugin Configuration\n")
    (note,) = plan_setup(repo.project()).notes
    assert note.startswith("CLAUDE.md has `Design Plugin Configuration` beside its new form")


# .gitignore


def test_a_new_gitignore_has_only_the_entry():
    assert add_ignore_entry(None) == b".sdd/\n"


def test_an_existing_entry_is_kept():
    for entry in (b".sdd/", b"/.sdd/", b"**/.sdd/", b".sdd/  ", b".sdd/\r"):
        assert add_ignore_entry(b"node_modules/\n" + entry + b"\ndist/\n") is None
    assert add_ignore_entry(b".sdd/") is None
    assert add_ignore_entry(b"\xef\xbb\xbf.sdd/\n") is None


def test_similar_lines_are_not_the_entry():
    for line in (b"# .sdd/", b"sub/.sdd/", b"!.sdd/", b".sdd/issues/", b" .sdd/", b".sdd"):
        assert add_ignore_entry(line + b"\n") == line + b"\n.sdd/\n"


def test_a_missing_final_newline_is_added_once():
    assert add_ignore_entry(b"dist/\n") == b"dist/\n.sdd/\n"
    assert add_ignore_entry(b"dist/") == b"dist/\n.sdd/\n"
    assert add_ignore_entry(b"dist/\n\n") == b"dist/\n\n.sdd/\n"
    assert add_ignore_entry(b"") == b".sdd/\n"


def test_a_crlf_file_keeps_its_line_endings():
    assert add_ignore_entry(b"a\r\nb\r\n") == b"a\r\nb\r\n.sdd/\r\n"
    assert add_ignore_entry(b"a\r\nb") == b"a\r\nb\r\n.sdd/\r\n"


@given(st.lists(st.sampled_from([b"a", b".sdd", b".sdd/", b"\n", b"\r\n", b" ", b"#", b"\xff"])))
def test_existing_bytes_stay_and_a_second_run_changes_nothing(parts):
    before = b"".join(parts)
    after = add_ignore_entry(before)
    if after is not None:
        assert after.startswith(before)
        assert add_ignore_entry(after) is None

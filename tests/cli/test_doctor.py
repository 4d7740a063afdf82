import re
from pathlib import Path

import pytest

from sdd_hooks.setup.doctor import check_libraries
from tests.cli.commands import ADR, FILES, SCRIPTS, WORKSPACE, run
from tests.support.users import without_rights_of_root


def checks(where, **options):
    done = run(where, "doctor", "--json", **options)
    found = {check["name"]: check for check in done.json["checks"]}
    assert len(found) == len(done.json["checks"])
    return done.code, found


def levels(found):
    return {name: check["level"] for name, check in found.items() if check["level"] != "ok"}


def ready(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "init", "--yes").code == 0
    repo.commit("Set up")
    assert run(repo.root, "index", "add").code == 0


def test_every_check_of_a_complete_setup_is_ok(repo):
    ready(repo)
    code, found = checks(repo.root)
    assert code == 0
    assert levels(found) == {"vectors": "warn", "model": "warn"}
    assert found["repository"]["message"] == str(repo.root)
    assert found["freshness"]["message"] == f"at HEAD {repo.head()[:12]}"
    assert found["artifacts"]["message"] == (
        "1 decision in docs/adrs/, 1 specification in docs/openspec/specs/: no problem"
    )
    assert found["vectors"]["advice"] == "run `sdd index embed`"


def test_a_missing_package_is_a_failure_with_the_command_that_installs_it():
    check = check_libraries(["click>=8.1", "sdd-absent>=1", "sdd-extra>=1; extra == 'x'"])
    assert (check.level, check.message) == ("fail", "sdd-absent not installed")
    assert "sdd-absent" in check.advice


def test_every_failed_check_says_what_to_do(repo):
    done = run(repo.root, "doctor")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith("ok    git            2.")
    assert "warn  index          nothing is indexed: run `sdd index`" in lines
    assert "warn  set-up         .gitignore, CLAUDE.md incomplete: run `sdd init`" in lines


def test_no_record_and_a_declared_directory_without_one_are_warnings(repo):
    text = "## Architecture Context\n- Architecture Decision Records are in `docs/adrs/`\n"
    repo.commit(files={"CLAUDE.md": text, "docs/notes.md": "# Notes\n"})
    code, found = checks(repo.root)
    assert code == 0
    assert found["artifacts"]["message"] == "no decisions or specifications found"
    assert 'write the first with `sdd adr "Title"`, or declare' in found["artifacts"]["advice"]
    assert found["configuration"]["message"] == (
        "CLAUDE.md:2: 'docs/adrs/' does not exist: correct this line, or remove it"
    )
    done = run(repo.root, "list")
    assert "warning: CLAUDE.md:2: 'docs/adrs/' does not exist" in done.err


def test_no_repository_is_a_failed_check(tmp_path):
    code, found = checks(tmp_path)
    assert code == 1
    assert levels(found) == {"repository": "fail"}


def test_no_git_is_a_failed_check(repo):
    code, found = checks(repo.root, env={"PATH": "/nowhere"})
    assert code == 1
    assert found["git"]["level"] == "fail"


def test_a_bad_value_is_a_failed_check(repo):
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Vector Storage**: gold\n")
    code, found = checks(repo.root)
    assert code == 1
    assert "CLAUDE.md:5" in found["configuration"]["message"]


def test_an_unknown_key_is_a_warning(repo):
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Colour**: red\n")
    code, found = checks(repo.root)
    assert code == 0
    assert found["configuration"]["level"] == "warn"
    assert "Colour" in found["configuration"]["message"]


def test_a_warning_that_says_what_to_do_gets_no_second_advice(repo):
    advice = {}
    for text in ("- ADRs are in `docs/nowhere/`\n", "#### Serch\n\n", "#### Colour\n\n"):
        repo.write(
            "CLAUDE.md", f"{text if text[0] == '-' else ''}\n### SDD Configuration\n\n{text}"
        )
        advice[text[:6]] = checks(repo.root)[1]["configuration"]["advice"]
    assert advice == {"- ADRs": "", "#### S": "", "#### C": "correct the line"}


def test_an_unknown_engine_is_a_failed_check(repo):
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n")
    code, found = checks(repo.root)
    assert code == 1
    assert found["engine"]["message"].endswith(
        "CLAUDE.md:5: no engine is called 'abacus': choose one of embedded, postgres, qmd"
    )
    assert "index" not in found
    assert "model" not in found


def test_a_stale_index_is_a_warning(repo):
    ready(repo)
    repo.git("config", "core.hooksPath", "/dev/null")
    repo.commit("Decide", {"docs/adrs/ADR-0002-x.md": "# ADR-0002: X\n"})
    _, found = checks(repo.root)
    assert "repo-adrs is not at HEAD" in found["freshness"]["message"]
    repo.write("CLAUDE.md", "## Architecture Context\n\n- Specifications are in `specs/`\n")
    _, found = checks(repo.root)
    assert "repo-specs has a changed declaration" in found["freshness"]["message"]


def test_a_damaged_index_is_a_failed_check(repo):
    ready(repo)
    (repo.root / ".sdd/search/index.db").write_bytes(b"no database" * 500)
    code, found = checks(repo.root)
    assert code == 1
    assert found["index"]["message"].endswith("run `sdd index update`")


def test_problems_of_artifacts_are_counted(repo):
    ready(repo)
    repo.write("docs/adrs/ADR-0001-again.md", ADR)
    code, found = checks(repo.root)
    assert code == 0
    message = found["artifacts"]["message"]
    first = "docs/adrs/ADR-0001-again.md: ADR-0001 is also docs/adrs/ADR-0001-sqlite.md"
    assert message.startswith(
        "2 decisions in docs/adrs/, 1 specification in docs/openspec/specs/: 2 problems,"
        f" the first: {first}"
    )


def test_an_index_without_collections_is_a_warning(repo):
    ready(repo)
    assert run(repo.root, "index", "remove", "--yes").code == 0
    _, found = checks(repo.root)
    assert (found["index"]["level"], found["index"]["message"]) == ("warn", "nothing is indexed")


def test_indexed_collections_that_are_no_longer_declared_are_a_warning(repo):
    repo.commit("Start", {**FILES, **WORKSPACE})
    assert run(repo.root, "index", "add").code == 0
    repo.remove("CLAUDE.md")
    _, found = checks(repo.root)
    assert "repo-api-adrs is no longer declared" in found["freshness"]["message"]


def test_a_file_that_cannot_be_edited_is_a_failed_check(repo, tmp_path):
    repo.link(".gitignore", tmp_path / "elsewhere")
    code, found = checks(repo.root)
    assert code == 1
    assert "a symlink" in found["set-up"]["message"]


def test_a_tracker_that_was_never_synced_has_no_time_of_another(repo):
    repo.commit("Start", {**FILES, "docs/openspec/specs/login/tasks.md": "- [ ] 1.1 Write it\n"})
    assert run(repo.root, "issues", "sync").code == 0
    assert re.search(r"synced \d+ seconds? ago$", checks(repo.root)[1]["tracker"]["message"])
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    assert checks(repo.root)[1]["tracker"]["message"].endswith(", never synced")


@pytest.mark.parametrize("state", [".sdd", ".sdd/search", ".git/sdd"])
def test_state_that_may_not_be_read_fails_its_checks_alone(repo, state):
    ready(repo)
    (repo.root / state).chmod(0)
    program, *rest = without_rights_of_root(str(SCRIPTS / "sdd"), "doctor")
    done = run(repo.root, *rest, script=program)
    (repo.root / state).chmod(0o755)
    assert done.err == ""
    lines = [re.split(" +", line, maxsplit=2) for line in done.out.splitlines()]
    failed = [line for line in lines if line[0] == "fail"]
    assert failed
    assert all("permission" in line[2].lower() and ": check its " in line[2] for line in failed)
    assert {"git", "libraries", "artifacts", "hooks"} <= {line[1] for line in lines}


def test_a_file_in_the_place_of_the_state(repo):
    repo.commit("Start", FILES)
    Path(repo.root, ".sdd").write_text("no directory")
    assert "is not a directory: remove it" in run(repo.root, "doctor").out
    for command in (["index"], ["index", "update"], ["search", "x"], ["check"]):
        done = run(repo.root, *command)
        assert (done.code, done.err.count("\n")) == (7, 1)
        assert done.err.endswith(f"{repo.root}/.sdd is not a directory: remove it\n")

"""Input from flags, an editor and JSON; answers on a terminal; what is never deleted."""

import json
import stat

import pytest

from tests.cli.commands import FILES, on_terminal, one_line, run

LOST = "Never lost"


@pytest.fixture
def root(repo):
    (repo.root / ".sdd/knowledge").mkdir(parents=True)
    return repo.root


def editor(tmp_path, **fields):
    """An editor that sets fields of the JSON it is given."""
    script = tmp_path / "editor"
    script.write_text(
        "#!/usr/bin/env python3\nimport json, os, sys\npath = sys.argv[1]\n"
        "data = json.load(open(path))\nhead = data[0] if isinstance(data, list) else data\n"
        f"head.update({fields!r})\njson.dump(data, open(path, 'w'))\n"
        "os.utime(path, (1, 1))\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"EDITOR": str(script), "VISUAL": str(script)}


@pytest.mark.parametrize(
    ("command", "fields", "check"),
    [
        (["learn", "--json"], {"advice": "Support SSO", "tags": ["auth"]}, "sso"),
        (["pattern-save", "--json"], {"name": "Flow", "solution": "s"}, "flow"),
        (["rule-update", "--json"], {"rule": "Use UTC"}, "Use UTC"),
        (["log", "--json"], {"text": "done"}, "done"),
        (["save", "--json"], {"current_stage": "plan"}, "plan"),
        (["lookup", "--json"], {"tags": ["auth"]}, "auth"),
        (["triage", "--yes", "--json"], {"advice": "Support SSO"}, "sso"),
        (["finish", "--yes", "--json"], None, "rows"),
    ],
)
def test_fields_come_from_an_editor_or_from_json(root, tmp_path, command, fields, check):
    edited = (
        run(root, "knowledge", *command, "--edit", env=editor(tmp_path, **(fields or {})))
        if fields
        else None
    )
    source = ["-"] if command[0] == "triage" else ["--input", "-"]
    if command[0] == "triage":
        command = [command[0], "-", *command[1:]]
        source = []
    given = json.dumps(fields if fields else []).encode()
    piped = run(root, "knowledge", *command, *source, stdin=given)
    for done in filter(None, (edited, piped)):
        assert done.code == 0, done
        assert check in json.dumps(json.loads(done.out))


@pytest.mark.parametrize(
    ("command", "text", "reason"),
    [
        (["learn"], "{", "The input is no JSON"),
        (["learn"], "[]", "no JSON object"),
        (["learn"], '{"colour": 1}', "the unknown field 'colour'"),
        (["lookup"], '{"colour": 1}', "Unknown field 'colour'"),
        (["lookup"], '{"tags": 3}', "'tags' is no list of texts"),
        (["rule-update"], '{"rule": 3}', "'rule' is no text"),
        (["save"], '{"colour": 1}', "unknown field 'colour'"),
        (["delete"], '{"id": "x"}', "there is no entry 'x'"),
        (["log"], '{"event": "party", "text": "x"}', "The event is one of note"),
    ],
)
def test_other_input_is_refused(root, command, text, reason):
    done = run(root, "knowledge", *command, "--input", "-", stdin=text.encode())
    assert reason in one_line(done, 2)


def test_commands_without_content_say_what_they_need(root):
    for command, reason in (
        (["learn"], "say what to record"),
        (["triage"], "name a FILE"),
        (["lookup"], "--tags auth,jwt"),
        (["rule-update"], "the rule is empty"),
        (["save", "--tech", "Go"], "language=Python"),
        (["share", "../x"], "is outside the repository"),
    ):
        assert reason in one_line(run(root, "knowledge", *command), 2)
    assert "run `sdd knowledge save`" in one_line(run(root, "knowledge", "load"), 1)
    assert run(root, "knowledge", "log").out == "the session log has no event\n"


def test_an_editor_that_is_left_without_saving_writes_nothing(root):
    done = run(root, "knowledge", "learn", "--edit", env={"EDITOR": "true", "VISUAL": "true"})
    assert "nothing was written" in one_line(done, 2)
    assert list((root / ".sdd/knowledge").rglob("*.json")) == []


def test_rows_are_answered_on_a_terminal(root):
    drafts = [{"advice": f"Hint about {word}", "tags": [word]} for word in ("redis", "kafka")]
    (root / "drafts.json").write_text(json.dumps(drafts))
    code, out = on_terminal(root, "yes\nskip\n", "knowledge", "triage", "drafts.json")
    assert (code, "| 2 | Lesson | Hint about kafka" in out) == (0, True)
    index = json.loads((root / ".sdd/knowledge/index.json").read_text())
    assert list(index["lessons"]) == ["hint-about-redis"]
    code, out = on_terminal(root, "quit\n", "knowledge", "learn", "Hint about kafka")
    assert "nothing was written" in out


def test_a_row_is_edited_on_a_terminal(root, tmp_path):
    opened = editor(tmp_path, advice="Kafka topics need three replicas")
    command = ("knowledge", "learn", "Hint about kafka", "--id", "kafka")
    code, out = on_terminal(root, "edit\n", *command, env=opened)
    assert (code, out.splitlines()[-1]) == (0, "saved .sdd/knowledge/lessons/kafka.json")
    saved = json.loads((root / ".sdd/knowledge/lessons/kafka.json").read_text())
    assert saved["advice"] == "Kafka topics need three replicas"


def test_an_id_that_is_taken_is_refused_and_a_derived_one_gets_a_number(root):
    assert run(root, "knowledge", "learn", "Cache keys need a prefix", "--id", "x").code == 0
    other = run(root, "knowledge", "learn", "Webhooks arrive twice", "--id", "x")
    assert "the id x is taken" in one_line(other, 2)
    for tags in ("redis", "kafka"):
        done = run(root, "knowledge", "learn", "Set a limit", "--tags", tags, "--json").json
    assert done["saved"][0]["id"] == "set-limit-2"


def test_what_is_yours_outlives_every_command_that_deletes(repo):
    repo.commit(files=FILES)
    assert run(repo.root, "init").code == 0
    assert run(repo.root, "index", "add").code == 0
    for command in (["learn", "Support SSO"], ["log", LOST], ["save"]):
        assert run(repo.root, "knowledge", *command).code == 0
    own = [repo.root / ".sdd" / name for name in ("knowledge", "context", "logs")]
    before = {
        path: path.read_bytes() for folder in own for path in folder.rglob("*") if path.is_file()
    }
    assert len(before) >= 5
    for command in (["index", "remove", "--yes"], ["hooks", "uninstall"], ["index"], ["doctor"]):
        run(repo.root, *command)
    assert {path: path.read_bytes() for path in before} == before
    doctor = run(repo.root, "doctor").out
    assert "ok    knowledge      0 patterns, 1 lesson in .sdd/knowledge (yours" in doctor


def test_a_damaged_state_is_said_and_set_aside(root):
    path = root / ".sdd/context/context.json"
    path.parent.mkdir()
    path.write_text("{")
    assert "correct it, or run `sdd knowledge save`" in one_line(run(root, "knowledge", "load"), 1)
    done = run(root, "knowledge", "save", "--current-stage", "plan")
    assert "it was renamed to context.json.aside-1" in done.err
    assert (path.parent / "context.json.aside-1").read_text() == "{"


def test_a_state_is_replaced_by_json_and_extended_by_options(root):
    for feature in ("a", "b"):
        run(root, "knowledge", "save", "--completed-features", feature)
    saved = run(root, "knowledge", "load", "--json").json["context"]
    assert saved["completed_features"] == ["a", "b"]
    assert (
        run(root, "knowledge", "save", "--input", "-", stdin=b'{"completed_features": ["c"]}').code
        == 0
    )
    saved = run(root, "knowledge", "load", "--json")
    assert json.loads(saved.out)["context"]["completed_features"] == ["c"]

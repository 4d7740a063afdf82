"""`sdd issues`, with a tracker from another distribution."""

import re

import pytest

from tests.cli.commands import WORKSPACE, on_terminal, one_line, run
from tests.cli.test_lazy import modules_of
from tests.support.ledger import install_ledger, ledger
from tests.support.loopback import CannedResponse
from tests.support.repos import Repo

TRACKER = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: ledger\n- **URL**: "
ALWAYS = "\n#### Index Freshness\n\n- **Issues Interval**: 0s\n"


@pytest.fixture
def server():
    with ledger() as found:
        book = found.books["book"]
        book.write("1", "Add a cart", labels=["story", "shop"], body="See SPEC-0003.\n")
        book.write("2", "Pay later", status="closed", labels=["Story"], body="Blocked by: #1\n")
        book.write("PAY-3", "Refunds: \x1b[31mred", body="  kept\n")
        yield found


@pytest.fixture
def shop(repo, server, tmp_path):
    """A repository whose tracker is the ledger, and the variables that make it known."""
    repo.commit("Start", {"CLAUDE.md": TRACKER + server.url, ".gitignore": ".sdd/\n"})
    return repo, {**install_ledger(tmp_path / "lib"), "LEDGER_TOKEN": "s3cret"}


def synced(repo, env, *args, **options):
    """The counts of a sync."""
    found = run(repo.root, "issues", "sync", "--json", *args, env=env, **options).json["synced"]
    counted = ("added", "updated", "removed", "unchanged", "failed")
    return [tuple(one[name] for name in counted) for one in found]


def test_a_tracker_from_another_distribution_is_synced(shop, server):
    repo, env = shop
    done = run(repo.root, "issues", "sync", env=env)
    assert (done.code, done.err) == (0, "note: Syncing 3 issues from Ledger…\n")
    assert done.out.splitlines() == [
        "collection   tracker  added  updated  removed  unchanged  failed",
        "repo-issues  Ledger       3        0        0          0       0",
    ]
    names = {path.name for path in (repo.root / ".sdd/issues").glob("*.md")}
    assert names == {"1.md", "2.md", "PAY-3.md"}
    server.books["book"].write("2", "Pay later, perhaps")
    assert synced(repo, env)[0][:3] == (0, 1, 0)
    assert "Pay later, perhaps" in (repo.root / ".sdd/issues/2.md").read_text()


def test_a_full_sync_removes_deleted_issues(shop, server):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    del server.books["book"].issues["1"]
    assert synced(repo, env)[0][2] == 0
    assert synced(repo, env, "--full") == [(0, 0, 1, 2, 0)]
    assert not (repo.root / ".sdd/issues/1.md").exists()


FILTERS = {
    ("--status", "open"): ["PAY-3", "1"],
    ("--status", "closed"): ["2"],
    ("--status", "merged"): [],
    ("--label", "story"): ["2", "1"],
    ("--label", "STORY", "--label", "shop"): ["1"],
    ("--spec", "spec-0003"): ["1"],
    ("--spec", "3", "--spec", "SPEC-0009"): ["1"],
    ("--spec", "SPEC-0004"): [],
    ("--status", "closed", "--spec", "SPEC-0003"): [],
}


def test_filters(shop):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    for filters, ids in FILTERS.items():
        found = run(repo.root, "issues", "list", "--json", *filters, env=env).json
        assert [one["id"] for one in found["issues"]] == ids, filters


def test_invalid_filters_are_refused(shop):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    assert run(repo.root, "issues", "list", "--label", "x", env=env).out == "no issues\n"
    done = run(repo.root, "issues", "list", "--spec", "ADR-0001", env=env)
    assert "'ADR-0001' is not the id of a specification" in one_line(done, 2)
    done = run(repo.root, "issues", "list", "--status", "done", env=env)
    assert "'done' is not one of" in one_line(done, 2)


def test_an_issue_as_json(shop):
    repo, env = shop
    listed = run(repo.root, "issues", "list", "--json", "--status", "closed", env=env).json
    assert listed["live"] is False
    shown = run(repo.root, "issues", "show", "2", "--json", env=env).json["issue"]
    assert shown.pop("body") == "Blocked by: #1\n"
    assert shown.pop("pulls") == []
    assert listed["issues"] == [shown]
    assert shown == {
        "id": "2",
        "module": "",
        "title": "Pay later",
        "status": "closed",
        "labels": ["Story"],
        "assignees": [],
        "author": "ada",
        "created": "2026-05-01T00:00:00Z",
        "updated": "2026-05-01T00:00:02Z",
        "closed": None,
        "url": "",
        "tracker": "ledger",
        "references": {"specs": [], "adrs": [], "blocks": [], "blocked_by": ["1"]},
        "path": ".sdd/issues/2.md",
    }


def test_an_issue_is_shown(shop):
    repo, env = shop
    assert run(repo.root, "issues", "show", "#1", env=env).out.splitlines() == [
        "1  open  Add a cart",
        "",
        "tracker  ledger",
        "author   ada",
        "labels   story, shop",
        "created  2026-05-01T00:00:00Z",
        "updated  2026-05-01T00:00:01Z",
        "specs    SPEC-0003",
        "",
        "See SPEC-0003.",
    ]
    out = run(repo.root, "issues", "show", "PAY-3", env=env).out
    assert out.startswith("PAY-3  open  Refunds: \\u001b[31mred\n")
    assert out.endswith("\n\n  kept\n")


def test_a_read_without_a_sync_imports_nothing_heavy(shop):
    repo, env = shop
    run(repo.root, "issues", "list", env=env)
    for command in (("list",), ("show", "1")):
        loaded = modules_of(repo.root, "issues", *command, env=env)
        assert not {"httpx", "yaml", "frontmatter", "apsw", "sdd_hooks.remote.client"} & loaded


def test_an_issue_newer_than_the_last_sync_is_fetched(shop, server):
    repo, env = shop
    run(repo.root, "issues", "list", env=env)
    server.books["book"].write("4", "Just now")
    server.requests()
    found = run(repo.root, "issues", "show", "4", "--json", env=env).json
    assert (found["issue"]["title"], found["issue"]["path"], found["live"]) == (
        "Just now",
        None,
        True,
    )
    assert server.requests() == ["/book/issues/4"]


def test_an_unknown_issue_is_an_error(shop):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    line = one_line(run(repo.root, "issues", "show", "99", env=env), 8)
    assert line.startswith("Ledger has no /book/issues/99")


def test_after_a_failed_sync_the_tracker_is_queried(shop, server):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    repo.write("CLAUDE.md", TRACKER + server.url + ALWAYS)
    server.server.faults.append(
        lambda request: CannedResponse(400) if request.path == "/book/issues" else None
    )
    server.books["book"].write("4", "Just now")
    done = run(repo.root, "issues", "list", "--json", "--status", "open", env=env).json
    assert [one["id"] for one in done["issues"]] == ["4", "PAY-3", "1"] or done["live"]
    assert done["live"] is True
    assert done["warnings"] == [
        "Issues sync failed — degrading to live tracker queries for this run"
    ]
    assert done["notes"][0].startswith("issues sync failed: Ledger answers 400")
    shown = run(repo.root, "issues", "show", "4", env=env)
    assert (shown.code, shown.out.splitlines()[0]) == (0, "4  open  Just now")
    assert run(repo.root, "issues", "show", "99", env=env).code == 8


def test_after_a_failed_query_the_stored_issues_are_shown(shop, server):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    repo.write("CLAUDE.md", TRACKER + server.url + ALWAYS)
    server.server.faults.append(lambda request: CannedResponse(400))
    done = run(repo.root, "issues", "list", "--label", "shop", env=env)
    assert done.code == 0
    assert done.out == "1  open  2026-05-01  story, shop  Add a cart\n"
    assert re.search(
        r"^warning: Ledger cannot be queried, issues are those last synced, of .* ago \(",
        done.err,
        re.M,
    )
    assert run(repo.root, "issues", "show", "1", env=env).out.startswith("1  open  Add a cart\n")
    failed = one_line(run(repo.root, "issues", "sync", env=env), 8)
    assert failed.startswith("Ledger answers 400")


def test_a_failed_query_without_stored_issues_is_an_error(shop, server):
    repo, env = shop
    server.server.faults.append(lambda request: CannedResponse(400))
    line = one_line(run(repo.root, "issues", "list", env=env), 8)
    assert line.startswith("issues sync failed: Ledger answers 400")
    assert run(repo.root, "issues", "show", "1", env=env).code == 8


def test_no_file_or_output_has_a_token(shop, server):
    repo, env = shop
    env = {**env, "LEDGER_HOST": server.url, "SDD_DEBUG": "1"}
    everything = ""
    for command in (("sync",), ("list", "--json"), ("show", "1", "--json")):
        done = run(repo.root, "issues", *command, env=env)
        everything += done.out + done.err
    assert {one.headers.get("x-ledger") for one in server.server.requests} == {"s3cret"}
    assert re.search(rf"http GET {server.url}/\S*: 200 \(\d+\.\d ms\)", everything)
    server.server.faults.append(lambda request: CannedResponse(401))
    done = run(repo.root, "issues", "sync", env=env)
    everything += done.err
    line = one_line(run(repo.root, "issues", "sync", env={**env, "SDD_DEBUG": ""}), 8)
    assert "LEDGER_TOKEN" in line
    files = [path for path in (repo.root / ".sdd").rglob("*") if path.is_file()]
    everything += line + "".join(path.read_text("utf-8", "replace") for path in files)
    assert "s3cret" not in everything


def test_a_host_of_the_memory_file_alone_gets_no_token(shop, server):
    repo, env = shop
    run(repo.root, "issues", "sync", env=env)
    assert {one.headers.get("x-ledger") for one in server.server.requests} == {None}


def test_a_sync_refreshes_the_index(shop, server):
    repo, env = shop
    first = run(repo.root, "index", env=env)
    assert "note: Syncing 3 issues from Ledger…" in first.err
    assert re.search(r"^repo-issues +3 +0 +0 +0$", first.out, re.M)
    server.books["book"].write("5", "Gift wrapping")
    assert synced(repo, env)[0][0] == 1
    assert "Gift wrapping" in run(repo.root, "search", "wrapping", "--kind", "issues", env=env).out
    server.books["book"].write("6", "Vouchers")
    second = run(repo.root, "index", "update", "--json", env=env).json
    assert second["collections"]["repo-issues"]["added"] == 1
    assert second["notes"][0] == "Syncing 2 issues from Ledger…" or second["notes"]


def test_an_update_of_other_collections_sends_no_request(shop, server):
    repo, env = shop
    assert run(repo.root, "index", "update", "--kind", "code", env=env).code == 0
    assert run(repo.root, "index", "update", env=env).code == 0, "issues are not in the index"
    assert run(repo.root, "index", "add", "--kind", "issues", env=env).code == 0
    assert run(repo.root, "search", "cart", env=env).code == 0
    repo.commit("Work", {"a.py": "pass\n"})
    assert server.requests() == []


def test_the_index_is_updated_although_the_sync_fails(shop, server):
    repo, env = shop
    run(repo.root, "index", env=env)
    server.server.faults.append(lambda request: CannedResponse(400))
    repo.write(".sdd/issues/mine.md", "# A note of mine\n")
    done = run(repo.root, "index", "update", env=env)
    assert done.code == 0
    assert re.search(r"^repo-issues +1 +0 +0 +3$", done.out, re.M)
    (warning,) = [line for line in done.err.splitlines() if line.startswith("warning:")]
    assert warning.startswith("warning: repo-issues is not synced: Ledger answers 400")


def test_a_repository_without_a_tracker(repo):
    repo.commit("Start", {".gitignore": ".sdd/\n", "a.py": "pass\n"})
    done = run(repo.root, "index", "update", "--kind", "issues")
    assert (done.code, done.out, done.err) == (0, "nothing to index\n", "")
    assert not (repo.root / ".sdd/issues").exists()
    for command in (("sync",), ("list",), ("show", "1")):
        line = one_line(run(repo.root, "issues", *command), 1)
        assert line.startswith("no tracker is known for repo: write `- **Type**: NAME` under")


def test_a_tracker_that_cannot_be_loaded_is_one_line(repo, tmp_path):
    env = install_ledger(tmp_path / "lib", "raise RuntimeError('no\\nbooks')\n")
    repo.commit("Start", {"CLAUDE.md": TRACKER + "http://127.0.0.1:9", ".gitignore": ".sdd/\n"})
    line = (
        "the tracker 'ledger' of the distribution 'sdd-ledger 1.0' cannot be loaded"
        " (RuntimeError: no books): update or remove it"
    )
    assert one_line(run(repo.root, "issues", "sync", env=env), 1) == line
    done = run(repo.root, "index", "update", "--kind", "issues", env=env)
    assert (done.code, done.err) == (0, f"warning: repo-issues is not synced: {line}\n")
    repo.write("CLAUDE.md", "# Nothing declared\n")
    done = run(repo.root, "index", "update", "--kind", "issues", env=env)
    assert (done.code, done.err) == (0, "")
    assert one_line(run(repo.root, "issues", "list", env=env), 1) == line


def test_an_unknown_tracker_is_an_error(repo):
    repo.commit("Start", {"CLAUDE.md": TRACKER + "https://x.example", ".gitignore": ".sdd/\n"})
    line = one_line(run(repo.root, "issues", "sync"), 5)
    assert "CLAUDE.md:5: no tracker is called 'ledger': choose one of beads, gitea, github," in line
    one_line(run(repo.root, "issues", "sync", "--tracker", "ledgre"), 2)


def test_a_declared_tracker_is_never_replaced(repo):
    text = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: jira\n"
    repo.commit("Start", {"CLAUDE.md": text, ".gitignore": ".sdd/\n"})
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    assert one_line(run(repo.root, "issues", "sync"), 5).startswith(f"{repo.root}/CLAUDE.md:5: ")
    done = run(repo.root, "index", "update", "--kind", "issues")
    assert done.code == 0
    assert done.err.startswith("warning: repo-issues is not synced: ")


# Several trackers: two from other distributions, each in a file of the repository.

SHELVES = """
import json
from sdd_hooks.errors import SddError
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import IssuePage, TrackerLocation, TrackerVendor


class Shelf:
    web_url = ""

    def __init__(self, name, path):
        self.name, self.label, self.identity, self.path = name, name.title(), name, path

    def fetch(self, since, notes):
        yield IssuePage(tuple(self.query(None)), 0.0)

    def inventory(self):
        return None

    def query(self, filter):
        for line in self.path.read_text().splitlines():
            yield Issue(line[0], line[2:], "open", (), (), "", "", "", "", "", self.name, "")

    def issue(self, id):
        return next(one for one in self.query(None) if one.id == id)

    def disconnect(self):
        pass


def shelf(name):
    def there(repository):
        return TrackerLocation("", "", name) if (repository.root / name).exists() else None

    def locate(settings, repository):
        if not there(repository):
            raise SddError(f"there is no {name} here: create it")
        return there(repository)

    def open_shelf(location, environment):
        return Shelf(name, environment.repository.root / name)

    return TrackerVendor(name.title(), open_shelf, locate, there, is_local=True)


OAK, PINE = shelf("oak"), shelf("pine")
"""


@pytest.fixture
def shelves(repo, tmp_path):
    points = "[sdd_hooks.trackers]\noak = sdd_ledger:OAK\npine = sdd_ledger:PINE\n"
    env = install_ledger(tmp_path / "lib", SHELVES, points)
    repo.commit("Start", {".gitignore": ".sdd/\n", "oak": "1 Acorns\n", "pine": "1 Cones\n"})
    return repo, env


CHOICE = (
    "the issues may be in Oak or Pine: choose with `--tracker oak|pine`,"
    " or write `- **Type**: oak` under `#### Tracker`"
)


def test_several_trackers_are_an_error_that_names_them(shelves):
    repo, env = shelves
    assert one_line(run(repo.root, "issues", "sync", env=env), 2) == CHOICE
    assert one_line(run(repo.root, "issues", "list", env=env), 2) == CHOICE
    done = run(repo.root, "index", "update", "--kind", "issues", env=env)
    assert (done.code, done.err) == (0, f"warning: repo-issues is not synced: {CHOICE}\n")
    assert synced(repo, env, "--tracker", "Pine") == [(1, 0, 0, 0, 0)]
    assert 'title: "Cones"' in (repo.root / ".sdd/issues/1.md").read_text()


def test_issues_of_another_tracker_are_not_fresh(shelves):
    repo, env = shelves
    memory = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: "
    repo.write("CLAUDE.md", f"{memory}oak\n")
    assert "Acorns" in run(repo.root, "issues", "list", env=env).out
    repo.write("CLAUDE.md", f"{memory}pine\n")
    done = run(repo.root, "issues", "list", env=env)
    assert "Cones" in done.out
    assert "Acorns" not in done.out


@pytest.mark.parametrize("command", ["sync", "list"])
def test_a_terminal_prompts_for_the_tracker(shelves, command):
    repo, env = shelves
    code, shown = on_terminal(repo.root, "pine\n", "issues", command, env=env)
    assert code == 0
    assert "Which tracker has the issues? [oak/pine]: pine\n" in shown
    assert 'title: "Cones"' in (repo.root / ".sdd/issues/1.md").read_text()
    assert command == "sync" or "Cones" in shown


@pytest.mark.parametrize("command", [("sync", "--verbose"), ("list",)])
def test_a_prompt_without_an_answer_ends_the_command(shelves, command):
    repo, env = shelves
    code, shown = on_terminal(repo.root, "\x04", "issues", *command, env=env)
    assert code == 130
    assert "sdd: interrupted" in shown.splitlines()


# A workspace.


def test_each_module_has_its_own_tracker_and_folder(repo, server, tmp_path):
    env = install_ledger(tmp_path / "lib")
    server.books["api"] = type(server.books["book"])()
    server.books["api"].write("1", "Version two")
    memory = WORKSPACE["CLAUDE.md"] + "\n" + TRACKER + server.url + "\n"
    inner = "## SDD Configuration\n\n#### Tracker\n\n- **Repo**: api\n"
    files = {**WORKSPACE, "CLAUDE.md": memory, ".gitignore": ".sdd/\n"}
    repo.commit("Start", {**files, "services/api/CLAUDE.md": inner})

    assert synced(repo, env, "--module", "api") == [(1, 0, 0, 0, 0)]
    assert {path.partition("/")[2].partition("/")[0] for path in server.requests()} == {"api"}
    assert (repo.root / ".sdd/issues/api/1.md").exists()
    assert not (repo.root / ".sdd/issues/1.md").exists()
    assert len(synced(repo, env)) == 2
    done = run(repo.root, "issues", "list", env=env)
    assert done.out.splitlines()[-1].startswith("api  1")
    assert run(repo.root, "issues", "list", "--module", "api", "--json", env=env).json["issues"]
    assert run(repo.root, "issues", "show", "1", env=env).out.startswith("1  open  Add a cart\n")
    shown = run(repo.root, "issues", "show", "1", "--module", "api", "--json", env=env).json
    assert (shown["issue"]["title"], shown["issue"]["module"]) == ("Version two", "api")

    # A failure of one does not stop the other.
    del server.books["api"]
    done = run(repo.root, "issues", "sync", env=env)
    assert done.code == 8
    assert "repo-issues" in done.out
    assert "warning: repo-api-issues is not synced: Ledger has no /api/issues" in done.err


def test_an_invalid_declaration_of_a_module_does_not_stop_the_others(repo, server, tmp_path):
    env = install_ledger(tmp_path / "lib")
    memory = WORKSPACE["CLAUDE.md"] + "\n" + TRACKER + server.url + "\n"
    inner = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: jura\n"
    files = {**WORKSPACE, "CLAUDE.md": memory, ".gitignore": ".sdd/\n"}
    repo.commit("Start", {**files, "services/api/CLAUDE.md": inner})
    for code, *command in ((5, "sync"), (0, "list"), (0, "show", "1")):
        done = run(repo.root, "issues", *command, "--json", env=env)
        (warning,) = done.json["warnings"]
        assert "services/api/CLAUDE.md:5: no tracker is called 'jura'" in warning
        assert done.code == code
    one_line(run(repo.root, "issues", "sync", "--module", "api", env=env), 5)


def test_a_module_without_a_separate_tracker(repo, server, tmp_path):
    env = install_ledger(tmp_path / "lib")
    memory = WORKSPACE["CLAUDE.md"] + "\n" + TRACKER + server.url + "\n"
    repo.commit("Start", {**WORKSPACE, "CLAUDE.md": memory, ".gitignore": ".sdd/\n"})
    assert len(synced(repo, env)) == 1
    line = one_line(run(repo.root, "issues", "sync", "--module", "api", env=env), 1)
    assert line.startswith("the module 'api' has no tracker of its own")
    one_line(run(repo.root, "issues", "sync", "--module", "unknown", env=env), 2)


# A host that is probed, and a terminal.


def test_waits_are_shown_on_a_terminal_only(shop, server):
    repo, env = shop
    busy = CannedResponse(429, headers={"Retry-After": "1"})
    server.server.fail(busy)
    done = run(repo.root, "issues", "sync", env=env)
    assert (done.code, done.err) == (0, "note: Syncing 3 issues from Ledger…\n")
    server.server.fail(busy)
    code, shown = on_terminal(repo.root, "", "issues", "sync", env=env)
    assert code == 0
    assert re.search(r"\x1b\[KLedger [^\r\n]*waiting 1 s", shown)
    # After the first second, a line shows the progress.
    assert "\x1b[KSyncing issues from Ledger 3/3" in shown
    assert "note: Syncing" in shown


def test_a_hook_does_not_sync(shop, server):
    repo, env = shop
    run(repo.root, "index", env=env)
    server.requests()
    run(repo.root, "hook", "post-commit", env=env)
    run(repo.root, "hook", "post-merge", "0", env=env)
    assert server.requests() == []


def test_doctor_names_the_tracker(shop, server):
    repo, env = shop

    def line():
        out = run(repo.root, "doctor", env=env).out
        return next(one for one in out.splitlines() if " tracker " in one)

    place = f"Ledger, book at {server.url}"
    assert line() == f"ok    tracker        {place}, never synced"
    run(repo.root, "issues", "sync", env=env)
    assert re.fullmatch(rf"ok    tracker        {re.escape(place)}, synced .* ago", line())
    assert len(server.requests()) > 0
    line()
    assert server.requests() == []


def test_init_names_the_tracker(shop, server):
    repo, env = shop
    done = run(repo.root, "init", "--yes", "--no-hooks", "--json", env=env).json
    assert f"`sdd index` brings issues from Ledger, book at {server.url}" in done["notes"]
    assert server.requests() == []
    repo.write("CLAUDE.md", TRACKER.replace("ledger", "jura"))
    done = run(repo.root, "init", "--yes", "--no-hooks", "--json", env=env).json
    assert [one for one in done["notes"] if "no tracker is called 'jura'" in one]


def test_doctor_names_an_invalid_declaration(repo: Repo):
    text = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: jura\n"
    repo.commit("Start", {"CLAUDE.md": text})
    checks = run(repo.root, "doctor", "--json").json["checks"]
    (check,) = [one for one in checks if one["name"] == "tracker"]
    assert check["level"] == "warn"
    assert "no tracker is called 'jura'" in check["message"]


def test_the_debug_log_names_a_sync_that_was_skipped(shop, server):
    repo, env = shop
    env = {**env, "SDD_DEBUG": "1"}
    skipped = re.compile(r"sdd\[\d+\] sync: issues sync skipped: Ledger was synced \d+ \w+ ago")
    assert not skipped.search(run(repo.root, "issues", "list", env=env).err)
    assert skipped.search(run(repo.root, "issues", "list", env=env).err)

"""`sdd adr renumber`: a record gets another number, with everything that refers to it."""

import pytest

from tests.cli.commands import run
from tests.support.github_forge import FORK, PERSONAL, serving_forge

QUEUES = "docs/adr/0002-use-queues.md"
RECORD = "# {n}. {title}\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n"
FILES = {
    "docs/adr/0001-first.md": RECORD.format(n=1, title="First"),
    QUEUES: RECORD.format(n=2, title="Use queues"),
    "docs/adr/README.md": "- [2. Use queues](0002-use-queues.md)\n",
    "src/a.py": "# Governing: ADR-0002 (queues)\n",
    "docs/adr/0003-more.md": "---\nextends: [ADR-0002]\n---\n" + RECORD.format(n=3, title="More"),
}


@pytest.fixture
def records(repo):
    repo.commit("Start, see ADR-0002", FILES)
    return repo


def test_a_record_gets_the_next_free_number(records):
    assert run(records.root, "index", "add").code == 0
    records.git("branch", "-q", "other")
    done = run(records.root, "adr", "renumber", "2")
    assert done.out.splitlines() == [
        f"ADR-0002 → ADR-0004: {QUEUES} → docs/adr/0004-use-queues.md",
        "4 references rewritten in 3 files",
    ]
    commit = records.git("rev-parse", "--short", "HEAD")
    assert f"note: messages of commits that name ADR-0002 stay as they are: {commit}\n" in done.err
    assert "note: if the description of an open pull request names ADR-0002, edit it" in done.err
    assert (records.root / "src/a.py").read_text() == "# Governing: ADR-0004 (queues)\n"
    text = (records.root / "docs/adr/README.md").read_text()
    assert text == "- [4. Use queues](0004-use-queues.md)\n"
    assert (
        (records.root / "docs/adr/0004-use-queues.md").read_text().startswith("# 4. Use queues\n")
    )
    assert (
        run(records.root, "search", "ADR-0004", "--json")
        .hits[0]["path"]
        .endswith("0004-use-queues.md")
    )
    assert "ADR-0002" not in run(records.root, "list").out


def test_a_dry_run_writes_nothing(records):
    done = run(records.root, "adr", "renumber", "2", "9", "--dry-run", "--json")
    data = done.json
    assert (data["old"], data["new"], data["replaced"]) == ("ADR-0002", "ADR-0009", 4)
    assert data["path"] == "docs/adr/0009-use-queues.md"
    assert records.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("2", "3"), 2, "ADR-0003 is taken by docs/adr/0003-more.md: the next number that is free"),
        (("2", "SPEC-1"), 2, "'SPEC-1' is no number of an ADR: write one, such as 4"),
        (("2", "x"), 2, "'x' is no number of an ADR"),
        (("8",), 2, "ADR-0008 does not exist"),
    ],
)
def test_what_is_refused(records, arguments, code, message):
    done = run(records.root, "adr", "renumber", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert records.git("status", "--porcelain") == ""


def test_fourteen_duplicates_are_put_in_order(repo):
    titles = ["queues", "sessions", "caches", "tokens", "mails", "logs", "traces"]
    files = {}
    for number in range(1, 15):
        for title in (titles[number % 7], f"other {titles[number % 7]}"):
            name = f"docs/adr/{number:04d}-use-{title.replace(' ', '-')}.md"
            files[name] = RECORD.format(n=number, title=f"Use {title}")
    files["docs/adr/index.md"] = "".join(
        f"- [{name}]({name})\n" for name in sorted(path.rpartition("/")[2] for path in files)
    )
    repo.commit("Start", files)
    assert len(set(ids(repo))) == 14
    for number in range(1, 15):
        name = f"docs/adr/{number:04d}-use-other-{titles[number % 7]}.md"
        assert run(repo.root, "adr", "renumber", name).code == 0
    assert sorted(ids(repo)) == [f"ADR-{number:04d}" for number in range(1, 29)]
    for line in (repo.root / "docs/adr/index.md").read_text().splitlines():
        assert (repo.root / "docs/adr" / line.rpartition("(")[2].rstrip(")")).is_file()


def test_what_may_mean_another_record_is_listed(repo):
    repo.commit("Start", {**FILES, "docs/adr/0002-keep-sessions.md": RECORD.format(n=2, title="S")})
    repo.write("notes.md", "Why\n\nADR-0002 decides.\n")
    done = run(repo.root, "adr", "renumber", QUEUES)
    assert done.out.splitlines()[-1] == (
        "not rewritten: src/a.py:1: # Governing: ADR-0002 (queues) (it may mean another record)"
    )
    assert "not rewritten: notes.md:3: ADR-0002 decides. (it may mean another record)" in done.out


def ids(repo):
    return [line.split()[0] for line in run(repo.root, "list").out.splitlines()]


@pytest.fixture
def github(records):
    with serving_forge() as forge:
        memory = "### SDD Configuration\n\n#### Tracker\n\n- **Type**: GitHub\n- **URL**: "
        records.commit("Memory", {"CLAUDE.md": f"{memory}{forge.url}\n", ".gitignore": ".sdd\n"})
        records.git("remote", "add", "origin", f"{forge.url}/{forge.home}.git")
        records.git("switch", "-q", "-c", "queues")
        yield forge


def renumber_with(github, records, *arguments, token=PERSONAL):
    environ = {"GITHUB_TOKEN": token, "GITHUB_SERVER_URL": github.url}
    return run(records.root, "adr", "renumber", *arguments, env=environ)


def test_the_description_of_the_open_pull_request_is_rewritten(github, records):
    body = "Uses queues.\r\n\r\nRefs: ADR-0002, ADR-0001\r\n"
    number = github.add_pull("Queues", body, head_ref="queues")
    forked = github.add_pull("A fork", body, head_ref="queues", fork=True)
    preview = renumber_with(github, records, "2", "9", "--dry-run")
    assert "+Refs: ADR-0009, ADR-0001" in preview.out
    assert github.pulls[number]["body"] == body
    done = renumber_with(github, records, "2", "9")
    assert done.out.endswith(f"1 reference rewritten in the description of pull request {number}\n")
    assert github.pulls[number]["body"] == body.replace("ADR-0002", "ADR-0009")
    assert github.pulls[forked]["body"] == body
    assert f"note: the description of pull request {forked} names ADR-0002: edit it if" in done.err
    assert "if the description of an open pull request names" not in done.err


def test_a_description_that_cannot_be_written(github, records):
    number = github.add_pull("Queues", "Refs: ADR-0002", head_ref="queues")
    done = renumber_with(github, records, "2", "9", token=FORK)
    assert (done.code, github.pulls[number]["body"]) == (0, "Refs: ADR-0002")
    assert f"note: the description of pull request {number} still names ADR-0002: edit" in done.err
    github.lists_pulls = False
    done = renumber_with(github, records, "9", "10")
    note = "note: if the description of an open pull request names ADR-0009, edit it: GitHub"
    assert note in done.err


def test_a_description_that_may_mean_another_record_stays(github, records):
    records.commit("Two", {"docs/adr/0002-keep-sessions.md": RECORD.format(n=2, title="Keep")})
    body = "Refs: ADR-0002\n\n[Queues](docs/adr/0002-use-queues.md)\n"
    number = github.add_pull("Queues", body, head_ref="queues")
    done = renumber_with(github, records, QUEUES, "9")
    assert github.pulls[number]["body"] == body.replace("0002-use", "0009-use")
    assert f"not rewritten: pull request {number}:1: Refs: ADR-0002 (it may mean" in done.out

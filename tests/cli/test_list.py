from tests.cli.commands import ADR, FILES, WORKSPACE, on_terminal, run
from tests.support.external import RECORDS, declaring, record

SPEC = "docs/openspec/specs/search/spec.md"


def test_a_row_fits_into_a_terminal(repo):
    title = "Store the index of every repository and its modules in one SQLite database"
    repo.commit("Start", {"docs/adrs/ADR-0001-x.md": f"# ADR-0001: {title}\n"})
    code, out = on_terminal(repo.root, "", "list")
    assert code == 0
    assert out.splitlines() == [
        "ADR-0001  none  -  Store the index of every repository and its modules in one S…"
    ]
    assert title in run(repo.root, "list").out


def test_filters(repo):
    repo.commit("Start", {**FILES, "docs/adrs/ADR-0002-x.md": "# ADR-0002: X\n"})

    def names(*args):
        return [one["id"] for one in run(repo.root, "list", "--json", *args).json["artifacts"]]

    assert names("--kind", "specs") == ["SPEC-0001"]
    assert names("--status", "accepted") == ["ADR-0001"]
    assert names("--status", "none", "--kind", "adrs") == ["ADR-0002"]
    assert names("--status", "accepted", "--status", "none") == [
        "ADR-0001",
        "ADR-0002",
        "SPEC-0001",
    ]
    assert run(repo.root, "list", "--status", "draft").out == "no decisions or specifications\n"


def test_json_has_every_field(repo):
    repo.commit("Start", {"docs/adrs/ADR-0001-x.md": ADR.replace("accepted", "superseded")})
    assert run(repo.root, "list", "--json").json["artifacts"] == [
        {
            "id": "ADR-0001",
            "kind": "ADR",
            "origin": "",
            "module": "",
            "status": "superseded",
            "authoritative": False,
            "date": "2026-01-02",
            "title": "Store the index in SQLite",
            "path": "docs/adrs/ADR-0001-x.md",
        }
    ]


def test_modules_are_labelled(repo):
    repo.commit("Start", {**FILES, **WORKSPACE})
    ids = [one["id"] for one in run(repo.root, "list", "--json").json["artifacts"]]
    assert ids == ["ADR-0001", "SPEC-0001", "[api]/ADR-0001"]
    (only,) = run(repo.root, "list", "--json", "--module", "api").json["artifacts"]
    assert (only["id"], only["module"]) == ("[api]/ADR-0001", "api")


def test_a_link_out_of_the_repository_is_left_out_with_a_note(repo, tmp_path):
    (tmp_path / "secret.md").write_text("# ADR-0009: Secret\n")
    repo.write("docs/adrs/ADR-0001-x.md", ADR)
    repo.link("docs/adrs/ADR-0009-secret.md", tmp_path / "secret.md")
    done = run(repo.root, "list")
    assert "Secret" not in done.out
    assert done.err == "note: left out docs/adrs/ADR-0009-secret.md: a symlink\n"


def test_what_governs_a_file(repo):
    record = "---\nstatus: accepted\napplies-to: src/\n---\n# ADR-0002: Sources\n"
    repo.commit("Start", {**FILES, "docs/adrs/ADR-0002-x.md": record})
    assert run(repo.root, "list", "--for", "src/new.py").out.splitlines() == [
        "ADR-0002  accepted  -  Sources  docs/adrs/ADR-0002-x.md",
        "  applies-to: src/ (docs/adrs/ADR-0002-x.md:3)",
    ]
    document = run(repo.root, "list", "--json", "--for", "src/new.py").json
    assert document["for"] == "src/new.py"
    assert [(one["id"], one["by"]) for one in document["artifacts"]] == [
        (
            "ADR-0002",
            [{"kind": "glob", "text": "src/", "path": "docs/adrs/ADR-0002-x.md", "line": 3}],
        )
    ]
    assert run(repo.root, "list", "--for", "src/new.py", "--status", "proposed").out == (
        "no decision or specification governs src/new.py\n"
    )


def test_a_path_that_cannot_be_a_file_is_one_line(repo):
    repo.commit("Start", FILES)
    done = run(repo.root, "list", "--for", "../x\x1b[31m")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "\x1b" not in done.err


def test_decisions_of_other_repositories_come_last(repo, handbook):
    rules = "```sdd-rule\nforbid import: os\nin: src/**\n```\n"
    theirs = "---\napplies-to: [lib/**]\n---\n" + record("Title without a number", "We log.")
    handbook.publish({**RECORDS, "docs/adr/logging.md": theirs + rules})
    declaring(repo, f"{handbook.line} (`docs/adr`)")
    repo.write("src/a.py", "# Governing: acme/ADR-0003\n")
    never = run(repo.root, "list")
    assert never.out.startswith("ADR-0001  accepted")
    assert never.err.startswith(f"note: not read: the decisions of acme ({handbook.url})")
    assert run(repo.root, "index").code == 0

    done = run(repo.root, "list", "--json").json
    assert [(one["id"], one["origin"]) for one in done["artifacts"]] == [
        ("ADR-0001", ""),
        ("acme/ADR-0001", "acme"),
        ("acme/ADR-0002", "acme"),
        ("acme/ADR-0003", "acme"),
        ("acme/logging", "acme"),
    ]
    assert "acme:docs/adr/0003-encrypt-backups.md" in run(repo.root, "list").out
    assert "acme" not in run(repo.root, "list", "--kind", "specs").out

    def governing(path):
        found = run(repo.root, "list", "--for", path, "--json").json["artifacts"]
        return [(one["path"], [by["kind"] for by in one["by"]]) for one in found]

    assert governing("src/a.py") == [("acme:docs/adr/0003-encrypt-backups.md", ["comment"])]
    assert governing("lib/a.py") == [("acme:docs/adr/logging.md", ["glob"])]
    declaring(repo, f"{handbook.line} (`docs/adr`)", "  - **Trust**: rules")
    assert ("acme:docs/adr/logging.md", ["rule"]) in governing("src/a.py")


def test_records_in_other_markups_are_listed_found_and_shown_as_they_are_written(repo):
    queues = (
        "===========\nUse queues\n===========\n\n:Status: Accepted\n\n"
        "Decision\n========\n\nOtters queue.\n"
    )
    files = {
        "docs/adrs/0001-queues.rst": queues,
        "docs/adrs/0002-store.adoc": "= A store\n:status: proposed\n\n== Decision\n\nWhales.\n",
        "docs/adrs/0003-page.mdx": "# Use pages\n\n- Status: rejected\n\n## Decision\n\nNo.\n",
    }
    repo.commit("Start", files)
    listed = [line.split()[:2] for line in run(repo.root, "list").out.splitlines()]
    assert listed == [
        ["ADR-0001", "accepted"],
        ["ADR-0002", "proposed"],
        ["ADR-0003", "rejected"],
    ]
    run(repo.root, "index")
    for word, place in (("otters", "0001-queues.rst:7-10"), ("whales", "0002-store.adoc:4-6")):
        assert f"docs/adrs/{place}" in run(repo.root, "search", word).out
    assert queues in run(repo.root, "show", "ADR-0001").out

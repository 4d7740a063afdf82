import os
import re
import time

from tests.cli.commands import FILES, on_terminal, run
from tests.support.abacus import CHOICE, install_abacus
from tests.support.clock import set_touched


def index(repo, files=FILES):
    repo.commit("Start", files)
    assert run(repo.root, "index", "add").code == 0


def test_a_hit_names_its_section_and_lines(repo):
    index(repo)
    done = run(repo.root, "search", "--json", "one SQLite database")
    (adrs, specs, code) = done.json["groups"]
    assert [group["kind"] for group in (adrs, specs, code)] == ["adrs", "specs", "code"]
    hit = adrs["hits"][0]
    assert hit["id"] == "docs/adrs/ADR-0001-sqlite.md#decision-outcome"
    assert (hit["path"], hit["collection"]) == ("docs/adrs/ADR-0001-sqlite.md", "repo-adrs")
    assert (hit["first_line"], hit["last_line"]) == (11, 13)
    assert 0.3 <= hit["score"] <= 1
    assert "one SQLite database" in hit["snippet"]
    assert done.json["query"] == "one SQLite database"


def test_a_terminal_gets_a_list_for_people(repo):
    index(repo)
    code, out = on_terminal(repo.root, "", "search", "laptop room database", env={"NO_COLOR": "1"})
    heading, blank, first, place, text, *_ = out.splitlines()
    assert (code, heading, blank) == (0, "ADRs", "")
    assert first[4:] == "  ADR-0001: Store the index in SQLite · accepted"
    assert place == "      docs/adrs/ADR-0001-sqlite.md:11-13 #decision-outcome"
    assert text.startswith("      We keep it in one SQLite database")
    assert "\x1b" not in out


def test_code_is_found_by_its_definition(repo):
    index(repo)
    (hit,) = run(repo.root, "search", "--kind", "code", "--json", "parse user id").hits
    assert hit["id"] == "src/parse.py#parse_user_id"


def test_kinds_and_limits_restrict_the_hits(repo):
    index(repo, {**FILES, "docs/adrs/ADR-0002-db.md": "# ADR-0002: A second database\n"})
    hits = run(repo.root, "search", "--json", "--kind", "specs", "query letter").hits
    assert {hit["collection"] for hit in hits} == {"repo-specs"}
    hits = run(repo.root, "search", "--json", "--min-score", "0", "database one").hits
    assert len([hit for hit in hits if hit["kind"] == "adrs"]) == 2
    args = ("--json", "--min-score", "0", "--limit", "1")
    limited = run(repo.root, "search", *args, "database one").hits
    assert [hit["kind"] for hit in limited] == ["adrs", "specs"]
    assert limited[0] == hits[0]
    best = str(hits[0]["score"])
    hits = run(repo.root, "search", "--json", "--min-score", best, "database one").hits
    assert all(hit["score"] >= float(best) for hit in hits)


def test_unembedded_chunks_are_a_note(repo):
    """Scenario "JSON with notes" of SPEC-0001."""
    index(repo)
    done = run(repo.root, "search", "database")
    assert done.err.endswith(
        " chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs\n"
    )
    assert run(repo.root, "search", "--json", "database").json["notes"] == [
        done.err.removeprefix("note: ").rstrip("\n")
    ]


def test_a_terminal_shows_that_note_once_a_day(repo):
    """Scenario "A note on a terminal" of SPEC-0001."""
    index(repo)
    searches = [on_terminal(repo.root, "", "search", "database")[1] for _ in range(2)]
    assert ["unembedded" in shown for shown in searches] == [True, False]
    # Programs, and an output that is no terminal, get it with every search.
    assert "unembedded" in run(repo.root, "search", "database").err
    assert "unembedded" in on_terminal(repo.root, "", "search", "database", "--json")[1]


def test_hostile_titles_and_names_are_escaped(repo):
    """Scenario "A title with an escape sequence" of SPEC-0001."""
    title = "# Evil \x1b]0;owned\x07 \u202etitle\n\nA gadget \x1b[31mred.\n"
    index(repo, {"docs/adrs/ADR-0001-\x1b[2J.md": title})
    done = run(repo.root, "search", "gadget")
    assert done.code == 0
    assert "gadget" in done.out
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)


def test_a_terminal_gets_styles_and_lines_that_fit(repo):
    long = "# ADR-0001: Long\n\n" + "a gadget of many words that goes on " * 30 + "\n"
    index(repo, {"docs/adrs/ADR-0001-long.md": long})
    code, out = on_terminal(
        repo.root, "", "search", "gadget", env={"TERM": "xterm", "NO_COLOR": ""}
    )
    assert code == 0
    assert "\x1b[1mADR-0001: Long\x1b[0m" in out
    text = [line for line in out.splitlines() if line.startswith("      a gadget")]
    assert len(text[0]) <= 80
    for quiet in ({"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(repo.root, "", "search", "gadget", env=quiet)[1]


# The freshness of the index


def test_a_stale_index_is_refreshed_first(repo):
    index(repo)
    repo.write("docs/adrs/ADR-0002-redis.md", "# ADR-0002: Cache pages in Redis\n")
    assert "Redis" not in run(repo.root, "search", "--json", "redis").out
    set_touched(repo, time.time() - 3 * 3600 - 1)
    done = run(repo.root, "search", "redis")
    assert "ADR-0002: Cache pages in Redis" in done.out
    stale, unembedded = done.err.splitlines()
    assert stale == "note: Index was 3 hours stale — refreshed before running."
    assert "chunks unembedded" in unembedded
    assert len(run(repo.root, "search", "redis").err.splitlines()) == 1


def test_the_repository_sets_the_threshold(repo):
    freshness = "### SDD Configuration\n\n#### Index Freshness\n\n- **Staleness Threshold**: {}\n"
    index(repo, {**FILES, "CLAUDE.md": freshness.format("30m")})
    set_touched(repo, time.time() - 31 * 60)
    done = run(repo.root, "search", "database")
    assert re.search(r"note: Index was 3\d minutes stale — refreshed before running.\n", done.err)
    repo.write("CLAUDE.md", freshness.format("4h"))
    set_touched(repo, time.time() - 3 * 3600)
    assert "stale" not in run(repo.root, "search", "database").err


def test_a_search_succeeds_after_a_failed_refresh(repo):
    index(repo)
    set_touched(repo, time.time() - 3 * 3600)
    lock = repo.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = run(repo.root, "search", "database")
    assert done.code == 0
    assert "ADR-0001: Store the index in SQLite" in done.out
    names = "repo-adrs, repo-code, repo-issues, repo-specs"
    assert done.err.splitlines()[-1] == (
        f"warning: Index refresh failed for {names} — run `sdd index update` manually"
    )


def test_a_fresh_index_is_opened_once_without_a_refresh(repo, tmp_path):
    """An engine from another distribution records that it is opened."""
    env = install_abacus(tmp_path / "lib")
    repo.commit("Start", {**FILES, "CLAUDE.md": CHOICE})
    assert run(repo.root, "index", "update", "--kind", "adrs", env=env).code == 0
    opened = repo.root / ".sdd/search/opened"

    def opens():
        opened.unlink(missing_ok=True)
        done = run(repo.root, "search", "sqlite", env=env)
        assert "ADR-0001" in done.out
        return opened.read_text()

    assert opens() == "read\n"
    os.utime(repo.root / ".sdd/search/abacus.json", (1000, 1000))
    assert opens() == "read\nrefresh\nread\n"
    assert opens() == "read\n"

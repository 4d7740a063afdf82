"""Merge requests on GitLab, against a server that is written by hand from its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.gitlab import forge as gitlab_forge_module
from sdd_hooks.forges.gitlab.vendor import VENDOR
from sdd_hooks.forges.protocol import (
    CommitStatus,
    Forge,
    LineComment,
    PullRequest,
    ReviewThread,
    UpsertResult,
    WriteDenied,
)
from sdd_hooks.reporting.comment import MARKER, has_marker
from tests.support.gitlab_forge import (
    BASE,
    HEAD,
    HOME,
    ME,
    TOKENS,
    FakeGitLabForge,
    gitlab_forge,
    job,
    wants,
)
from tests.support.loopback import CannedResponse, Server
from tests.support.machines import Workplace

BODY = f"{MARKER}\n## All clear\n"
CLOCK = 1_777_640_000.0
NOTES = "/merge_requests/7/notes"


@dataclass
class Bench:
    """The server, and a way to open its project with a token."""

    gitlab: FakeGitLabForge
    server: Server
    workplace: Workplace

    def open(self, token: str = "glpat-writes") -> Forge:
        run = VENDOR.detect_job(job(self.server))
        assert run is not None
        return VENDOR.open(run, self.workplace.forge_clients(token))

    def comment(self, body: str = BODY, token: str = "glpat-writes") -> UpsertResult:
        return self.open(token).upsert_comment(7, body, has_marker)

    def writes(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.server.asked if one.method != "GET"]


@pytest.fixture
def bench() -> Iterator[Bench]:
    with gitlab_forge() as (there, server), Workplace(CLOCK) as workplace:
        yield Bench(there, server, workplace)


def line(path: str = "src/login.py", number: int = 12, of: str = "f1") -> LineComment:
    return LineComment(path, number, f"<!-- sdd-review: {of} -->\nA finding\n")


def test_a_merge_request_as_it_is(bench: Bench) -> None:
    assert bench.open().pull_request(7) == PullRequest(
        number=7,
        title="Keep sessions",
        body="It says **why**.",
        base=BASE,
        base_ref="main",
        head=HEAD,
        is_fork=False,
        ref="refs/merge-requests/7/head",
    )


def test_one_of_a_fork_that_was_merged(bench: Bench) -> None:
    bench.gitlab.merge(8, source_project_id=9, state="merged", description=None)
    found = bench.open().pull_request(8)
    assert (found.is_fork, found.is_open, found.body) == (True, False, "")


def test_the_comment_is_made_once(bench: Bench) -> None:
    url = f"{bench.server.url}/{HOME}/-/merge_requests/7#note_301"
    assert bench.comment() == UpsertResult("created", url)
    assert bench.comment() == UpsertResult("kept", url)
    assert bench.comment(f"{BODY}More\n") == UpsertResult("edited", url)
    assert bench.gitlab.bodies() == [f"{BODY}More\n"]
    assert len(bench.writes()) == 2


def test_line_ends_and_blanks_of_the_host_are_no_change(bench: Bench) -> None:
    bench.gitlab.note(BODY.replace("\n", "\r\n").rstrip(), ME)
    assert bench.comment().action == "kept"
    assert bench.writes() == []


def test_nothing_is_begun_where_nothing_is_to_be(bench: Bench) -> None:
    assert bench.open().upsert_comment(7, BODY, has_marker, create=False) == UpsertResult("none")
    assert bench.writes() == []


def test_the_last_one_of_ours_is_it(bench: Bench) -> None:
    bench.gitlab.note(f"{MARKER}\nforged\n", "eve")
    bench.gitlab.note(f"{MARKER}\nold\n", ME)
    bench.gitlab.note(f"{MARKER}\nolder\n", ME)
    bench.gitlab.note(f"changed the description\n{MARKER}", ME, system=True)
    bench.gitlab.note(f"Said by hand\n{MARKER}\n", ME)
    assert bench.comment().action == "edited"
    assert bench.gitlab.bodies()[:3] == [f"{MARKER}\nforged\n", f"{MARKER}\nold\n", BODY]


@pytest.mark.parametrize("links", [True, False])
def test_every_page_is_read(bench: Bench, links: bool) -> None:
    bench.gitlab.links = links
    for number in range(2_500):
        bench.gitlab.note(f"Comment {number}", "ana" if number % 2 else ME)
        if number == 2_450:
            bench.gitlab.note(BODY, ME)
    assert bench.comment().action == "kept"
    assert len([path for path in bench.server.paths() if path.endswith(NOTES)]) == 26


def test_who_may_not_ask_for_their_name_go_by_that_of_a_bot(bench: Bench) -> None:
    bench.gitlab.note(f"{MARKER}\nforged\n", "eve")
    bench.gitlab.note(f"{MARKER}\nold\n", ME)
    assert bench.comment(token="glpat-narrow").action == "edited"
    assert bench.gitlab.bodies() == [f"{MARKER}\nforged\n", BODY]


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_listing_that_fails_on_its_second_page_writes_nothing(bench: Bench, status: int) -> None:
    for number in range(150):
        bench.gitlab.note(f"Comment {number}")
    bench.server.fail(
        *[CannedResponse(status, {"message": "no"})] * 9,
        when=lambda request: request.query.get("page") == "2",
    )
    with pytest.raises(RemoteError):
        bench.comment()
    assert bench.writes() == []


def test_a_listing_that_repeats_itself_writes_nothing(bench: Bench) -> None:
    for number in range(150):
        bench.gitlab.note(f"Comment {number}")
    again = {"Link": f'<{bench.server.url}/api/v4/projects/acme%2Ftools%2Fshop{NOTES}>; rel="next"'}
    first = CannedResponse(200, bench.gitlab.notes[7][:100], again)
    bench.server.fail(*[first] * 9, when=wants("GET", NOTES))
    with pytest.raises(RemoteError, match="same page again"):
        bench.comment()
    assert bench.writes() == []


def test_a_listing_without_end_is_left(bench: Bench) -> None:
    page = iter(range(10_000))

    def endless(request: object) -> CannedResponse:
        here = {"Link": f'<{bench.server.url}/api/v4/user?n={next(page)}>; rel="next"'}
        return CannedResponse(200, [{"id": next(page)}], here)

    forge = bench.open()
    assert isinstance(forge, gitlab_forge_module.GitLabForge)
    assert forge.pull_request(7).number == 7
    bench.server.faults.append(endless)
    with pytest.raises(RemoteError, match="lists more than 1000 pages"):
        forge.threads(7)


@pytest.mark.parametrize(
    "lost",
    [CannedResponse(502, b"<html>"), CannedResponse(201, {"id": 301}, cut=3)],
    ids=["502", "cut"],
)
def test_a_note_that_was_made_all_the_same_is_not_made_twice(
    bench: Bench, lost: CannedResponse
) -> None:
    def lose(request: object) -> CannedResponse | None:
        if wants("POST", NOTES)(request) and not bench.gitlab.notes[7]:  # type: ignore[arg-type]
            bench.gitlab.note(BODY, ME)
            return lost
        return None

    bench.server.faults.append(lose)
    assert bench.comment().action == "created"
    assert bench.gitlab.bodies() == [BODY]


def test_a_note_that_was_not_made_is_made_then(bench: Bench) -> None:
    bench.server.fail(CannedResponse(502, b"<html>"), when=wants("POST", NOTES))
    assert bench.comment().action == "created"
    assert bench.gitlab.bodies() == [BODY]


def test_a_limit_is_waited_for_and_one_that_lasts_is_told(bench: Bench) -> None:
    soon = CannedResponse(429, b"Retry later\n", {"Retry-After": "20"})
    bench.server.fail(soon, when=wants("POST", NOTES))
    assert bench.comment().action == "created"
    assert bench.workplace.waits == [pytest.approx(20, abs=1)]
    bench.server.fail(
        CannedResponse(429, b"", {"Retry-After": "3000"}), when=wants("PUT", "/notes/301")
    )
    with pytest.raises(RateLimited):
        bench.comment(f"{BODY}More\n")


def test_a_page_on_another_host_is_not_asked_for(bench: Bench) -> None:
    away = {"Link": '<https://evil.example/api/v4/user>; rel="next"'}
    bench.server.fail(CannedResponse(200, [], away), when=wants("GET", NOTES))
    with pytest.raises(RemoteError, match=r"points to https://evil\.example: not followed"):
        bench.comment()


@pytest.mark.parametrize("token", ["", "glpat-reads", "glcbt-of-the-job", "glpat-of-nobody"])
def test_a_token_that_may_not_write_is_denied(bench: Bench, token: str) -> None:
    with pytest.raises(WriteDenied) as comment:
        bench.comment(token=token)
    with pytest.raises(WriteDenied):
        bench.open(token).publish_review(7, HEAD, [], [ReviewThread("1:2", "x", is_own=True)])
    with pytest.raises(WriteDenied):
        bench.open(token).set_status(HEAD, CommitStatus("success", "sdd review", "All clear"))
    assert "set SDD_TOKEN to a project access token with the scope api" in str(comment.value)
    assert "\n" not in str(comment.value)
    assert not token or token not in str(comment.value)
    assert bench.gitlab.bodies() == []


def test_the_token_of_a_job_reads_the_merge_request(bench: Bench) -> None:
    assert TOKENS["glcbt-of-the-job"] == "job"
    assert bench.open("glcbt-of-the-job").pull_request(7).number == 7


def test_a_locked_conversation_is_denied(bench: Bench) -> None:
    bench.gitlab.locked = True
    with pytest.raises(WriteDenied):
        bench.comment()
    with pytest.raises(WriteDenied):
        bench.gitlab.shown = {"src/login.py": {12}}
        bench.open().publish_review(7, HEAD, [line()], [])


def test_comments_on_lines_become_threads(bench: Bench) -> None:
    bench.gitlab.shown = {"src/login.py": {12, 14}, "src/über.py": {1}}
    comments = [line(), line(number=14, of="f2"), line("src/über.py", 1, "f3")]
    assert bench.open().publish_review(7, HEAD, comments, []) == ()
    found = bench.open().threads(7)
    assert [one.body for one in found] == [one.body for one in comments]
    assert all(one.is_own and not one.is_resolved for one in found)


def test_a_line_that_is_not_shown_loses_no_other(bench: Bench) -> None:
    bench.gitlab.shown = {"src/login.py": {12}}
    hidden = [line(number=99, of="f2"), line("src/other.py", 1, "f3")]
    assert bench.open().publish_review(7, HEAD, [*hidden, line()], []) == tuple(hidden)
    assert [one.body for one in bench.open().threads(7)] == [line().body]


def test_a_renamed_file_is_named_by_both_of_its_names(bench: Bench) -> None:
    bench.gitlab.shown = {f"src/{number}.py": {1} for number in range(150)}
    bench.gitlab.renamed = {"src/149.py": "lib/149.py"}
    assert bench.open().publish_review(7, HEAD, [line("src/149.py", 1)], []) == ()


def test_an_old_gitlab_that_lists_no_files(bench: Bench) -> None:
    bench.gitlab.shown, bench.gitlab.diffs = {"src/login.py": {12}}, False
    hidden = line("src/\udcff.py", 1, "f2")
    assert bench.open().publish_review(7, HEAD, [line(), hidden], []) == (hidden,)


def test_of_a_head_that_was_left_nothing_is_shown(bench: Bench) -> None:
    bench.gitlab.shown = {"src/login.py": {12}}
    assert bench.open().publish_review(7, "c" * 40, [line()], []) == (line(),)
    assert bench.writes() == []


def test_a_comment_that_is_refused_for_another_reason_is_an_error(bench: Bench) -> None:
    bench.gitlab.shown = {"src/login.py": {12}}
    told = CannedResponse(400, {"message": {"note": ["is too\nlong"]}})
    bench.server.fail(told, when=wants("POST", "/discussions"))
    with pytest.raises(RemoteError, match=r"does not take a comment on a line: .*is too"):
        bench.open().publish_review(7, HEAD, [line()], [])


def test_who_settled_a_thread_is_told(bench: Bench) -> None:
    mine, theirs = bench.gitlab.discussion(line().body), bench.gitlab.discussion(line(of="f2").body)
    bench.gitlab.discussion("Why is that?", "ana")
    bench.gitlab.discussions[7].append({"id": "1", "individual_note": True, "notes": []})
    for note in (one["notes"][0] for one in bench.gitlab.discussions[7] if one["id"] == theirs):
        note |= {"resolved": True, "resolved_by": {"username": "ana"}}
    forge = bench.open()
    (first,) = (one for one in forge.threads(7) if one.id.startswith(mine))
    assert forge.publish_review(7, HEAD, [], [first]) == ()
    settled = {
        one.body: (one.is_own, one.is_resolved, one.is_own_resolution) for one in forge.threads(7)
    }
    assert settled == {
        line().body: (True, True, True),
        line(of="f2").body: (True, True, False),
        "Why is that?": (False, False, False),
    }


def test_who_may_not_resolve_a_thread_says_that_it_is_settled(bench: Bench) -> None:
    bench.gitlab.discussion(line().body)
    forge = bench.open("glpat-reports")
    (thread,) = forge.threads(7)
    forge.publish_review(7, HEAD, [], [thread])
    (after,) = forge.threads(7)
    assert (after.id, after.is_own, after.is_resolved, after.is_own_resolution) == (
        thread.id,
        True,
        True,
        True,
    )
    assert after.body.splitlines()[0] == line().body.splitlines()[0]
    assert "A finding" in after.body


def test_a_thread_that_is_gone_is_settled(bench: Bench) -> None:
    gone = ReviewThread("4f3c:1", "x", is_own=True)
    assert bench.open().publish_review(7, HEAD, [], [gone]) == ()
    assert bench.writes()[0].endswith("/discussions/4f3c")


def test_an_id_that_climbs_out_of_the_project_is_not_asked_for(bench: Bench) -> None:
    with pytest.raises(RemoteError, match="is no address of its API"):
        bench.open().publish_review(
            7, HEAD, [], [ReviewThread("../../../user:1", "x", is_own=True)]
        )
    assert bench.server.asked == []


def test_a_status(bench: Bench) -> None:
    forge = bench.open()
    pending = CommitStatus("pending", "sdd review", "Reading")
    forge.set_status(HEAD, pending)
    forge.set_status(HEAD, pending)
    forge.set_status(HEAD, CommitStatus("failure", "sdd review", "x" * 300, "https://x.example/"))
    assert [(one["state"], len(one["description"])) for one in bench.gitlab.statuses] == [
        ("pending", 7),
        ("failed", 255),
    ]
    assert bench.gitlab.statuses[1]["target_url"] == "https://x.example/"


def test_a_status_that_is_not_taken_is_an_error(bench: Bench) -> None:
    bench.server.fail(CannedResponse(400, {"message": "Cannot transition status via :drop"}))
    with pytest.raises(RemoteError, match="does not take the status: Cannot transition"):
        bench.open().set_status(HEAD, CommitStatus("failure", "sdd review", "x"))


def test_where_files_are_shown(bench: Bench) -> None:
    assert bench.open().file_links() == (f"{bench.server.url}/{HOME}/-/blob", "plain=1")

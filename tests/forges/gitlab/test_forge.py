"""Merge requests on GitLab, against a fake server written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sdd_hooks.errors import RemoteError
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
from tests.support.machines import ClientFactory

BODY = f"{MARKER}\n## All clear\n"
CLOCK = 1_777_640_000.0
NOTES = "/merge_requests/7/notes"


@dataclass
class GitLabHarness:
    """The fake GitLab, opened as a forge with a token."""

    gitlab: FakeGitLabForge
    server: Server
    client_factory: ClientFactory

    def open(self, token: str = "glpat-writes") -> Forge:
        run = VENDOR.detect_job(job(self.server))
        assert run is not None
        return VENDOR.open(run, self.client_factory.forge_clients(token))

    def comment(self, body: str = BODY, token: str = "glpat-writes") -> UpsertResult:
        return self.open(token).upsert_comment(7, body, has_marker)

    def writes(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.server.requests if one.method != "GET"]


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with gitlab_forge() as (gitlab, server), ClientFactory(CLOCK) as client_factory:
        yield GitLabHarness(gitlab, server, client_factory)


def line(path: str = "src/login.py", number: int = 12, of: str = "f1") -> LineComment:
    return LineComment(path, number, f"<!-- sdd-review: {of} -->\nA finding\n")


def test_a_requested_merge_request(harness: GitLabHarness) -> None:
    assert harness.open().pull_request(7) == PullRequest(
        number=7,
        title="Keep sessions",
        body="It says **why**.",
        base=BASE,
        base_ref="main",
        head=HEAD,
        is_fork=False,
        ref="refs/merge-requests/7/head",
        head_ref="sessions",
    )


def test_open_merge_requests(harness: GitLabHarness) -> None:
    harness.gitlab.merge(8, state="merged")
    for iid in range(9, 130):
        harness.gitlab.merge(iid, source_project_id=9, target_branch="release")
    forge = harness.open()
    listed = forge.open_pull_requests(500)
    assert [one.number for one in listed] == [*range(129, 8, -1), 7]
    assert listed[-1] == forge.pull_request(7)._replace(base="")
    assert (listed[0].base_ref, listed[0].is_fork) == ("release", True)
    assert forge.open_pull_requests(3) == listed[:3]


def test_the_description_of_a_merge_request(harness: GitLabHarness) -> None:
    harness.open().edit_description(7, "After\n`x`")
    assert harness.open().pull_request(7).body == "After\n`x`"


def test_a_merged_merge_request_of_a_fork(harness: GitLabHarness) -> None:
    harness.gitlab.merge(8, source_project_id=9, state="merged", description=None)
    found = harness.open().pull_request(8)
    assert (found.is_fork, found.is_open, found.body) == (True, False, "")


def test_the_comment_is_created_once_then_kept_and_edited(harness: GitLabHarness) -> None:
    """Scenario "The second run" of SPEC-0009."""
    url = f"{harness.server.url}/{HOME}/-/merge_requests/7#note_301"
    assert harness.comment() == UpsertResult("created", url)
    assert harness.comment() == UpsertResult("kept", url)
    assert harness.comment(f"{BODY}More\n") == UpsertResult("edited", url)
    assert harness.gitlab.bodies() == [f"{BODY}More\n"]
    assert len(harness.writes()) == 2


@pytest.mark.parametrize("links", [True, False])
def test_every_page_is_read(harness: GitLabHarness, links: bool) -> None:
    harness.gitlab.links = links
    for number in range(2_500):
        harness.gitlab.note(f"Comment {number}", "ana" if number % 2 else ME)
        if number == 2_450:
            harness.gitlab.note(BODY, ME)
    assert harness.comment().action == "kept"
    assert len([path for path in harness.server.paths() if path.endswith(NOTES)]) == 26


def test_without_access_to_the_account_notes_of_bots_count_as_own(harness: GitLabHarness) -> None:
    harness.gitlab.note(f"{MARKER}\nforged\n", "eve")
    harness.gitlab.note(f"{MARKER}\nold\n", ME)
    assert harness.comment(token="glpat-narrow").action == "edited"
    assert harness.gitlab.bodies() == [f"{MARKER}\nforged\n", BODY]


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_listing_that_fails_on_its_second_page_writes_nothing(
    harness: GitLabHarness, status: int
) -> None:
    for number in range(150):
        harness.gitlab.note(f"Comment {number}")
    harness.server.fail(
        *[CannedResponse(status, {"message": "no"})] * 9,
        when=lambda request: request.query.get("page") == "2",
    )
    with pytest.raises(RemoteError):
        harness.comment()
    assert harness.writes() == []


@pytest.mark.parametrize("token", ["", "glpat-reads", "glcbt-of-the-job", "glpat-unknown"])
def test_a_token_without_write_access_is_denied(harness: GitLabHarness, token: str) -> None:
    with pytest.raises(WriteDenied) as comment:
        harness.comment(token=token)
    with pytest.raises(WriteDenied):
        harness.open(token).publish_review(7, HEAD, [], [ReviewThread("1:2", "x", is_own=True)])
    with pytest.raises(WriteDenied):
        harness.open(token).set_status(HEAD, CommitStatus("success", "sdd review", "All clear"))
    assert "set SDD_TOKEN to a project access token with the scope api" in str(comment.value)
    assert "\n" not in str(comment.value)
    assert not token or token not in str(comment.value)
    assert harness.gitlab.bodies() == []


def test_the_token_of_a_job_reads_the_merge_request(harness: GitLabHarness) -> None:
    assert TOKENS["glcbt-of-the-job"] == "job"
    assert harness.open("glcbt-of-the-job").pull_request(7).number == 7


def test_a_locked_conversation_is_denied(harness: GitLabHarness) -> None:
    harness.gitlab.locked = True
    with pytest.raises(WriteDenied):
        harness.comment()
    with pytest.raises(WriteDenied):
        harness.gitlab.shown = {"src/login.py": {12}}
        harness.open().publish_review(7, HEAD, [line()], [])


def test_comments_on_lines_become_threads(harness: GitLabHarness) -> None:
    harness.gitlab.shown = {"src/login.py": {12, 14}, "src/über.py": {1}}
    comments = [line(), line(number=14, of="f2"), line("src/über.py", 1, "f3")]
    assert harness.open().publish_review(7, HEAD, comments, []) == ()
    found = harness.open().threads(7)
    assert [one.body for one in found] == [one.body for one in comments]
    assert all(one.is_own and not one.is_resolved for one in found)


def test_a_refused_line_does_not_block_the_others(harness: GitLabHarness) -> None:
    """Scenario "One line outside the diff" of SPEC-0009."""
    harness.gitlab.shown = {"src/login.py": {12}}
    hidden = [line(number=99, of="f2"), line("src/other.py", 1, "f3")]
    assert harness.open().publish_review(7, HEAD, [*hidden, line()], []) == tuple(hidden)
    assert [one.body for one in harness.open().threads(7)] == [line().body]


def test_a_renamed_file_is_sent_with_both_names(harness: GitLabHarness) -> None:
    harness.gitlab.shown = {f"src/{number}.py": {1} for number in range(150)}
    harness.gitlab.renamed = {"src/149.py": "lib/149.py"}
    assert harness.open().publish_review(7, HEAD, [line("src/149.py", 1)], []) == ()


def test_an_old_gitlab_without_a_listing_of_files(harness: GitLabHarness) -> None:
    harness.gitlab.shown, harness.gitlab.diffs = {"src/login.py": {12}}, False
    hidden = line("src/\udcff.py", 1, "f2")
    assert harness.open().publish_review(7, HEAD, [line(), hidden], []) == (hidden,)


def test_comments_on_a_former_head_are_refused(harness: GitLabHarness) -> None:
    harness.gitlab.shown = {"src/login.py": {12}}
    assert harness.open().publish_review(7, "c" * 40, [line()], []) == (line(),)
    assert harness.writes() == []


def test_a_comment_that_is_refused_for_another_reason_is_an_error(harness: GitLabHarness) -> None:
    harness.gitlab.shown = {"src/login.py": {12}}
    refusal = CannedResponse(400, {"message": {"note": ["is too\nlong"]}})
    harness.server.fail(refusal, when=wants("POST", "/discussions"))
    with pytest.raises(RemoteError, match=r"does not take a comment on a line: .*is too"):
        harness.open().publish_review(7, HEAD, [line()], [])


def test_the_resolver_of_a_thread(harness: GitLabHarness) -> None:
    own, other = (
        harness.gitlab.discussion(line().body),
        harness.gitlab.discussion(line(of="f2").body),
    )
    harness.gitlab.discussion("Why is that?", "ana")
    harness.gitlab.discussions[7].append({"id": "1", "individual_note": True, "notes": []})
    for note in (one["notes"][0] for one in harness.gitlab.discussions[7] if one["id"] == other):
        note |= {"resolved": True, "resolved_by": {"username": "ana"}}
    forge = harness.open()
    (first,) = (one for one in forge.threads(7) if one.id.startswith(own))
    assert forge.publish_review(7, HEAD, [], [first]) == ()
    states = {
        one.body: (one.is_own, one.is_resolved, one.is_own_resolution) for one in forge.threads(7)
    }
    assert states == {
        line().body: (True, True, True),
        line(of="f2").body: (True, True, False),
        "Why is that?": (False, False, False),
    }


def test_a_token_that_may_not_resolve_marks_the_note(harness: GitLabHarness) -> None:
    harness.gitlab.discussion(line().body)
    forge = harness.open("glpat-reports")
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


def test_a_deleted_thread_counts_as_resolved(harness: GitLabHarness) -> None:
    gone = ReviewThread("4f3c:1", "x", is_own=True)
    assert harness.open().publish_review(7, HEAD, [], [gone]) == ()
    assert harness.writes()[0].endswith("/discussions/4f3c")


def test_a_status(harness: GitLabHarness) -> None:
    forge = harness.open()
    pending = CommitStatus("pending", "sdd review", "Reading")
    forge.set_status(HEAD, pending)
    forge.set_status(HEAD, pending)
    forge.set_status(HEAD, CommitStatus("failure", "sdd review", "x" * 300, "https://x.example/"))
    assert [(one["state"], len(one["description"])) for one in harness.gitlab.statuses] == [
        ("pending", 7),
        ("failed", 255),
    ]
    assert harness.gitlab.statuses[1]["target_url"] == "https://x.example/"


def test_a_refused_status_is_an_error(harness: GitLabHarness) -> None:
    harness.server.fail(CannedResponse(400, {"message": "Cannot transition status via :drop"}))
    with pytest.raises(RemoteError, match="does not take the status: Cannot transition"):
        harness.open().set_status(HEAD, CommitStatus("failure", "sdd review", "x"))


def test_the_web_addresses_of_files(harness: GitLabHarness) -> None:
    assert harness.open().file_links() == (f"{harness.server.url}/{HOME}/-/blob", "plain=1")

"""The tests of the forge adapter that hold for the real Gitea and for the fake one."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import pytest

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.forges.comments import mark_resolved
from sdd_hooks.forges.gitea.forge import GiteaForge
from sdd_hooks.forges.protocol import CommitStatus, LineComment, ReviewThread, WriteDenied
from sdd_hooks.reporting.comment import MARKER, has_marker

BODY = f"{MARKER}\n## Review\n\nA finding in `a.py`.\n"
PATH = "a.py"
LINES = 5
"""Lines of the file that every pull request adds."""
HOSTILE = "`$(touch x)` <!-- sdd-review --> @alice ::error:: | \N{RIGHT-TO-LEFT OVERRIDE} é 🦊"


class PostedLineComment(NamedTuple):
    """A posted comment on a line, and whether its thread is resolved."""

    line: int
    body: str
    is_resolved: bool


class ForgeHarness(Protocol):
    """A repository with pull requests, each of which adds PATH, and tokens that write to it.

    The token `job` belongs to a job, `fork` to a job on a pull request from a fork, `alice` to the
    owner of the repository. `scoped` is a token of alice without the scope read:user, and `wrong`
    is an invalid token.
    """

    def open(self, who: str = "job") -> GiteaForge: ...

    def pull(self, title: str = "A change", body: str = "", *, fork: bool = False) -> int: ...

    def head(self, number: int) -> str: ...

    def add_comment(self, number: int, body: str) -> None:
        """Post a comment as alice."""

    def comments(self, number: int) -> list[tuple[str, str]]: ...

    def line_comments(self, number: int) -> list[PostedLineComment]: ...

    def add_line_comment(self, number: int, line: int, body: str) -> None:
        """Post a comment on a line as alice, in a separate review."""

    def resolve_first(self, number: int) -> None:
        """Resolve the first comment on a line as alice."""

    def begin_review(self, number: int, who: str, body: str, *, commit: str = "") -> None:
        """Begin a review and do not submit it."""

    def count_pending_reviews(self, number: int, who: str) -> int:
        """The number of reviews that were begun and not submitted."""

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        """The statuses of a commit, the last first."""


def marked(name: str) -> str:
    return f"<!-- sdd-review: {name} -->\nA finding: {name}\n"


def thread_states(threads: tuple[ReviewThread, ...]) -> list[tuple[str, bool, bool, bool]]:
    return sorted((one.body, one.is_own, one.is_resolved, one.is_own_resolution) for one in threads)


class Contract:
    """Tests that take a `harness`."""

    def test_a_pull_request(self, harness: ForgeHarness) -> None:
        number = harness.pull(HOSTILE, f"{HOSTILE}\nand more")
        found = harness.open().pull_request(number)
        assert found.number == number
        assert (found.title, found.body) == (HOSTILE, f"{HOSTILE}\nand more")
        assert (found.head, found.base_ref, found.is_open) == (harness.head(number), "main", True)
        assert len(found.base) == 40
        assert (found.ref, found.is_fork) == (f"refs/pull/{number}/head", False)

    def test_a_pull_request_from_a_fork(self, harness: ForgeHarness) -> None:
        assert harness.open().pull_request(harness.pull(fork=True)).is_fork

    def test_open_pull_requests(self, harness: ForgeHarness) -> None:
        first, forked = harness.pull(), harness.pull(fork=True)
        forge = harness.open()
        listed = {one.number: one for one in forge.open_pull_requests(100)}
        assert {first, forked} <= listed.keys()
        assert listed[first] == forge.pull_request(first)
        assert (listed[forked].is_fork, listed[forked].base_ref) == (True, "main")
        assert len(forge.open_pull_requests(1)) == 1

    def test_the_description_of_a_pull_request(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull("T", "Before"), harness.open()
        forge.edit_description(number, f"{HOSTILE}\nand more")
        assert forge.pull_request(number).body == f"{HOSTILE}\nand more"

    def test_one_comment(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        harness.add_comment(number, BODY)
        assert forge.upsert_comment(number, BODY, has_marker, create=False).action == "none"
        made = forge.upsert_comment(number, BODY, has_marker)
        assert made.action == "created"
        assert f"/pulls/{number}#issuecomment-" in made.url
        other = BODY.replace("A finding", "Two findings")
        assert forge.upsert_comment(number, other, has_marker) == made._replace(action="edited")
        assert harness.comments(number) == [("alice", BODY), ("gitea-actions", other)]

    @pytest.mark.parametrize("ending", ["\r\n", "\n"])
    def test_a_comment_with_the_same_text_is_not_edited(
        self, harness: ForgeHarness, ending: str
    ) -> None:
        number, forge = harness.pull(), harness.open()
        body = f"{MARKER}\n{HOSTILE}  \n\nend \n\n".replace("\n", ending)
        made = forge.upsert_comment(number, body, has_marker)
        assert forge.upsert_comment(number, body, has_marker) == made._replace(action="kept")
        assert len(harness.comments(number)) == 1

    def test_a_long_comment(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        body = MARKER + "\n" + "é🦊 word\n" * 8000
        assert forge.upsert_comment(number, body, has_marker).action == "created"
        assert forge.upsert_comment(number, body, has_marker).action == "kept"

    def test_comments_on_lines(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        harness.add_line_comment(number, 1, marked("one"))
        comments = [LineComment(PATH, line, marked(str(line))) for line in (1, 2, 2)]
        assert forge.publish_review(number, harness.head(number), comments, ()) == ()
        assert thread_states(forge.threads(number)) == [
            (marked("1"), True, False, False),
            (marked("2"), True, False, False),
            (marked("2"), True, False, False),
            (marked("one"), False, False, False),
        ]
        assert [(one.line, one.is_resolved) for one in harness.line_comments(number)] == [
            (1, False),
            (1, False),
            (2, False),
            (2, False),
        ]

    def test_a_refused_line_does_not_block_the_others(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        lines = [1, 99, 2, 3, 98, 4]
        comments = [LineComment(PATH, line, marked(str(line))) for line in lines]
        refused = forge.publish_review(number, harness.head(number), comments, ())
        assert [one.line for one in refused] == [99, 98]
        assert sorted(one.line for one in harness.line_comments(number)) == [1, 2, 3, 4]
        assert harness.count_pending_reviews(number, "job") == 0

    # The server uses the commit of the pending review for every later comment.
    @pytest.mark.parametrize("commit", ["", "4" * 40])
    def test_the_pending_review_of_a_killed_run_is_deleted(
        self, harness: ForgeHarness, commit: str
    ) -> None:
        number, forge = harness.pull(), harness.open()
        harness.begin_review(number, "job", marked("0"), commit=commit)
        comment = LineComment(PATH, 1, marked("1"))
        assert forge.publish_review(number, harness.head(number), [comment], ()) == ()
        assert [one.body for one in harness.line_comments(number)] == [marked("1")]

    @pytest.mark.parametrize("who", ["alice", "job"])
    def test_a_pending_review_of_a_person_is_not_submitted(
        self, harness: ForgeHarness, who: str
    ) -> None:
        # A server adds the comments of a job to the pending review of any account.
        number = harness.pull()
        harness.begin_review(number, "alice", "Hm, what is this?")
        pending = harness.count_pending_reviews(number, "alice")
        comment = LineComment(PATH, 1, marked("1"))
        with pytest.raises(RemoteError, match="has begun a review of this pull request"):
            harness.open(who).publish_review(number, harness.head(number), [comment], ())
        assert harness.count_pending_reviews(number, "alice") == pending > 0
        assert harness.line_comments(number) == []

    def test_threads_are_resolved(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        comments = [LineComment(PATH, line, marked(str(line))) for line in (1, 2)]
        forge.publish_review(number, harness.head(number), comments, ())
        gone = [one for one in forge.threads(number) if one.body == marked("1")]
        forge.publish_review(number, harness.head(number), (), gone)
        assert harness.line_comments(number) == [
            PostedLineComment(1, marked("1"), is_resolved=True),
            PostedLineComment(2, marked("2"), is_resolved=False),
        ]
        assert thread_states(forge.threads(number)) == [
            (marked("1"), True, True, True),
            (marked("2"), True, False, False),
        ]

    @pytest.mark.parametrize("who", ["job", "alice"])
    def test_a_thread_resolved_by_a_person(self, harness: ForgeHarness, who: str) -> None:
        # Also if the comments were posted with her token.
        number, forge = harness.pull(), harness.open(who)
        comment = LineComment(PATH, 1, marked("1"))
        forge.publish_review(number, harness.head(number), [comment], ())
        harness.resolve_first(number)
        (thread,) = forge.threads(number)
        assert (thread.is_resolved, thread.is_own_resolution) == (True, False)

    def test_a_thread_resolved_with_the_token_of_a_person(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open("alice")
        comment = LineComment(PATH, 1, marked("1"))
        forge.publish_review(number, harness.head(number), [comment], ())
        forge.publish_review(number, harness.head(number), (), forge.threads(number))
        assert thread_states(forge.threads(number)) == [
            (mark_resolved(marked("1")), True, True, True)
        ]
        assert harness.line_comments(number) == [
            PostedLineComment(1, mark_resolved(marked("1")), is_resolved=True)
        ]

    def test_one_of_two_threads_on_a_line_is_resolved_alone(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        comments = [LineComment(PATH, 1, marked(name)) for name in ("gone", "kept")]
        forge.publish_review(number, harness.head(number), comments, ())
        gone = [one for one in forge.threads(number) if one.body == marked("gone")]
        forge.publish_review(number, harness.head(number), (), gone)
        assert thread_states(forge.threads(number)) == [
            (mark_resolved(marked("gone")), True, True, True),
            (marked("kept"), True, False, False),
        ]
        assert not any(one.is_resolved for one in harness.line_comments(number))
        # Then the other finding is resolved as well.
        left = [one for one in forge.threads(number) if not one.is_resolved]
        forge.publish_review(number, harness.head(number), (), left)
        assert all(one.is_resolved and one.is_own_resolution for one in forge.threads(number))

    def test_two_threads_on_a_line_are_resolved_together(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        comments = [LineComment(PATH, 1, marked(name)) for name in ("one", "two")]
        forge.publish_review(number, harness.head(number), comments, ())
        forge.publish_review(number, harness.head(number), (), forge.threads(number))
        assert thread_states(forge.threads(number)) == [
            (marked("one"), True, True, True),
            (marked("two"), True, True, True),
        ]

    def test_a_job_of_a_fork_marks_threads_as_resolved(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(fork=True), harness.open("fork")
        assert forge.upsert_comment(number, BODY, has_marker).action == "created"
        comment = LineComment(PATH, 1, marked("1"))
        assert forge.publish_review(number, harness.head(number), [comment], ()) == ()
        forge.publish_review(number, harness.head(number), (), forge.threads(number))
        assert thread_states(forge.threads(number)) == [
            (mark_resolved(marked("1")), True, True, True)
        ]
        with pytest.raises(WriteDenied):
            forge.set_status(
                harness.head(number), CommitStatus("success", "sdd review", "All clear")
            )

    def test_the_last_status_of_a_context_counts(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open()
        sha = harness.head(number)
        description = "1 critical, " + "é" * 1000
        forge.set_status(
            sha, CommitStatus("failure", "sdd review", "2 critical", forge.context.web_url)
        )
        for _ in range(2):
            forge.set_status(sha, CommitStatus("success", "sdd review", description))
        last, before = harness.statuses(sha)
        assert (last["status"], last["context"], last["description"]) == (
            "success",
            "sdd review",
            description,
        )
        assert (before["status"], before["target_url"]) == ("failure", forge.context.web_url)

    def test_a_token_that_may_not_read_its_account_writes_no_comment(
        self, harness: ForgeHarness
    ) -> None:
        # It would post another comment each time.
        number = harness.pull()
        with pytest.raises(AccessRefused, match="read:user"):
            harness.open("scoped").upsert_comment(number, BODY, has_marker)
        assert harness.comments(number) == []

    def test_a_wrong_token(self, harness: ForgeHarness) -> None:
        number, forge = harness.pull(), harness.open("wrong")
        with pytest.raises(AccessRefused) as found:
            forge.upsert_comment(number, BODY, has_marker)
        assert "t0ken" not in str(found.value)
        with pytest.raises(WriteDenied):
            forge.set_status(
                harness.head(number), CommitStatus("success", "sdd review", "All clear")
            )
        assert harness.comments(number) == []

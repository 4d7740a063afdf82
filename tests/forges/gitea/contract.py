"""What must hold of posting to a Gitea, the real one and the one that stands in for it."""

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


class OnLine(NamedTuple):
    """A comment on a line as anybody sees it."""

    line: int
    body: str
    is_resolved: bool


class Bench(Protocol):
    """A repository with pull requests, each of which adds PATH, and those who write to it.

    `job` is a job's token, `fork` that of one for a pull request from a fork; `alice` owns the
    repository, `scoped` is a token of hers without the scope read:user, and `nobody` has one that
    is wrong.
    """

    def open(self, who: str = "job") -> GiteaForge: ...

    def pull(self, title: str = "A change", body: str = "", *, fork: bool = False) -> int: ...

    def head(self, number: int) -> str: ...

    def say(self, number: int, body: str) -> None:
        """As alice."""

    def said(self, number: int) -> list[tuple[str, str]]: ...

    def on_lines(self, number: int) -> list[OnLine]: ...

    def say_on_line(self, number: int, line: int, body: str) -> None:
        """As alice, in a review of its own."""

    def resolve_first(self, number: int) -> None:
        """The first comment on a line, as alice."""

    def begin(self, number: int, who: str, body: str, *, commit: str = "") -> None:
        """Begin a review and leave it at that."""

    def begun(self, number: int, who: str) -> int:
        """How many reviews are begun."""

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        """The last first."""


def marked(name: str) -> str:
    return f"<!-- sdd-review: {name} -->\nA finding: {name}\n"


def said_in(threads: tuple[ReviewThread, ...]) -> list[tuple[str, bool, bool, bool]]:
    return sorted((one.body, one.is_own, one.is_resolved, one.is_own_resolution) for one in threads)


class Contract:
    """Tests that take a `bench`."""

    def test_a_pull_request(self, bench: Bench) -> None:
        number = bench.pull(HOSTILE, f"{HOSTILE}\nand more")
        found = bench.open().pull_request(number)
        assert found.number == number
        assert (found.title, found.body) == (HOSTILE, f"{HOSTILE}\nand more")
        assert (found.head, found.base_ref, found.is_open) == (bench.head(number), "main", True)
        assert len(found.base) == 40
        assert (found.ref, found.is_fork) == (f"refs/pull/{number}/head", False)

    def test_a_pull_request_from_a_fork(self, bench: Bench) -> None:
        assert bench.open().pull_request(bench.pull(fork=True)).is_fork

    def test_one_comment(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        bench.say(number, BODY)
        assert forge.upsert_comment(number, BODY, has_marker, create=False).action == "none"
        made = forge.upsert_comment(number, BODY, has_marker)
        assert made.action == "created"
        assert f"/pulls/{number}#issuecomment-" in made.url
        other = BODY.replace("A finding", "Two findings")
        assert forge.upsert_comment(number, other, has_marker) == made._replace(action="edited")
        assert bench.said(number) == [("alice", BODY), ("gitea-actions", other)]

    @pytest.mark.parametrize("ending", ["\r\n", "\n"])
    def test_a_comment_that_says_the_same_is_not_edited(self, bench: Bench, ending: str) -> None:
        number, forge = bench.pull(), bench.open()
        body = f"{MARKER}\n{HOSTILE}  \n\nend \n\n".replace("\n", ending)
        made = forge.upsert_comment(number, body, has_marker)
        assert forge.upsert_comment(number, body, has_marker) == made._replace(action="kept")
        assert len(bench.said(number)) == 1

    def test_a_long_comment(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        body = MARKER + "\n" + "é🦊 word\n" * 8000
        assert forge.upsert_comment(number, body, has_marker).action == "created"
        assert forge.upsert_comment(number, body, has_marker).action == "kept"

    def test_comments_on_lines(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        bench.say_on_line(number, 1, marked("one"))
        comments = [LineComment(PATH, line, marked(str(line))) for line in (1, 2, 2)]
        assert forge.publish_review(number, bench.head(number), comments, ()) == ()
        assert said_in(forge.threads(number)) == [
            (marked("1"), True, False, False),
            (marked("2"), True, False, False),
            (marked("2"), True, False, False),
            (marked("one"), False, False, False),
        ]
        assert [(one.line, one.is_resolved) for one in bench.on_lines(number)] == [
            (1, False),
            (1, False),
            (2, False),
            (2, False),
        ]

    def test_a_line_that_is_not_there_loses_no_other(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        lines = [1, 99, 2, 3, 98, 4]
        comments = [LineComment(PATH, line, marked(str(line))) for line in lines]
        refused = forge.publish_review(number, bench.head(number), comments, ())
        assert [one.line for one in refused] == [99, 98]
        assert sorted(one.line for one in bench.on_lines(number)) == [1, 2, 3, 4]
        assert bench.begun(number, "job") == 0

    # The server takes the commit of that review for the one of every comment that comes next.
    @pytest.mark.parametrize("commit", ["", "4" * 40])
    def test_what_a_run_that_was_killed_left_is_taken_away(self, bench: Bench, commit: str) -> None:
        number, forge = bench.pull(), bench.open()
        bench.begin(number, "job", marked("0"), commit=commit)
        comment = LineComment(PATH, 1, marked("1"))
        assert forge.publish_review(number, bench.head(number), [comment], ()) == ()
        assert [one.body for one in bench.on_lines(number)] == [marked("1")]

    @pytest.mark.parametrize("who", ["alice", "job"])
    def test_a_review_that_a_person_has_begun_is_not_submitted(
        self, bench: Bench, who: str
    ) -> None:
        # A server takes the review that anybody has begun for the one that a job has.
        number = bench.pull()
        bench.begin(number, "alice", "Hm, what is this?")
        begun = bench.begun(number, "alice")
        comment = LineComment(PATH, 1, marked("1"))
        with pytest.raises(RemoteError, match="has begun a review of this pull request"):
            bench.open(who).publish_review(number, bench.head(number), [comment], ())
        assert bench.begun(number, "alice") == begun > 0
        assert bench.on_lines(number) == []

    def test_threads_are_resolved(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        comments = [LineComment(PATH, line, marked(str(line))) for line in (1, 2)]
        forge.publish_review(number, bench.head(number), comments, ())
        gone = [one for one in forge.threads(number) if one.body == marked("1")]
        forge.publish_review(number, bench.head(number), (), gone)
        assert bench.on_lines(number) == [
            OnLine(1, marked("1"), is_resolved=True),
            OnLine(2, marked("2"), is_resolved=False),
        ]
        assert said_in(forge.threads(number)) == [
            (marked("1"), True, True, True),
            (marked("2"), True, False, False),
        ]

    @pytest.mark.parametrize("who", ["job", "alice"])
    def test_a_person_settles_a_thread(self, bench: Bench, who: str) -> None:
        # Also when it is her token that the comments were posted with.
        number, forge = bench.pull(), bench.open(who)
        comment = LineComment(PATH, 1, marked("1"))
        forge.publish_review(number, bench.head(number), [comment], ())
        bench.resolve_first(number)
        (thread,) = forge.threads(number)
        assert (thread.is_resolved, thread.is_own_resolution) == (True, False)

    def test_a_thread_that_was_settled_with_the_token_of_a_person(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open("alice")
        comment = LineComment(PATH, 1, marked("1"))
        forge.publish_review(number, bench.head(number), [comment], ())
        forge.publish_review(number, bench.head(number), (), forge.threads(number))
        assert said_in(forge.threads(number)) == [(mark_resolved(marked("1")), True, True, True)]
        assert bench.on_lines(number) == [OnLine(1, mark_resolved(marked("1")), is_resolved=True)]

    def test_one_of_two_on_a_line_is_settled_without_the_other(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        comments = [LineComment(PATH, 1, marked(name)) for name in ("gone", "here")]
        forge.publish_review(number, bench.head(number), comments, ())
        gone = [one for one in forge.threads(number) if one.body == marked("gone")]
        forge.publish_review(number, bench.head(number), (), gone)
        assert said_in(forge.threads(number)) == [
            (mark_resolved(marked("gone")), True, True, True),
            (marked("here"), True, False, False),
        ]
        assert not any(one.is_resolved for one in bench.on_lines(number))
        # And then the other one is gone as well: nothing is left to say.
        left = [one for one in forge.threads(number) if not one.is_resolved]
        forge.publish_review(number, bench.head(number), (), left)
        assert all(one.is_resolved and one.is_own_resolution for one in forge.threads(number))

    def test_both_on_a_line_are_settled_together(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        comments = [LineComment(PATH, 1, marked(name)) for name in ("one", "two")]
        forge.publish_review(number, bench.head(number), comments, ())
        forge.publish_review(number, bench.head(number), (), forge.threads(number))
        assert said_in(forge.threads(number)) == [
            (marked("one"), True, True, True),
            (marked("two"), True, True, True),
        ]

    def test_a_job_of_a_fork_settles_what_it_may(self, bench: Bench) -> None:
        number, forge = bench.pull(fork=True), bench.open("fork")
        assert forge.upsert_comment(number, BODY, has_marker).action == "created"
        comment = LineComment(PATH, 1, marked("1"))
        assert forge.publish_review(number, bench.head(number), [comment], ()) == ()
        forge.publish_review(number, bench.head(number), (), forge.threads(number))
        assert said_in(forge.threads(number)) == [(mark_resolved(marked("1")), True, True, True)]
        with pytest.raises(WriteDenied):
            forge.set_status(bench.head(number), CommitStatus("success", "sdd review", "All clear"))

    def test_the_last_status_of_a_context_counts(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open()
        sha = bench.head(number)
        said = "1 critical, " + "é" * 1000
        forge.set_status(
            sha, CommitStatus("failure", "sdd review", "2 critical", forge.context.web_url)
        )
        for _ in range(2):
            forge.set_status(sha, CommitStatus("success", "sdd review", said))
        last, before = bench.statuses(sha)
        assert (last["status"], last["context"], last["description"]) == (
            "success",
            "sdd review",
            said,
        )
        assert (before["status"], before["target_url"]) == ("failure", forge.context.web_url)

    def test_a_token_that_may_not_say_whose_it_is_writes_no_comment(self, bench: Bench) -> None:
        # It would write another one each time.
        number = bench.pull()
        with pytest.raises(AccessRefused, match="read:user"):
            bench.open("scoped").upsert_comment(number, BODY, has_marker)
        assert bench.said(number) == []

    def test_a_token_that_is_wrong(self, bench: Bench) -> None:
        number, forge = bench.pull(), bench.open("nobody")
        with pytest.raises(AccessRefused) as found:
            forge.upsert_comment(number, BODY, has_marker)
        assert "t0ken" not in str(found.value)
        with pytest.raises(WriteDenied):
            forge.set_status(bench.head(number), CommitStatus("success", "sdd review", "All clear"))
        assert bench.said(number) == []

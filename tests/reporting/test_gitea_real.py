"""How a real Gitea renders the text of comments. Skipped without one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.findings import Finding, ReportedFinding, SuppressedFinding
from sdd_hooks.reporting.comment import MARKER, inline_comments, render_comment
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.outcome import Candidate, References, ReviewOutcome
from sdd_hooks.reporting.registry import Links
from tests.reporting.reviews import BASE, EVERYTHING, HEAD
from tests.reporting.test_escape import HOSTILE
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.waiting import until

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)

_TAG = re.compile(r"<(\w[^>]*)>")


@dataclass
class Project:
    """A repository of alice, with an issue that hostile text refers to."""

    gitea: RealGitea
    name: str

    def rendered(self, markdown: str) -> str:
        """The HTML of a comment."""
        request = {"Text": markdown, "Mode": "comment", "Context": f"alice/{self.name}"}
        answer = self.gitea.answer("POST", "/markdown", request)
        assert answer.is_success
        return re.sub(r' dir="auto"| data-source-position="\d+"', "", answer.text)

    def tags(self, markdown: str) -> set[str]:
        """The tags of a comment, with their attributes."""
        return set(_TAG.findall(self.rendered(markdown)))

    def add(self, title: str) -> int:
        """A new issue."""
        made = self.gitea.call("POST", f"/repos/alice/{self.name}/issues", {"title": title})
        return int(made["number"])

    def add_comment(self, issue: int, body: str) -> None:
        """Comment on an issue, as alice."""
        path = f"/repos/alice/{self.name}/issues/{issue}/comments"
        self.gitea.call("POST", path, {"body": body})

    def referenced(self, issue: int) -> list[str]:
        """The kinds of events in its timeline."""
        events = self.gitea.call("GET", f"/repos/alice/{self.name}/issues/{issue}/timeline")
        return [event["type"] for event in events or []]

    def notified(self) -> list[str]:
        """The titles of the issues of which bob has notifications."""
        unread = self.gitea.call("GET", "/notifications", user="bob")
        return [notification["subject"]["title"] for notification in unread]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path_factory.mktemp("gitea")) as gitea:
        made = Project(gitea, gitea.repository())
        assert made.add("To be got at") == 1
        yield made


ACTIVE = [
    "@bob",
    "#1",
    "Fixes #1",
    "alice/r1#1",
    "$x$",
    ":tada:",
    "https://example.org",
    "user@example.org",
    "![x](https://example.org/x.png)",
    "[ ] x",
    "**x**",
    "<b>x</b>",
    "~~x~~",
]


@pytest.mark.parametrize("text", ACTIVE)
def test_active_text_is_inert_when_escaped_or_in_a_code_span(project: Project, text: str) -> None:
    assert project.tags(f"- {text}") != {"ul", "li"}
    assert project.tags(f"- {escape_text(text)}") <= {"ul", "li", "span"}
    assert project.tags(f"- {code_span(text)}") == {"ul", "li", "code"}


@settings(max_examples=25)
@given(st.lists(HOSTILE, min_size=8, max_size=8))
def test_no_text_acts(project: Project, texts: list[str]) -> None:
    lines = "".join(f"- {escape_text(text)}, {code_span(text)} x\n" for text in texts)
    # Gitea labels an emoji for screen readers.
    tags = {
        tag for tag in project.tags(lines) if not tag.startswith('span class="emoji" aria-label')
    }
    assert tags <= {"ul", "li", "span", "code"}


def hostile(text: str) -> ReviewOutcome:
    """A review that has the text in every field."""
    finding = Finding(text, 3, text, "critical", text, text)
    record = Candidate(text, text, text, 1, True, False, (), text, text, 1)
    references = References((record,), (record,), text)
    reported = (ReportedFinding(finding, "f" * 32, on_added_line=True),)
    suppressed = (SuppressedFinding(finding, text),)
    return ReviewOutcome(BASE, HEAD, text, 1, references, reported, suppressed, (text,))


def test_a_comment_notifies_no_user_and_refers_to_no_issue(project: Project) -> None:
    text = "@bob, this fixes #1, closes alice/r1#1 and #1."
    review = hostile(text)
    (on_line,) = inline_comments(review)
    quiet = project.add("Quiet")
    project.add_comment(quiet, render_comment(review))
    project.add_comment(quiet, on_line.body)
    assert project.referenced(1) == []
    # Unescaped, it does both. Notifications arrive in order, so that earlier ones would be there.
    project.add_comment(project.add("Loud"), text)
    assert project.referenced(1) != []
    until(lambda: project.notified() == ["Loud"])


def test_the_report_is_rendered_as_intended(project: Project) -> None:
    links = Links("https://forge.example/o/r/src/commit", HEAD, "display=source")
    comment = render_comment(EVERYTHING, links=links)
    page = project.rendered(comment)
    assert MARKER not in page
    folds = comment.splitlines().count("</details>")
    assert page.count("<details><summary>") == page.count("</details>") == folds > 2
    address = f"https://forge.example/o/r/src/commit/{HEAD}/src/web/page.js?display=source#L7"
    assert f'href="{address}"' in page
    assert "<code>src/web/page.js:7</code></a>" in page
    assert "<br/>" in page

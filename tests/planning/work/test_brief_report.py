"""A brief as Markdown: untrusted text stays text, on one line."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.planning.work.brief import (
    BranchPlan,
    Convention,
    ExistingCode,
    GoverningArtifact,
    WorkBrief,
)
from sdd_hooks.planning.work.brief_report import MAX_FILES, brief_data, brief_lines
from sdd_hooks.planning.work.siblings import (
    ModifiedFile,
    SharedDefinition,
    Sibling,
    SiblingManifest,
)
from sdd_hooks.reporting.escape import BREAK
from sdd_hooks.trackers.issue_file import StoredIssue

HEADINGS = {
    "## Branch",
    "## Issue",
    "## Governing artifacts",
    "## Existing code to import",
    "## Conventions",
    "## Files Currently Being Modified by Siblings",
    "## Shared Types Available",
    "## In-Progress Sibling PRs",
    "## Not known",
    "## Protected paths",
}
HOSTILE = st.text(
    st.sampled_from(list("ab \n\r\t`|#>*_[]()<!-\x1b\x00\u202e\u2028é/\\")), max_size=24
)


@st.composite
def briefs(draw: st.DrawFn) -> WorkBrief:
    def text() -> str:
        return draw(HOSTILE)

    issue = StoredIssue(
        text(), text(), "open", (text(),), (), "", "", "", "", text(), "github", (), (), (), (),
        text(), (),
    )  # fmt: skip
    sibling = Sibling(text(), text(), text(), "open", (text(),), (text(),))
    manifest = SiblingManifest(
        (ModifiedFile(text(), (text(),)),),
        (SharedDefinition(text(), text(), text(), text(), "open", True),),
        (sibling,),
        (text(),),
    )
    return WorkBrief(
        issue=issue,
        module="",
        live=False,
        requirements=(),
        governing=(GoverningArtifact(text(), text(), text(), "", False, text(), text(), text()),),
        existing=(ExistingCode(text(), text(), text(), 1, 2, 0.5),),
        conventions=(Convention(text(), text(), 1, 2, text()),),
        siblings=manifest,
        blocked_by=(text(),),
        branch=BranchPlan("feature/1", "main", False, ".claude/worktrees/1", False),
        pull=text(),
        protected=(text(),),
        notes=(text(),),
    )


@given(briefs())
def test_untrusted_text_makes_no_heading_and_no_control_character(brief: WorkBrief) -> None:
    lines = list(brief_lines(brief))
    for line in lines[1:]:
        # A code span divides the beginning of a comment on purpose.
        assert line.replace(BREAK, "").isprintable(), repr(line)
        assert not line.startswith("#") or line in HEADINGS
        assert not line.startswith(("```", "<", "    "))
    assert lines[0].replace(BREAK, "").isprintable()
    assert json.loads(json.dumps(brief_data(brief)))["branch"]["name"] == "feature/1"


def test_many_files_are_counted() -> None:
    files = tuple(ModifiedFile(f"{at}.go", ("#1",)) for at in range(MAX_FILES + 5))
    issue = StoredIssue(
        "7", "T", "open", (), (), "", "", "", "", "", "github", (), (), (), (), "", ()
    )
    brief = WorkBrief(
        issue, "", False, (), (), (), (), SiblingManifest(files), (),
        BranchPlan("feature/7", "main", False, "w", False), "", (),
    )  # fmt: skip
    assert "- … and 5 more files" in list(brief_lines(brief))

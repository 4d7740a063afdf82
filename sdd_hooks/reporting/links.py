"""Where a forge shows the files of the commit that was reviewed."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from sdd_hooks.reporting.escape import code


class Links(NamedTuple):
    """Addresses of files: `base` is what comes before the commit, without a slash at its end.

    That is `https://HOST/OWNER/REPO/blob` on GitHub, `…/src/commit` on Gitea and `…/-/blob` on
    GitLab. `query` makes the forge show Markdown as it is written, so that a line can be linked to:
    `plain=1`, and on Gitea `display=source`.
    """

    base: str
    head: str
    query: str = "plain=1"

    def to(self, path: str, line: int) -> str:
        """The address of a line of a file, counted from 1; 0 is the file as a whole."""
        place = f"?{self.query}#L{line}" if line else ""
        return f"{self.base}/{self.head}/{quote(path, errors='surrogateescape')}{place}"


def place(path: str, line: int, links: Links | None) -> str:
    """`path:line` as Markdown, with a link where there are any; the path alone for line 0."""
    name = code(f"{path}:{line}" if line else path)
    return f"[{name}]({links.to(path, line)})" if links and name else name

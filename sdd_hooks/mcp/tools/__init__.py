"""The five tools of the server."""

# Governing: SPEC-0030 REQ "Five tools"

from __future__ import annotations

from sdd_hooks.mcp.tool import Tool
from sdd_hooks.mcp.tools import decisions, get, review, search, status

TOOLS: tuple[Tool, ...] = (search.TOOL, get.TOOL, decisions.TOOL, review.TOOL, status.TOOL)

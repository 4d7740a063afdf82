"""The server of the Model Context Protocol: `sdd mcp`."""

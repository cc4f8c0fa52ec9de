"""The doors that speak MCP. Only their modules import the `mcp` SDK, which takes most of a second."""

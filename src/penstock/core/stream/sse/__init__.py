"""A stream of server-sent events in, the same stream out, with tool calls where their markup was: `filtering` first."""

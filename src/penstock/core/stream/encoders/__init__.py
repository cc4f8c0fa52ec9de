"""Events in the words of protocols that front ends know, one module each.

Every encoder has the same four calls, and each gives bytes to send: `begin`, `encode` for what a filter gave,
`result` for what a tool returned, `end`. Ids and times are handed in, so the same events give the same bytes.
"""

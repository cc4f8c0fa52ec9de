"""How calls are written between their markers: JSON objects, tags with raw values, Python, and Gemma's braces."""

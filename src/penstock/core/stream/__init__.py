"""What a model streams, in one pass: events for those who show it, and the raw text for those who parse it."""

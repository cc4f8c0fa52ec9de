"""Views on their way out."""

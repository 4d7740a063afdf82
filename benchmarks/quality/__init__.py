"""Retrieval quality: both tools score themselves on the same questions."""

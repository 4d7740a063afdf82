"""The organisation's index on a real PostgreSQL: generated content, times, sizes, agreement."""

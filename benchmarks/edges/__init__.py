"""Whether the records that an author connected are offered as edges, in public repositories."""

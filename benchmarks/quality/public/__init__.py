"""Questions about code that others published, with the files that they expect."""

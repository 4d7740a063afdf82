"""qmd as an engine: the real command line."""

"""qmd as an engine: the real command line, and its daemon where one runs."""

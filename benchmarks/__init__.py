"""Measures sdd against git alone and against the real qmd: `python -m benchmarks --help`."""

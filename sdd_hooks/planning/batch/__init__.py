"""Batches: the issues of a specification, and the order of pull requests."""

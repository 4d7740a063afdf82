"""Sprints: plans of specifications, briefs for stories, pull requests and issues in batches."""

"""Tests of the engine over PostgreSQL."""

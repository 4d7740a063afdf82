"""Keep a repository's architecture knowledge indexed, fresh and enforced."""

__version__ = "0.1.0"

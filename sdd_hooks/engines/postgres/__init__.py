"""The engine over PostgreSQL and pgvector: one index for the repositories of an organisation."""

"""Passwords at rest."""

# Governing: ADR-0003 (Argon2id)

from argon2 import PasswordHasher

HASHER = PasswordHasher(memory_cost=64 * 1024)


def hash_password(password: str) -> str:
    """The hash to store for a new password."""
    return HASHER.hash(password)


def check_password(password: str, stored: str) -> bool:
    """Whether the password is the one that was hashed."""
    return HASHER.verify(stored, password)

"""What it means that a host does not let us write."""

# Governing: SPEC-0011 REQ "Denied writes"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.errors import AccessRefused, Missing
from sdd_hooks.forges.protocol import WriteDenied


@contextmanager
def writing() -> Iterator[None]:
    """Around a request that writes: raises WriteDenied where the host refuses it, or denies that
    there is anything to write to, as hosts do to those who may only read."""
    try:
        yield
    except WriteDenied:
        raise
    except (AccessRefused, Missing) as error:
        raise WriteDenied(str(error)) from None

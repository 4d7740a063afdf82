"""The contract on loopback, and what a server may do that no real one does on demand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.forges.gitea_contract import Contract
from tests.forges.gitea_desk import Desk, desk


@pytest.fixture
def bench() -> Iterator[Desk]:
    with desk() as found:
        yield found


class TestGitea(Contract):
    """The contract, on loopback."""

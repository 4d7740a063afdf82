"""Print the CPU time of each room of the tests: `scripts/test -p tests.support.cpu_rooms`."""

from __future__ import annotations

import resource
from collections import defaultdict
from itertools import chain
from typing import NamedTuple

import pytest

_NAME = "cpu"


class _Used(NamedTuple):
    """Seconds of CPU time: of a process of pytest, and of the processes that it started."""

    own: float
    started: float

    @classmethod
    def now(cls) -> _Used:
        both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return cls(*(used.ru_utime + used.ru_stime for used in both))


_counted = _Used(0.0, 0.0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
    """Add what was used since the test before, at first with the import of the tests."""
    global _counted  # noqa: PLW0603
    report: pytest.TestReport = yield
    if call.when == "teardown":
        now = _Used.now()
        room = "/".join(item.nodeid.partition("::")[0].split("/")[:2])
        used = (now.own - _counted.own, now.started - _counted.started)
        report.user_properties.append((_NAME, (room, *used)))
        _counted = now
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the rooms, the dearest first."""
    rooms: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for report in chain.from_iterable(terminalreporter.stats.values()):
        for name, value in getattr(report, "user_properties", ()):
            if name == _NAME and report.when == "teardown":
                room, *used = value
                rooms[room] = [sum(pair) for pair in zip(rooms[room], used, strict=True)]
    terminalreporter.section("CPU time: all, of the tests themselves, of what they start")
    for room, (own, started) in sorted(rooms.items(), key=lambda one: -sum(one[1])):
        terminalreporter.write_line(f"{own + started:8.1f} {own:8.1f} {started:8.1f} {room}")

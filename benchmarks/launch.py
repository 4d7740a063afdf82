"""Run a program, and write its seconds, its `ru_maxrss`, its exit status and the seconds of
processors that it took to a descriptor.

This is a process of its own because the peak memory of a program begins with that of the process
that starts it, and the process of the benchmarks is large. Called as
`launch.py DESCRIPTOR COMMAND…`.
"""

from __future__ import annotations

import os
import sys
import time


def main() -> None:
    """Start the program, and wait for its end."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - started
    exited = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    os.write(report, f"{seconds} {usage.ru_maxrss} {exited} {cpu}".encode())


if __name__ == "__main__":
    main()

"""Reading pipes, by a selector and by threads, as on Windows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import IO

import pytest

from sdd_hooks.system.pipes import Pipes, _SelectedPipes, _ThreadedPipes

TIMEOUT = 60.0

Open = Callable[[Sequence[IO[bytes]]], Pipes]
both = pytest.mark.parametrize("open_pipes", [_SelectedPipes, _ThreadedPipes])


@both
def test_everything_is_read_and_each_pipe_ends_once(open_pipes: Open) -> None:
    program = "import sys; sys.stdout.write('o' * 200_000); sys.stderr.write('e' * 100_000)"
    command = [sys.executable, "-c", program]
    outputs = {0: b"", 1: b""}
    ends = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        with closing(open_pipes((process.stdout, process.stderr))) as pipes:
            while len(ends) < 2:
                for number, block in pipes.read(TIMEOUT):
                    outputs[number] += block
                    ends += [] if block else [number]
    assert sorted(ends) == [0, 1]
    assert outputs == {0: b"o" * 200_000, 1: b"e" * 100_000}


@both
def test_an_open_pipe_without_bytes_gives_nothing(open_pipes: Open) -> None:
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        with closing(open_pipes((process.stdout,))) as pipes:
            assert list(pipes.read(0.0)) == []
            process.stdin.close()
            assert list(pipes.read(TIMEOUT)) == [(0, b"")]

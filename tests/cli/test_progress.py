import io

import pytest

from sdd_hooks.cli.progress import progress_line


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_sees_nothing():
    stream = io.StringIO()
    with progress_line(stream) as progress:
        assert progress is None
    assert stream.getvalue() == ""


def test_a_short_command_shows_nothing():
    screen, times = Screen(), iter([0.0, 0.4, 0.9])
    with progress_line(screen, lambda: next(times)) as progress:
        progress("embedding", 1, 2)
        progress("embedding", 2, 2)
    assert screen.getvalue() == ""


def test_a_long_one_shows_a_line_now_and_then_and_clears_it():
    screen, times = Screen(), iter([0.0, 0.5, 1.5, 1.55, 1.58, 1.7])
    with progress_line(screen, lambda: next(times)) as progress:
        for done in (1, 2, 3, 2000, 1500):
            progress("embedding", done, 2000)
    shown = ["", "embedding 2/2,000", "embedding 2,000/2,000", "embedding 1,500/2,000", ""]
    assert screen.getvalue().split("\r\x1b[K") == shown


def test_an_error_leaves_a_clean_line():
    screen, times = Screen(), iter([0.0, 2.0])
    with pytest.raises(KeyError), progress_line(screen, lambda: next(times)) as progress:
        progress("reading", 1, 5)
        raise KeyError
    assert screen.getvalue().endswith("\r\x1b[K")

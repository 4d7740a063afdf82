"""The line that shows progress on a terminal."""

import io
import threading

import pytest

from sdd_hooks.cli.shared.progress import live_line, progress_line, waiting_line


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_gets_no_progress():
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


def test_a_long_command_writes_the_line_over_and_clears_it():
    screen, times = Screen(), iter([0.0, 0.5, 1.5, 1.55, 1.58, 1.7])
    with progress_line(screen, lambda: next(times)) as progress:
        for done in (1, 2, 3, 2000, 1500):
            progress("embedding", done, 2000)
    shown = ["", "embedding 2/2,000", "embedding 2,000/2,000", "embedding 1,500/2,000", ""]
    assert screen.getvalue().split("\r\x1b[K") == shown


def test_the_line_of_an_embed_says_how_long_the_rest_takes():
    screen, times = Screen(), iter([0.0, 2.0, 4.0, 10.0, 11.0])
    with progress_line(screen, lambda: next(times), estimate=True) as progress:
        for done in (0, 32, 64, 1000):
            progress("Embedding", done, 1000)
    assert screen.getvalue().split("\r\x1b[K")[1:-1] == [
        "Embedding 0/1,000",
        "Embedding 32/1,000, about 2 minutes left",
        "Embedding 64/1,000, about 2 minutes left",
        "Embedding 1,000/1,000",
    ]


def test_an_error_clears_the_line():
    screen, times = Screen(), iter([0.0, 2.0])
    with pytest.raises(KeyError), progress_line(screen, lambda: next(times)) as progress:
        progress("reading", 1, 5)
        raise KeyError
    assert screen.getvalue().endswith("\r\x1b[K")


def test_an_unknown_total_is_not_shown():
    screen, times = Screen(), iter([0.0, 2.0])
    with progress_line(screen, lambda: next(times)) as progress:
        progress("reading", 1200, 0)
    assert screen.getvalue() == "\r\x1b[Kreading 1,200\r\x1b[K"


def test_a_text_is_shown_at_once_in_one_row():
    screen, times = Screen(), iter([0.0, 0.1, 0.2])
    with live_line(screen, lambda: next(times)) as line:
        line.show("GitHub asks to wait: \x1b[31mwaiting 12 s")
        line.show("x" * 200)
    first, second = "GitHub asks to wait: \\u001b[31mwaiting 12 s", "x" * 79
    assert screen.getvalue().split("\r\x1b[K") == ["", first, second, ""]


def test_a_cleared_line_leaves_room_for_other_output():
    screen, times = Screen(), iter([0.0, 2.0, 2.1])
    with live_line(screen, lambda: next(times)) as line:
        line.report("issues", 1, 3)
        line.clear()
        screen.write("a note\n")
        line.report("issues", 2, 3)
    assert screen.getvalue() == ("\r\x1b[Kissues 1/3\r\x1b[Ka note\n\r\x1b[Kissues 2/3\r\x1b[K")


def test_a_long_activity_is_shown_once_and_cleared():
    class Watched(Screen):
        def flush(self):
            shown.set()

    shown = threading.Event()
    screen = Watched()
    with waiting_line(screen, "Reviewing", delay=0.01):
        assert shown.wait(60)
    assert screen.getvalue() == "\r\x1b[KReviewing …\r\x1b[K"


def test_a_short_activity_is_not_shown():
    screen, before = Screen(), threading.active_count()
    with waiting_line(screen, "Reviewing", delay=60):
        pass
    with pytest.raises(KeyError), waiting_line(screen, "Reviewing", delay=60):
        raise KeyError
    assert screen.getvalue() == ""
    pipe = io.StringIO()
    with waiting_line(pipe, "Reviewing", delay=0):
        pass
    assert pipe.getvalue() == ""
    assert threading.active_count() == before

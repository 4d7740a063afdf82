"""Fixtures for the tests of pages in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.reporting.page.render import render_page
from tests.reporting.page.pages import many_files, page_of, small_page
from tests.support.browser import Browser, installed_axe, start_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The real Chromium."""
    with start_browser(installed_axe()) as started:
        yield started


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a page with something in every view."""
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(render_page(small_page()), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a page with 1,000 records."""
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(render_page(page_of(many_files(1_000))), encoding="utf-8")
    return path

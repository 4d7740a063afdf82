"""The real Chromium for tests of pages, with its driver, and axe, which checks accessibility."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.waiting import TIMEOUT

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real Chromium: scripts/install-browser .cache/browser"

DESKTOP = (1280, 900)
PHONE = (390, 844)

# Sets the address, and returns when the page shows it.
_GO = """
const [hash, done] = arguments;
const settled = () => document.querySelector("main").ariaBusy ? setTimeout(settled, 5) : done();
if (location.hash === hash) settled();
else {
  addEventListener("hashchange", settled, { once: true });
  location.hash = hash;
}
"""
_BACK = """
const done = arguments[0];
const settled = () => document.querySelector("main").ariaBusy ? setTimeout(settled, 5) : done();
addEventListener("hashchange", settled, { once: true });
history.back();
"""
_AXE = """
const done = arguments[0];
axe.run(document, { resultTypes: ["violations"] }).then(
  ({ violations }) => done(violations.map((one) => [one.id, one.nodes[0].html])),
  (error) => done([String(error)]));
"""


def installed_axe() -> Path:
    """The script of axe: below `SDD_BROWSER`, else `.cache/browser`.

    Skips the test without it, or without Chromium. An empty variable disables these tests.
    """
    named = os.environ.get("SDD_BROWSER")
    directory = Path(named) if named else ROOT / ".cache/browser"
    axe = directory / "node_modules/axe-core/axe.min.js"
    programs = shutil.which("chromium") and shutil.which("chromedriver")
    if named == "" or not programs or not axe.is_file():
        pytest.skip(MISSING)
    return axe


class Browser:
    """A headless Chromium. `axe` is the script of axe."""

    def __init__(self, driver: Chrome, axe: Path) -> None:
        self.driver = driver
        self.axe = axe

    def open(self, page: Path, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> None:
        """Open the file of a page in a window of this size, with a light or dark scheme."""
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.command("Emulation.setDeviceMetricsOverride", {**screen, "mobile": size == PHONE})
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.command("Emulation.setEmulatedMedia", {"features": [feature]})
        self.driver.get("about:blank")
        self.log()
        self.driver.get(page.as_uri())
        self.go("#/")

    def command(self, name: str, parameters: dict[str, Any]) -> Any:
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script: str, *arguments: object) -> Any:
        """Run the body of a function in the page, and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def go(self, address: str) -> None:
        """Go to an address in the page, which begins with `#`."""
        self.driver.execute_async_script(_GO, address)

    def back(self) -> None:
        """Go back to the previous address in the page."""
        self.driver.execute_async_script(_BACK)

    def until(self, script: str, *arguments: object) -> Any:
        """Wait until an expression in the page is true, and return its value."""
        from selenium.webdriver.support.wait import WebDriverWait

        wait = WebDriverWait(self.driver, TIMEOUT, poll_frequency=0.02)
        return wait.until(lambda _: self.run(f"return {script}", *arguments))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, in the focused element."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def texts(self, selector: str) -> Sequence[str]:
        """The texts of the visible elements that match a selector.

        A row of `content-visibility: auto` has no `innerText` before its first frame.
        """
        script = """return [...document.querySelectorAll(arguments[0])]
            .filter((one) => one.checkVisibility())
            .map((one) => (one.innerText || one.textContent).trim())"""
        found: list[str] = self.run(script, selector)
        return found

    def violations(self) -> list[Any]:
        """What axe finds in the page as it is: the rule and the elements of each violation."""
        if not self.run("return typeof axe === 'object'"):
            self.command("Runtime.evaluate", {"expression": self.axe.read_text(encoding="utf-8")})
        found: list[Any] = self.driver.execute_async_script(_AXE)
        return found

    def log(self) -> list[str]:
        """The messages in the log of the browser since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextmanager
def start_browser(axe: Path) -> Iterator[Browser]:
    """Start a browser for the block."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    # Without its sandbox it also runs as root, as in a container.
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "hide-scrollbars",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    driver.set_script_timeout(TIMEOUT)
    try:
        yield Browser(driver, axe)
    finally:
        driver.quit()

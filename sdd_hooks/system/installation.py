"""How sdd was installed, and the command that installs a missing part of it.

A command names what was installed (a folder, a file, a commit of a repository), never `sdd-hooks`
alone: a package index may have another package of that name. What was installed is in
`direct_url.json` (https://packaging.python.org/en/latest/specifications/direct-url/).
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "sdd-hooks"

_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")
_PACKAGE = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class RunningProgram:
    """The sdd that runs, and how it was installed.

    `python` is its interpreter and `prefix` the environment of that, both absolute. `has_pip` is
    whether the interpreter can run pip.
    """

    package: Distribution
    python: Path
    prefix: Path
    has_pip: bool

    def extra_command(self, extra: str) -> str:
        """The command that adds the extra and keeps the others, for a shell."""
        source = self._source()
        if not source:
            return self._packages_command(_requirements(self.package, extra))
        if self._tool():
            extra = ",".join(sorted({extra, *self._installed_extras()}))
        *options, place = source
        return shlex.join([*self._installer(), *options, _requirement(place, extra)])

    def reinstall_command(self) -> str:
        """The command that writes the files of sdd again, for a shell; "" if it is unknown."""
        source = self._source()
        if not source:
            return ""
        *options, place = source
        extras = ",".join(sorted(self._installed_extras())) if self._tool() else ""
        again = {"pipx": (), "uv": ("--reinstall",)}.get(
            self._tool(), ("--force-reinstall" if self.has_pip else "--reinstall", "--no-deps")
        )
        return shlex.join([*self._installer(), *again, *options, _requirement(place, extras)])

    def package_command(self, name: str) -> str:
        """The command that installs a package that sdd requires, for a shell."""
        required = [line for line in _requirements(self.package) if _package(line) == name]
        return self._packages_command(required or [name])

    def _packages_command(self, requirements: Sequence[str]) -> str:
        if self._tool() == "pipx":
            return shlex.join(["pipx", "inject", *self._scope(), self.prefix.name, *requirements])
        if self.has_pip:
            return shlex.join([str(self.python), "-m", "pip", "install", *requirements])
        return shlex.join(["uv", "pip", "install", "--python", str(self.python), *requirements])

    def _installer(self) -> Sequence[str]:
        """The words of the command that installs a requirement over this installation."""
        tool = self._tool()
        if tool == "pipx":
            return ("pipx", "install", *self._scope(), "--force")
        if tool == "uv":
            return ("uv", "tool", "install")
        if self.has_pip:
            return (str(self.python), "-m", "pip", "install")
        return ("uv", "pip", "install", "--python", str(self.python))

    def _tool(self) -> str:
        """The tool that made the environment for sdd alone: `pipx`, `uv`, "" for neither."""
        if (self.prefix / "pipx_metadata.json").is_file():
            return "pipx"
        return "uv" if (self.prefix / "uv-receipt.toml").is_file() else ""

    def _scope(self) -> Sequence[str]:
        return ("--global",) if self.prefix.is_relative_to("/opt/pipx") else ()

    def _source(self) -> Sequence[str]:
        """Options and place of what was installed; empty if unknown, or if it no longer exists."""
        try:
            direct = json.loads(self.package.read_text("direct_url.json") or "{}")
            url, subdirectory = str(direct["url"]), direct.get("subdirectory")
            vcs, folder = direct.get("vcs_info"), direct.get("dir_info") or {}
            fragment = f"#subdirectory={subdirectory}" if subdirectory else ""
            if vcs:
                return (f"{vcs['vcs']}+{_without_secret(url)}@{vcs['commit_id']}{fragment}",)
            if not url.startswith("file:"):
                return (f"{_without_secret(url)}{fragment}",)
            place = Path(unquote(urlsplit(url).path), subdirectory or "")
            options = ("--editable",) if folder.get("editable") else ()
            return (*options, str(place)) if place.exists() else ()
        except (ValueError, KeyError, TypeError, AttributeError):
            return ()

    def _installed_extras(self) -> Iterator[str]:
        for extra in self.package.metadata.get_all("Provides-Extra") or ():
            packages = [_package(line) for line in _requirements(self.package, extra)]
            if packages and NAME not in packages and all(map(_is_installed, packages)):
                yield extra


def find_running_program() -> RunningProgram | None:
    """The installation of the running program; None when it runs without one."""
    has_pip = find_spec("pip") is not None
    try:
        return RunningProgram(distribution(NAME), Path(sys.executable), Path(sys.prefix), has_pip)
    except PackageNotFoundError:
        return None


def advise_extra(extra: str) -> str:
    """What to do where a package of an extra is missing, for the end of a message."""
    program = find_running_program()
    if program is None:
        return f"install the extra `{extra}` of {NAME} from where sdd is"
    return f"run `{program.extra_command(extra)}`"


def advise_package(name: str) -> str:
    """What to do where a package that sdd requires is missing, for the end of a message."""
    program = find_running_program()
    if program is None:
        return f"install {name} for {sys.executable}"
    return f"run `{program.package_command(name)}`"


def advise_reinstall() -> str:
    """What to do where files of sdd are missing, for the end of a message."""
    program = find_running_program()
    command = program.reinstall_command() if program else ""
    return f"run `{command}`" if command else "install sdd again, as it was installed before"


def _requirement(place: str, extras: str) -> str:
    """A URL or a path with extras, "" for none, as the command line of pip, pipx and uv."""
    listed = f"[{extras}]" if extras else ""
    return f"{NAME}{listed} @ {place}" if "://" in place else f"{place}{listed}"


def _requirements(package: Distribution, extra: str = "") -> list[str]:
    """The requirements of an extra, or those without an extra, as the command line of pip."""
    found = []
    for line in package.requires or ():
        requirement, _, marker = line.partition(";")
        extras = _EXTRA.findall(marker)
        if extras == ([extra] if extra else []):
            found.append(requirement.strip())
    return found


def _package(requirement: str) -> str:
    match = _PACKAGE.match(requirement)
    return match[0] if match else ""


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _without_secret(url: str) -> str:
    """The URL without a password or a token; the name of an ssh user stays."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    is_ssh_user = at and scheme == "ssh" and ":" not in user
    return f"{scheme}{separator}{authority if is_ssh_user else host}{slash}{path}"

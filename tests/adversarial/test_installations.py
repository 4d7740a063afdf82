"""Installations with broken modules, and unusual environments: no commit is refused."""

from __future__ import annotations

import compileall
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import sdd_hooks
from sdd_hooks.githooks.install import install_hooks
from tests.adversarial.conftest import Rounds
from tests.adversarial.test_state_files import EXPECTED, indexed_repository
from tests.githooks.recorder import Hooked
from tests.support.waiting import TIMEOUT

LAUNCHER = """\
#!{python}
import sys
sys.path.insert(0, {site!r})
from sdd_hooks.cli.entry import main
sys.exit(main())
"""

TEXTS = {
    "syntax error": "def broken(:\n",
    "missing dependency": "import sdd_hooks_missing_dependency\n",
    "failing import": "raise RuntimeError('broken\\nmodule')\n",
    "empty after an interrupted upgrade": "",
    "other encoding": "# caf\u00e9\n",
    "exit at import": "raise SystemExit(1)\n",
    "exit with a text at import": "raise SystemExit('broken')\n",
    "crash": f"import os\nos.kill(os.getpid(), {int(signal.SIGSEGV)})\n",
    "hang": "import time\ntime.sleep(600)\n",
    "no memory": "raise MemoryError\n",
}

INTERPRETERS = {
    "missing": "/nonexistent/python",
    "false": "/bin/false",
    "shell": "/bin/sh",
    "directory": "/tmp",
}


def test_broken_installations(rounds: Rounds, tmp_path: Path) -> None:
    """Whatever is broken, git commits; a finding of a whole installation still refuses."""
    template = indexed_repository(tmp_path / "template")
    package = Path(sdd_hooks.__file__).parent
    site = tmp_path / "site"
    shutil.copytree(package, site / "sdd_hooks")
    compileall.compile_dir(site, quiet=2)
    modules = sorted((site / "sdd_hooks").rglob("*.py"))
    # Most modules are not imported by a hook.
    often = [path for path in modules if path.parent.name in {"cli", "githooks", "system", "text"}]
    numbers = count()

    def case(chance: random.Random) -> None:
        repo = Hooked(tmp_path / f"case-{next(numbers)}")
        shutil.copytree(template.root, repo.root, symlinks=True)
        sdd = repo.root / ".git/sdd-launcher"
        module = chance.choice(chance.choice((modules, often)))
        text, times = module.read_bytes(), module.stat()
        damage = chance.choice((*TEXTS, "removed", "none", "interpreter"))
        interpreter = chance.choice(sorted(INTERPRETERS))
        python = INTERPRETERS[interpreter] if damage == "interpreter" else sys.executable
        sdd.write_text(LAUNCHER.format(python=python, site=str(site)))
        sdd.chmod(0o755)
        install_hooks(repo.project().repository, sdd, review=chance.random() < 0.3)
        shorten_deadline(repo, damage)
        finds = chance.random() < 0.3
        edge = "---\nextends: [ADR-0099]\n---\n" if finds else ""
        repo.write("docs/adrs/ADR-0003-new.md", f"{edge}# ADR-0003: New\n")
        try:
            if damage in TEXTS:
                encoding = "latin-1" if damage == "other encoding" else "utf-8"
                module.write_text(TEXTS[damage], encoding=encoding)
            elif damage == "removed":
                module.unlink()
            code, err = commit(repo)
        finally:
            module.write_bytes(text)
            # Otherwise each later case would compile it.
            os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
        what = f"{damage} {module.relative_to(site)} {interpreter} {finds}: {code} {err}"
        assert code in ({0, 1} if finds else {0}), what
        if finds and code:
            # The module was not needed: the finding is real.
            assert "ADR-0099" in err, what
        if damage == "none" and "was stopped" not in err:
            assert code == int(finds), what
        shutil.rmtree(repo.root)

    rounds.run(case)


def shorten_deadline(repo: Hooked, damage: str) -> None:
    """Make the hooks wait for a second, if the installation hangs."""
    if damage != "hang":
        return
    for hook in (repo.root / ".git/hooks").iterdir():
        text = hook.read_text()
        for limit in ("10", "30", "120"):
            text = text.replace(f"sdd_seconds={limit}\n", "sdd_seconds=1\n")
        hook.write_text(text)


def commit(repo: Hooked) -> tuple[int, str]:
    """Commit everything, with all hooks. Returns the exit code and what was printed."""
    repo.git("add", "-A")
    done = subprocess.run(
        ["git", "commit", "--quiet", "-m", "Any"],
        cwd=repo.root,
        env={**repo.environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stderr.decode("utf-8", "replace")


COMMANDS = (
    ("search", "session"),
    ("index", "status"),
    ("index", "update"),
    ("list", "--json"),
    ("hook", "post-commit"),
    ("hook", "pre-commit"),
    ("hook", "post-merge", "0"),
    ("--version",),
)


def closing(*descriptors: int) -> Callable[[], None]:
    """A function that closes descriptors in the new process."""

    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return close


def limiting(kind: int, value: int) -> Callable[[], None]:
    """A function that limits a resource of the new process."""
    return lambda: resource.setrlimit(kind, (value, value))


VARIABLES: tuple[dict[str, str | None], ...] = (
    {"HOME": None},
    {"HOME": ""},
    {"HOME": "/nonexistent"},
    {"HOME": "/dev/null"},
    {"HOME": "/proc"},
    {"HOME": "relative"},
    {"XDG_CACHE_HOME": "/dev/null"},
    {"XDG_CONFIG_HOME": "/proc/nonexistent"},
    {"PATH": None},
    {"PATH": ".:" + os.environ["PATH"]},
    {"PATH": "/nonexistent"},
    {"PATH": ""},
    {"LANG": "C", "LC_ALL": "C"},
    {"LC_ALL": "POSIX"},
    {"LC_ALL": "tlh_KX.UTF-8"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONUTF8": "0", "LC_ALL": "C"},
    {"TMPDIR": "/nonexistent"},
    {"TERM": "", "COLUMNS": "x"},
    {"COLUMNS": "1", "TERM": "dumb"},
    {"GIT_DIR": "/nonexistent", "GIT_INDEX_FILE": "/dev/null"},
    {"GIT_CONFIG_COUNT": "x"},
    {"GIT_CONFIG_GLOBAL": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
    {"SDD_DEBUG": "1"},
)
STARTS: tuple[Callable[[], object], ...] = (
    lambda: None,
    closing(0),
    closing(1),
    closing(2),
    closing(0, 1, 2),
    lambda: os.umask(0o777),
    lambda: os.umask(0o077),
    limiting(resource.RLIMIT_FSIZE, 0),
    limiting(resource.RLIMIT_FSIZE, 20_000),
    limiting(resource.RLIMIT_NOFILE, 24),
)


def test_unusual_environments(rounds: Rounds, tmp_path: Path) -> None:
    """A command ends as documented, and a hook with success."""
    template = indexed_repository(tmp_path / "template")
    sdd = Path(sys.executable).with_name("sdd")
    numbers = count()

    def case(chance: random.Random) -> None:
        name = chance.choice(("case", "c a'\"s$e", "x" * 200 + "/" + "y" * 200, "caf\u00e9"))
        top = tmp_path / f"{next(numbers)}"
        repo = Hooked(top / name)
        shutil.copytree(template.root, repo.root, symlinks=True)
        repo.write("docs/adrs/ADR-0003-new.md", "# ADR-0003: Caf\u00e9\n")
        repo.git("add", "-A")
        changes = {}
        for change in chance.sample(VARIABLES, chance.choice((1, 1, 2, 3))):
            changes |= change
        environ = {**os.environ, **changes}
        start = chance.choice(STARTS)
        command = chance.choice(COMMANDS)
        done = subprocess.run(
            [str(sdd), *command],
            cwd=repo.root,
            env={key: value for key, value in environ.items() if value is not None},
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            preexec_fn=start,
        )
        err = done.stderr.decode("utf-8", "replace")
        what = f"{command} {changes} start {STARTS.index(start)}: {done.returncode} {err}"
        assert done.returncode in ({0} if command[0] == "hook" else EXPECTED), what
        assert "Traceback" not in err, what
        shutil.rmtree(top)

    rounds.run(case)

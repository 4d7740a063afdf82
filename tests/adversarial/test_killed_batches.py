"""Batches of a sprint that are killed at a random request: the same commands finish them.

Each case has a tracker of a random kind. The commands run one after the other in a process that
SIGKILL ends while the server has a request, before or after it is carried out.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.adversarial.conftest import Rounds
from tests.support.loopback import CannedResponse, Request
from tests.support.sprint_sites import KINDS, SPEC, SprintSite, sprint_site
from tests.usecases.sprint.test_review_pulls import closing, index, propose

COMMANDS = (
    ("organize", SPEC, "--depth", "contents"),
    ("review", SPEC, "--merge"),
)
MAX_REQUESTS = 60

# Imports once; each line on stdin runs a command in a forked process, which writes its id first.
_RUNNER = """
import os, signal, sys
from sdd_hooks.cli import enrich, organize
from sdd_hooks.cli.review import command as review
from sdd_hooks.cli.entry import main
from sdd_hooks.remote import client
from sdd_hooks.usecases import forge
from sdd_hooks.usecases.sprint import enrich, merge_pulls, organize, review_pulls
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.argv[1:] = line.split()
        os._exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass
class Runner:
    """Runs commands, and kills one at its request number `at` (None: never)."""

    process: subprocess.Popen[str]
    id_file: Path
    at: int | None = None
    after: bool = False

    def run(self, *command: str) -> int:
        """Run a command. Returns its exit code, negative for a signal."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(command) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def count(self, _request: Request) -> CannedResponse | None:
        """Kill the command if it is time."""
        if self.at is not None:
            self.at -= 1
            if self.at < 0:
                self.at = None
                os.kill(int(self.id_file.read_text()), signal.SIGKILL)
                if not self.after:
                    return CannedResponse(reset=True)
        return None


@contextmanager
def running(site: SprintSite, root: Path) -> Iterator[Runner]:
    """A runner for the commands of a site."""
    arguments = [sys.executable, "-c", _RUNNER, str(root / "pid")]
    process = subprocess.Popen(
        arguments,
        cwd=site.repo.root,
        env={**site.repo.environment(), **site.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        runner = Runner(process, root / "pid")
        site.server.faults.append(runner.count)
        yield runner
        assert process.stdin is not None
        process.stdin.close()


def test_a_killed_batch_is_finished(rounds: Rounds, tmp_path: Path) -> None:
    def case(chance: random.Random) -> None:
        kind = chance.choice(KINDS)
        root = tmp_path / str(chance.getrandbits(60))
        root.mkdir()
        with sprint_site(kind, root) as site, running(site, root) as runner:
            stories = _prepare(site, chance)
            for _ in range(chance.randint(1, 4)):
                runner.at, runner.after = chance.randrange(MAX_REQUESTS), chance.random() < 0.5
                for command in COMMANDS:
                    if runner.run(*command) < 0:
                        break
            runner.at = None
            for command in COMMANDS:
                assert runner.run(*command) == 0, (kind, command)
            _assert_finished(site, stories)
            writes, ids = site.writes(), site.ids()
            for command in COMMANDS:
                assert runner.run(*command) == 0
            assert (site.writes(), site.ids()) == (writes, ids), kind

    rounds.run(case)


def _prepare(site: SprintSite, chance: random.Random) -> dict[str, bool]:
    """Add an epic, stories, and pull requests for some. Returns which stories have one."""
    if site.name != "tasks-md":
        site.add("Implement sessions", SPEC, ("epic",))
    stories = {}
    for number in range(chance.randint(1, 3)):
        stories[site.add(f"Story {number}", f"For {SPEC}.", ("story",))] = chance.random() < 0.7
    if site.name == "tasks-md":
        site.repo.commit("Tasks")
        site.repo.git("push", "--quiet", str(site.bare), "main")
    index(site)
    for story, has_pull in stories.items():
        if has_pull:
            files = {f"shop/{story}.py": f"NAME = {story!r}\n"}
            propose(site, f"feature/{story}-story", files, closing(site, story))
    return stories


def _assert_finished(site: SprintSite, stories: dict[str, bool]) -> None:
    merged = [number for number, _ in site.host.merges]
    assert sorted(merged) == sorted(set(merged)) == sorted(site.host.pulls), "merged once each"
    assert len(site.ids()) == len(stories) + (site.name != "tasks-md"), "no issue was created"
    for story, has_pull in stories.items():
        assert site.state(story) == ("closed" if has_pull else "open")
        cached = (site.repo.root / f".sdd/issues/{story}.md").read_text()
        assert cached.count("### Branch") == cached.count("### PR Convention") == 1
        status = cached.partition("\nstatus: ")[2].partition("\n")[0]
        assert (status in {"closed", "merged"}) == has_pull

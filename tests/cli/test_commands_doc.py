import sys
from pathlib import Path

from tests.support.programs import run_program

ROOT = Path(__file__).parents[2]


def test_the_page_of_commands_is_generated_from_their_help():
    script = ROOT / "scripts" / "commands-doc"
    done = run_program(sys.executable, script)
    assert (ROOT / "docs" / "commands.md").read_text() == done.stdout

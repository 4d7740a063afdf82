import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_commands_is_generated_from_their_help():
    script = ROOT / "scripts" / "commands-doc"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / "commands.md").read_text() == done.stdout
